"""The tasks of a campaign and what was said of each, for those who run it: model names and raters are named here."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.db.models import F, Func, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from annotation.models import Flag
from annotation.workbench.reading import Passage, read_conversation
from feedback.access import MANAGER, REVIEWER, access_campaign, manages
from feedback.models import Campaign, Judgement, Task, User
from feedback.questions.content import canonical

JSON = Any
PAGE = 50
STATES: Mapping[str, tuple[str | Promise, Q]] = {
    "waiting": (_("wait for answers"), Q(status="open", n_counted__lt=F("overlap"))),
    "filled": (_("have every seat filled"), Q(status="open", n_counted__gte=F("overlap"))),
    "parked": (_("are parked"), Q(status="parked")),
    "withdrawn": (_("are withdrawn"), Q(status="withdrawn")),
    "gold": (_("are gold"), Q(gold__isnull=False)),
    "naming": (_("seem to name a model"), Q(names_model=True)),
}
"""What the list can be narrowed to: (words, condition)."""


@dataclass(frozen=True)
class Said:
    """One rater's answer to one question, as it is stored."""

    title: str
    state: str
    value: str


@dataclass(frozen=True)
class Told:
    judgement: Judgement
    answers: tuple[Said, ...]


@require_GET
def campaign_tasks(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """Page by page, from the last row of the page before, so that a late page costs what the first does."""
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER, REVIEWER)
    wanted = request.GET.get("q", "").replace("\x00", "").strip()
    state, after = request.GET.get("state", ""), request.GET.get("after", "")
    tasks = _found(found, wanted, state)
    start = int(after) if after.isdecimal() and len(after) < 19 else 0
    rows = list(tasks.filter(pk__gt=start).order_by("pk")[: PAGE + 1])
    context = {
        "campaign": found,
        "manages": manages(user, found),
        "tasks": rows[:PAGE],
        "following": rows[PAGE - 1].pk if len(rows) > PAGE else None,
        "is_first": not start,
        "q": wanted,
        "state": state if state in STATES else "",
        "states": [(key, words) for key, (words, _condition) in STATES.items()],
    }
    return render(request, "annotation/campaign_tasks.html", context)


def _found(campaign: Campaign, wanted: str, state: str) -> QuerySet[Task]:
    """wanted: words of the prompt or a response, an id, or a number as `#12`."""
    tasks: QuerySet[Task] = campaign.tasks.all()
    if state in STATES:
        tasks = tasks.filter(STATES[state][1])
    if wanted.startswith("#") and wanted[1:].isdecimal() and len(wanted) < 20:
        return tasks.filter(pk=int(wanted[1:]))
    if wanted:
        written = json.dumps(wanted, ensure_ascii=False)[1:-1]  # as it stands in JSON
        tasks = tasks.annotate(asked=_texts("$.prompt[*].content"), answered=_texts("$.responses[*].text"))
        found = Q(asked__icontains=written) | Q(answered__icontains=written)
        tasks = tasks.filter(found | Q(external_id__startswith=wanted))
    return tasks


def _texts(path: str) -> Cast:
    """The strings at a JSON path of the content, as JSON text."""
    found = Func("content_raw", Value(path), template="jsonb_path_query_array(%(expressions)s::jsonpath)")
    return Cast(found, TextField())


@require_GET
def campaign_task(request: HttpRequest, campaign: uuid.UUID, task: int) -> HttpResponse:
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER, REVIEWER)
    row = found.tasks.filter(pk=task).first()
    if row is None:
        raise Http404("No such task in this campaign.")
    context = {
        "campaign": found,
        "manages": manages(user, found),
        "task": row,
        "prompt": read_conversation(row.content.prompt),
        "panels": [(Passage(response.text, response=response.id), response) for response in row.content.responses],
        "told": list(_told(row)),
        "preferences": row.preferences.order_by("question", "aspect", "first", "second"),
        "scores": row.scores.order_by("question", "aspect", "response"),
        "flags": Flag.objects.filter(task=row).select_related("rater__user", "replied_by"),
        "metadata": canonical(row.metadata) if row.metadata else "",
        "gold": canonical(row.gold) if row.gold is not None else "",
    }
    return render(request, "annotation/campaign_task.html", context)


def _told(task: Task) -> Iterator[Told]:
    """Every judgement, the latest first; what was revised stands behind its revision."""
    rows = task.judgements.select_related("rater__user", "form").order_by("-is_current", "-created_at")
    for judgement in rows:
        titles = {question.key: question.spec.title for question in judgement.form.questions}
        yield Told(judgement, tuple(_said(judgement.answers, titles)))


def _said(answers: Mapping[str, JSON], titles: Mapping[str, str]) -> Sequence[Said]:
    return [
        Said(titles.get(key, key), entry["state"], canonical(entry["value"]) if "value" in entry else "")
        for key, entry in answers.items()
    ]
