"""Responses that are not judged at all, before any call.

"Master keys" (Zhao et al. 2025, "One Token to Fool LLM-as-a-Judge", arXiv:2507.08794): a lone mark or the opening of a
solution without the solution makes judges say yes in up to 80 % of cases, reasoning and voting notwithstanding.
"""

from __future__ import annotations

import re

from annotation.judges.ladder import plain

_OPENINGS = frozenset(
    {
        "thought process",
        "let's solve this problem step by step",
        "lets solve this problem step by step",
        "let's think step by step",
        "let me think step by step",
        "here is the solution",
        "the solution is",
        "solution",
        "final answer",
        "the answer is",
        "answer",
        "解",
        "かいせつ",
        "respuesta",
        "lösung",
    }
)
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


def why_not_judged(text: str) -> str:
    """Why no judge is asked about this response, or "": it says nothing, or only announces that it will."""
    bare = _EDGES.sub("", plain(text).replace("’", "'"))
    if not bare:
        return "the response has no words"
    return "the response only announces an answer" if bare in _OPENINGS else ""
