"""Valid JSON: IFEval's `detectable_format:json_format`, with the keys an object must have."""

from __future__ import annotations

import json
from typing import Any, ClassVar, NoReturn

from pydantic import Field

from feedback.verifiers.base import Params, Verdict, Verifier, VerifierFailed

_FENCES = ("```json", "```Json", "```JSON", "```")


class JsonParams(Params):
    """What the JSON must be beyond valid."""

    keys: list[str] = Field(
        default=[], max_length=100, description="Keys it must have, which makes it an object. More keys are allowed."
    )
    allow_fence: bool = Field(default=True, description="Whether one Markdown code fence may stand around it.")


class ValidJson(Verifier[JsonParams]):
    """The whole response is one JSON value by RFC 8259.

    As IFEval, one code fence around it is taken off.  Unlike IFEval, NaN and Infinity are not JSON.
    """

    name: ClassVar[str] = "valid_json"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Is valid JSON"
    Params = JsonParams

    def judge(self, prompt: str, response: str, params: JsonParams) -> Verdict:
        text = _without_fence(response) if params.allow_fence else response.strip()
        try:
            # Numbers are kept as text: a number of 5,000 digits is valid, and int() would refuse it.
            value = json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)
        except json.JSONDecodeError as error:
            return Verdict(False, f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}")
        except RecursionError as error:
            raise VerifierFailed("The JSON is nested too deeply to be read. Ask a person.") from error
        return _has_keys(value, params.keys)


def _has_keys(value: Any, keys: list[str]) -> Verdict:
    if not keys:
        return Verdict(True, "valid JSON")
    if not isinstance(value, dict):
        return Verdict(False, "valid JSON, but not an object")
    missing = [key for key in keys if key not in value]
    return Verdict(not missing, f"keys missing: {', '.join(missing)}" if missing else "valid JSON with its keys")


def _without_fence(response: str) -> str:
    text = response.strip()
    for fence in _FENCES:
        if text.startswith(fence):
            text = text.removeprefix(fence)
            break
    return text.removesuffix("```").strip()


def _refuse(constant: str) -> NoReturn:
    raise json.JSONDecodeError(f"{constant} is not a JSON value", constant, 0)
