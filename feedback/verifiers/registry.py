"""Every verifier by its name.  To add one, write its file and list it here."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from feedback.verifiers.base import Params, Verdict, Verifier, VerifierError
from feedback.verifiers.bullets import BulletCount
from feedback.verifiers.json_format import ValidJson
from feedback.verifiers.keywords import KeywordsAbsent, KeywordsPresent
from feedback.verifiers.length import SentenceCount, WordCount
from feedback.verifiers.punctuation import NoComma, PunctuationAbsent

VERIFIERS: dict[str, Verifier[Any]] = {
    "word_count": WordCount(),
    "sentence_count": SentenceCount(),
    "bullet_count": BulletCount(),
    "keywords_present": KeywordsPresent(),
    "keywords_absent": KeywordsAbsent(),
    "valid_json": ValidJson(),
    "no_comma": NoComma(),
    "punctuation_absent": PunctuationAbsent(),
}


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


def run_verifier(name: str, params: dict[str, Any], prompt: str, response: str) -> Verdict:
    """Judge one response; raises UnknownVerifier, InvalidParams or VerifierFailed (all are VerifierError)."""
    return get_verifier(name).verify(prompt, response, check_params(name, params))
