"""Parts of a text that are marked as such: IFEval's `multiple_sections`, `number_highlighted_sections`, `title`,
`number_placeholders` and `postscript`.
"""

from __future__ import annotations

import re
from typing import ClassVar

from pydantic import Field, field_validator

from feedback.verifiers.base import Bounds, NoParams, Params, Verdict, Verifier, counted

_HIGHLIGHT = re.compile(r"\*\*(?=[^\s*])([^\n*]*)\*\*|\*(?=[^\s*])([^\n*]*)\*")
_TITLE = re.compile(r"<<([^\n]+?)>>")
_PLACEHOLDER = re.compile(r"\[[^\[\]\n]+\](?!\()")


class SectionParams(Bounds):
    """How the head of a section begins; a number follows it."""

    splitter: str = Field(min_length=1, max_length=100, description="SECTION, for SECTION 1, SECTION 2, …")

    @field_validator("splitter")
    @classmethod
    def _can_be_seen(cls, splitter: str) -> str:
        if not splitter.strip():
            raise ValueError("give a word")
        return splitter.strip()


class SectionCount(Verifier[SectionParams]):
    """So many heads, each the word as written and a number (in digits)."""

    name: ClassVar[str] = "section_count"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Has so many numbered sections"
    Params = SectionParams

    def judge(self, prompt: str, response: str, params: SectionParams) -> Verdict:
        head = re.compile(rf"(?<!\w){re.escape(params.splitter)}\s?\d+")
        return counted(len(head.findall(response)), "section", params)


class HighlightCount(Verifier[Bounds]):
    """So many passages between single or double asterisks, each on one line and not empty."""

    name: ClassVar[str] = "highlight_count"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Highlights so many passages, *like this*"
    Params = Bounds

    def judge(self, prompt: str, response: str, params: Bounds) -> Verdict:
        found = [double or single for double, single in _HIGHLIGHT.findall(response)]
        return counted(sum(bool(passage.strip()) for passage in found), "highlighted passage", params)


class Titled(Verifier[NoParams]):
    """A title in double angular brackets, on one line and not empty."""

    name: ClassVar[str] = "title"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Has a title <<like this>>"
    Params = NoParams

    def judge(self, prompt: str, response: str, params: NoParams) -> Verdict:
        titles = [title.strip(" <>") for title in _TITLE.findall(response)]
        found = next((title for title in titles if title), "")
        return Verdict(bool(found), f"title: {found[:100]}" if found else "no title in << >>")


class PlaceholderCount(Verifier[Bounds]):
    """So many placeholders in square brackets, like [address]."""

    name: ClassVar[str] = "placeholder_count"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Has so many [placeholders]"
    Params = Bounds

    def judge(self, prompt: str, response: str, params: Bounds) -> Verdict:
        return counted(len(_PLACEHOLDER.findall(response)), "placeholder", params)


class PostscriptParams(Params):
    """How the postscript begins."""

    marker: str = Field(min_length=1, max_length=50, description="P.S. or P.P.S, say; case and spaces do not matter.")

    @field_validator("marker")
    @classmethod
    def _can_be_seen(cls, marker: str) -> str:
        if not re.search(r"\w", marker):
            raise ValueError("give letters")
        return marker


class Postscript(Verifier[PostscriptParams]):
    """The marker stands at the beginning of a line or after a space, with something behind it.

    Case, and spaces or dots between its letters, do not matter: P.P.S, P. P. S. and PPS are one marker.
    """

    name: ClassVar[str] = "postscript"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Has a postscript"
    Params = PostscriptParams

    def judge(self, prompt: str, response: str, params: PostscriptParams) -> Verdict:
        letters = re.findall(r"\w", params.marker)
        marker = r"\.?\s?".join(map(re.escape, letters))
        begins = rf"(?:^|(?<=[\s\"“*_(]))(?<!{re.escape(letters[0])}\. ){marker}(?!\w)\W*\w"
        found = re.search(begins, response, re.IGNORECASE | re.MULTILINE)
        said = f"a postscript that begins with {params.marker}"
        return Verdict(bool(found), said if found else f"no {said.removeprefix('a ')}")
