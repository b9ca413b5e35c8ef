"""Bullet points."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.verifiers.registry import InvalidParams, run_verifier


def bullets(response: str, count: int, **params: str) -> bool:
    return run_verifier("bullet_count", {"min": count, "max": count, **params}, "", response).passed


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("no list", 0),
        ("- a\n- b\n* c", 3),
        ("Intro:\n  - nested\n\t* tabbed", 2),
        ("*no space\n-none either", 2),
        ("**bold** line\n- a", 1),
        ("---\n- a\n***\n-\n*", 1),
        ("a - b\nc * d", 0),
        ("1. one\n2. two", 0),
        ("- a\r\n- b\u2028- c", 3),
        ("• a\n+ b", 0),
        ("- हिन्दी\n- 今日は", 2),
    ],
)
def test_bullets_are_counted_as_in_ifeval(text, count):
    assert bullets(text, count)


def test_more_markers_can_be_named():
    assert bullets("• a\n+ b\n- c", 3, markers="•+-")
    assert bullets("• a\n+ b\n- c", 1, markers="•")


@pytest.mark.parametrize("markers", ["", "a", "- ", "1"])
def test_a_marker_must_be_a_sign(markers):
    with pytest.raises(InvalidParams, match="markers"):
        run_verifier("bullet_count", {"min": 1, "markers": markers}, "", "- a")


@given(st.lists(st.sampled_from(["- one", "* two", "**bold**", "plain", "  - deep", "3. third", ""])))
def test_the_count_is_that_of_ifevals_two_patterns(lines):
    text = "\n".join(lines)
    # As in instruction_following_eval's BulletListChecker.
    expected = len(re.findall(r"^\s*\*[^\*].*$", text, re.MULTILINE)) + len(re.findall(r"^\s*-.*$", text, re.MULTILINE))
    assert bullets(text, expected) or not text.strip()
