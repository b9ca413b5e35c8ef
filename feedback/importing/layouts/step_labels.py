"""What the layouts of step-by-step solutions share: their question, and where the first error stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from feedback.importing.rows import RowRefused

JSON = Any
TOLD = "which steps are wrong"
FIRST_ERROR: Mapping[str, JSON] = {
    "key": "steps",
    "kind": "steps",
    "title": "Which step is the first wrong one?",
    "settings": {"mode": "first_error"},
}
EACH_STEP: Mapping[str, JSON] = {
    "key": "steps",
    "kind": "steps",
    "title": "Is each step right?",
    "settings": {"mode": "each", "neutral": False},
}
WHY: Mapping[str, JSON] = {
    "key": "why",
    "kind": "critique",
    "title": "What is wrong, and how is it put right?",
    "required": False,
    "settings": {"about": "task", "text": "optional"},
}


def up_to_first_error(column: str, steps: Sequence[JSON], wrong: int | None) -> list[str]:
    """Labels up to the first wrong step.  wrong: its index from 0; None: every step is right."""
    if wrong is None:
        return ["correct"] * len(steps)
    if not 0 <= wrong < len(steps):
        raise RowRefused(column, f"Names step {wrong} (counted from 0); the solution has {len(steps)}.", wrong)
    return ["correct"] * wrong + ["wrong"]


def texts_of(values: Mapping[str, JSON], column: str) -> list[str]:
    """A solution's steps."""
    steps = values.get(column)
    if not isinstance(steps, list) or not steps or not all(isinstance(step, str) and step.strip() for step in steps):
        raise RowRefused(column, "Expected a list of texts, the steps.", steps)
    return steps
