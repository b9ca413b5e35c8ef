"""manage.py import_tasks FILE --campaign ID | --new NAME [--layout auto] [--dry-run] …"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from feedback.exceptions import FeedbackError
from feedback.importing.layouts.registry import LAYOUTS, detect_layout, get_layout
from feedback.importing.proposing import proposed_form
from feedback.importing.readers import FORMATS, read_rows, sniff_format
from feedback.importing.report import ImportReport
from feedback.importing.rows import Row, RowRefused
from feedback.models import Campaign, User
from feedback.services.campaigns import create_campaign
from feedback.services.importing import import_tasks

SHOWN_ERRORS = 20


class Command(BaseCommand):
    help = "Import tasks, and judgements by imported raters, from a JSONL, JSON, CSV or TSV file, gzipped or not."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        where = parser.add_mutually_exclusive_group(required=True)
        where.add_argument("--campaign", metavar="ID", help="add to this campaign")
        where.add_argument("--new", metavar="NAME", help="open a campaign with the questions of the file's layout")
        parser.add_argument("--layout", default="auto", choices=["auto", *LAYOUTS])
        parser.add_argument("--format", default="", choices=["", *FORMATS], help="default: by the file's name")
        parser.add_argument("--source", default="", help="whose raters these are (default: the layout's name)")
        parser.add_argument("--on-error", default="refuse", choices=["refuse", "skip"])
        parser.add_argument("--dry-run", action="store_true", help="say what would happen, change nothing")
        parser.add_argument(
            "--judgements", action=argparse.BooleanOptionalAction, default=True, help="take the file's judgements too"
        )
        parser.add_argument("--user", metavar="USERNAME", help="who does it; manages a new campaign")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        if not path.is_file():
            message = f"There is no file {path}."
            raise CommandError(message)
        try:
            with transaction.atomic():  # a campaign opened for a file that is refused goes with it
                campaign = _campaign(options, path)
                report = import_tasks(
                    campaign,
                    path,
                    options["layout"],
                    actor=_actor(options["user"]),
                    dry_run=options["dry_run"],
                    on_error=options["on_error"],
                    format=options["format"],
                    source_name=options["source"],
                    with_judgements=options["judgements"],
                )
                if options["dry_run"]:
                    transaction.set_rollback(True)
        except FeedbackError as error:
            raise CommandError(str(error)) from error
        self._say(report, campaign)

    def _say(self, report: ImportReport, campaign: Campaign) -> None:
        would = "would be " if report.dry_run else ""
        self.stdout.write(f"{report.n_rows} rows ({report.format}, layout {report.layout}) → campaign {campaign.pk}")
        self.stdout.write(f"tasks: {report.n_tasks_added} {would}added, {report.n_tasks_known} already there")
        told = f"{report.n_judgements_added} {would}added, {report.n_judgements_known} already there"
        self.stdout.write(f"judgements: {told}, raters: {', '.join(sorted(report.raters)) or 'none'}")
        if report.metadata_columns:
            self.stdout.write(f"kept as metadata: {', '.join(sorted(report.metadata_columns))}")
        for what, n in report.mended.items():
            self.stdout.write(f"mended: {what} ({n} rows)")
        if report.n_refused:
            self.stdout.write(self.style.WARNING(f"refused: {report.n_refused} rows"))
            for error in report.refused[:SHOWN_ERRORS]:
                self.stdout.write(f"  {error}")
        if report.adds_nothing:
            self.stdout.write("Nothing new.")


def _campaign(options: dict[str, Any], path: Path) -> Campaign:
    if options["new"] is None:
        try:
            return Campaign.objects.get(pk=options["campaign"])
        except (Campaign.DoesNotExist, ValidationError):
            message = f"There is no campaign {options['campaign']}."
            raise CommandError(message) from None
    form = _form_of(options, path)
    return create_campaign(actor=_manager(options["user"]), name=options["new"], questions=form)


def _form_of(options: dict[str, Any], path: Path) -> Any:
    """The questions that the file's layout brings with it."""
    with path.open("rb") as stream:
        rows = read_rows(stream, options["format"] or sniff_format(path.name, stream))
        first = next((row for row in rows if isinstance(row, Row)), None)
    named = options["layout"] != "auto"
    layout = get_layout(options["layout"]) if named else detect_layout(first.values if first else ())
    if layout.form:
        return layout.form
    try:
        return proposed_form(layout.read(first, (), judged=False).content) if first else ()
    except RowRefused as error:
        message = f"The first row cannot be read, so it does not say what to ask: {error}"
        raise CommandError(message) from error


def _manager(username: str | None) -> User:
    """Who manages the new campaign: a campaign without a manager would be on nobody's screen."""
    if username:
        return _actor(username)  # type: ignore[return-value]  # a name gives a person or an error
    people = [user for user in User.objects.filter(is_active=True).order_by("username") if user.opens_campaigns]
    if len(people) == 1:
        return people[0]
    names = ", ".join(user.username for user in people) or "nobody; make one with createsuperuser"
    message = f"Say who manages the new campaign: --user USERNAME. These may open campaigns: {names}."
    raise CommandError(message)


def _actor(username: str | None) -> User | None:
    if not username:
        return None
    user = User.objects.filter(username=username).first()
    if user is None:
        message = f"There is no user {username!r}."
        raise CommandError(message)
    return user
