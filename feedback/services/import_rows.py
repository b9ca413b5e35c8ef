"""One row of a file → a task and judgements ready to be stored, or why not."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from feedback.importing.layouts.base import ImportedJudgement, ImportedTask, Layout, value_at
from feedback.importing.rows import Row, RowError, RowRefused
from feedback.questions.content import canonical, dump_content, prompt_hash
from feedback.questions.form import AnswersInvalid, Question, read_answers
from feedback.services.judgements import body_hash_of

JSON = Any


@dataclass(frozen=True)
class ReadyJudgement:
    """answers: as stored.  rater "": named by the source."""

    rater: str
    answers: Mapping[str, JSON]
    body_hash: str
    seconds: float | None
    shown: Sequence[str]


@dataclass(frozen=True)
class ReadyTask:
    number: int
    task: ImportedTask
    content_json: str
    content_hash: str
    prompt_hash: str
    judgements: tuple[ReadyJudgement, ...]

    @property
    def identity(self) -> tuple[str, str]:
        """(external id, "") or ("", content hash): what makes it the same task."""
        return (self.task.external_id, "") if self.task.external_id else ("", self.content_hash)


class RowReader:
    """Reads rows of one layout against one form."""

    def __init__(self, layout: Layout, questions: Sequence[Question], *, judged: bool) -> None:
        self.layout, self.questions, self.judged = layout, questions, judged

    def read(self, row: Row) -> ReadyTask | RowError:
        try:
            task = self.layout.read(row, self.questions, judged=self.judged)
            self._check_content(task)
            if task.gold is not None:
                self._stored(task, task.gold, "gold", partial=True)
            judgements = tuple(self._judgement(task, judgement) for judgement in task.judgements)
        except RowRefused as error:
            return error.at(row.number)
        text = canonical(dump_content(task.content))
        content_hash = hashlib.sha256(text.encode()).hexdigest()  # sha256_of, with the text at hand for COPY
        return ReadyTask(row.number, task, text, content_hash, prompt_hash(task.content), judgements)

    def _check_content(self, task: ImportedTask) -> None:
        for question in self.questions:
            for problem in question.kind.check_content(question.settings, task.content):
                raise RowRefused(".".join(problem.path), f"“{question.spec.title}”: {problem.message}")

    def _judgement(self, task: ImportedTask, judgement: ImportedJudgement) -> ReadyJudgement:
        where = f"judgement of {judgement.rater}" if judgement.rater else "judgement"
        if unknown := [id for id in judgement.shown if id not in task.content.ids]:
            raise RowRefused(where, "Was shown a response that the task does not have.", unknown[0])
        answers = self._stored(task, judgement.answers, where)
        return ReadyJudgement(judgement.rater, answers, body_hash_of(answers), judgement.seconds, judgement.shown)

    def _stored(
        self, task: ImportedTask, answers: Mapping[str, JSON], where: str, *, partial: bool = False
    ) -> dict[str, dict[str, JSON]]:
        try:
            return read_answers(self.questions, task.content, answers, partial=partial)
        except AnswersInvalid as error:
            problem = error.problems[0]
            path = ".".join(problem.path)
            raise RowRefused(f"{where}.{path}", problem.message, value_at(answers, path)) from None
