"""Small and capital letters: IFEval's `english_capital`, `english_lowercase` and `capital_word_frequency`."""

from __future__ import annotations

import re
from typing import ClassVar

from pydantic import Field

from feedback.verifiers.base import Bounds, Params, Verdict, Verifier, VerifierFailed, counted
from feedback.verifiers.language import MIN_LETTERS, language_of

_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")


class CaseParams(Params):
    """english: whether the response must be in English too; a text too short to tell is taken to be."""

    english: bool = Field(default=True, description="Must be English as well.")


def _in_case(response: str, params: CaseParams, *, upper: bool) -> Verdict:
    words = "capital" if upper else "small"
    wrong = next((char for char in response if (char.islower() if upper else char.isupper())), "")
    if wrong:
        return Verdict(False, f"“{wrong}” is no {words} letter")
    if not any(char.isupper() if upper else char.islower() for char in response):
        return Verdict(False, "has no letters")
    try:
        language = language_of(response) if params.english else "en"
    except VerifierFailed:
        if sum(char.isalpha() for char in response) >= MIN_LETTERS:
            raise
        language = "en"
    return Verdict(language == "en", f"{words} letters only" if language == "en" else f"is in “{language}”")


class AllCapital(Verifier[CaseParams]):
    """No small letter, at least one capital one, in English."""

    name: ClassVar[str] = "all_capital"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Is in capital letters only"
    Params = CaseParams

    def judge(self, prompt: str, response: str, params: CaseParams) -> Verdict:
        return _in_case(response, params, upper=True)


class AllSmall(Verifier[CaseParams]):
    """No capital letter, at least one small one, in English."""

    name: ClassVar[str] = "all_small"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Is in small letters only"
    Params = CaseParams

    def judge(self, prompt: str, response: str, params: CaseParams) -> Verdict:
        return _in_case(response, params, upper=False)


class CapitalWordCount(Verifier[Bounds]):
    """So many words all of whose letters are capital: I is one, WELL-KNOWN is one, 2024 is none."""

    name: ClassVar[str] = "capital_word_count"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Has so many words in capital letters"
    Params = Bounds

    def judge(self, prompt: str, response: str, params: Bounds) -> Verdict:
        return counted(sum(word.isupper() for word in _WORD.findall(response)), "word in capitals", params)
