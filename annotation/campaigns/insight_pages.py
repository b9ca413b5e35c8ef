"""The plots of a campaign's page, asked for once the page has shown."""

from __future__ import annotations

import uuid
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation.campaigns.insights import Answers, Pace, answers_of, naming_tasks_of, pace_of, skips_of, times_of
from annotation.campaigns.overview import progress_of
from feedback.access import MANAGER, REVIEWER, access_campaign
from feedback.models import User
from feedback.plots import bar_chart, interval_chart, line_chart, stacked_bar


@require_GET
def campaign_insights(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    found = access_campaign(cast(User, request.user), campaign, MANAGER, REVIEWER)
    progress = progress_of(found)
    pace = pace_of(found, max(0, progress.n_seats - progress.n_counted))
    times = times_of(found)
    n_naming, naming = naming_tasks_of(found)
    context: dict[str, Any] = {
        "campaign": found,
        "progress": progress,
        "pace": pace,
        "pace_plot": _pace_plot(pace),
        "times": times,
        "times_plot": bar_chart(
            times.bars, title=_("Seconds a task"), x_label=_("active seconds"), y_label=_("judgements"), height=220
        )
        if times.n
        else "",
        "answers": [_answer_plots(answers) for answers in answers_of(found)],
        "skips": skips_of(found),
        "n_naming": n_naming,
        "naming": naming,
    }
    return render(request, "annotation/campaign_insights.html", context)


def _pace_plot(pace: Pace) -> SafeString | str:
    if len(pace.days) < 2:
        return ""
    total, points = 0, []
    for at, (_day, n) in enumerate(pace.days):
        total += n
        points.append((float(at), float(total)))
    first = pace.days[0][0].isoformat()
    return line_chart(
        {_("answers counted"): points},
        title=_("Answers by people"),
        x_label=_("days since %(day)s") % {"day": first},
        y_label=_("answers"),
        height=220,
    )


def _answer_plots(answers: Answers) -> dict[str, Any]:
    """One group: a bar a value.  Several (attributes): a lying bar cut into shares each, to be compared at a glance."""
    title = answers.question.spec.title
    if set(answers.groups) == {""}:
        plots = [bar_chart(answers.groups[""], title=title, y_label=_("answers"), height=220)]
    else:
        plots = [stacked_bar(list(counts.items()), title=group) for group, counts in answers.groups.items()]
    habits = {f"{habit.rater} (n={habit.n})": habit.interval for habit in answers.habits}
    return {
        "title": title,
        "groups": answers.groups,
        "plots": plots,
        "habits": interval_chart(habits, title=_("Prefers what stands first"), x_label=_("share, 95 % interval"))
        if habits
        else "",
    }
