"""Finding and running verifiers by name; the shared IFEval data."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.verifiers.base import VerifierFailed
from feedback.verifiers.registry import (
    VERIFIERS,
    InvalidParams,
    UnknownVerifier,
    check_params,
    get_verifier,
    run_verifier,
)

EXAMPLES = {
    "word_count": {"max": 5},
    "sentence_count": {"min": 1},
    "bullet_count": {"min": 1, "max": 3},
    "keywords_present": {"keywords": ["a"]},
    "keywords_absent": {"keywords": ["a"]},
    "valid_json": {},
    "no_comma": {},
    "punctuation_absent": {"marks": "!"},
}
DATA = Path(os.environ.get("TOUCHSTONE_DATA", "../shared/data")) / "checklist_ifeval" / "input_data.jsonl"


def test_every_verifier_is_listed_under_its_own_name_and_described():
    assert set(VERIFIERS) == set(EXAMPLES)
    for name, verifier in VERIFIERS.items():
        assert verifier.name == name
        assert verifier.version >= 1
        assert verifier.title
        for field in verifier.Params.model_fields.values():
            assert field.description


def test_an_unknown_name_is_told_the_known_ones():
    with pytest.raises(UnknownVerifier, match=r"'words'.*word_count.*no_comma"):
        get_verifier("words")


def test_invalid_params_name_the_field():
    with pytest.raises(InvalidParams) as caught:
        check_params("keywords_present", {"keywords": ["ok", ""], "case": True})
    assert set(caught.value.errors) == {"keywords.1", "case"}
    assert "keywords.1" in str(caught.value)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
@pytest.mark.parametrize("blank", ["", " \n\t", "\u200b", "\ufeff\u00a0"])
def test_a_blank_response_meets_no_criterion(name, blank):
    verdict = run_verifier(name, EXAMPLES[name], "prompt", blank)
    assert (verdict.passed, verdict.note) == (False, "the response is empty")


@pytest.mark.parametrize("name", sorted(EXAMPLES))
@given(response=st.text())
def test_any_response_gets_a_verdict_with_a_note_or_a_typed_failure(name, response):
    try:
        found = run_verifier(name, EXAMPLES[name], "prompt", response).note
    except VerifierFailed as failure:
        found = failure.reason
    assert found


@pytest.mark.parametrize("name", sorted(EXAMPLES))
@pytest.mark.parametrize("response", ["\ud800", "\x00", "a\u202eb", "\ufeff", "🏳️‍🌈" * 1000])
def test_broken_and_odd_unicode_is_survived(name, response):
    assert run_verifier(name, EXAMPLES[name], "", response) == run_verifier(name, EXAMPLES[name], "", response)


def from_ifeval(instruction: str, given: dict) -> tuple[str, dict] | None:
    """The verifier and params for one of IFEval's instructions, as the docstrings of the verifiers say."""
    count = given.get("num_words", given.get("num_sentences"))
    bounds = {"min": count} if given.get("relation") == "at least" else {"max": (count or 1) - 1}
    exactly = {"min": given.get("num_bullets"), "max": given.get("num_bullets")}
    return {
        "length_constraints:number_words": ("word_count", bounds),
        "length_constraints:number_sentences": ("sentence_count", bounds),
        "detectable_format:number_bullet_lists": ("bullet_count", exactly),
        "keywords:existence": ("keywords_present", {"keywords": given.get("keywords")}),
        "keywords:forbidden_words": ("keywords_absent", {"keywords": given.get("forbidden_words")}),
        "detectable_format:json_format": ("valid_json", {}),
        "punctuation:no_comma": ("no_comma", {"ascii_only": True}),
    }.get(instruction)


@pytest.mark.skipif(not DATA.exists(), reason=f"the shared data is not at {DATA}; set TOUCHSTONE_DATA")
def test_the_instructions_of_ifeval_that_are_covered_can_all_be_expressed_and_run():
    done = 0
    for line in DATA.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        for instruction, settings in zip(record["instruction_id_list"], record["kwargs"], strict=True):
            if check := from_ifeval(instruction, settings):
                run_verifier(*check, record["prompt"], record["prompt"])
                done += 1
    assert done == 66 + 52 + 52 + 49 + 39 + 31 + 17
