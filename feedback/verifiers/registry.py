"""Every verifier by its name.  To add one, write its file and list it here."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from feedback.verifiers.answers import ExactAnswer, NumericAnswer
from feedback.verifiers.base import Params, Verdict, Verifier, VerifierError
from feedback.verifiers.bullets import BulletCount
from feedback.verifiers.code_tests import PassesTests
from feedback.verifiers.json_format import ValidJson
from feedback.verifiers.keywords import KeywordFrequency, KeywordsAbsent, KeywordsPresent
from feedback.verifiers.language import ResponseLanguage
from feedback.verifiers.length import SentenceCount, WordCount
from feedback.verifiers.letter_case import AllCapital, AllSmall, CapitalWordCount
from feedback.verifiers.letters import LetterFrequency
from feedback.verifiers.paragraphs import NthParagraphFirstWord, ParagraphCount
from feedback.verifiers.patterns import MatchesSchema, PatternMatch
from feedback.verifiers.punctuation import NoComma, PunctuationAbsent
from feedback.verifiers.sections import HighlightCount, PlaceholderCount, Postscript, SectionCount, Titled
from feedback.verifiers.wording import EndPhrase, OneOf, Quoted, RepeatFirst, TwoResponses

_ALL: tuple[Verifier[Any], ...] = (
    WordCount(),
    SentenceCount(),
    ParagraphCount(),
    NthParagraphFirstWord(),
    SectionCount(),
    BulletCount(),
    HighlightCount(),
    PlaceholderCount(),
    Titled(),
    Postscript(),
    KeywordsPresent(),
    KeywordsAbsent(),
    KeywordFrequency(),
    LetterFrequency(),
    NoComma(),
    PunctuationAbsent(),
    AllCapital(),
    AllSmall(),
    CapitalWordCount(),
    ResponseLanguage(),
    EndPhrase(),
    Quoted(),
    RepeatFirst(),
    TwoResponses(),
    OneOf(),
    ExactAnswer(),
    NumericAnswer(),
    PatternMatch(),
    ValidJson(),
    MatchesSchema(),
    PassesTests(),
)
VERIFIERS: dict[str, Verifier[Any]] = {verifier.name: verifier for verifier in _ALL}


class UnknownVerifier(VerifierError):
    """No verifier has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no verifier named {name!r}. Known are: {', '.join(VERIFIERS)}.")
        self.name = name


class InvalidParams(VerifierError):
    """The params do not fit the verifier.  `errors` maps a param's path (`keywords.0`, or "" for all) to a message."""

    def __init__(self, name: str, errors: dict[str, str]) -> None:
        described = "; ".join(f"{path}: {message}" if path else message for path, message in errors.items())
        super().__init__(f"The params of the verifier {name} are not valid: {described}.")
        self.name = name
        self.errors = errors


def get_verifier(name: str) -> Verifier[Any]:
    """Raises UnknownVerifier, which lists the known names."""
    try:
        return VERIFIERS[name]
    except KeyError:
        raise UnknownVerifier(name) from None


def check_params(name: str, params: dict[str, Any]) -> Params:
    """The validated params; raises UnknownVerifier or InvalidParams.  For forms and imports, before anything runs."""
    verifier = get_verifier(name)
    try:
        parsed: Params = verifier.parse(params)
    except ValidationError as error:
        found = {".".join(map(str, one["loc"])): one["msg"] for one in error.errors()}
        raise InvalidParams(name, found) from error
    return parsed


def with_reference(name: str, params: dict[str, Any], reference: str) -> dict[str, Any]:
    """The params, the task's reference being the right answer where the criterion names none."""
    verifier = VERIFIERS.get(name)
    needs = verifier is not None and verifier.takes_reference and not params.get("answer")
    return {**params, "answer": reference} if needs and reference else params


def run_verifier(name: str, params: dict[str, Any], prompt: str, response: str) -> Verdict:
    """Judge one response; raises UnknownVerifier, InvalidParams or VerifierFailed (all are VerifierError)."""
    return get_verifier(name).verify(prompt, response, check_params(name, params))
