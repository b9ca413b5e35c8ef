"""How many judgements a selection would find, by SQL alone: quick enough to show while someone is choosing."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, F, Q

from feedback.models import Judgement, Rater, Task


@dataclass(frozen=True)
class SelectionCounts:
    """usable: what would reach the scales; ties and the like are known only after freezing.

    kinds: (kind, words, usable judgements) of every kind of rater that answered.
    """

    judgements: int
    usable: int
    tasks: int
    prompts: int
    kinds: tuple[tuple[str, str, int], ...]


def count_selection(campaigns: Sequence[uuid.UUID], rater_kinds: Sequence[str]) -> SelectionCounts:
    usable = Q(
        is_current=True,
        is_surplus=False,
        rater__admitted=True,
        task__gold__isnull=True,
    ) & ~Q(task__status=Task.Status.WITHDRAWN)
    wanted = usable & Q(rater__kind__in=rater_kinds) if rater_kinds else usable
    judgements = Judgement.objects.filter(campaign__in=campaigns)
    totals = judgements.aggregate(
        n=Count("pk"),
        n_usable=Count("pk", filter=wanted),
        n_tasks=Count("task", filter=wanted, distinct=True),
        n_prompts=Count("task__prompt_hash", filter=wanted, distinct=True),
    )
    kinds = judgements.filter(usable).values(kind=F("rater__kind")).annotate(n=Count("pk")).order_by("kind")
    words = dict(Rater.Kind.choices)
    found = tuple((row["kind"], str(words[row["kind"]]), row["n"]) for row in kinds)
    return SelectionCounts(totals["n"], totals["n_usable"], totals["n_tasks"], totals["n_prompts"], found)
