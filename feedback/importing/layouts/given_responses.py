"""Responses that somebody put beside the prompts of a set that brings none.

`responses` (a list of texts or of {text, model}), or `response` (with `model`), or `response1`, `response2`, … (with
`model1`, …): what `examples/sample_responses.py` and most evaluation scripts write.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from feedback.importing.layouts.base import structured
from feedback.importing.rows import RowRefused

JSON = Any
COLUMN = re.compile(r"^(responses|(response|model)_?([1-9]\d?)?)\Z")
NONE_GIVEN = (
    "This set has prompts and no responses. Sample some and put them beside the prompts, in a column response (or "
    "response1, response2, …), then import again."
)


def given_columns(columns: Collection[str]) -> set[str]:
    return {column for column in columns if COLUMN.match(column)}


def given_responses(values: Mapping[str, JSON]) -> list[JSON]:
    """What content takes as responses; [] when the row has none.  Raises RowRefused for what is no list."""
    listed = structured(values.get("responses"))
    if listed is not None and listed != "":
        if not isinstance(listed, list):
            raise RowRefused("responses", "Expected a list.", listed)
        return listed
    found: dict[int, dict[str, JSON]] = {}
    for column in given_columns(values):
        match = COLUMN.match(column)
        if match and match[2] and values[column] is not None and values[column] != "":
            part = "text" if match[2] == "response" else "model"
            found.setdefault(int(match[3] or 1), {})[part] = values[column]
    return [{"id": f"r{number}", **found[number]} for number in sorted(found) if "text" in found[number]]


def needed_responses(values: Mapping[str, JSON]) -> list[JSON]:
    """As given_responses, but none is a refusal that says what to do."""
    found = given_responses(values)
    if not found:
        raise RowRefused("response", NONE_GIVEN)
    return found
