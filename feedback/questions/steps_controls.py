"""What labelling steps puts on the screen: each step's text with its labels beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from feedback.questions.controls import Controls, Display, Option, Slot

if TYPE_CHECKING:
    from feedback.questions.steps import StepsSettings

CORRECT, NEUTRAL, WRONG, UNSURE = "correct", "neutral", "wrong", "unsure"
NONE = "none"
FIRST_ERROR = "first_error"
"""The one field of a response in first-error mode; NONE is its value when no step is wrong."""


@dataclass(frozen=True)
class StepRow:
    """One step on the screen.  In first-error mode all rows share the name of one radio group."""

    name: str
    number: int
    text: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class StepList:
    """none: "no step is wrong", in first-error mode only."""

    rows: tuple[StepRow, ...]
    none: Option | None
    none_name: str


def steps_controls(settings: StepsSettings, display: Display, texts: Mapping[str, Sequence[str]]) -> Controls:
    """`by_response`: a StepList.  texts: the steps of each response; they are shown here, and nowhere else."""
    gettext = display.gettext
    lists = {id: _list(id, texts[id], settings, display) for id in display.shown}
    slots = []
    for id, steps in lists.items():
        if steps.none:
            slots.append(Slot(steps.none_name, display.where(id, gettext("first wrong step"))))
        else:
            words = (gettext("step %(n)d") % {"n": row.number} for row in steps.rows)
            slots += [Slot(row.name, display.where(id, word)) for row, word in zip(steps.rows, words, strict=True)]
    return Controls(by_response=lists, slots=tuple(slots))


def step_words(settings: StepsSettings, gettext: Callable[[str], str]) -> dict[str, str]:
    words = {
        CORRECT: settings.correct_label or gettext("Correct"),
        NEUTRAL: settings.neutral_label or gettext("Neutral"),
        WRONG: settings.wrong_label or gettext("Wrong"),
        UNSURE: gettext("Unsure"),
    }
    return {label: words[label] for label in settings.labels}


def _list(id: str, texts: Sequence[str], settings: StepsSettings, display: Display) -> StepList:
    """Keys 1, 2, 3 label the current step from correct to wrong, u unsure; x names the first wrong step, 0 none."""
    gettext, words = display.gettext, step_words(settings, display.gettext)
    group = display.name(id, FIRST_ERROR)
    held = display.values(id, FIRST_ERROR)
    rows = []
    for at, text in enumerate(texts):
        if settings.mode == FIRST_ERROR:
            wrong = Option(str(at), gettext("First wrong step"), "x", str(at) in held)
            rows.append(StepRow(group, at + 1, text, (wrong,)))
            continue
        told = display.values(id, str(at))
        options = tuple(
            Option(label, word, "u" if label == UNSURE else str(place), label in told)
            for place, (label, word) in enumerate(words.items(), start=1)
        )
        rows.append(StepRow(display.name(id, str(at)), at + 1, text, options))
    none = Option(NONE, gettext("No step is wrong"), "0", NONE in held) if settings.mode == FIRST_ERROR else None
    return StepList(tuple(rows), none, group)
