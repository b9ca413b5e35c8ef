"""Whether the response fits a regular expression or, as JSON, a schema."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from pydantic import Field, field_validator

from feedback.verifiers.base import Params, Verdict, Verifier, VerifierFailed

TIME_LIMIT = 1.0
"""Seconds that one search may take: a pattern may need for ever on some text, and a worker must not."""


class PatternParams(Params):
    """A pattern of Python's `re`, searched anywhere unless the whole must fit."""

    pattern: str = Field(min_length=1, max_length=1000, description="A regular expression.")
    whole: bool = Field(default=False, description="The whole response must fit, not a part of it.")
    ignore_case: bool = Field(default=False, description="Capital and small letters are one.")
    absent: bool = Field(default=False, description="Nothing may fit.")

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        import regex

        try:
            regex.compile(pattern)
        except regex.error as error:
            raise ValueError(f"is no regular expression: {error}") from None
        return pattern


class PatternMatch(Verifier[PatternParams]):
    """The pattern is found (or not); a search that takes over a second is an absence."""

    name: ClassVar[str] = "pattern"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Fits a regular expression"
    Params = PatternParams

    def judge(self, prompt: str, response: str, params: PatternParams) -> Verdict:
        import regex

        compiled = regex.compile(params.pattern, regex.IGNORECASE if params.ignore_case else 0)
        search = compiled.fullmatch if params.whole else compiled.search
        try:
            found = search(response, timeout=TIME_LIMIT)
        except TimeoutError:
            message = f"the pattern took over {TIME_LIMIT:g} s on this response; write it without nested repetition"
            raise VerifierFailed(message) from None
        note = f"found: {found[0][:100]}" if found else "not found"
        return Verdict((found is None) if params.absent else found is not None, note)


class SchemaParams(Params):
    """A JSON Schema (draft 2020-12 unless it says otherwise)."""

    json_schema: dict[str, Any] = Field(alias="schema", description="What the JSON must look like.")

    model_config = {**Params.model_config, "populate_by_name": True}

    @field_validator("json_schema")
    @classmethod
    def _is_schema(cls, schema: dict[str, Any]) -> dict[str, Any]:
        from jsonschema import SchemaError
        from jsonschema.validators import validator_for

        try:
            validator_for(schema).check_schema(schema)
        except SchemaError as error:
            raise ValueError(f"is no JSON Schema: {error.message}") from None
        if '"$ref": "http' in json.dumps(schema):
            raise ValueError("a reference outside the schema is never fetched; put what it names under $defs")
        return schema


class MatchesSchema(Verifier[SchemaParams]):
    """The response (or the one fenced block that it is) is JSON that the schema accepts."""

    name: ClassVar[str] = "json_schema"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Is JSON of a given schema"
    Params = SchemaParams

    def judge(self, prompt: str, response: str, params: SchemaParams) -> Verdict:
        from jsonschema.exceptions import best_match
        from jsonschema.validators import validator_for
        from referencing import Registry
        from referencing.exceptions import Unresolvable

        try:
            value = json.loads(_unfenced(response))
        except (ValueError, RecursionError) as error:
            return Verdict(False, f"is no JSON: {error}"[:200])
        validator = validator_for(params.json_schema)(params.json_schema, registry=Registry())
        try:
            fault = best_match(validator.iter_errors(value))
        except (Unresolvable, RecursionError) as unresolved:
            message = f"the schema cannot be applied: {unresolved}"
            raise VerifierFailed(message[:300]) from None
        return Verdict(fault is None, "fits" if fault is None else f"{fault.json_path}: {fault.message}"[:300])


def _unfenced(text: str) -> str:
    lines = text.strip().splitlines()
    fenced = len(lines) > 2 and lines[0].startswith("```") and lines[-1].strip() == "```"
    return "\n".join(lines[1:-1]) if fenced else text
