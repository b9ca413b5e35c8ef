"""JSON values out of a stream, one at a time: a list's elements, or values that follow one another.

The standard parser needs the whole text.  This one only finds where each value ends (brackets and quotes), in chunks,
and leaves the value itself to `json`; so a broken element is one bad row, and memory holds one element.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from feedback.importing.rows import MAX_DEPTH, FileUnreadable

JSON = Any
MAX_CHARS = 16 * 1024 * 1024
"""The longest row that is read into memory."""
CHUNK = 64 * 1024
_SUSPECT = re.compile(r"[\x00\ud800-\udfff]|\\u(?:0000|[dD][89a-fA-F])")
_TOKEN = re.compile(r'["\\{}\[\],]')


class JSONBroken(ValueError):
    """A text that is not one JSON value as we take them."""


def load(text: str) -> JSON:
    """One JSON value; NaN, infinities and a key given twice are refused.  Raises JSONBroken."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        message = f"Is not JSON: {error.msg} (character {error.pos + 1})."
        raise JSONBroken(message) from None
    except RecursionError:
        raise JSONBroken("Is nested too deeply.") from None
    except JSONBroken:
        raise
    except ValueError as error:  # an integer of thousands of digits
        message = f"Is not JSON we can hold: {error}."
        raise JSONBroken(message) from None


def is_plainly_storable(text: str) -> bool:
    """No NUL, no lone surrogate and no deep nesting, seen without parsing; False: look closer (check_storable)."""
    clean = text.isascii() and "\x00" not in text and "\\u" not in text
    return (clean or not _SUSPECT.search(text)) and text.count("{") + text.count("[") <= MAX_DEPTH


def _refuse(number: str) -> JSON:
    message = f"Is not JSON we can hold: {number[:40]} is no finite number."
    raise JSONBroken(message)


def _finite(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else _refuse(number)


def _unique(pairs: Sequence[tuple[str, JSON]]) -> dict[str, JSON]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _value in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        message = f"Names “{twice}” twice; which one counts?"
        raise JSONBroken(message)
    return found


class ValueSplitter:
    """Feed it chunks; it gives the texts of complete values.  `unfinished` tells, at the end, what is missing."""

    def __init__(self, *, in_list: bool) -> None:
        self.in_list = in_list
        self._base = 1 if in_list else 0
        self._depth = 0
        self._in_string = False
        self._escaped_at = -1
        self._pieces: list[str] = []
        self._held = 0
        self.closed = False

    def feed(self, chunk: str) -> Iterator[str]:
        start = 0
        for match in _TOKEN.finditer(chunk):
            at = match.start()
            ends = None if at == self._escaped_at else self._step(match.group(), at)
            if ends is not None:
                self._keep(chunk[start : at + ends])
                start = at + 1
                self.closed = self.in_list and self._depth == 0
                yield from self._take()
        self._escaped_at -= len(chunk)
        self._keep(chunk[start:])

    def _step(self, mark: str, at: int) -> int | None:
        """0 or 1 when a value ends before or after this mark; None when it goes on."""
        if self._in_string:
            self._in_string = mark != '"'
            if mark == "\\":
                self._escaped_at = at + 1
            return None
        if mark == '"':
            self._in_string = True
        elif mark in "{[":
            self._depth += 1
            return 0 if self.in_list and self._depth == 1 else None
        elif mark in "}]":
            self._depth -= 1
            if self._depth < 0:
                raise FileUnreadable("The file closes a bracket that it never opened.")
            return (0 if self.in_list else 1) if self._depth == 0 else None
        elif mark == "," and self._depth == self._base and self.in_list:
            return 0
        return None

    def _keep(self, text: str) -> None:
        if self.closed and text.strip():
            raise FileUnreadable("There is more text after the end of the list.")
        if text and not self.closed:
            self._pieces.append(text)
            self._held += len(text)
            if self._held > MAX_CHARS:
                raise FileUnreadable(f"One value is longer than {MAX_CHARS:,} characters; split it.")

    def _take(self) -> Iterator[str]:
        text = "".join(self._pieces).strip()
        self._pieces, self._held = [], 0
        if text:
            yield text

    @property
    def unfinished(self) -> str:
        """The text of a value that never ended ("" when all is well)."""
        return "".join(self._pieces).strip() or ("[" if self.in_list and not self.closed else "")


def split_values(read: Callable[[int], str]) -> Iterator[tuple[str, bool]]:
    """read: n → the next n characters.  Yields (text of a value, is it complete)."""
    splitter: ValueSplitter | None = None
    while chunk := read(CHUNK):
        if splitter is None:
            chunk = chunk.lstrip()
            if not chunk:
                continue
            splitter = ValueSplitter(in_list=chunk.startswith("["))
        for text in splitter.feed(chunk):
            yield text, True
    if splitter is not None and splitter.unfinished:
        yield splitter.unfinished, False
