"""Words that must or must not appear: IFEval's `keywords:existence`, `keywords:forbidden_words` and
`keywords:frequency`.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints, field_validator

from feedback.verifiers.base import Bounds, Params, Verdict, Verifier, counted
from feedback.verifiers.words import count_occurrences, normalised

Keyword = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class KeywordParams(Params):
    """The keywords, looked for without regard to case, compatibility forms or invisible characters."""

    keywords: list[Keyword] = Field(min_length=1, max_length=100, description="Words or phrases, each taken literally.")
    whole_words: bool = Field(default=False, description="Not inside a longer word: light, but not sunlight.")

    @field_validator("keywords")
    @classmethod
    def _can_be_seen(cls, keywords: list[str]) -> list[str]:
        if any(not normalised(keyword).strip() for keyword in keywords):
            raise ValueError("a keyword needs at least one visible character")
        return keywords

    def occurring_in(self, response: str) -> list[str]:
        text = " ".join(normalised(response).split())
        return [
            keyword
            for keyword in self.keywords
            if count_occurrences(" ".join(normalised(keyword).split()), text, whole_words=self.whole_words)
        ]


class ForbiddenParams(KeywordParams):
    """As KeywordParams, but whole words unless said otherwise."""

    whole_words: bool = Field(default=True, description="Not inside a longer word: light, but not sunlight.")


class KeywordsPresent(Verifier[KeywordParams]):
    """Every keyword appears at least once.  As IFEval, part of a longer word is enough unless `whole_words` is set."""

    name: ClassVar[str] = "keywords_present"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Contains all these words"
    Params = KeywordParams

    def judge(self, prompt: str, response: str, params: KeywordParams) -> Verdict:
        found = params.occurring_in(response)
        missing = [keyword for keyword in params.keywords if keyword not in found]
        return Verdict(not missing, f"missing: {', '.join(missing)}" if missing else f"found: {', '.join(found)}")


class KeywordsAbsent(Verifier[ForbiddenParams]):
    """No keyword appears.  As IFEval, only whole words count unless `whole_words` is switched off."""

    name: ClassVar[str] = "keywords_absent"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Contains none of these words"
    Params = ForbiddenParams

    def judge(self, prompt: str, response: str, params: ForbiddenParams) -> Verdict:
        found = params.occurring_in(response)
        return Verdict(not found, f"found: {', '.join(found)}" if found else "none of the words was found")


class FrequencyParams(Bounds):
    """How often the keyword stands there, looked for as in KeywordParams."""

    keyword: Keyword = Field(description="A word or phrase, taken literally.")
    whole_words: bool = Field(default=False, description="Not inside a longer word: light, but not sunlight.")

    @field_validator("keyword")
    @classmethod
    def _can_be_seen(cls, keyword: str) -> str:
        if not normalised(keyword).strip():
            raise ValueError("a keyword needs at least one visible character")
        return keyword


class KeywordFrequency(Verifier[FrequencyParams]):
    """The keyword appears often enough and not too often.  As IFEval, inside a longer word too unless `whole_words`."""

    name: ClassVar[str] = "keyword_frequency"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Contains a word so many times"
    Params = FrequencyParams

    def judge(self, prompt: str, response: str, params: FrequencyParams) -> Verdict:
        text, needle = (" ".join(normalised(part).split()) for part in (response, params.keyword))
        found = count_occurrences(needle, text, whole_words=params.whole_words)
        return counted(found, f"“{params.keyword}”", params)
