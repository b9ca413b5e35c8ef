"""Reads what a selection selects, streamed, in an order that does not depend on the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Any

from django.db.models import Case, Exists, F, OuterRef, QuerySet, Value, When
from django.db.models.functions import Collate

from feedback.datasets.naming import RaterIdentity, TaskNames, pseudonyms
from feedback.datasets.selection import Selection, place_of
from feedback.datasets.votes import TaskVotes, Told
from feedback.exceptions import FeedbackError
from feedback.models import FormVersion, Judgement, Rater, Task
from feedback.questions.content import canonical, read_content
from feedback.questions.form import Question, answer_of

JSON = Any
CHUNK = 500
_TASK = ("id", "external_id", "content_hash", "prompt_hash", "content_raw", "status", "has_gold")
_JUDGEMENT = ("task_id", "rater_id", "form_id", "answers", "is_current", "is_surplus")


class RecordUnreadable(FeedbackError):
    """A task or an answer that is stored cannot be read; nothing may be frozen over it."""


@dataclass(frozen=True)
class StoredTask:
    id: int
    external_id: str
    content_hash: str
    prompt_hash: str
    content_raw: Mapping[str, JSON]
    status: str
    has_gold: bool


@dataclass(frozen=True)
class StoredJudgement:
    task_id: int
    rater_id: int
    form_id: int
    answers: Mapping[str, JSON]
    is_current: bool
    is_surplus: bool


@dataclass(frozen=True)
class SelectedTask:
    """A judged task: its usable judgements, and why the others are not (one reason each)."""

    votes: TaskVotes
    unusable: tuple[str, ...]


class SelectedTasks:
    """Everything that one selection reads, in the caller's transaction."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        judgements = Judgement.objects.filter(campaign__in=selection.campaign_ids)
        self.judgements: QuerySet[Any] = judgements
        self.raters = Rater.objects.in_bulk(list(judgements.order_by().values_list("rater", flat=True).distinct()))
        self.forms = FormVersion.objects.in_bulk(list(judgements.order_by().values_list("form", flat=True).distinct()))
        usable = {id: rater for id, rater in self.raters.items() if not self._refused(rater)}
        named = {id: RaterIdentity(r.kind, r.source, r.name, r.version) for id, r in usable.items()}
        self.pseudonyms = pseudonyms(named, selection.salt)
        self._questions: dict[frozenset[int], tuple[Question, ...]] = {}
        self._names = TaskNames()

    def lowest_place(self) -> float | None:
        """The smallest place of a judged prompt; None when there is only one prompt (or none)."""
        hashes = self._judged().order_by().values_list("prompt_hash", flat=True).distinct()
        lowest, n = 1.0, 0
        for prompt_hash in hashes.iterator(chunk_size=5000):
            lowest, n = min(lowest, place_of(self.selection.salt, prompt_hash)), n + 1
        return lowest if n > 1 else None

    def __iter__(self) -> Iterator[SelectedTask]:
        for identity, same in groupby(self._stream(), key=lambda pair: (pair[0].external_id, pair[0].content_hash)):
            tasks = [self._read(task, judgements) for task, judgements in same]
            if len(tasks) > 1:  # one task in several campaigns: nothing but what was said tells them apart
                tasks.sort(key=_said)
            for task in tasks:
                yield replace(task, votes=replace(task.votes, id=self._names.name(*identity)))

    def _judged(self) -> QuerySet[Any]:
        told = Judgement.objects.filter(task=OuterRef("pk"))
        return Task.objects.filter(Exists(told), campaign__in=self.selection.campaign_ids)

    def _stream(self) -> Iterator[tuple[StoredTask, Sequence[StoredJudgement]]]:
        identity = Case(When(external_id="", then=F("content_hash")), default=F("external_id"))
        has_gold = Case(When(gold__isnull=True, then=Value(False)), default=Value(True))
        tasks = self._judged().annotate(identity=Collate(identity, "C"), has_gold=has_gold)
        rows = tasks.order_by("identity", "content_hash", "pk").values_list(*_TASK).iterator(chunk_size=CHUNK)
        while chunk := [StoredTask(*row) for row in islice(rows, CHUNK)]:
            told: dict[int, list[StoredJudgement]] = defaultdict(list)
            stored = Judgement.objects.filter(task__in=[task.id for task in chunk]).order_by("pk")
            for row in stored.values_list(*_JUDGEMENT):
                told[row[0]].append(StoredJudgement(*row))
            yield from ((task, told[task.id]) for task in chunk)

    def _refused(self, rater: Rater) -> str:
        if self.selection.rater_kinds and rater.kind not in self.selection.rater_kinds:
            return "rater_kind"
        return "" if rater.admitted else "not_admitted"

    def _unusable(self, task: StoredTask, judgement: StoredJudgement) -> str:
        if not judgement.is_current:
            return "superseded"
        if judgement.is_surplus:
            return "surplus"
        if task.status == Task.Status.WITHDRAWN:
            return "withdrawn_task"
        return "gold" if task.has_gold else self._refused(self.raters[judgement.rater_id])

    def _read(self, task: StoredTask, judgements: Sequence[StoredJudgement]) -> SelectedTask:
        why = [self._unusable(task, judgement) for judgement in judgements]
        usable = [judgement for judgement, reason in zip(judgements, why, strict=True) if not reason]
        questions = self._asked(frozenset(judgement.form_id for judgement in usable))
        try:
            content = read_content(task.content_raw)
            told = sorted((self._told(j, questions) for j in usable), key=lambda t: int(t.rater.split("-")[1]))
        except ValueError as error:
            message = f"Task {task.external_id or task.id} cannot be read: {error}"
            raise RecordUnreadable(message) from error
        votes = TaskVotes("", task.prompt_hash, content, questions, tuple(told))
        return SelectedTask(votes, tuple(reason for reason in why if reason))

    def _told(self, judgement: StoredJudgement, questions: Sequence[Question]) -> Told:
        rater = self.raters[judgement.rater_id]
        own = {question.key: question.kind.name for question in self.forms[judgement.form_id].questions}
        answers = {
            question.key: answer
            for question in questions
            if own.get(question.key) == question.kind.name
            and (answer := answer_of(question, judgement.answers)) is not None
        }
        return Told(self.pseudonyms[judgement.rater_id], rater.kind, rater.weight, answers)

    def _asked(self, forms: frozenset[int]) -> tuple[Question, ...]:
        """The selected questions of these forms; where versions differ, as the newest has it (like aggregation)."""
        if forms not in self._questions:
            newest: dict[str, Question] = {}
            for form in sorted((self.forms[id] for id in forms), key=lambda form: form.number):
                newest |= {question.key: question for question in form.questions}
            self._questions[forms] = tuple(q for key, q in sorted(newest.items()) if self.selection.asks(key))
        return self._questions[forms]


def _said(task: SelectedTask) -> str:
    """What the raters of a task said, as text that can be ordered."""
    answers = [
        (told.rater, key, answer.model_dump(mode="json"))
        for told in task.votes.told
        for key, answer in sorted(told.answers.items())
    ]
    return canonical(answers)
