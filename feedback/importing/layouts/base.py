"""What a known layout is: columns it is recognised by, and how one row becomes a task with its judgements."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from feedback.exceptions import FeedbackError
from feedback.importing.rows import Row, RowError, RowRefused
from feedback.questions.base import Content
from feedback.questions.content import ContentInvalid, read_content
from feedback.questions.form import Question

JSON = Any
EXTERNAL_ID_MAX = 200
PAIRWISE_FORM: tuple[Mapping[str, JSON], ...] = (
    {"key": "better", "kind": "pairwise", "title": "Which response is better?", "settings": {"points": 3}},
)


class LayoutUnfit(FeedbackError):
    """The campaign's questions cannot take what this layout brings."""


@dataclass(frozen=True)
class ImportedJudgement:
    """rater "": named by the file's source.  answers: raw values by question key.  shown: [] when not known."""

    rater: str
    answers: Mapping[str, JSON]
    seconds: float | None = None
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class ImportedTask:
    """external_id "": identity is the content.  priority: higher is asked first.

    mended: what was read otherwise than written, for the report.
    """

    external_id: str
    content: Content
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    gold: Mapping[str, JSON] | None = None
    judgements: tuple[ImportedJudgement, ...] = ()
    priority: int = 0
    mended: tuple[str, ...] = ()


class Layout(ABC):
    """A file layout.  Instances carry no state; `feedback.importing.layouts.registry` lists them."""

    name: ClassVar[str]
    title: ClassVar[str]
    needs: ClassVar[str]
    form: ClassVar[Sequence[Mapping[str, JSON]]]
    """The questions of a campaign opened for such a file ((): the file does not say)."""

    @abstractmethod
    def recognises(self, columns: Collection[str]) -> bool:
        """Is this its layout, judging by the columns of the first row?"""

    def arrange(self, rows: Iterator[Row | RowError]) -> Iterator[Row | RowError]:
        """The file's rows as one row a task; see `feedback.importing.arranging`.  Most files are written so."""
        return rows

    @abstractmethod
    def check_form(self, questions: Sequence[Question]) -> None:
        """Raises LayoutUnfit when the campaign's questions cannot take this layout's judgements."""

    @abstractmethod
    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        """One row → one task; judged=False leaves its judgements out.  Raises RowRefused."""


def content_of(raw: Mapping[str, JSON], columns: Mapping[str, str] | None = None) -> Content:
    """read_content, with its error at the file's column.  columns: field of the content → column of the file."""
    try:
        return read_content(raw)
    except ContentInvalid as error:
        name = next((name for name in columns or {} if error.field.startswith(name)), "")
        column = (columns or {}).get(name, error.field)
        message = str(error).removeprefix(f"{error.field}: ")
        raise RowRefused(column, message, value_at(raw, error.field)) from None


def value_at(raw: JSON, path: str) -> JSON:
    """What stands at `responses.1.text`, or None."""
    for part in path.split("."):
        if isinstance(raw, Mapping):
            raw = raw.get(part)
        elif isinstance(raw, list) and part.isdigit() and int(part) < len(raw):
            raw = raw[int(part)]
        else:
            return None
    return raw


def external_id_of(values: Mapping[str, JSON], *columns: str) -> str:
    """The first of `columns` that is given, as text.  Raises RowRefused for what cannot be an identity."""
    for column in columns:
        value = values.get(column)
        if value is None or value == "":
            continue
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise RowRefused(column, "Expected text or a whole number as identity.", value)
        text = str(value)
        if not text.strip() or len(text) > EXTERNAL_ID_MAX:
            raise RowRefused(column, f"An identity has 1 to {EXTERNAL_ID_MAX} characters.", value)
        return text
    return ""


def structured(value: JSON) -> JSON:
    """A CSV cell that holds a JSON list or object → that; anything else → itself."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def other_columns(values: Mapping[str, JSON], known: Collection[str]) -> dict[str, JSON]:
    """What a layout does not know is kept as metadata; empty cells are nothing."""
    return {key: value for key, value in values.items() if key not in known and value is not None and value != ""}


def question_of(questions: Sequence[Question], kind: str, told: str) -> Question:
    """The first question of a kind.  told: what the file says, in words.  Raises LayoutUnfit."""
    found = find_question(questions, kind)
    if found is None:
        message = (
            f"The file says {told}, but the campaign asks no {kind} question: import the tasks without their "
            "judgements, or into a campaign that asks one."
        )
        raise LayoutUnfit(message)
    return found


def find_question(questions: Sequence[Question], kind: str) -> Question | None:
    return next((question for question in questions if question.kind.name == kind), None)


def pairwise_question(questions: Sequence[Question]) -> Question:
    """The question that a plain “this one is better” answers.  Raises LayoutUnfit."""
    question = question_of(questions, "pairwise", "which response is better")
    if question.settings.levels > 1:  # type: ignore[attr-defined]  # PairwiseSettings, by the kind's name
        message = (
            f"The file does not say how much better, but “{question.spec.title}” asks for it: import the tasks without "
            "their judgements, or into a campaign with a 2- or 3-point scale."
        )
        raise LayoutUnfit(message)
    return question


def preference(question: Question, preferred: str | None) -> dict[str, JSON]:
    """Raw answers that prefer a response, or neither (None)."""
    if preferred is None:
        return {question.key: {"verdict": "tie"}}
    return {question.key: {"verdict": "prefer", "preferred": preferred}}
