"""The manager's hours per person and day, as CSV."""

from __future__ import annotations

import csv
import uuid
from collections.abc import Iterator
from datetime import date
from typing import Any, cast

from django.db.models import Count, FloatField, Q, Sum
from django.db.models.functions import Coalesce, TruncDate
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.dateparse import parse_date
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from feedback.access import MANAGER, access_campaign
from feedback.models import Campaign, User

COLUMNS = ("person", "day_utc", "judgements", "counted", "surplus", "active_seconds", "active_hours", "without_time")
FORMULA = ("=", "+", "-", "@", "\t", "\r")


class _Echo:
    """A file that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


def safe_cell(value: Any) -> Any:
    """Text that a spreadsheet would run as a formula is quoted with an apostrophe (OWASP, CSV injection)."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def hours_of(campaign: Campaign, first: date | None, last: date | None) -> Iterator[tuple[Any, ...]]:
    """One row a person and day (UTC): current judgements and their active seconds.  Days count inclusively."""
    told = campaign.judgements.current().filter(rater__user__isnull=False).annotate(day=TruncDate("created_at"))
    if first:
        told = told.filter(day__gte=first)
    if last:
        told = told.filter(day__lte=last)
    rows = (
        told.values("rater__user__username", "day")
        .annotate(
            n=Count("pk"),
            n_counted=Count("pk", filter=Q(is_counted=True)),
            n_surplus=Count("pk", filter=Q(is_surplus=True)),
            active=Coalesce(Sum("seconds"), 0.0, output_field=FloatField()),
            n_untimed=Count("pk", filter=Q(seconds__isnull=True)),
        )
        .order_by("rater__user__username", "day")
    )
    for row in rows.iterator():
        seconds = round(row["active"], 1)
        yield (
            row["rater__user__username"], row["day"].isoformat(), row["n"], row["n_counted"], row["n_surplus"],
            seconds, round(seconds / 3600, 4), row["n_untimed"],
        )  # fmt: skip


@require_GET
def campaign_hours(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse | StreamingHttpResponse:
    """`?from=2026-11-01&to=2026-11-30`, both optional and inclusive.  UTF-8 with a BOM, as spreadsheets want it."""
    found = access_campaign(cast(User, request.user), campaign, MANAGER)
    bounds: dict[str, date | None] = {}
    for name in ("from", "to"):
        text = request.GET.get(name, "")
        try:
            bounds[name] = parse_date(text) if text else None
        except ValueError:
            bounds[name] = None
        if text and bounds[name] is None:
            message = _("“%(name)s” is no date: write it as 2026-11-30.") % {"name": name}
            return HttpResponse(message, status=400, content_type="text/plain; charset=utf-8")
    writer = csv.writer(_Echo())
    lines = (writer.writerow([safe_cell(cell) for cell in row]) for row in _rows(found, bounds["from"], bounds["to"]))
    name = f"hours-{slugify(found.name) or found.pk}.csv"
    return StreamingHttpResponse(
        ("\ufeff" + line if at == 0 else line for at, line in enumerate(lines)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _rows(campaign: Campaign, first: date | None, last: date | None) -> Iterator[tuple[Any, ...]]:
    yield COLUMNS
    yield from hours_of(campaign, first, last)
