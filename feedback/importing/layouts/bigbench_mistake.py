"""BIG-Bench-Mistake (Tyen et al. 2024, arXiv:2311.08516): where a chain of thought first goes wrong.

`mistake_index` counts steps from 0, null means none; people's consensus, of which the file keeps one label a row, so
that it becomes one imported rater.  `target` is the right answer, `answer` the one given: a right answer may come after
a wrong step, so that neither says anything about the steps.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from feedback.importing.layouts.base import (
    ImportedJudgement,
    ImportedTask,
    Layout,
    content_of,
    other_columns,
    question_of,
)
from feedback.importing.layouts.step_labels import FIRST_ERROR, TOLD, texts_of, up_to_first_error
from feedback.importing.rows import Row, RowRefused
from feedback.questions.form import Question

JSON = Any
RATER = "consensus"
_COLUMNS = ("input", "steps", "target", "mistake_index")


class BigBenchMistake(Layout):
    name = "bigbench_mistake"
    title = "BIG-Bench-Mistake"
    needs = "input, steps, target, answer, mistake_index"
    form = (FIRST_ERROR,)

    def recognises(self, columns: Collection[str]) -> bool:
        return {"input", "steps", "mistake_index"} <= set(columns)

    def check_form(self, questions: Sequence[Question]) -> None:
        question_of(questions, "steps", TOLD)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        values = row.values
        steps = texts_of(values, "steps")
        raw = {"prompt": values.get("input"), "responses": [{"steps": steps}], "reference": values.get("target")}
        judgements: tuple[ImportedJudgement, ...] = ()
        if judged:
            labels = up_to_first_error("mistake_index", steps, _index(values.get("mistake_index")))
            key = question_of(questions, "steps", TOLD).key
            judgements = (ImportedJudgement(RATER, {key: {"labels": {"r1": labels}}}),)
        return ImportedTask(
            external_id="",
            content=content_of(raw, {"prompt": "input", "reference": "target"}),
            metadata=other_columns(values, _COLUMNS),
            judgements=judgements,
        )


def _index(value: JSON) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise RowRefused("mistake_index", "Expected a whole number from 0, or null for no mistake.", value)
    return value
