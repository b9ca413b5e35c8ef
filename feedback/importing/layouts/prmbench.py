"""PRMBench (Song et al. 2025, arXiv:2501.03124): solutions into which errors were written, and which steps they hit.

`error_steps` counts from 1 and lists every wrong step of `modified_process`, so that each step has a label.  The errors
were injected by a model and checked by people: one imported rater.  Rows that point past the last step (11 of the 394)
are refused.  `idx` repeats for each classification; the two together are the identity.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from feedback.importing.layouts.base import (
    ImportedJudgement,
    ImportedTask,
    Layout,
    content_of,
    external_id_of,
    find_question,
    other_columns,
    question_of,
)
from feedback.importing.layouts.step_labels import EACH_STEP, TOLD, WHY, texts_of
from feedback.importing.rows import Row, RowRefused
from feedback.questions.form import Question

JSON = Any
RATER = "authors"
_COLUMNS = ("idx", "modified_question", "modified_process", "error_steps", "modified_steps", "reason", "ground_truth")


class PRMBench(Layout):
    name = "prmbench"
    title = "PRMBench"
    needs = "idx, classification, modified_question, modified_process, error_steps, reason"
    form = (EACH_STEP, WHY)

    def recognises(self, columns: Collection[str]) -> bool:
        return {"modified_question", "modified_process", "error_steps"} <= set(columns)

    def check_form(self, questions: Sequence[Question]) -> None:
        question_of(questions, "steps", TOLD)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        values = row.values
        steps = texts_of(values, "modified_process")
        identity = external_id_of(values, "idx")
        answer = values.get("ground_truth") or ""
        raw = {"prompt": values.get("modified_question"), "responses": [{"steps": steps}], "reference": answer}
        return ImportedTask(
            external_id=f"{identity}/{values.get('classification')}" if identity else "",
            content=content_of(raw, {"prompt": "modified_question", "reference": "ground_truth"}),
            metadata=other_columns(values, _COLUMNS),
            judgements=(ImportedJudgement(RATER, _answers(values, len(steps), questions)),) if judged else (),
        )


def _answers(values: Mapping[str, JSON], n_steps: int, questions: Sequence[Question]) -> dict[str, JSON]:
    wrong = values.get("error_steps")
    if not isinstance(wrong, list) or not all(type(step) is int for step in wrong):
        raise RowRefused("error_steps", "Expected a list of whole numbers, counted from 1.", wrong)
    if beyond := [step for step in wrong if not 1 <= step <= n_steps]:
        raise RowRefused("error_steps", f"Names step {beyond[0]} (counted from 1); there are {n_steps}.", wrong)
    labels = ["wrong" if number in wrong else "correct" for number in range(1, n_steps + 1)]
    answers: dict[str, JSON] = {question_of(questions, "steps", TOLD).key: {"labels": {"r1": labels}}}
    reason, why = values.get("reason"), find_question(questions, "critique")
    if why and isinstance(reason, str) and reason.strip():
        answers[why.key] = {"text": reason}
    return answers
