"""Words that must or must not appear."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.verifiers.registry import InvalidParams, run_verifier


def present(response: str, *keywords: str, **params: bool) -> bool:
    return run_verifier("keywords_present", {"keywords": list(keywords), **params}, "", response).passed


def absent(response: str, *keywords: str, **params: bool) -> bool:
    return run_verifier("keywords_absent", {"keywords": list(keywords), **params}, "", response).passed


def test_all_keywords_must_appear_in_any_case():
    assert present("LIGHT and Water", "light", "water")
    verdict = run_verifier("keywords_present", {"keywords": ["light", "soil", "air"]}, "", "light only")
    assert (verdict.passed, verdict.note) == (False, "missing: soil, air")


def test_part_of_a_word_is_enough_for_presence_but_not_for_absence():
    assert present("in the sunlight", "light")
    assert not present("in the sunlight", "light", whole_words=True)
    assert absent("in the sunlight", "light")
    assert not absent("in the sunlight", "light", whole_words=False)


def test_a_later_whole_word_counts_after_a_part_of_one():
    assert present("sunlight, then light.", "light", whole_words=True)
    assert present("aaa aa", "aa", whole_words=True)


@pytest.mark.parametrize(
    ("response", "keyword"),
    [
        ("I write C++ and C.", "c++"),
        ("what is .NET?", ".net"),
        ("STRASSE", "straße"),
        ("cafe\u0301", "café"),
        ("ｆｕｌｌ width", "full"),
        ("ro\u200bck", "rock"),
        ("Zu\u00adcker", "zucker"),
        ("thank\n  you", "thank you"),
        ("我吃苹果了", "苹果"),
        ("a (b) c", "(b)"),
        ("50%!", "50%"),
    ],
)
def test_a_keyword_is_found_whatever_its_form(response, keyword):
    assert present(response, keyword, whole_words=True)
    assert not absent(response, keyword)


@pytest.mark.parametrize(
    ("response", "keyword"),
    [("हिन्दी", "हिन"), ("can_not", "can"), ("rocks", "rock"), ("rockéd", "rock"), ("axb", "a.b"), ("x2", "x")],
)
def test_a_keyword_is_no_pattern_and_no_part_of_a_word(response, keyword):
    assert absent(response, keyword)


@pytest.mark.parametrize(
    "params",
    [{}, {"keywords": []}, {"keywords": [""]}, {"keywords": ["  "]}, {"keywords": ["\u200b"]}, {"keywords": "word"}],
)
def test_keywords_that_name_nothing_are_refused(params):
    for name in ("keywords_present", "keywords_absent"):
        with pytest.raises(InvalidParams, match="keywords"):
            run_verifier(name, params, "", "text")


@given(st.text(), st.text("abc", min_size=1), st.booleans())
def test_present_and_absent_never_agree_on_one_keyword(response, keyword, whole):
    response = f".{response}"  # not blank
    assert present(response, keyword, whole_words=whole) != absent(response, keyword, whole_words=whole)


@given(st.text(), st.text("abcß", min_size=1), st.text())
def test_what_was_put_in_as_a_word_is_found(before, keyword, after):
    assert present(f"{before} {keyword} {after}", keyword, whole_words=True)
