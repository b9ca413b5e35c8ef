"""Valid JSON."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedback.verifiers.base import VerifierFailed
from feedback.verifiers.registry import InvalidParams, run_verifier

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def is_json(response: str, **params: object) -> bool:
    return run_verifier("valid_json", params, "", response).passed


@settings(max_examples=30)
@given(VALUES, st.sampled_from(["{}", "  {}\n", "```json\n{}\n```", "```\n{}```", "```JSON {} ```"]))
def test_whatever_json_writes_is_valid_alone_or_in_one_fence(value, frame):
    assert is_json(frame.replace("{}", json.dumps(value)))


@pytest.mark.parametrize(
    "text",
    [
        "{'a': 1}",
        '{"a": 1,}',
        '{"a": 1} and more',
        'Sure! {"a": 1}',
        "NaN",
        "[-Infinity]",
        '"\n"',
        "{",
        '```json\n{"a": 1}\n``` done',
        "\ufeff{}",
    ],
)
def test_what_is_not_json_fails_with_a_note(text):
    verdict = run_verifier("valid_json", {}, "", text)
    assert not verdict.passed
    assert verdict.note.startswith("not JSON: ")


def test_a_fence_can_be_refused():
    assert not is_json("```json\n{}\n```", allow_fence=False)
    assert is_json(" {} ", allow_fence=False)


def test_keys_make_it_an_object():
    assert is_json('{"a": 1, "b": null, "c": 2}', keys=["a", "b"])
    assert not is_json("[1]", keys=["a"])
    assert run_verifier("valid_json", {"keys": ["a", "z"]}, "", '{"a": 1}').note == "keys missing: z"


def test_long_numbers_are_valid():
    assert is_json("9" * 5000)
    assert is_json("1e999")


def test_too_deep_a_nesting_is_a_failure_and_not_a_verdict():
    with pytest.raises(VerifierFailed, match="nested"):
        is_json("[" * 200_000)


def test_unknown_settings_are_refused():
    with pytest.raises(InvalidParams, match="key"):
        is_json("{}", key=["a"])
