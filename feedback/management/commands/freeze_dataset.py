"""manage.py freeze_dataset DATASET | --new NAME --campaign ID … [--ties half|drop|drop_votes] …"""

from __future__ import annotations

import json
from typing import Any, get_args

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from feedback.datasets.selection import Neither, RaterKind
from feedback.exceptions import FeedbackError
from feedback.models import Dataset, User
from feedback.services.freezing import create_dataset, freeze_dataset

POLICIES = ("ties", "both_bad", "min_raters", "weights", "test_fraction", "salt", "licence")


class Command(BaseCommand):
    help = "Freeze a version of a dataset: select judgements, split by prompt, write Parquet and a card."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dataset", nargs="?", help="name or id of a dataset there is")
        parser.add_argument("--new", metavar="NAME", help="save this selection as a new dataset first")
        parser.add_argument("--campaign", action="append", metavar="ID", help="whose judgements (repeat it for more)")
        parser.add_argument("--question", action="append", metavar="KEY", help="default: all")
        parser.add_argument("--rater-kind", action="append", choices=get_args(RaterKind), help="default: all")
        parser.add_argument("--ties", choices=get_args(Neither))
        parser.add_argument("--both-bad", choices=get_args(Neither))
        parser.add_argument("--min-raters", type=int)
        parser.add_argument("--weights", choices=["equal", "votes"])
        parser.add_argument("--test-fraction", type=float)
        parser.add_argument("--salt")
        parser.add_argument("--licence")
        parser.add_argument("--user", metavar="USERNAME", help="who freezes it")

    def handle(self, *args: Any, **options: Any) -> None:
        actor = _actor(options["user"])
        try:
            dataset = _new(options, actor) if options["new"] else _existing(options["dataset"])
            version = freeze_dataset(dataset, actor=actor)
        except FeedbackError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{version}: {version.pk}")
        self.stdout.write(f"sha256 {version.sha256}")
        self.stdout.write(f"files in {version.path} of the storage")
        self.stdout.write(json.dumps(version.counts, indent=1))


def _new(options: dict[str, Any], actor: User | None) -> Dataset:
    lists = {"campaigns": "campaign", "questions": "question", "rater_kinds": "rater_kind"}
    selection = {name: options[option] or [] for name, option in lists.items()}
    selection |= {name: options[name] for name in POLICIES if options[name] is not None}
    return create_dataset(name=options["new"], selection=selection, actor=actor)


def _existing(name: str | None) -> Dataset:
    if not name:
        raise CommandError("Name a dataset, or make one: --new NAME --campaign ID.")
    found = Dataset.objects.filter(name=name).first()
    if found is None:
        try:
            found = Dataset.objects.filter(pk=name).first()
        except ValidationError:
            found = None
    if found is None:
        message = f"There is no dataset {name!r}."
        raise CommandError(message)
    return found


def _actor(username: str | None) -> User | None:
    if not username:
        return None
    user = User.objects.filter(username=username).first()
    if user is None:
        message = f"There is no user {username!r}."
        raise CommandError(message)
    return user
