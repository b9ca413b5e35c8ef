"""Each step of a response, right or wrong: process supervision.

Every step gets a label (PRM800K, arXiv:2305.20050: positive, neutral, negative), or the first wrong step is named
(MR-Ben, arXiv:2406.13975; ProcessBench, arXiv:2412.06559), after which nothing is asked.  Steps are those the task
gives, else the response split at blank lines.

Browser: `q.<question>.<response>.<index>` = a label's key, from 0; in first-error mode `q.<question>.<response>.
first_error` = the index of the first wrong step, or `none`.  Error paths are the same names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import model_validator
from pydantic_core import ErrorDetails

from feedback.consensus.steps import VALUE, merge_steps
from feedback.questions.base import Consensus, Content, Kind, Problem, Range, Response, Strict
from feedback.questions.controls import Condition, Controls, Display
from feedback.questions.steps_controls import (
    CORRECT,
    FIRST_ERROR,
    NEUTRAL,
    NONE,
    UNSURE,
    WRONG,
    step_words,
    steps_controls,
)

JSON = Any
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def steps_of(response: Response) -> tuple[str, ...]:
    """The steps that the task gives, else the text split at blank lines; fenced code stays whole.

    A fence ends at one of its own characters that is at least as long and says nothing more (CommonMark); one that
    never ends runs to the end of the text.
    """
    if response.steps:
        return response.steps
    steps: list[list[str]] = [[]]
    fence = ""
    for line in re.split(r"\r\n|\r|\n", response.text):
        found = FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and not line[found.end() :].strip():
            fence = ""
        if line.strip() or fence:
            steps[-1].append(line)
        elif steps[-1]:
            steps.append([])
    return tuple("\n".join(lines) for lines in steps if lines)


class StepsSettings(Strict):
    """mode: label each step, or name the first wrong one.  neutral: offer it between correct and wrong."""

    mode: Literal["each", "first_error"] = "each"
    neutral: bool = True
    allow_unsure: bool = False
    correct_label: str = ""
    neutral_label: str = ""
    wrong_label: str = ""

    @property
    def labels(self) -> tuple[str, ...]:
        neutral = (NEUTRAL,) if self.neutral and self.mode == "each" else ()
        unsure = (UNSURE,) if self.allow_unsure and self.mode == "each" else ()
        return (CORRECT, *neutral, WRONG, *unsure)

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.mode == "first_error" and self.allow_unsure:
            raise ValueError("Naming the first wrong step leaves no step unsure; label each step instead.")
        return self


class StepsAnswer(Strict):
    """labels: {response id: [label of step 0, 1, …]}; in first-error mode up to and with the first wrong step."""

    labels: dict[str, list[Literal["correct", "neutral", "wrong", "unsure"]]]


class Steps(Kind[StepsSettings, StepsAnswer]):
    name = "steps"
    title = "Steps"
    Settings = StepsSettings
    Answer = StepsAnswer

    def is_per_response(self, settings: StepsSettings) -> bool:
        return True

    def shows_text(self, settings: StepsSettings, text: str) -> bool:
        return True

    def check(
        self, answer: StepsAnswer, settings: StepsSettings, content: Content, *, partial: bool = False
    ) -> list[Problem]:
        problems = [Problem((id,), "This task has no such response.") for id in answer.labels if id not in content.ids]
        for id in content.ids:
            labels, n = answer.labels.get(id, []), len(steps_of(content.response(id)))
            if len(labels) > n:
                problems.append(Problem((id,), f"Has {len(labels)} labels for {n} steps."))
            elif settings.mode == "first_error":
                problems += _check_first_error(id, labels, n, partial=partial)
            else:
                unoffered = ((at, one) for at, one in enumerate(labels) if one not in settings.labels)
                problems += [Problem((id, str(at)), f"This question does not offer “{one}”.") for at, one in unoffered]
                if not partial:
                    problems += [Problem((id, str(at)), "Label this step.") for at in range(len(labels), n)]
        return problems

    def check_content(self, settings: StepsSettings, content: Content) -> list[Problem]:
        empty = [response.id for response in content.responses if not steps_of(response)]
        return [Problem(("responses",), f"Response {id} has no steps.") for id in empty]

    def parse(
        self, fields: Mapping[str, Sequence[str]], settings: StepsSettings, content: Content
    ) -> dict[str, JSON] | None:
        """Labels with a gap before them cannot be stored as a list: the gap is kept as an empty label and refused.

        What names no first wrong step keeps its field's name, and is refused there.
        """
        given = {name: ", ".join(values) for name, values in fields.items() if any(value.strip() for value in values)}
        labels: dict[str, list[JSON]] = {}
        for response in content.responses:
            n = len(steps_of(response))
            if settings.mode == "first_error":
                named = _up_to(given.get(f"{response.id}.{FIRST_ERROR}"), n)
                if named is not None:
                    labels[response.id] = named
                    del given[f"{response.id}.{FIRST_ERROR}"]
                continue
            row = [given.pop(f"{response.id}.{at}", "") for at in range(n)]
            while row and not row[-1]:
                row.pop()
            if row:
                labels[response.id] = list(row)
        return {"labels": labels, **given} if labels or given else None

    def fields(self, answer: StepsAnswer, settings: StepsSettings, content: Content) -> dict[str, str]:
        if settings.mode == "first_error":
            return {f"{id}.{FIRST_ERROR}": _first_error(labels) for id, labels in answer.labels.items()}
        return {f"{id}.{at}": label for id, labels in answer.labels.items() for at, label in enumerate(labels)}

    def controls(self, settings: StepsSettings, display: Display) -> Controls:
        return steps_controls(settings, display, {id: steps_of(display.content.response(id)) for id in display.shown})

    def problem(self, error: ErrorDetails) -> Problem:
        """`labels.r1.3` → the radio group `r1.3`."""
        path = tuple(map(str, error["loc"]))
        if path and path[0].endswith(f".{FIRST_ERROR}"):
            return Problem(path, "Name one of the steps, or say that there is no wrong one.")
        if path[:1] == ("labels",):
            return Problem(path[1:], "Choose one of the labels offered." if len(path) > 2 else error["msg"])
        return Problem(path, error["msg"])

    def json_schema(self, settings: StepsSettings, content: Content, slots: Sequence[str]) -> dict[str, JSON]:
        """`{"A": [label, …]}`; in first-error mode `{"A": 3}` or null, steps counted from 1 as a reader does."""
        if settings.mode == "first_error":
            most = max(len(steps_of(response)) for response in content.responses)
            row: dict[str, JSON] = {"type": ["integer", "null"], "enum": [*range(1, most + 1), None]}
        else:
            row = {"type": "array", "items": {"type": "string", "enum": list(settings.labels)}}
        names = list(slots)
        return {
            "type": "object",
            "properties": dict.fromkeys(names, row),
            "required": names,
            "additionalProperties": False,
        }

    def from_slots(self, reply: Mapping[str, JSON], slots: Mapping[str, str]) -> dict[str, JSON]:
        raw: dict[str, JSON] = {f"slot:{name}": value for name, value in reply.items() if name not in slots}
        raw["labels"] = {slots[name]: value for name, value in reply.items() if name in slots}
        return raw

    def complete(self, raw: JSON, settings: StepsSettings, content: Content) -> JSON:
        """A judge that is asked for the first wrong step says its number from 1, or null: the labels up to it."""
        asked = settings.mode == "first_error" and isinstance(raw, Mapping) and isinstance(raw.get("labels"), Mapping)
        if not asked:
            return raw
        counts = {response.id: len(steps_of(response)) for response in content.responses}
        labels: dict[str, JSON] = {}
        unread: dict[str, JSON] = {}
        for id, told in raw["labels"].items():
            if isinstance(told, list) or id not in counts:
                labels[id] = told
            elif (named := _up_to(_field_of(told), counts[id])) is not None:
                labels[id] = named
            else:
                unread[f"{id}.{FIRST_ERROR}"] = told
        return {**raw, "labels": labels, **unread}

    def code(self, answer: StepsAnswer, content: Content) -> dict[str, JSON]:
        """Each labelled step, unsure left out: steps after a first error were not asked about."""
        return {
            f"{id}.{at}": label
            for id, labels in answer.labels.items()
            for at, label in enumerate(labels)
            if label != UNSURE
        }

    def range(self, settings: StepsSettings, aspect: str) -> Range:
        """The response's own mark is its outcome label: whether every step is right."""
        return Range(0.0, 1.0, is_verdict=not aspect)

    def distance(self, a: JSON, b: JSON) -> float:
        """Neutral lies half-way from correct to wrong."""
        return float((VALUE[a] - VALUE[b]) ** 2)

    def consensus(
        self, answers: Sequence[StepsAnswer], weights: Sequence[float], settings: StepsSettings, content: Content
    ) -> Consensus | None:
        """See feedback.consensus.steps."""
        return merge_steps([answer.labels for answer in answers], weights, content.ids)

    def tally(self, value: Mapping[str, JSON], shown: Sequence[str]) -> Iterable[tuple[str, str]]:
        for labels in value["labels"].values():
            for label in labels:
                yield "", label

    def tally_words(self, settings: StepsSettings, gettext: Callable[[str], str]) -> dict[str, dict[str, str]]:
        return {"": step_words(settings, gettext)}

    def conditions(self, settings: StepsSettings, gettext: Callable[[str], str]) -> Iterable[Condition]:
        words = step_words(settings, gettext)
        yield Condition("labels.*.*", gettext("any step"), tuple((label, words[label]) for label in settings.labels))


def _first_error(labels: Sequence[str]) -> str:
    return str(labels.index(WRONG)) if WRONG in labels else NONE


def _up_to(told: str | None, n: int) -> list[JSON] | None:
    """The labels that naming the first wrong step (from 0) gives; None for what names none of the n steps."""
    if told == NONE:
        return [CORRECT] * n
    named = {str(at): at for at in range(n)}.get(told or "")
    return None if named is None else [CORRECT] * named + [WRONG]


def _field_of(told: JSON) -> str | None:
    """A judge's number or null → what a browser posts; None for anything else."""
    if told is None:
        return NONE
    return str(told - 1) if isinstance(told, int) and not isinstance(told, bool) else None


def _check_first_error(id: str, labels: Sequence[str], n: int, *, partial: bool) -> list[Problem]:
    where = (id, FIRST_ERROR)
    if not labels:
        return [] if partial else [Problem(where, "Name the first wrong step, or say that there is none.")]
    if WRONG in labels[:-1] or set(labels[:-1]) - {CORRECT} or labels[-1] not in (CORRECT, WRONG):
        return [Problem(where, "Steps are correct up to the first wrong one, and nothing is said about later ones.")]
    if labels[-1] == CORRECT and len(labels) < n:
        return [Problem(where, f"Labels {len(labels)} of {n} steps, none of them wrong.")]
    return []


KIND = Steps()
