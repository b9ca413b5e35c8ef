"""Responses that make judges say yes without saying anything (arXiv:2507.08794)."""

import pytest

from annotation.judges.guard import why_not_judged

KEYS = [" ", "", ".", ",", ":", "…", "\u200b", "---", "Thought process:", "Let's solve this problem step by step."]
KEYS += [
    "Let’s think step by step",
    "Solution",
    "SOLUTION:",
    "**Solution:**",
    "解",
    "かいせつ",
    "Respuesta",
    "Final Answer:",
]


@pytest.mark.parametrize("text", KEYS)
def test_a_master_key_is_not_judged(text):
    assert why_not_judged(text)


@pytest.mark.parametrize(
    "text", ["42", "No.", "Solution: 42", "Thought process: first I add.", "é", "解答は四です", "🙂 ok"]
)
def test_a_short_answer_is_an_answer(text):
    assert why_not_judged(text) == ""
