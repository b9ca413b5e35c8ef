"""Paragraphs: IFEval's `number_paragraphs` (parted by ***) and `nth_paragraph_first_word` (parted by blank lines)."""

from __future__ import annotations

import re
from typing import ClassVar, Self

from pydantic import Field, model_validator

from feedback.verifiers.base import Bounds, Params, Verdict, Verifier, counted
from feedback.verifiers.words import is_blank, normalised

_STARS = re.compile(r"\s?\*\*\*\s?")
_BLANK_LINE = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)\s*")
_FIRST_WORD = re.compile(r"[^\s.,?!'\"”“’‘:;)(]+")


class ParagraphCount(Verifier[Bounds]):
    """So many paragraphs, parted by the Markdown divider ***; one between two dividers must not be empty."""

    name: ClassVar[str] = "paragraph_count"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Has so many paragraphs, parted by ***"
    Params = Bounds

    def judge(self, prompt: str, response: str, params: Bounds) -> Verdict:
        parts = _STARS.split(response)
        if any(is_blank(part) for part in parts[1:-1]):
            return Verdict(False, "two dividers with nothing between them")
        return counted(sum(not is_blank(part) for part in parts), "paragraph", params)


class NthParagraphParams(Params):
    """Which paragraph, of how many, begins with which word."""

    num_paragraphs: int = Field(ge=1, description="How many paragraphs there are, parted by blank lines.")
    nth: int = Field(ge=1, description="Which of them, from 1.")
    first_word: str = Field(min_length=1, max_length=100, description="Its first word, without regard to case.")

    @model_validator(mode="after")
    def _is_there(self) -> Self:
        if self.nth > self.num_paragraphs:
            raise ValueError(f"there is no paragraph {self.nth} of {self.num_paragraphs}")
        if _FIRST_WORD.fullmatch(self.first_word.strip()) is None:
            raise ValueError("first_word is one word without marks")
        return self


class NthParagraphFirstWord(Verifier[NthParagraphParams]):
    """Exactly so many paragraphs, and the named one begins with the word; quotation marks before it do not matter."""

    name: ClassVar[str] = "nth_paragraph_first_word"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "A paragraph begins with a word"
    Params = NthParagraphParams

    def judge(self, prompt: str, response: str, params: NthParagraphParams) -> Verdict:
        paragraphs = [part for part in _BLANK_LINE.split(response) if not is_blank(part)]
        if len(paragraphs) != params.num_paragraphs:
            return Verdict(False, f"{len(paragraphs)} paragraphs, asked for exactly {params.num_paragraphs}")
        found = _FIRST_WORD.search(paragraphs[params.nth - 1])
        word = found[0] if found else ""
        passed = normalised(word) == normalised(params.first_word.strip())
        return Verdict(passed, f"paragraph {params.nth} begins with “{word[:60]}”")
