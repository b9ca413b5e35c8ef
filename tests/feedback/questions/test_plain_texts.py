"""Texts that read rendered as they are written stand once on a screen where spans are marked."""

import re

import pytest

from feedback.questions.spans import is_plain
from feedback.rendering import render_markdown

PLAIN = [
    "One line.",
    "Two\n\nparagraphs, e\u0301 and 😀.",
    "A well-known case - no list. 3.5 and (1) stay.",
    "5 + 3 = 8",
]
WORDS = ["*one*", "a_b_c", "`x`", "<b>x</b>", "$x$", "\\(x\\)", "[a](b)", "~~gone~~", "&amp;", "See www.a.example"]
LINES = ["# Title", "- a", "1. a", "  1) a", "> said", "a | b", "    code", "\tcode", "Title\n=====", "Title\n---"]


@pytest.mark.parametrize("text", PLAIN)
def test_a_text_that_reads_as_written_stands_once(text):
    assert is_plain(text)
    rendered = re.sub("<[^>]+>", "", render_markdown(text).html)
    assert rendered.split() == text.split()


@pytest.mark.parametrize("text", WORDS + LINES)
def test_a_text_with_markdown_stands_beside_its_source(text):
    assert not is_plain(text)
