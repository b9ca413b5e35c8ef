"""The language of the response: IFEval's `language:response_language`.

By py3langid (Lui & Baldwin 2012, “langid.py”), a naive Bayes classifier over byte n-grams for 97 languages; its model
is an array file in the package, read on the first use.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from pydantic import Field, field_validator

from feedback.verifiers.base import Params, Verdict, Verifier, VerifierFailed

MIN_LETTERS = 20
MIN_PROBABILITY = 0.5
"""Below it no language stands out: an absence, not a guess."""


def language_of(text: str) -> str:
    """Its ISO 639-1 code.  Raises VerifierFailed when the text is too short or no language stands out.

    The classifier knows sentences in their ordinary case, so it is asked about the text in small letters.
    """
    letters = sum(char.isalpha() for char in text)
    if letters < MIN_LETTERS:
        message = f"has {letters} letters: too short to tell its language (at least {MIN_LETTERS})"
        raise VerifierFailed(message)
    language, probability = _identifier().classify(text.lower())
    if probability < MIN_PROBABILITY:
        message = f"its language cannot be told: “{language}” is likeliest with {probability:.2f}"
        raise VerifierFailed(message)
    return str(language)


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


class LanguageParams(Params):
    """The language as ISO 639-1 writes it."""

    language: str = Field(min_length=2, max_length=3, description="de, hi, pt, …")

    @field_validator("language")
    @classmethod
    def _is_known(cls, language: str) -> str:
        if language not in _identifier().labels:
            raise ValueError(f"{language!r} is no language that can be told; give a code like de, hi or pt")
        return language


class ResponseLanguage(Verifier[LanguageParams]):
    """The response as a whole is in the language."""

    name: ClassVar[str] = "response_language"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Is written in a language"
    Params = LanguageParams

    def judge(self, prompt: str, response: str, params: LanguageParams) -> Verdict:
        found = language_of(response)
        return Verdict(found == params.language, f"is in “{found}”, asked for “{params.language}”")
