"""FollowBench (Jiang et al. 2024, arXiv:2310.20410): one instruction written six times, each with one constraint more.

The rows of one `example_id` and `source` stand together; level 0 is the plain instruction.  Each higher level
becomes a task: its criteria are the constraints it has gathered, one a level.  The file does not say a constraint in
its own words, only the instruction with and without it, so that a criterion quotes both, as its authors' judge prompt
does.  The set has no responses (`target` is a list of right answers, or a text to imitate, in some sources): they stand
in columns of their own (see given_responses), and a level without any is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from feedback.importing.arranging import Rows, group_rows, members_of, spread_rows
from feedback.importing.layouts.base import ImportedTask, Layout, content_of
from feedback.importing.layouts.given_responses import needed_responses
from feedback.importing.layouts.ifeval import RULES
from feedback.importing.rows import Row, RowRefused
from feedback.questions.form import Question

JSON = Any
_FIELDS = {"prompt": "instruction", "criteria": "instruction", "reference": "target"}


class FollowBench(Layout):
    name = "followbench"
    title = "FollowBench"
    needs = "example_id, category, source, level, instruction and response (or response1, response2, …)"
    form = RULES

    def recognises(self, columns: Collection[str]) -> bool:
        return {"example_id", "category", "level", "instruction"} <= set(columns)

    def arrange(self, rows: Rows) -> Rows:
        return spread_rows(group_rows(rows, ("example_id", "source")), _levels)

    def check_form(self, questions: Sequence[Question]) -> None:
        """There is no judgement in the file."""

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        values, below = row.values, row.values["below"]
        instructions = [*below, values.get("instruction")]
        target = values.get("target")
        raw = {
            "prompt": values.get("instruction"),
            "responses": needed_responses(values),
            "reference": target if isinstance(target, str) else "",
            "criteria": [_criterion(instructions, level) for level in range(1, len(instructions))],
        }
        named = {name: values.get(name) for name in ("example_id", "category", "source", "level")}
        return ImportedTask(external_id="", content=content_of(raw, _FIELDS), metadata=named)


def _levels(group: Row) -> Iterator[Row]:
    """Every level above 0, with the instructions below it."""
    below: list[JSON] = []
    for expected, row in enumerate(members_of(group)):
        values = row.values
        if str(values.get("level")).strip() != str(expected):
            reason = f"Expected level {expected}: an example's levels stand together, from 0 upwards."
            raise RowRefused("level", reason, values.get("level"))
        if expected:
            yield Row(row.number, {**values, "below": list(below)})
        below.append(values.get("instruction"))


def _criterion(instructions: Sequence[JSON], level: int) -> dict[str, JSON]:
    without, with_it = instructions[level - 1], instructions[level]
    if not isinstance(without, str) or not isinstance(with_it, str):
        raise RowRefused("instruction", "Expected text.", without)
    text = f"Keeps what is new in constraint {level}.\n\nNow: “{with_it}”\n\nBefore: “{without}”"
    return {"key": f"level{level}", "text": text}
