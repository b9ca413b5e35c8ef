"""Tasks and judgements out of a file, or out of rows: all or nothing, and the same file twice adds nothing.

One transaction; an advisory lock per campaign, so that two imports cannot both think a task new.  Memory holds one
batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from django.db import connection, transaction
from django.utils.translation import gettext as _

from feedback.exceptions import ImportRefused, WrongState
from feedback.importing.layouts.base import Layout
from feedback.importing.layouts.registry import detect_layout, get_layout
from feedback.importing.readers import read_rows, sniff_format
from feedback.importing.report import ImportReport
from feedback.importing.rows import FileUnreadable, Row, RowError, RowRefused, check_storable
from feedback.models import Campaign, User
from feedback.services.events import record_event
from feedback.services.import_batches import BatchWriter
from feedback.services.import_rows import RowReader

JSON = Any
Source = Path | BinaryIO | Iterable[Mapping[str, JSON]]
BATCH = 1000
MANY = 500
SOURCE_MAX = 200
_OPEN_STATES = (Campaign.Status.DRAFT, Campaign.Status.ACTIVE, Campaign.Status.PAUSED)


@dataclass(frozen=True)
class ImportOptions:
    """layout "auto": by the first row's columns.  source: keeps raters of one name apart ("": the layout's name)."""

    layout: str = "auto"
    format: str = ""
    source: str = ""
    with_judgements: bool = True


def import_tasks(
    campaign: Campaign,
    source: Source,
    layout: str = "auto",
    *,
    actor: User | None,
    dry_run: bool = False,
    on_error: Literal["refuse", "skip"] = "refuse",
    format: str = "",
    source_name: str = "",
    with_judgements: bool = True,
) -> ImportReport:
    """Add a file's tasks (and judgements by imported raters) to a campaign.

    source: a path, a seekable binary stream, or rows.  A task is known by its external id, else by its content.
    dry_run: everything is tried and rolled back.  on_error "refuse": one bad row and nothing is imported.

    Raises ImportRefused (with the report), FileUnreadable, LayoutUnknown, LayoutUnfit, WrongState.
    """
    options = ImportOptions(layout, format, source_name.strip()[:SOURCE_MAX], with_judgements)
    with _opened(source, options) as (rows, found_format), transaction.atomic():
        _lock(campaign)
        report = _import(campaign, rows, options)
        report.format, report.dry_run = found_format, dry_run
        if dry_run:
            transaction.set_rollback(True)
        elif report.n_refused and on_error == "refuse":
            raise ImportRefused(report)
        else:
            detail = {"layout": report.layout, "source": report.source, **report.counts()}
            record_event(actor, "tasks.imported", campaign, campaign=campaign, **detail)
    return report


def _lock(campaign: Campaign) -> None:
    campaign.refresh_from_db(fields=["status", "form", "guideline", "overlap"])
    if campaign.status not in _OPEN_STATES:
        message = _("“%(name)s” is %(status)s and takes no tasks.")
        raise WrongState(message % {"name": campaign.name, "status": campaign.get_status_display()})
    if campaign.form is None:
        raise WrongState(_("“%(name)s” asks no question yet: publish its form first.") % {"name": campaign.name})
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"import {campaign.pk}"])


def _import(campaign: Campaign, rows: Iterator[Row | RowError], options: ImportOptions) -> ImportReport:
    layout, rows = _layout_of(rows, options.layout)
    form = campaign.form
    assert form is not None  # noqa: S101 (_lock has refused a campaign without one)
    if options.with_judgements:
        layout.check_form(form.questions)
    report = ImportReport(layout=layout.name, source=options.source or layout.name)
    reader = RowReader(layout, form.questions, judged=options.with_judgements)
    writer = BatchWriter(campaign, report)
    rows = layout.arrange(rows)
    while batch := list(islice(rows, BATCH)):
        report.n_rows += len(batch)
        read = [reader.read(row) if isinstance(row, Row) else row for row in batch]
        writer.write([task for task in read if not isinstance(task, RowError)])
        for error in read:
            if isinstance(error, RowError):
                report.refuse(error)
    writer.finish()
    if report.n_tasks_added >= MANY:
        _analyze()
    report.refused.sort(key=lambda error: error.number)
    return report


def _analyze() -> None:
    """Tell the planner at once what the tables hold, so that the first claims walk the index made for them."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE feedback_task, feedback_judgement")


def _layout_of(rows: Iterator[Row | RowError], name: str) -> tuple[Layout, Iterator[Row | RowError]]:
    """The layout, and the rows from the beginning.  Without one readable row the file has none to detect."""
    if name != "auto":
        return get_layout(name), rows
    begun: list[Row | RowError] = []
    for row in rows:
        begun.append(row)
        if isinstance(row, Row):
            return detect_layout(row.values), chain(begun, rows)
    if not begun:
        raise FileUnreadable(_("There is no row in this file."))
    first = str(begun[0])
    raise FileUnreadable(_("No row of this file can be read; the first says: %(error)s") % {"error": first})


@contextmanager
def _opened(source: Source, options: ImportOptions) -> Iterator[tuple[Iterator[Row | RowError], str]]:
    if isinstance(source, Path):
        with source.open("rb") as stream:
            format = options.format or sniff_format(source.name, stream)
            yield read_rows(stream, format), format
    elif hasattr(source, "read"):
        given = cast(BinaryIO, source)
        format = options.format or sniff_format(str(getattr(given, "name", "") or ""), given)
        yield read_rows(given, format), format
    else:
        yield map(_given_row, enumerate(source, start=1)), "rows"


def _given_row(numbered: tuple[int, Mapping[str, JSON]]) -> Row | RowError:
    number, values = numbered
    try:
        check_storable(values)
    except RowRefused as error:
        return error.at(number)
    return Row(number, values)
