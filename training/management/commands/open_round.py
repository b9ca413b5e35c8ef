"""Open the next campaign with a promoted checkpoint from the command line."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.management.base import BaseCommand, CommandError

from feedback.exceptions import FeedbackError
from feedback.models import User
from training.models import Checkpoint, Round
from training.services.checkpoints import promote_checkpoint
from training.services.round_execution import execute_round
from training.services.rounds import open_round, store_source


class Command(BaseCommand):
    help = "Rank fresh responses with a checkpoint (promoted if it is not yet) and open the next campaign."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("checkpoint", type=int)
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--file", type=Path, help="JSONL with a prompt and two or more responses a line")
        source.add_argument("--sample", metavar="BASE", help="tiny, smollm2, path:FOLDER or hub:NAME to sample from")
        parser.add_argument("--pairs", type=int, default=20)
        parser.add_argument("--name", default="", help="of the next campaign")
        parser.add_argument("--k", type=int, default=4, help="responses per prompt, when sampling")
        parser.add_argument("--prompts", type=int, default=20, help="prompts of the parent campaign, when sampling")
        parser.add_argument("--max-new-tokens", type=int, default=96)
        parser.add_argument("--temperature", type=float, default=1.0)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--user", default="", help="who opens it, by username; needed to manage the campaign")
        parser.add_argument("--wait", action="store_true", help="execute it in this process")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            round = self._open(options)
        except (FeedbackError, Checkpoint.DoesNotExist, User.DoesNotExist, OSError) as error:
            raise CommandError(str(error)) from error
        if options["wait"]:
            self._execute(round)
        else:
            self.stdout.write(f"Queued round {round.pk}.")

    def _open(self, options: dict[str, Any]) -> Round:
        checkpoint = Checkpoint.objects.select_related("run").get(pk=options["checkpoint"])
        actor = User.objects.get(username=options["user"]) if options["user"] else None
        source = _stored(options["file"]) if options["file"] else _sampled(options)
        promote_checkpoint(checkpoint, actor=actor)
        return open_round(
            checkpoint=checkpoint,
            source=source,
            n_pairs=options["pairs"],
            name=options["name"] or f"Round after {checkpoint.run}",
            actor=actor,
            send=not options["wait"],
        )

    def _execute(self, round: Round) -> None:
        execute_round(str(round.pk))
        round.refresh_from_db()
        if round.campaign is None:
            raise CommandError(f"The round is {round.status}: {round.error} {round.advice}".strip())
        n = round.report["selected"]
        self.stdout.write(f"Opened campaign {round.campaign.pk} “{round.campaign}” with {n} pairs.")


def _stored(path: Path) -> dict[str, Any]:
    with path.open("rb") as stream:
        return store_source(File(stream), path.name)


def _sampled(options: dict[str, Any]) -> dict[str, Any]:
    kind, _, name = options["sample"].partition(":")
    numbers = {key: options[key] for key in ("k", "max_new_tokens", "temperature", "seed")}
    return {"kind": "sample", "base_model": {"kind": kind, "name": name}, "n_prompts": options["prompts"], **numbers}
