"""Regular expressions and JSON schemas."""

import time

import pytest

from feedback.verifiers.base import VerifierFailed
from feedback.verifiers.registry import InvalidParams, check_params, run_verifier

PERSON = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}


def fits(response, pattern, **params):
    return run_verifier("pattern", {"pattern": pattern, **params}, "", response).passed


def test_a_pattern_is_found_anywhere_or_is_the_whole():
    assert fits("call 555-1234 now", r"\d{3}-\d{4}")
    assert not fits("call 555-1234 now", r"\d{3}-\d{4}", whole=True)
    assert fits("HELLO", "hello", ignore_case=True)
    assert not fits("HELLO", "hello")
    assert fits("fine", "damn", absent=True)
    assert not fits("damn", "damn", absent=True)


def test_a_pattern_that_never_ends_is_an_absence():
    begun = time.monotonic()
    with pytest.raises(VerifierFailed, match="took over"):
        fits("a" * 60 + "b", "(a|a|aa)+$")
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "(?P<a>x)(?P<a"])
def test_what_is_no_pattern_is_refused_beforehand(pattern):
    with pytest.raises(InvalidParams, match="pattern"):
        check_params("pattern", {"pattern": pattern})


@pytest.mark.parametrize(
    ("response", "passed"),
    [
        ('{"age": 3}', True),
        ('```json\n{"age": 3, "more": []}\n```', True),
        ('{"age": "3"}', False),
        ("{}", False),
        ("age 3", False),
        ("[" * 20_000, False),
    ],
)
def test_json_is_held_against_the_schema(response, passed):
    verdict = run_verifier("json_schema", {"schema": PERSON}, "", response)
    assert verdict.passed is passed
    assert verdict.note


def test_what_is_no_schema_is_refused_beforehand():
    with pytest.raises(InvalidParams, match="no JSON Schema"):
        check_params("json_schema", {"schema": {"type": "person"}})
    with pytest.raises(InvalidParams, match="never fetched"):
        check_params("json_schema", {"schema": {"$ref": "https://schemas.example/person"}})


def test_a_reference_that_leads_nowhere_is_an_absence():
    with pytest.raises(VerifierFailed, match="cannot be applied"):
        run_verifier("json_schema", {"schema": {"$ref": "#/$defs/gone"}}, "", "{}")
