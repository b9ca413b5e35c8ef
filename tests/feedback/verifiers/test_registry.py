"""Finding and running verifiers by name."""

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
    "paragraph_count": {"min": 2},
    "nth_paragraph_first_word": {"num_paragraphs": 2, "nth": 1, "first_word": "a"},
    "section_count": {"splitter": "SECTION", "min": 1},
    "highlight_count": {"min": 1},
    "placeholder_count": {"min": 1},
    "title": {},
    "postscript": {"marker": "P.S."},
    "keyword_frequency": {"keyword": "a", "min": 1},
    "letter_frequency": {"letter": "a", "min": 1},
    "all_capital": {},
    "all_small": {},
    "capital_word_count": {"max": 3},
    "response_language": {"language": "de"},
    "end_phrase": {"phrase": "the end"},
    "quoted": {},
    "repeat_first": {"text": "Say it."},
    "two_responses": {},
    "one_of": {"options": ["yes", "no"]},
    "exact_answer": {"answer": "Paris"},
    "numeric_answer": {"answer": "42"},
    "pattern": {"pattern": "(a+)+$"},
    "json_schema": {"schema": {"type": "object"}},
    "passes_tests": {"tests": ["assert f(1) == 2"], "seconds": 2},
}


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


def outcome(name, response):
    """The verdict and its note, or no verdict and the reason."""
    try:
        verdict = run_verifier(name, EXAMPLES[name], "prompt", response)
    except VerifierFailed as failure:
        return None, failure.reason
    return verdict.passed, verdict.note


@pytest.mark.parametrize("name", sorted(set(EXAMPLES) - {"passes_tests"}))
@given(response=st.text())
def test_any_response_gets_a_verdict_with_a_note_or_a_typed_failure(name, response):
    assert outcome(name, response)[1]


@pytest.mark.parametrize("name", sorted(EXAMPLES))
@pytest.mark.parametrize("response", ["\ud800", "\x00", "a\u202eb", "\ufeff", "🏳️‍🌈" * 1000])
def test_broken_and_odd_unicode_is_survived(name, response):
    assert outcome(name, response) == outcome(name, response)
