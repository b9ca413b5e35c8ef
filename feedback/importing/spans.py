"""Where a span stands in its text, whatever a file counts from: by the words themselves.

Offsets are Unicode code points, from 0, end excluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from feedback.importing.rows import RowRefused

JSON = Any


def locate(text: str, quote: str, near: int) -> int | None:
    """Where `quote` begins in `text`: of several places, the one nearest to `near`.  None: nowhere.

    A file that counts from 1, or from 0, means the same place; so does one that counts in UTF-16, within limits.
    """
    best: int | None = None
    at = text.find(quote) if quote else -1
    while at >= 0:
        if best is None or abs(at - near) < abs(best - near):
            best = at
        at = text.find(quote, at + 1)
    return best


def span(text: str, start: int, end: int, column: str) -> dict[str, JSON]:
    """A span of the critique question.  Raises RowRefused at `column` when the text has no such place."""
    if not 0 <= start < end <= len(text):
        raise RowRefused(column, f"Offsets {start} to {end} are not in the text, which has {len(text)} characters.")
    return {"start": start, "end": end, "quote": text[start:end]}


def unmark(text: str, column: str, *, opening: str = "<v>", closing: str = "</v>") -> tuple[str, int, int] | None:
    """A text with one marked stretch → (the text without marks, start, end); None when nothing is marked."""
    if opening not in text and closing not in text:
        return None
    before, _mark, rest = text.partition(opening)
    inside, _mark, after = rest.partition(closing)
    whole = f"{before}{inside}{after}"
    if text != f"{before}{opening}{inside}{closing}{after}" or opening in whole or closing in whole:
        raise RowRefused(column, f"Expected one stretch between {opening} and {closing}.", text)
    return whole, len(before), len(before) + len(inside)


def critique(spans: Sequence[JSON], text: str = "", revision: str = "") -> dict[str, JSON]:
    """What one rater says of one response; a rater who said nothing says that there is nothing to mark."""
    given: dict[str, JSON] = {"spans": list(spans), "text": text, "revision": revision}
    return {name: value for name, value in given.items() if value} or {"nothing": True}
