"""Right answers, in words and in numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.verifiers.answers import last_number
from feedback.verifiers.base import VerifierFailed
from feedback.verifiers.registry import run_verifier, with_reference


def exact(response, answer):
    return run_verifier("exact_answer", {"answer": answer}, "", response).passed


def number(response, answer, **params):
    return run_verifier("numeric_answer", {"answer": answer, **params}, "", response).passed


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("Paris", "Paris"),
        ("I think so.\n\nThe answer is  PARIS.", "paris"),
        ("So it is \\boxed{x^2 + {a}}.", "x^2 + {a}"),
        ("First \\boxed{1}, no: \\boxed{2}", "$2$"),
        ("Because.\n#### Paris", "Paris"),
        ("Answer: Paris\nThat is all.", "Paris"),
        ("It is long.\nParis.", "Paris"),
    ],
)
def test_the_final_answer_is_compared_word_for_word(response, answer):
    assert exact(response, answer)


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("Not Paris", "Paris"),
        ("Paris, then Rome.\nThe answer is Rome.", "Paris"),
        ("The answer is Paris or Rome.", "Paris"),
        ("\\boxed{Paris", "Paris"),  # its braces never close
    ],
)
def test_another_answer_is_not_the_right_one(response, answer):
    assert not exact(response, answer)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.50", "1234.5"),
        ("1 234", "1234"),
        ("It costs $18.", "18"),
        ("-3", "-3"),
        ("−3", "-3"),
        ("3-4", "4"),  # a subtraction, whose last number is 4
        ("1/2", "0.5"),
        ("½", "0.5"),
        ("\\frac{1}{2}", "0.5"),
        ("\\dfrac12", "0.5"),
        ("\\boxed{\\frac{3}{4}}", "0.75"),
        ("50%", "0.5"),
        ("50\\%", "0.5"),
        ("1.5e3", "1500"),
        ("2 × 10^{3}", "2000"),
        ("the 3 boys ate 12 apples", "12"),
        ("He had 3.\n#### 1,000", "1000"),
        ("The answer is 7 apples, not 9.", "7"),
        ("Step 10. So the answer is: 42.", "42"),
    ],
)
def test_numbers_are_read_as_people_write_them(text, value):
    assert number(text, value)


@pytest.mark.parametrize(("text", "value"), [("7", "8"), ("none", "8"), ("The answer is 9, not 8.", "8"), ("1/0", "1")])
def test_other_numbers_are_wrong(text, value):
    assert not number(text, value)


def test_how_far_off_a_number_may_be_is_a_setting():
    assert not number("3.14", "3.14159")
    assert number("3.14", "3.14159", tolerance=0.001)


@pytest.mark.parametrize("name", ["exact_answer", "numeric_answer"])
def test_without_a_right_answer_there_is_no_verdict(name):
    with pytest.raises(VerifierFailed, match="no right answer"):
        run_verifier(name, {}, "", "42")


def test_a_right_answer_without_a_number_is_no_verdict():
    with pytest.raises(VerifierFailed, match="exact_answer"):
        number("42", "Paris")


def test_the_task_s_reference_is_the_right_answer_where_none_is_named():
    assert with_reference("numeric_answer", {}, "#### 42") == {"answer": "#### 42"}
    assert with_reference("numeric_answer", {"answer": "7"}, "42") == {"answer": "7"}
    assert with_reference("no_comma", {}, "42") == {}
    assert with_reference("gone", {}, "42") == {}


@given(st.integers(-(10**12), 10**12))
def test_every_whole_number_is_itself(value):
    assert last_number(f"so {value}") == value
    assert last_number(f"so {value:,}") == value


@given(st.text())
def test_any_text_has_a_number_or_none(text):
    last_number(text)
