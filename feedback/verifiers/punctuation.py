"""Marks that must not appear: IFEval's `punctuation:no_comma`, and the same for any other mark."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, field_validator

from feedback.verifiers.base import Params, Verdict, Verifier

# Comma, Arabic, Ethiopic, Mongolian, N'Ko, ideographic, small and full-width forms: commas to their readers.
_COMMAS = ",،፣᠂߸、﹐﹑，､"


class CommaParams(Params):
    """What counts as a comma."""

    ascii_only: bool = Field(default=False, description="Count only the comma of the ASCII set, as IFEval does.")


class MarkParams(Params):
    """The marks that are not wanted."""

    marks: str = Field(min_length=1, max_length=50, description="Each character of this text is a mark: !?;")

    @field_validator("marks")
    @classmethod
    def _are_marks(cls, marks: str) -> str:
        if any(mark.isalnum() or mark.isspace() for mark in marks):
            raise ValueError("give punctuation marks only; for words there is keywords_absent")
        return marks


class NoComma(Verifier[CommaParams]):
    """The response has no comma of any script (or, with `ascii_only`, no ASCII comma)."""

    name: ClassVar[str] = "no_comma"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Contains no comma"
    Params = CommaParams

    def judge(self, prompt: str, response: str, params: CommaParams) -> Verdict:
        return _without(response, "," if params.ascii_only else _COMMAS, "comma")


class PunctuationAbsent(Verifier[MarkParams]):
    """The response has none of the marks; full-width and other forms of a mark are other characters."""

    name: ClassVar[str] = "punctuation_absent"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Contains none of these marks"
    Params = MarkParams

    def judge(self, prompt: str, response: str, params: MarkParams) -> Verdict:
        return _without(response, params.marks, "mark")


def _without(response: str, marks: str, noun: str) -> Verdict:
    count = sum(response.count(mark) for mark in set(marks))
    if not count:
        return Verdict(True, f"no {noun}")
    first = next(position for position, char in enumerate(response) if char in marks)
    return Verdict(False, f"{count} {noun}{'' if count == 1 else 's'}, the first at character {first + 1}")
