"""How often one letter or mark stands in the response: IFEval's `keywords:letter_frequency`."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, field_validator

from feedback.verifiers.base import Bounds, Verdict, Verifier, counted
from feedback.verifiers.words import normalised


class LetterParams(Bounds):
    """The letter, without regard to case; it may be a mark, like `#` or `!`."""

    letter: str = Field(min_length=1, max_length=8, description="One character.")

    @field_validator("letter")
    @classmethod
    def _is_one(cls, letter: str) -> str:
        if len(normalised(letter)) != 1 or letter.isspace():
            raise ValueError("give one visible character")
        return letter


class LetterFrequency(Verifier[LetterParams]):
    """The letter stands there often enough and not too often, small or capital."""

    name: ClassVar[str] = "letter_frequency"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Contains a letter so many times"
    Params = LetterParams

    def judge(self, prompt: str, response: str, params: LetterParams) -> Verdict:
        return counted(normalised(response).count(normalised(params.letter)), f"“{params.letter}”", params)
