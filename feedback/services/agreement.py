"""How far the raters of a campaign agree, question by question."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from feedback.consensus.agreement import Agreement, krippendorff_alpha
from feedback.models import Campaign, FormVersion, Judgement, Task
from feedback.questions.base import Content
from feedback.questions.form import Question, answer_of

JSON = Any
CHUNK = 2000


@dataclass
class Coded:
    """One question's values as they stream by: two integers per value, and the distinct values once."""

    question: Question
    units: array[int] = field(default_factory=lambda: array("q"))
    codes: array[int] = field(default_factory=lambda: array("q"))
    values: dict[JSON, int] = field(default_factory=dict)
    n_units: int = 0
    _task: int = 0
    _units: dict[str, int] = field(default_factory=dict)

    def add(self, task_id: int, values: Mapping[str, JSON]) -> None:
        """values: what `Kind.code` says.  Judgements of one task come one after the other."""
        if task_id != self._task:
            self._task, self._units = task_id, {}
        for unit, value in values.items():
            if unit not in self._units:
                self._units[unit], self.n_units = self.n_units, self.n_units + 1
            self.units.append(self._units[unit])
            self.codes.append(self.values.setdefault(value, len(self.values)))

    def agreement(self) -> Agreement:
        values = list(self.values)
        kind = self.question.kind
        units, codes = np.frombuffer(self.units, np.int64), np.frombuffer(self.codes, np.int64)
        return krippendorff_alpha(units, codes, lambda a, b: kind.distance(values[a], values[b]))


def campaign_agreement(campaign: Campaign) -> dict[str, dict[str, JSON]]:
    """Krippendorff's alpha per question of the form in force: {key: {alpha, n_units, n_judgements, note}}.

    Over the judgements that aggregation uses.  Answers given under an older form count where that form asked the
    same kind under the same key.  One pass, 16 bytes per value kept.
    """
    if campaign.form is None:
        return {}
    coded = {question.key: Coded(question) for question in campaign.form.questions}
    kinds = {
        form.pk: {question.key: question.kind.name for question in form.questions}
        for form in FormVersion.objects.filter(campaign=campaign)
    }
    for task_id, form_id, answers, content in _stream(campaign):
        for key, column in coded.items():
            if kinds[form_id].get(key) != column.question.kind.name:
                continue
            if (answer := answer_of(column.question, answers)) is not None:
                column.add(task_id, column.question.kind.code(answer, content))
    return {key: asdict(column.agreement()) for key, column in coded.items()}


def _stream(campaign: Campaign) -> Iterator[tuple[int, int, dict[str, JSON], Content]]:
    """(task, form, answers, content) task by task; contents are fetched once per chunk, not once per judgement."""
    rows = (
        Judgement.objects.for_consensus()
        .filter(campaign=campaign)
        .order_by("task_id", "pk")
        .values_list("task_id", "form_id", "answers")
        .iterator(chunk_size=CHUNK)
    )
    while chunk := list(islice(rows, CHUNK)):
        tasks = Task.objects.only("content_raw").in_bulk({task_id for task_id, _, _ in chunk})
        for task_id, form_id, answers in chunk:
            yield task_id, form_id, answers, tasks[task_id].content
