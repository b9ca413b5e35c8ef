"""Judgements → Preference and Score rows: derived, always rebuildable.

What a task amounts to depends on nothing but its judgements, the form versions that they name and the raters'
`admitted` and `weight`; whoever changes these two calls `mark_stale`.

Nothing is lost between reading and writing: a task's row is locked, its flag cleared and its judgements read, in
this order and in one transaction.  A submit raises the flag in its own transaction, so either its judgement is
read here, or its flag is raised after this commit and the task is rebuilt again.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db import transaction

from feedback.models import Campaign, FormVersion, Judgement, Preference, Rater, Score, Task
from feedback.questions.base import Consensus, Mark, Pair
from feedback.questions.form import Question, answer_of

logger = logging.getLogger(__name__)

BATCH = 50
"""Tasks locked at once: their submits wait for one batch at the longest (0.05 to 0.1 s of CPU)."""


@dataclass
class Derived:
    """The rows that a batch of tasks amounts to."""

    preferences: list[Preference] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)


def aggregate_task(task: Task) -> None:
    """Rebuild one task now, waiting for submits of it that are under way."""
    with transaction.atomic():
        _rebuild(list(Task.objects.select_for_update(no_key=True).filter(pk=task.pk)))


def aggregate_preferences(campaign: Campaign) -> int:
    """Rebuild every task of a campaign, whether marked or not; the number of preferences there are now."""
    n_preferences, last = 0, 0
    while True:
        with transaction.atomic():
            locked = campaign.tasks.select_for_update(no_key=True)
            tasks = list(locked.filter(pk__gt=last).order_by("pk")[:BATCH])
            n_preferences += _rebuild(tasks)
        if len(tasks) < BATCH:
            return n_preferences
        last = tasks[-1].pk


def aggregate_stale_tasks(limit: int = 1000) -> int:
    """Rebuild at most `limit` marked tasks; how many were.  Any number of workers may do so at once.

    Tasks that somebody holds at this moment are left for the next call.
    """
    done = 0
    while done < limit:
        with transaction.atomic():
            free = Task.objects.stale().select_for_update(no_key=True, skip_locked=True)
            tasks = list(free.order_by("pk")[: min(BATCH, limit - done)])
            _rebuild(tasks)
        if not tasks:
            break
        done += len(tasks)
    return done


@transaction.atomic
def mark_stale(rater: Rater) -> int:
    """Mark every task this rater judged: call it after a change of `admitted` or `weight`.  How many were marked.

    Rows are locked in the order in which everybody else locks them, so that nobody waits in a circle.
    """
    judged = Judgement.objects.current().filter(rater=rater).values("task")
    fresh = Task.objects.filter(pk__in=judged, needs_aggregation=False).order_by("pk")
    ids = list(fresh.select_for_update(no_key=True).values_list("pk", flat=True))
    return Task.objects.filter(pk__in=ids).update(needs_aggregation=True)


def _rebuild(tasks: Sequence[Task]) -> int:
    """Replace the derived rows of tasks whose rows are locked (7 statements); the number of preferences written."""
    ids = [task.pk for task in tasks]
    if not ids:
        return 0
    Task.objects.stale().filter(pk__in=ids).update(needs_aggregation=False)
    judgements: dict[int, list[Judgement]] = defaultdict(list)
    current = Judgement.objects.for_consensus().filter(task__in=ids).select_related("rater").order_by("pk")
    for judgement in current.only("task", "form", "answers", "rater__kind", "rater__weight"):
        judgements[judgement.task_id].append(judgement)
    forms = FormVersion.objects.in_bulk({j.form_id for row in judgements.values() for j in row})
    derived = Derived()
    for task in tasks:
        try:
            _derive(task, judgements[task.pk], forms, derived)
        except ValueError:  # one task that cannot be read must not hold up the others
            logger.exception(
                "Task %s of campaign %s has no aggregate: its record cannot be read.", task.pk, task.campaign_id
            )
    Preference.objects.filter(task__in=ids).delete()
    Score.objects.filter(task__in=ids).delete()
    Preference.objects.bulk_create(derived.preferences)
    Score.objects.bulk_create(derived.scores)
    return len(derived.preferences)


def _derive(task: Task, judgements: Sequence[Judgement], forms: Mapping[int, FormVersion], derived: Derived) -> None:
    """Add one task's rows to `derived`, all or none.  Raises ValueError for a record that cannot be read."""
    own = Derived()
    for question in _questions_of(forms[judgement.form_id] for judgement in judgements):
        given = [(answer, j.rater) for j in judgements if (answer := _answer(question, j, forms)) is not None]
        weights = [rater.weight for _, rater in given]
        merged = question.kind.consensus([answer for answer, _ in given], weights, question.settings, task.content)
        raters = [rater for _, rater in given]
        _add(own, task, question.key, merged or Consensus(), raters)
    derived.preferences += own.preferences
    derived.scores += own.scores


def _questions_of(forms: Iterable[FormVersion]) -> list[Question]:
    """Every question that these forms ask; where versions differ, as the newest has it."""
    newest: dict[str, Question] = {}
    for form in sorted(set(forms), key=lambda form: form.number):
        newest |= {question.key: question for question in form.questions}
    return list(newest.values())


def _answer(question: Question, judgement: Judgement, forms: Mapping[int, FormVersion]) -> object | None:
    """The judgement's answer, unless its own form asked something of another kind under this key."""
    asked = next((q for q in forms[judgement.form_id].questions if q.key == question.key), None)
    if asked is None or asked.kind.name != question.kind.name:
        return None
    answer: object | None = answer_of(question, judgement.answers)
    return answer


def _add(derived: Derived, task: Task, question: str, merged: Consensus, raters: Sequence[Rater]) -> None:
    derived.preferences += [_preference(task, question, pair, raters) for pair in merged.pairs]
    derived.scores += [_score(task, question, mark) for mark in merged.marks]


def _preference(task: Task, question: str, pair: Pair, raters: Sequence[Rater]) -> Preference:
    return Preference(
        task=task,
        question=question,
        aspect=pair.aspect,
        first=pair.first,
        second=pair.second,
        probability=pair.probability,
        strength=pair.strength,
        agreement=pair.agreement,
        n_raters=pair.n_raters,
        n_ties=pair.n_ties,
        n_both_bad=pair.n_both_bad,
        raters=dict(Counter(raters[voter].kind for voter in pair.voters)),
    )


def _score(task: Task, question: str, mark: Mark) -> Score:
    return Score(
        task=task,
        question=question,
        aspect=mark.aspect,
        response=mark.response,
        value=mark.value,
        agreement=mark.agreement,
        n_raters=mark.n_raters,
    )
