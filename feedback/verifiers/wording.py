"""The wording of the whole response: IFEval's `end_checker`, `quotation`, `repeat_prompt`, `two_responses` and
`constrained_response`.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from feedback.verifiers.base import NoParams, Params, Verdict, Verifier
from feedback.verifiers.words import is_blank, normalised

Phrase = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]
_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»"}


def _even(text: str) -> str:
    """For comparing: case, forms of characters and runs of white space do not matter."""
    return " ".join(normalised(text).split())


class EndParams(Params):
    """What the response ends with."""

    phrase: Phrase = Field(description="The very last words.")


class EndPhrase(Verifier[EndParams]):
    """Nothing follows the phrase, but for quotation marks around the response; case does not matter, as in IFEval."""

    name: ClassVar[str] = "end_phrase"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Ends with a phrase"
    Params = EndParams

    def judge(self, prompt: str, response: str, params: EndParams) -> Verdict:
        end = _even(response).rstrip('"”“»').rstrip()
        wanted = _even(params.phrase).rstrip('"”“»').rstrip()
        return Verdict(end.endswith(wanted), f"ends with “…{response.strip()[-60:]}”")


class Quoted(Verifier[NoParams]):
    """The whole response stands in double quotation marks (straight, or of a kind that is put in print)."""

    name: ClassVar[str] = "quoted"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Is wholly in double quotation marks"
    Params = NoParams

    def judge(self, prompt: str, response: str, params: NoParams) -> Verdict:
        text = response.strip()
        passed = len(text) > 2 and _QUOTES.get(text[0]) == text[-1]
        return Verdict(passed, f"begins with {text[0]} and ends with {text[-1]}")


class RepeatParams(Params):
    """What is to be repeated first."""

    text: str = Field(min_length=1, max_length=20_000, description="Word for word.")

    model_config = {**Params.model_config, "str_max_length": 20_000}


class RepeatFirst(Verifier[RepeatParams]):
    """The response begins with the text, word for word; case and white space do not matter."""

    name: ClassVar[str] = "repeat_first"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "First repeats a text"
    Params = RepeatParams

    def judge(self, prompt: str, response: str, params: RepeatParams) -> Verdict:
        passed = _even(response).startswith(_even(params.text))
        return Verdict(passed, "begins with the text" if passed else f"begins with “{response.strip()[:60]}…”")


class TwoResponses(Verifier[NoParams]):
    """Two different responses, parted by six asterisks."""

    name: ClassVar[str] = "two_responses"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Gives two responses, parted by ******"
    Params = NoParams

    def judge(self, prompt: str, response: str, params: NoParams) -> Verdict:
        parts = response.split("******")
        if any(is_blank(part) for part in parts[1:-1]):
            return Verdict(False, "two dividers with nothing between them")
        given = [_even(part) for part in parts if not is_blank(part)]
        if len(given) != 2:
            return Verdict(False, f"{len(given)} responses, asked for exactly 2")
        return Verdict(given[0] != given[1], "two responses" if given[0] != given[1] else "twice the same response")


class OptionParams(Params):
    """What may be answered."""

    options: list[Phrase] = Field(min_length=1, max_length=50, description="Each is looked for as it is written.")


class OneOf(Verifier[OptionParams]):
    """One of the options stands in the response, and no second one: who says yes and no has not chosen.

    IFEval accepts a response with several of them.
    """

    name: ClassVar[str] = "one_of"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Says one of these"
    Params = OptionParams

    def judge(self, prompt: str, response: str, params: OptionParams) -> Verdict:
        text = " ".join(response.split())
        found = [option for option in params.options if " ".join(option.split()) in text]
        return Verdict(len(found) == 1, f"found: {', '.join(found)}" if found else "none of the options was found")
