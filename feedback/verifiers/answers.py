"""Whether the response comes to the right answer: by its words, or by its number.

The final answer is what stands in the last \\boxed{…} (MATH, arXiv:2103.03874), else behind the last #### (GSM8K,
arXiv:2110.14168), else behind the last “answer is” or “answer:”, else, for a number, the last number of the text.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import ClassVar

from pydantic import Field

from feedback.verifiers.base import Params, Verdict, Verifier, VerifierFailed
from feedback.verifiers.words import normalised

_NUMBER = re.compile(
    r"(?P<minus>[-−–]\s?)?[$€£¥]?\s?(?P<digits>\d{1,3}(?:[,\u00a0\u202f ]\d{3})+(?!\d)|\d+)?(?P<decimals>\.\d+)?"
    r"(?:\s?(?:[eE]|[×x*]\s?10\^?)(?P<power>\{?[-−+]?\d+\}?))?(?:\s?/\s?(?P<below>\d+(?:\.\d+)?))?(?P<percent>\s?\\?%)?"
)
_FRACTION = re.compile(r"\\[dt]?frac\s*(?:\{\s*([-−]?\d+)\s*\}|(\d))\s*(?:\{\s*(\d+)\s*\}|(\d))")
_STATED = re.compile(r"answer\s*(?:is|:|=)\s*:?\s*(.+?)(?=$|[\n]|\.(?:\s|$))", re.IGNORECASE)


class AnswerParams(Params):
    """answer: the right one; empty: the task's reference."""

    answer: str = Field(default="", max_length=1000, description="The right answer; empty: the task's reference.")


class NumberParams(AnswerParams):
    """tolerance: how far off it may be, relative to the right answer."""

    tolerance: float = Field(default=1e-6, ge=0, le=0.5, description="Relative.")


class ExactAnswer(Verifier[AnswerParams]):
    """The final answer is the right one, word for word; case, white space, $ and a last stop do not matter."""

    name: ClassVar[str] = "exact_answer"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Comes to the right answer"
    takes_reference: ClassVar[bool] = True
    Params = AnswerParams

    def judge(self, prompt: str, response: str, params: AnswerParams) -> Verdict:
        wanted = _bare(final_answer(_right(params)) or _right(params))
        found = final_answer(response)
        if found is None:
            found = response.strip().splitlines()[-1]
        return Verdict(_bare(found) == wanted, f"answers “{found.strip()[:100]}”, right is “{wanted[:100]}”")


class NumericAnswer(Verifier[NumberParams]):
    """The final answer is the right number: 1,234.50 is 1234.5, ½ is 1/2 and 0.5, 50 % is 0.5; units do not matter."""

    name: ClassVar[str] = "numeric_answer"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Comes to the right number"
    takes_reference: ClassVar[bool] = True
    Params = NumberParams

    def judge(self, prompt: str, response: str, params: NumberParams) -> Verdict:
        right = _right(params)
        wanted = last_number(final_answer(right) or right)
        if wanted is None:
            message = f"the right answer “{right[:100]}” has no number: use exact_answer"
            raise VerifierFailed(message)
        stated = final_answer(response)
        found = last_number(stated, first=True) if stated is not None else None
        if found is None:
            found = last_number(response)
        if found is None:
            return Verdict(False, "no number")
        passed = math.isclose(found, wanted, rel_tol=params.tolerance, abs_tol=params.tolerance * 1e-3)
        return Verdict(passed, f"answers {float(found):g}, right is {float(wanted):g}")


def _right(params: AnswerParams) -> str:
    if not params.answer.strip():
        raise VerifierFailed("there is no right answer: the criterion names none and the task has no reference")
    return params.answer


def final_answer(text: str) -> str | None:
    """What the text itself marks as its answer; None when it marks nothing."""
    if (boxed := _boxed(text)) is not None:
        return boxed
    if "####" in text:
        rest = text.rpartition("####")[2].strip()
        return rest.splitlines()[0] if rest else None
    stated = _STATED.findall(text)
    return str(stated[-1]) if stated else None


def _boxed(text: str) -> str | None:
    """The content of the last \\boxed{…} whose braces are closed."""
    start = text.rfind("\\boxed{")
    if start < 0:
        return None
    depth = 0
    for at in range(start + len("\\boxed"), len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[start + len("\\boxed{") : at]
    return None


def last_number(text: str, *, first: bool = False) -> Fraction | None:
    """The last number of the text (or the first), exactly."""
    plain = _FRACTION.sub(lambda m: f" {m[1] or m[2]}/{m[3] or m[4]} ", normalised(text).replace("⁄", "/"))
    found = [value for match in _NUMBER.finditer(plain) if (value := _value(match)) is not None]
    return (found[0] if first else found[-1]) if found else None


def _value(match: re.Match[str]) -> Fraction | None:
    whole, decimals = match["digits"] or "", match["decimals"] or ""
    if not whole and not decimals:
        return None
    value = Fraction(re.sub(r"\D", "", whole) + decimals if whole else f"0{decimals}")
    if power := (match["power"] or "").strip("{}").replace("−", "-"):
        if abs(int(power)) > 300:
            return None
        value *= Fraction(10) ** int(power)
    if below := match["below"]:
        if not Fraction(below):
            return None
        value /= Fraction(below)
    value = value / 100 if match["percent"] else value
    return -value if match["minus"] and not _is_dash(match) else value


def _is_dash(match: re.Match[str]) -> bool:
    """A minus right behind a letter, digit or bracket is a dash or a subtraction: 3-4, B-2."""
    before = match.string[match.start() - 1 : match.start()]
    return bool(before) and (before.isalnum() or before in ")]")


def _bare(text: str) -> str:
    return " ".join(normalised(text).replace("$", " ").split()).strip(" .\"'“”*")
