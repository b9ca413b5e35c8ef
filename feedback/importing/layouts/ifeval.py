"""IFEval (Zhou et al. 2023, arXiv:2311.07911): prompts whose instructions a program can check.

`instruction_id_list` and `kwargs` become the task's criteria, each of the 25 kinds with a verifier of ours.  The set
has no responses: they stand in columns of their own (see given_responses), and a row without any is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from feedback.importing.layouts.base import ImportedTask, Layout, content_of, external_id_of, other_columns, structured
from feedback.importing.layouts.given_responses import given_columns, needed_responses
from feedback.importing.layouts.ifeval_criteria import InstructionUnknown, criterion_of
from feedback.importing.rows import Row, RowRefused
from feedback.questions.form import Question
from feedback.verifiers.base import VerifierError
from feedback.verifiers.registry import check_params

JSON = Any
_COLUMNS = {"key", "prompt", "instruction_id_list", "kwargs"}
RULES: tuple[Mapping[str, JSON], ...] = (
    {
        "key": "rules",
        "kind": "checklist",
        "title": "Does the response keep each requirement?",
        "settings": {"from_task": True},
    },
)


class IFEval(Layout):
    name = "ifeval"
    title = "IFEval"
    needs = "key, prompt, instruction_id_list, kwargs and response (or response1, response2, …)"
    form = RULES

    def recognises(self, columns: Collection[str]) -> bool:
        return {"prompt", "instruction_id_list", "kwargs"} <= set(columns)

    def check_form(self, questions: Sequence[Question]) -> None:
        """There is no judgement in the file; that a question takes its criteria from the task is seen row by row."""

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        values = row.values
        raw = {
            "prompt": values.get("prompt"),
            "responses": needed_responses(values),
            "criteria": _criteria(structured(values.get("instruction_id_list")), structured(values.get("kwargs"))),
        }
        return ImportedTask(
            external_id=external_id_of(values, "key"),
            content=content_of(raw),
            metadata=other_columns(values, _COLUMNS | given_columns(values)),
        )


def _criteria(names: JSON, arguments: JSON) -> list[JSON]:
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise RowRefused("instruction_id_list", "Expected a list of instructions.", names)
    if not isinstance(arguments, list) or len(arguments) != len(names):
        raise RowRefused("kwargs", f"Expected {len(names)} objects, one an instruction.", arguments)
    return [_criterion(name, given, f"c{n}") for n, (name, given) in enumerate(zip(names, arguments, strict=True), 1)]


def _criterion(name: str, given: JSON, key: str) -> dict[str, JSON]:
    if not isinstance(given, Mapping):
        raise RowRefused("kwargs", "Expected objects.", given)
    try:
        criterion = criterion_of(name, given, key)
        if verifier := criterion.get("verifier"):
            check_params(verifier["name"], verifier["params"])
    except InstructionUnknown as error:
        raise RowRefused("instruction_id_list", str(error), name) from None
    except VerifierError as error:
        raise RowRefused("kwargs", str(error), dict(given)) from None
    return criterion
