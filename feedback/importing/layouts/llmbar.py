"""LLMBar (Zeng et al. 2024, arXiv:2310.07641): two outputs, one of which follows the instruction.

`label` (1 or 2) is what its authors agreed on: a known answer, which becomes the task's gold and measures raters.  No
rater's judgement is in the file.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from feedback.importing.layouts.base import (
    PAIRWISE_FORM,
    ImportedTask,
    Layout,
    content_of,
    find_question,
    other_columns,
    pairwise_question,
    preference,
)
from feedback.importing.rows import Row, RowRefused
from feedback.questions.form import Question

JSON = Any
_COLUMNS = ("input", "output_1", "output_2", "label")
_FIELDS = {"prompt": "input", "responses.0": "output_1", "responses.1": "output_2"}
_BETTER = {1: "r1", 2: "r2"}


class LLMBar(Layout):
    name = "llmbar"
    title = "LLMBar"
    needs = "input, output_1, output_2, label"
    form = PAIRWISE_FORM

    def recognises(self, columns: Collection[str]) -> bool:
        return set(_COLUMNS) <= set(columns)

    def check_form(self, questions: Sequence[Question]) -> None:
        pairwise_question(questions)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        values = row.values
        label = values.get("label")
        if isinstance(label, str) and label.strip() in ("1", "2"):
            label = int(label)
        if isinstance(label, bool) or not isinstance(label, int) or label not in _BETTER:
            raise RowRefused("label", "Expected 1 or 2.", label)
        raw = {"prompt": values.get("input"), "responses": [values.get("output_1"), values.get("output_2")]}
        known = find_question(questions, "pairwise")
        return ImportedTask(
            external_id="",
            content=content_of(raw, _FIELDS),
            metadata=other_columns(values, _COLUMNS),
            gold=preference(known, _BETTER[label]) if known else None,
        )
