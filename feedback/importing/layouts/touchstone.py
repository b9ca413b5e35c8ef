"""Our own layout: one task a row, with everything a task may have.

`{"external_id"?, "prompt", "responses": [text or {"id"?, "text", "model"?}], "reference"?, "criteria"?, "metadata"?,
"gold"?: {question: value}, "priority"?: 0…32767,
"judgements"?: [{"rater", "answers": {question: value}, "seconds"?, "shown"?}]}`.

In a CSV file, cells hold JSON where a value has parts; or the responses stand in `response1`, `response2`, … (with
`model1`, …).  Columns it does not know become metadata.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from feedback.importing.layouts.base import (
    ImportedJudgement,
    ImportedTask,
    Layout,
    content_of,
    external_id_of,
    other_columns,
    structured,
)
from feedback.importing.rows import Row, RowRefused
from feedback.questions.form import Question

JSON = Any
_KNOWN = ("external_id", "prompt", "responses", "reference", "criteria", "metadata", "gold", "priority", "judgements")
_NUMBERED = re.compile(r"^(response|model)_?([1-9]\d?)\Z")
HIGHEST_PRIORITY = 32767
_JUDGEMENT = frozenset({"rater", "answers", "seconds", "shown"})


class Touchstone(Layout):
    name = "touchstone"
    title = "Touchstone"
    needs = "prompt, responses (or response1, response2, …)"
    form = ()

    def recognises(self, columns: Collection[str]) -> bool:
        return "prompt" in columns and ("responses" in columns or bool({"response1", "response_1"} & set(columns)))

    def check_form(self, questions: Sequence[Question]) -> None:
        """Each row's answers name their questions; they are checked row by row."""

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        values = row.values
        numbered = [name for name in values if _NUMBERED.match(name)] if "responses" not in values else []
        raw = {
            "prompt": _prompt(values.get("prompt")),
            "responses": _from_columns(values, numbered) if numbered else structured(values.get("responses")),
            "reference": values.get("reference") or "",
            "criteria": _list(values, "criteria"),
        }
        metadata = {**other_columns(values, {*_KNOWN, *numbered}), **_object(values, "metadata")}
        return ImportedTask(
            external_id=external_id_of(values, "external_id"),
            content=content_of(raw),
            metadata=metadata,
            gold=_object(values, "gold") or None,
            priority=_priority(values.get("priority")),
            judgements=_judgements(_list(values, "judgements")) if judged else (),
        )


def _prompt(value: JSON) -> JSON:
    """A cell is a conversation only if it is JSON messages; a prompt that merely begins with “[” is text."""
    parsed = structured(value)
    conversation = isinstance(parsed, list) and parsed and all(isinstance(m, dict) and "role" in m for m in parsed)
    return parsed if conversation or not isinstance(value, str) else value


def _from_columns(values: Mapping[str, JSON], numbered: Sequence[str]) -> list[JSON]:
    found: dict[int, dict[str, JSON]] = {}
    for name in numbered:
        match = _NUMBERED.match(name)
        if match and values[name] is not None:
            found.setdefault(int(match[2]), {})["text" if match[1] == "response" else "model"] = values[name]
    given = {number: raw for number, raw in found.items() if "text" in raw}
    return [{"id": f"r{number}", **given[number]} for number in sorted(given)]


def _priority(value: JSON) -> int:
    if value is None or value == "":
        return 0
    number = int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,5}", value.strip()) else value
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= HIGHEST_PRIORITY:
        raise RowRefused(
            "priority", f"Expected a whole number from 0 to {HIGHEST_PRIORITY}; higher is asked first.", value
        )
    return number


def _list(values: Mapping[str, JSON], column: str) -> list[JSON]:
    value = structured(values.get(column))
    if value is None or value == "":
        return []
    if not isinstance(value, list):
        raise RowRefused(column, "Expected a list.", value)
    return value


def _object(values: Mapping[str, JSON], column: str) -> dict[str, JSON]:
    value = structured(values.get(column))
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        raise RowRefused(column, "Expected an object with named fields.", value)
    return value


def _judgements(raw: Sequence[JSON]) -> tuple[ImportedJudgement, ...]:
    found = tuple(_judgement(entry, f"judgements.{index}") for index, entry in enumerate(raw))
    raters = [judgement.rater for judgement in found]
    if twice := sorted({rater for rater in raters if raters.count(rater) > 1}):
        raise RowRefused("judgements", f"One rater judges this task twice: {', '.join(twice)}.")
    return found


def _judgement(raw: JSON, where: str) -> ImportedJudgement:
    if not isinstance(raw, dict) or not isinstance(raw.get("answers"), dict):
        raise RowRefused(where, "Expected {rater, answers: {question: value}}.", raw)
    if unknown := sorted(set(raw) - _JUDGEMENT):
        raise RowRefused(where, f"Has unknown fields: {', '.join(unknown)}.", raw)
    rater = raw.get("rater")
    if not isinstance(rater, str) or not rater.strip() or len(rater) > 200:
        raise RowRefused(f"{where}.rater", "Expected a name of at most 200 characters.", rater)
    seconds = raw.get("seconds")
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds < 0):
        raise RowRefused(f"{where}.seconds", "Expected a number of seconds, 0 or more.", seconds)
    shown = raw.get("shown") or []
    if not isinstance(shown, list) or not all(isinstance(id, str) for id in shown):
        raise RowRefused(f"{where}.shown", "Expected the response ids in the order shown.", shown)
    return ImportedJudgement(rater, raw["answers"], None if seconds is None else float(seconds), tuple(shown))
