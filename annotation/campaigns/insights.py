"""Figures that take a pass over the judgements: pace and forecast, time per task, answers, habits of position.

They are asked for after the page has shown (`campaign-insights`), so that the page itself costs the same at 100 and at
100,000 judgements.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, F, FloatField
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.translation import gettext

from annotation.campaigns.overview import Median
from annotation.models import Assignment
from feedback.models import Campaign, Task
from feedback.questions.form import Question

JSON = Any
DAYS = 28
PACE_DAYS = 7
SLOWEST = 0.98
"""The histogram of seconds ends at this percentile; what is slower is counted in its last bar."""
BARS = 14
MOST_RATERS = 24


@dataclass(frozen=True)
class Pace:
    """days: (day, people's counted judgements), oldest first.  per_day: mean of the last week's days; None: too early.

    soonest, latest: when the free seats are filled at that pace, with the 95 % interval of the mean (normal).
    """

    days: Sequence[tuple[date, int]]
    n_left: int
    per_day: float | None = None
    soonest: date | None = None
    latest: date | None = None


def pace_of(campaign: Campaign, n_left: int, today: date | None = None) -> Pace:
    """How fast people work, and when they will be done.  Days without work count: they will come again."""
    today = today or timezone.now().date()
    counted = campaign.judgements.filter(
        is_counted=True, rater__user__isnull=False, created_at__date__gt=today - timedelta(days=DAYS)
    )
    rows = counted.annotate(day=TruncDate("created_at")).values("day").annotate(n=Count("pk")).order_by("day")
    found = {row["day"]: row["n"] for row in rows}
    if not found:
        return Pace((), n_left)
    first = min(found)
    days = [
        (first + timedelta(days=n), found.get(first + timedelta(days=n), 0)) for n in range((today - first).days + 1)
    ]
    whole = [n for day, n in days if day < today][-PACE_DAYS:]  # today is not over
    if len(whole) < 2:
        return Pace(days, n_left)
    return _forecast(days, whole, n_left, today)


def _forecast(days: Sequence[tuple[date, int]], whole: Sequence[int], n_left: int, today: date) -> Pace:
    mean = sum(whole) / len(whole)
    spread = math.sqrt(sum((n - mean) ** 2 for n in whole) / (len(whole) - 1))
    margin = 1.96 * spread / math.sqrt(len(whole))
    soonest = today + timedelta(days=math.ceil(n_left / (mean + margin))) if mean + margin > 0 else None
    slow = mean - margin
    latest = today + timedelta(days=math.ceil(n_left / slow)) if slow > 0 and n_left / slow < 3650 else None
    return Pace(days, n_left, mean, soonest, latest)


@dataclass(frozen=True)
class Times:
    """Active seconds of people's current judgements.  bars: {range: n}."""

    n: int
    median: float = 0.0
    slow: float = 0.0
    bars: Mapping[str, float] = ()  # type: ignore[assignment]  # empty either way


class Percentile(Median):
    """percentile_cont(share)."""

    template = "%(function)s(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


def times_of(campaign: Campaign) -> Times:
    """How long people take, as median, 90th percentile and a histogram of equal steps."""
    timed = campaign.judgements.current().filter(rater__user__isnull=False, seconds__isnull=False)
    found = timed.aggregate(
        n=Count("pk"),
        median=Median(F("seconds")),
        slow=Percentile(F("seconds"), share=0.9),
        end=Percentile(F("seconds"), share=SLOWEST),
    )
    if not found["n"]:
        return Times(0)
    step = _nice_step(max(found["end"], 1.0) / BARS)
    counts = Counter(min(int(seconds // step), BARS) for seconds in timed.values_list("seconds", flat=True).iterator())
    last = max(counts)
    bars = {_range(at, step, is_last=at == BARS): float(counts[at]) for at in range(last + 1)}
    return Times(found["n"], found["median"], found["slow"], bars)


def _nice_step(rough: float) -> float:
    return next(
        step for step in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 36_000) if step >= rough or step == 36_000
    )


def _range(at: int, step: float, *, is_last: bool) -> str:
    return f"{at * step:g}+" if is_last else f"{at * step:g}–{(at + 1) * step:g}"


@dataclass(frozen=True)
class Habit:
    """How often a rater prefers what is shown first, of the times they preferred either (Wilson's 95 % interval)."""

    rater: str
    n_first: int
    n: int

    @property
    def interval(self) -> tuple[float, float, float]:
        share, z = self.n_first / self.n, 1.96
        middle = (share + z * z / (2 * self.n)) / (1 + z * z / self.n)
        half = z * math.sqrt(share * (1 - share) / self.n + z * z / (4 * self.n * self.n)) / (1 + z * z / self.n)
        return share, middle - half, middle + half


@dataclass(frozen=True)
class Answers:
    """One question's answers.  groups: {group: {words: n}}; habits: of a pairwise question."""

    question: Question
    groups: Mapping[str, Mapping[str, float]]
    habits: Sequence[Habit]


def answers_of(campaign: Campaign) -> list[Answers]:
    """Every question of the form in force, in one pass over the current judgements."""
    questions = campaign.form.questions if campaign.form else ()
    counts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    sides: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    told = campaign.judgements.current().values_list("answers", "shown", "rater__name")
    for answers, shown, rater in told.iterator(chunk_size=2000):
        for question in questions:
            entry = answers.get(question.key) or {}
            if entry.get("state") != "answered":
                continue
            said = list(question.kind.tally(entry["value"], shown))
            counts[question.key].update(said)
            sides[question.key][rater].update(label for _, label in said if label in ("shown_a", "shown_b"))
    return [Answers(q, _in_words(q, counts[q.key]), _habits(sides[q.key])) for q in questions]


def _in_words(question: Question, counts: Counter[tuple[str, str]]) -> dict[str, dict[str, float]]:
    told: dict[str, dict[str, float]] = {}
    for group, words in question.kind.plot_words(question.settings, gettext).items():
        row = told.setdefault(group, {})
        for label, text in words.items():
            if n := counts[group, label]:
                row[text] = row.get(text, 0.0) + n
    return told


def _habits(sides: Mapping[str, Counter[str]]) -> list[Habit]:
    found = [Habit(rater, told["shown_a"], told.total()) for rater, told in sides.items() if told.total() >= 5]
    return sorted(found, key=lambda habit: -habit.n)[:MOST_RATERS]


def skips_of(campaign: Campaign) -> list[dict[str, JSON]]:
    """Why people skipped, the commonest reasons first: [{skip_reason, n}]."""
    skipped = Assignment.objects.filter(campaign=campaign, status=Assignment.Status.SKIPPED)
    return [
        dict(row) for row in skipped.values("skip_reason").annotate(n=Count("pk")).order_by("-n", "skip_reason")[:8]
    ]


def naming_tasks_of(campaign: Campaign) -> tuple[int, list[Task]]:
    """Tasks with a response that says which model wrote it: how many, and the first few."""
    naming = campaign.tasks.filter(names_model=True).exclude(status=Task.Status.WITHDRAWN)
    return naming.count(), list(naming.order_by("pk")[:5])
