"""Mr-Ben (Zeng et al. 2024, arXiv:2406.13975): the first wrong step of a solution, why, and how it is right.

The file is one object, question uuid → its solutions; each solution becomes a task.  `Model_Solution_First_Error_Step`
is a number counted from 1, or (coding) the text of the wrong line; a line that the solution holds twice, and a blank
one, name no step and are refused.  Reasons and corrected steps, often two of each, become the text of a critique.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from feedback.importing.arranging import Rows, spread_rows
from feedback.importing.layouts.base import (
    ImportedJudgement,
    ImportedTask,
    Layout,
    content_of,
    find_question,
    question_of,
)
from feedback.importing.layouts.step_labels import FIRST_ERROR, TOLD, WHY, up_to_first_error
from feedback.importing.rows import Row, RowRefused
from feedback.questions.form import Question

JSON = Any
RATER = "experts"
_UUID = re.compile(r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_STEPS, _FIRST, _VERDICT = (
    "Model_Solution_Steps",
    "Model_Solution_First_Error_Step",
    "Model_Solution_Correctness",
)
_REASON, _MENDED = "Model_Solution_Error_Reason", "Model_Solution_Rectified_First_Error_Step"
_FIELDS = {"prompt": "Question", "responses.0.model": "Sampled_Model", "responses.0": _STEPS}


class MrBen(Layout):
    name = "mr_ben"
    title = "Mr-Ben"
    needs = "one object, question uuid → a list of {Question, Model_Solution_Steps, …}"
    form = (FIRST_ERROR, WHY)

    def recognises(self, columns: Collection[str]) -> bool:
        return bool(columns) and all(_UUID.match(column) for column in columns)

    def arrange(self, rows: Rows) -> Rows:
        return spread_rows(rows, _solutions)

    def check_form(self, questions: Sequence[Question]) -> None:
        question_of(questions, "steps", TOLD)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        """The whole file is one row: a refusal names the solution too."""
        try:
            return self._read(row.values, questions, judged=judged)
        except RowRefused as error:
            raise RowRefused(f"{row.values['identity']}.{error.column}", error.reason, error.value) from None

    def _read(self, values: Mapping[str, JSON], questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        text = values.get(_STEPS)
        steps = text.split("\n") if isinstance(text, str) else text
        if not isinstance(steps, list) or not all(isinstance(step, str) for step in steps):
            raise RowRefused(_STEPS, "Expected a list of texts, or lines of code.", steps)
        solution = {"text": text} if isinstance(text, str) else {}
        response = {"model": values.get("Sampled_Model") or "", "steps": _said(steps), **solution}
        raw = {"prompt": _prompt(values), "responses": [response], "reference": values.get("Ground_Truth_Answer")}
        return ImportedTask(
            external_id=values["identity"],
            content=content_of(raw, _FIELDS),
            metadata={"subject": values.get("Subject")},
            judgements=(ImportedJudgement(RATER, _answers(values, steps, questions)),) if judged else (),
        )


def _solutions(row: Row) -> Iterator[Row]:
    """The file's order is part of the identity: one question has two solutions of one model."""
    for uuid, solutions in row.values.items():
        if not isinstance(solutions, list) or not all(isinstance(solution, Mapping) for solution in solutions):
            raise RowRefused(uuid, "Expected a list of solutions.", solutions)
        for number, solution in enumerate(solutions, start=1):
            yield Row(row.number, {**solution, "identity": f"{uuid}/{number}"})


def _said(steps: Sequence[str]) -> list[str]:
    """A blank line of code, or a blank step, is no step to judge."""
    return [step for step in steps if step.strip()]


def _prompt(values: Mapping[str, JSON]) -> JSON:
    question, options = values.get("Question"), values.get("Options")
    return f"{question}\n\n{options}" if isinstance(question, str) and options else question


def _answers(values: Mapping[str, JSON], steps: Sequence[str], questions: Sequence[Question]) -> dict[str, JSON]:
    wrong = _first_error(values, steps)
    if wrong is not None and (not 0 <= wrong < len(steps) or not steps[wrong].strip()):
        raise RowRefused(_FIRST, f"Names no step of the solution, which has {len(steps)}.", values.get(_FIRST))
    labels = up_to_first_error(_FIRST, _said(steps), None if wrong is None else len(_said(steps[:wrong])))
    answers: dict[str, JSON] = {question_of(questions, "steps", TOLD).key: {"labels": {"r1": labels}}}
    why = find_question(questions, "critique")
    told = [*_texts(values.get(_REASON)), *(f"Corrected step: {text}" for text in _texts(values.get(_MENDED)))]
    if why and told and labels[-1] == "wrong":
        answers[why.key] = {"text": "\n\n".join(told)}
    return answers


def _first_error(values: Mapping[str, JSON], steps: Sequence[str]) -> int | None:
    verdict, first = values.get(_VERDICT), values.get(_FIRST)
    if verdict == "correct":
        return None
    if verdict != "incorrect" or not isinstance(first, str | int) or isinstance(first, bool):
        column = _VERDICT if verdict != "incorrect" else _FIRST
        raise RowRefused(column, "Expected correct, or incorrect with a first wrong step.", values.get(column))
    if str(first).strip().isdigit() and isinstance(values.get(_STEPS), list):
        return int(first) - 1
    places = [index for index, step in enumerate(steps) if step == first]
    if len(places) != 1:
        raise RowRefused(_FIRST, f"{len(places)} lines of the solution read so: which step is meant?", first)
    return places[0]


def _texts(value: JSON) -> list[str]:
    given = value if isinstance(value, list) else [value]
    return [text.strip() for text in given if isinstance(text, str) and text.strip() and text.strip() != "N/A"]
