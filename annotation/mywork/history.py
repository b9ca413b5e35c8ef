"""A person's own work: what they answered, skipped and flagged, and how long it took.  Nobody else's, and no gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count, FloatField, Sum
from django.db.models.functions import Coalesce, TruncDate
from django.utils import timezone
from django.utils.translation import gettext

from annotation.models import Assignment, Flag
from annotation.submission import editable_until
from feedback.models import Judgement, Rater
from feedback.questions.form import Question

PAGE = 50
DAYS = 28
SHORT = 80


@dataclass(frozen=True)
class Done:
    """One task that the person ended.  change_until: while the answer (or the skip) can still be taken back."""

    assignment: Assignment
    prompt: str
    words: str
    change_until: datetime | None


@dataclass(frozen=True)
class Day:
    day: date
    n: int
    seconds: float

    @property
    def hours(self) -> float:
        return self.seconds / 3600


def answer_in_words(questions: Sequence[Question], judgement: Judgement) -> str:
    """What was answered, briefly, in the words of the form it was answered on."""
    told = []
    for question in questions:
        entry = judgement.answers.get(question.key) or {}
        if entry.get("state") == "answered":
            told.append(_value_in_words(question, entry["value"], judgement.shown))
    return " · ".join(filter(None, told))


def _value_in_words(question: Question, value: dict[str, Any], shown: list[str]) -> str:
    words = question.kind.tally_words(question.settings, gettext)
    counts = Counter(question.kind.tally(value, shown))
    parts = [
        f"{f'{group}: ' if group else ''}{text}{f' ×{n}' if n > 1 else ''}"
        for group, labels in words.items()
        for label, text in labels.items()
        if (n := counts[group, label])
    ]
    text = ", ".join(parts) or " ".join(str(value.get("text") or gettext("answered")).split())
    return text if len(text) <= SHORT else f"{text[:SHORT]}…"


def history_of(rater: Rater, *, before: datetime | None = None) -> list[Done]:
    """What the person ended last, newest first, PAGE at a time (two statements)."""
    ended = Assignment.objects.filter(
        rater=rater, status__in=[Assignment.Status.SUBMITTED, Assignment.Status.SKIPPED], ended_at__isnull=False
    )
    if before is not None:
        ended = ended.filter(ended_at__lt=before)
    rows = ended.select_related("campaign", "task", "form", "judgement").order_by("-ended_at")[:PAGE]
    return [_done(assignment) for assignment in rows]


def _done(assignment: Assignment) -> Done:
    until = editable_until(assignment)
    judgement = assignment.judgement
    return Done(
        assignment,
        prompt=" ".join(assignment.task.content.prompt[-1].content[:400].split())[:SHORT],
        words=answer_in_words(assignment.form.questions, judgement) if judgement else assignment.skip_reason,
        change_until=until if until > timezone.now() else None,
    )


def flags_of(rater: Rater) -> list[Flag]:
    """Their flags, those with a fresh reply first."""
    return list(Flag.objects.filter(rater=rater).select_related("campaign", "task", "replied_by")[:PAGE])


def days_of(rater: Rater, *, days: int = DAYS) -> list[Day]:
    """Each of the last days (UTC) with work, oldest first: current judgements and their active seconds."""
    since = timezone.now() - timedelta(days=days)
    rows = (
        Judgement.objects.current()
        .filter(rater=rater, created_at__gte=since)
        .annotate(day=TruncDate("created_at"))
        .values("day")
        .annotate(n=Count("pk"), seconds=Coalesce(Sum("seconds"), 0.0, output_field=FloatField()))
        .order_by("day")
    )
    return [Day(row["day"], row["n"], row["seconds"]) for row in rows]
