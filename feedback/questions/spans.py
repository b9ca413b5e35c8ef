"""Spans of a text: offsets in Unicode code points, the quote beside them, and where a quote alone is found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from feedback.questions.base import UNSTORABLE, Strict

JSON = Any
NOTE_MAX = 2000
_MARKDOWN = re.compile(
    r"[*_`<>|$~\[\\#&]|https?:|www\.|^[ \t]*([-+]|\d{1,9}[.)])[ \t]|^( {4}|\t)|^ {0,3}(=+|-+)[ \t]*$", re.MULTILINE
)
"""Whatever may make Markdown, formulas or code look unlike its source; too much rather than too little."""


class Span(Strict):
    """text[start:end] == quote; start and end count Unicode code points of the text as stored."""

    start: int = Field(ge=0)
    end: int = Field(ge=1)
    quote: str
    category: str | None = None
    severity: str | None = None
    note: str | None = Field(default=None, max_length=NOTE_MAX)


def is_plain(text: str) -> bool:
    """Rendered, the text reads as it is written."""
    return not _MARKDOWN.search(text)


def read_spans(text: str) -> JSON:
    """The array; text that is no JSON as it was sent, for the answer's model to refuse."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def span_faults(span: Span, text: str) -> Iterator[str]:
    """What is wrong with a span of this text, in words."""
    if not span.start < span.end <= len(text):
        yield f"runs from {span.start} to {span.end}, but the response has {len(text)} characters."
    elif text[span.start : span.end] != span.quote:
        yield "its quote is not what stands there in the response."
    if not span.quote.strip():
        yield "marks nothing but space."
    if span.note is not None and UNSTORABLE.search(span.note):
        yield "its note holds a character that cannot be stored; delete it."


def locate_spans(spans: Sequence[JSON], text: str) -> list[JSON]:
    """Give spans that come with a quote only their offsets: the first place that no earlier span with this quote took.

    A quote may break its lines otherwise than the text does; it becomes what stands in the text.  What cannot be
    located is left as it is, for validation to refuse.
    """
    taken: dict[str, int] = {}
    located: list[JSON] = []
    for span in spans:
        asked = isinstance(span, Mapping) and not {"start", "end"} & set(span)
        quote = span.get("quote") if asked else None
        if not isinstance(quote, str) or not quote or (found := _find(quote, text, taken.get(quote, 0))) is None:
            located.append(span)
        else:
            start, taken[quote] = found
            located.append({**span, "start": start, "end": taken[quote], "quote": text[start : taken[quote]]})
    return located


def _find(quote: str, text: str, after: int) -> tuple[int, int] | None:
    if (start := text.find(quote, after)) >= 0:
        return start, start + len(quote)
    lines = [re.escape(line) for line in re.split(r"\r\n|\r|\n", quote)]
    found = re.compile(r"(?:\r\n|\r|\n)".join(lines)).search(text, after) if len(lines) > 1 else None
    return found and found.span()
