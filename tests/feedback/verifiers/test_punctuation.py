"""Marks that must not appear."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.verifiers.registry import InvalidParams, run_verifier
from feedback.verifiers.words import is_blank


@pytest.mark.parametrize("comma", [",", "،", "、", "，", "﹐", "､"])
def test_a_comma_of_any_script_is_a_comma(comma):
    verdict = run_verifier("no_comma", {}, "", f"a{comma} b{comma}")
    assert (verdict.passed, verdict.note) == (False, "2 commas, the first at character 2")


def test_only_the_ascii_comma_counts_when_asked():
    assert run_verifier("no_comma", {"ascii_only": True}, "", "一，二").passed
    assert not run_verifier("no_comma", {"ascii_only": True}, "", "a, b").passed


@pytest.mark.parametrize("text", ["a; b. c! ‚low quote‘", "it's"])
def test_other_marks_are_no_commas(text):
    assert run_verifier("no_comma", {}, "", text).passed


@given(st.text())
def test_ascii_only_is_ifevals_rule(text):
    assert run_verifier("no_comma", {"ascii_only": True}, "", text).passed == ("," not in text and not is_blank(text))


@given(st.text(), st.text("!?;:—", min_size=1))
def test_no_mark_of_the_set_may_appear(text, marks):
    assert run_verifier("punctuation_absent", {"marks": marks}, "", text).passed == (
        not set(marks) & set(text) and not is_blank(text)
    )


@pytest.mark.parametrize("params", [{}, {"marks": ""}, {"marks": "no"}, {"marks": "! ?"}])
def test_marks_must_be_marks(params):
    with pytest.raises(InvalidParams, match="marks"):
        run_verifier("punctuation_absent", params, "", "text")
