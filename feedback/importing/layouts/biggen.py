"""BiGGen-Bench (Kim et al. 2024, arXiv:2406.05761): prompts, each with a rubric of its own and an answer worth 5.

`score_rubric` names what is rated and describes the scores 1 to 5.  The set has no models' responses: those in columns
of their own (see given_responses) are rated; without any, the reference answer is what people rate.  A rubric is the
task's criterion `score`: a rating question's anchors are the same for a whole campaign.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from feedback.importing.layouts.base import ImportedTask, Layout, content_of, external_id_of, other_columns, structured
from feedback.importing.layouts.given_responses import given_columns, given_responses
from feedback.importing.rows import Row, RowRefused
from feedback.questions.form import Question

JSON = Any
_COLUMNS = {"id", "system_prompt", "input", "reference_answer", "score_rubric"}
_FIELDS = {"prompt": "input", "responses": "reference_answer", "criteria": "score_rubric"}


class BiGGen(Layout):
    name = "biggen"
    title = "BiGGen-Bench rubrics"
    needs = "id, input, reference_answer, score_rubric (and response, if there are any)"
    form = (
        {
            "key": "score",
            "kind": "rating",
            "title": "Which score of the rubric does the response earn?",
            "settings": {
                "scale": "likert",
                "low": 1,
                "high": 5,
                "attributes": [{"key": "score", "text": "Score by the task's rubric"}],
            },
        },
    )

    def recognises(self, columns: Collection[str]) -> bool:
        return {"input", "reference_answer", "score_rubric"} <= set(columns)

    def check_form(self, questions: Sequence[Question]) -> None:
        """There is no judgement in the file."""

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        values = row.values
        reference = values.get("reference_answer")
        given = given_responses(values)
        raw = {
            "prompt": _prompt(values),
            "responses": given or [{"text": reference, "model": "reference answer"}],
            "reference": reference if given else "",
            "criteria": [{"key": "score", "text": _rubric(structured(values.get("score_rubric")))}],
        }
        return ImportedTask(
            external_id=external_id_of(values, "id"),
            content=content_of(raw, _FIELDS),
            metadata=other_columns(values, _COLUMNS | given_columns(values)),
        )


def _prompt(values: Mapping[str, JSON]) -> JSON:
    system, asked = values.get("system_prompt"), values.get("input")
    if not system:
        return asked
    return [{"role": "system", "content": system}, {"role": "user", "content": asked}]


def _rubric(rubric: JSON) -> str:
    names = [f"score{score}_description" for score in (5, 4, 3, 2, 1)]
    if not isinstance(rubric, Mapping) or not all(isinstance(rubric.get(name), str) for name in ("criteria", *names)):
        raise RowRefused("score_rubric", "Expected criteria and score1_description … score5_description.", rubric)
    described = [f"{score}: {rubric[name]}" for score, name in zip((5, 4, 3, 2, 1), names, strict=True)]
    return "\n".join([rubric["criteria"], *described])
