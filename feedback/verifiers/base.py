"""What every verifier is: a named, versioned program that says whether one response meets one criterion.

A verifier never guesses.  It answers with a `Verdict`, or it raises `VerifierFailed` and its answer is missing: a
failed verifier is an absence with a reason, not a "no".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from feedback.verifiers.words import is_blank


class VerifierError(Exception):
    """Anything a verifier cannot do; the message says what happened and what to do."""


class VerifierFailed(VerifierError):
    """The response could not be judged.  Record the reason and leave the criterion unanswered."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Verdict:
    """`note` says what was found, in words that can be shown beside the criterion."""

    passed: bool
    note: str


class Params(BaseModel):
    """The settings of one criterion.  An unknown name is an error: a typo must not mean "no limit"."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_max_length=1000)


class NoParams(Params):
    """There is nothing to set."""


class Bounds(Params):
    """How many there may be, both ends included.  IFEval's "less than n" is `max` n - 1, "at least n" is `min` n."""

    min: int | None = Field(default=None, ge=0, description="The fewest there may be.")
    max: int | None = Field(default=None, ge=0, description="The most there may be.")

    @model_validator(mode="after")
    def _say_something(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("give min, max or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self

    def allow(self, count: int) -> bool:
        return (self.min is None or count >= self.min) and (self.max is None or count <= self.max)

    def __str__(self) -> str:
        if self.min == self.max:
            return f"exactly {self.min}"
        if self.max is None:
            return f"at least {self.min}"
        return f"at most {self.max}" if self.min is None else f"{self.min} to {self.max}"


P = TypeVar("P", bound=Params)


class Verifier(ABC, Generic[P]):
    """One kind of check.  Raise `version` whenever any response could get another verdict than before."""

    name: ClassVar[str]
    version: ClassVar[int]
    title: ClassVar[str]
    takes_reference: ClassVar[bool] = False
    """Whether its param `answer`, left empty, is the task's reference."""
    Params: type[P]

    def parse(self, params: dict[str, Any]) -> P:
        """Validate stored params; raises pydantic.ValidationError."""
        return self.Params.model_validate(params)

    def verify(self, prompt: str, response: str, params: P) -> Verdict:
        """Judge `response` alone or against `prompt`; raises VerifierFailed, never returns a default.

        As in IFEval, a blank response meets no criterion: saying nothing is no way to avoid a comma.
        """
        if is_blank(response):
            return Verdict(False, "the response is empty")
        return self.judge(prompt, response, params)

    @abstractmethod
    def judge(self, prompt: str, response: str, params: P) -> Verdict:
        """The check itself, on a response that is not blank."""


def counted(count: int, noun: str, bounds: Bounds) -> Verdict:
    """The verdict on a count, saying what was found and what was asked: `52 words, asked for at most 45`."""
    found = f"{count} {noun}" + ("" if count == 1 else "s")
    return Verdict(bounds.allow(count), f"{found}, asked for {bounds}")
