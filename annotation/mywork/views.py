"""A rater's own page."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_datetime
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation.mywork.history import PAGE, Day, days_of, flags_of, history_of
from annotation.workbench.answering import PersonRequest
from feedback.access import rater_of
from feedback.plots import bar_chart


@require_GET
def my_work(request: PersonRequest) -> HttpResponse:
    """History, flags with their replies, and hours; `?before=` goes further back."""
    rater = rater_of(request.user)
    before = _moment(request.GET.get("before", ""))
    done = history_of(rater, before=before)
    days = days_of(rater)
    context = {
        "done": done,
        "is_first": before is None,
        "older": done[-1].assignment.ended_at if len(done) == PAGE else None,
        "flags": flags_of(rater),
        "days": days,
        "n": sum(day.n for day in days),
        "hours": sum(day.hours for day in days),
        "plot": _plot(days),
    }
    return render(request, "annotation/my_work.html", context)


def _plot(days: list[Day]) -> SafeString:
    counts = {day.day.strftime("%d %b"): float(day.n) for day in days}
    return bar_chart(counts, title=_("Judgements a day"), y_label=_("judgements"), height=180)


def _moment(text: str) -> datetime | None:
    """A time with its zone, else None: a page that was cut off begins anew."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None
