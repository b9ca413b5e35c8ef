"""Train on a frozen dataset version from the command line."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from feedback.exceptions import FeedbackError
from feedback.models import DatasetVersion, User
from training.models import Run
from training.recipes.base_models import available_base_models
from training.recipes.hardware import defaults_for
from training.recipes.registry import RECIPES
from training.services.run_execution import execute_run
from training.services.runs import queue_run


class Command(BaseCommand):
    help = "Queue a training run; with --wait, train here and now and print the result."

    def add_arguments(self, parser: ArgumentParser) -> None:
        kinds = [choice["kind"] for choice in available_base_models()]
        parser.add_argument("dataset_version", type=UUID)
        parser.add_argument("--recipe", default="reward", choices=sorted(RECIPES))
        parser.add_argument("--base", default="tiny", help=f"{', '.join(kinds)}; path:FOLDER, hub:NAME for those two")
        parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the recipe")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--name", default="")
        parser.add_argument("--user", default="", help="who asks for it, by username")
        parser.add_argument("--wait", action="store_true", help="execute it in this process")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            run = self._queue(options)
        except (FeedbackError, DatasetVersion.DoesNotExist, User.DoesNotExist) as error:
            raise CommandError(str(error)) from error
        if options["wait"]:
            self._execute(run)
        else:
            self.stdout.write(f"Queued run {run.pk}.")

    def _queue(self, options: dict[str, Any]) -> Run:
        kind, _, name = options["base"].partition(":")
        base = {"kind": kind, "name": name}
        return queue_run(
            dataset_version=DatasetVersion.objects.get(pk=options["dataset_version"]),
            recipe=options["recipe"],
            base_model=base,
            settings={**defaults_for(base).to_json(), **_settings(options["set"])},
            seed=options["seed"],
            name=options["name"],
            actor=User.objects.get(username=options["user"]) if options["user"] else None,
            send=not options["wait"],
        )

    def _execute(self, run: Run) -> None:
        self.stdout.write(f"Training run {run.pk} …")
        execute_run(str(run.pk))
        run.refresh_from_db()
        if run.status != Run.Status.SUCCEEDED:
            raise CommandError(f"The run is {run.status}: {run.error} {run.advice}".strip())
        for evaluation in run.checkpoints.get().evaluations.all():
            baseline = evaluation.report.get("baseline_length") or {}
            self.stdout.write(
                f"{evaluation.split}: accuracy {evaluation.accuracy:.3f} ({evaluation.low:.3f}–{evaluation.high:.3f}, "
                f"n = {evaluation.n}); longer wins {json.dumps(baseline.get('accuracy'))}"
            )


def _settings(given: list[str]) -> dict[str, str]:
    pairs = [entry.partition("=") for entry in given]
    for key, sign, _value in pairs:
        if not sign:
            raise CommandError(f"--set {key}: expected KEY=VALUE.")
    return {key: value for key, _sign, value in pairs}
