"""What a question kind is: settings a manager configures, an answer a rater gives, and what it amounts to.

One pure file per kind.  The browser's post, the REST body and a judge's reply all pass through the same
`Answer` model and the same `check`, so a person, a script and a model cannot disagree on what an answer is.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic_core import ErrorDetails

from feedback.questions.controls import Condition, Controls, Display

JSON = Any
ID = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z")
"""Ids of responses and keys of criteria: safe in field names, which join them with dots."""
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""What PostgreSQL's JSONB refuses: NUL and lone surrogates."""


@dataclass(frozen=True)
class ToolCall:
    """What an assistant asked a tool for; arguments as JSON text."""

    name: str
    arguments: str = ""


@dataclass(frozen=True)
class Message:
    """One turn.  name: of the tool that answers, or of the speaker."""

    role: str
    content: str
    name: str = ""
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True)
class Response:
    """One candidate answer.  `model` is never shown to a person who judges it.

    steps: the parts of a step-by-step answer as the task gives them; () when it gives none.
    """

    id: str
    text: str
    model: str = ""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Criterion:
    """One yes/no requirement; `verifier` names the program that may answer it."""

    key: str
    text: str
    weight: float = 1.0
    verifier: str = ""
    params: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True)
class Content:
    """A task as raters see it.  Response ids are unique within the task."""

    prompt: tuple[Message, ...]
    responses: tuple[Response, ...]
    reference: str = ""
    criteria: tuple[Criterion, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(response.id for response in self.responses)

    def response(self, id: str) -> Response:
        return next(response for response in self.responses if response.id == id)


@dataclass(frozen=True)
class Problem:
    """One thing wrong with an answer.  `path` is relative to the question: `("preferred",)`, `("r1", "words")`."""

    path: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class Pair:
    """What raters think of two responses of one task, in stored order.

    probability: P(first preferred), ties as one half.  strength: mean signed strength, > 0 for first.
    agreement: share of the votes held by the commonest verdict.  neither: share of the votes for no side.
    voters: which of the answers counted, by position.
    """

    first: str
    second: str
    probability: float
    strength: float
    agreement: float
    n_raters: int
    n_ties: int = 0
    n_both_bad: int = 0
    aspect: str = ""
    voters: tuple[int, ...] = ()
    neither: float = 0.0


@dataclass(frozen=True)
class Mark:
    """The consensus value of one response (on one aspect): in [0, 1] for checklists, else in the question's scale."""

    response: str
    value: float
    agreement: float
    n_raters: int
    aspect: str = ""


@dataclass(frozen=True)
class Range:
    """Where a mark's value may lie.  is_verdict: yes or no on the response as a whole, high being yes."""

    low: float
    high: float
    is_verdict: bool = False


@dataclass(frozen=True)
class Consensus:
    pairs: tuple[Pair, ...] = ()
    marks: tuple[Mark, ...] = ()


class Strict(BaseModel):
    """Base of every Settings and Answer: unknown fields are refused, values are not coerced across types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, str_strip_whitespace=False)


SettingsT = TypeVar("SettingsT", bound=Strict)
AnswerT = TypeVar("AnswerT", bound=Strict)


class Kind(ABC, Generic[SettingsT, AnswerT]):
    """A question kind.  Instances carry no state; `feedback.questions.registry` finds them.

    fits_bar: low enough for the bar at the foot of the screen when it is the only question.  scripts: static files its
    template needs.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    fits_bar: ClassVar[bool] = False
    scripts: ClassVar[tuple[str, ...]] = ()
    Settings: type[SettingsT]
    Answer: type[AnswerT]

    def is_per_response(self, settings: SettingsT) -> bool:
        """Answered beside each response, not once for the task."""
        return False

    def shows_text(self, settings: SettingsT, text: str) -> bool:
        """Its controls hold this response's text as well as the panel would, so that the panel need not show it."""
        return False

    @abstractmethod
    def check(self, answer: AnswerT, settings: SettingsT, content: Content, *, partial: bool = False) -> list[Problem]:
        """Everything wrong with the answer for this task.  `partial`: a program may answer only its own criteria."""

    @abstractmethod
    def check_content(self, settings: SettingsT, content: Content) -> list[Problem]:
        """Can this question be asked about this task at all (two responses, criteria present, …)?"""

    @abstractmethod
    def parse(
        self, fields: Mapping[str, Sequence[str]], settings: SettingsT, content: Content
    ) -> dict[str, JSON] | None:
        """Browser fields with the `q.<question>.` prefix removed → the raw answer; None when nothing was given.

        A field this kind does not know is kept in the raw answer, so that `Answer` refuses it: nothing sent is lost
        in silence.
        """

    def complete(self, raw: JSON, settings: SettingsT, content: Content) -> JSON:
        """What a raw answer leaves to be looked up in the task, looked up; before it is validated."""
        return raw

    @abstractmethod
    def fields(self, answer: AnswerT, settings: SettingsT, content: Content) -> dict[str, str]:
        """The inverse of `parse`: what the browser's form holds when this answer is opened again."""

    @abstractmethod
    def controls(self, settings: SettingsT, display: Display) -> Controls:
        """What the kind's template shows people.  Order of display stays out of every value that is posted."""

    def conditions(self, settings: SettingsT, gettext: Callable[[str], str]) -> Iterable[Condition]:
        """What a later question may be shown for (`ShownIf`); nothing unless a kind says otherwise."""
        return ()

    def problem(self, error: ErrorDetails) -> Problem:
        """One pydantic error of `Answer` → a problem at the browser's field; kinds whose fields differ override it."""
        return Problem(tuple(map(str, error["loc"])), error["msg"])

    @abstractmethod
    def json_schema(self, settings: SettingsT, content: Content, slots: Sequence[str]) -> dict[str, JSON]:
        """The JSON schema a judge is asked for; responses are named by slot (A, B, …), never by id."""

    @abstractmethod
    def from_slots(self, reply: Mapping[str, JSON], slots: Mapping[str, str]) -> dict[str, JSON]:
        """A judge's reply (slots) → the raw answer (response ids).  `slots`: {"A": "r2", …}."""

    @abstractmethod
    def code(self, answer: AnswerT, content: Content) -> dict[str, JSON]:
        """Unit → value in stored order, for agreement; a unit that cannot be told is left out.

        Units are `""` for a question with one value, or `"<response>.<aspect>"`.
        """

    def says_something(self, answer: AnswerT, content: Content) -> bool:
        """Whether anything can be learnt from the answer: not from one that only cannot tell."""
        return bool(self.code(answer, content))

    def range(self, settings: SettingsT, aspect: str) -> Range:
        """Where the consensus value of this aspect may lie."""
        return Range(0.0, 1.0)

    def distance(self, a: JSON, b: JSON) -> float:
        """Squared difference for Krippendorff's alpha; nominal unless a kind says otherwise."""
        return 0.0 if a == b else 1.0

    @abstractmethod
    def consensus(
        self, answers: Sequence[AnswerT], weights: Sequence[float], settings: SettingsT, content: Content
    ) -> Consensus | None:
        """What the answers amount to; None where there is no consensus (free text)."""

    def tally(self, value: Mapping[str, JSON], shown: Sequence[str]) -> Iterable[tuple[str, str]]:
        """A stored value → (group, label) of each thing it says, for counting; group "" when there is but one."""
        return ()

    def tally_words(self, settings: SettingsT, gettext: Callable[[str], str]) -> dict[str, dict[str, str]]:
        """Group → label → words for `tally`, in the order of the screen."""
        return {}

    def plot_words(self, settings: SettingsT, gettext: Callable[[str], str]) -> dict[str, dict[str, str]]:
        """As `tally_words`, for a plot: labels that share their words are counted together."""
        return self.tally_words(settings, gettext)
