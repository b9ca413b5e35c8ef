"""One row of a file, and what can be wrong with it.

Row numbers are those people see: the line in a JSONL file, the element (from 1) in a JSON file, the spreadsheet row in
a CSV or TSV file (the header is row 1).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from feedback.exceptions import FeedbackError
from feedback.questions.base import UNSTORABLE

JSON = Any
EXCERPT_CHARS = 80
MAX_DEPTH = 100
UNDECODED = re.compile("[\udc80-\udcff]")
"""What a byte that is not UTF-8 becomes when the file is read with `surrogateescape`."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")


@dataclass(frozen=True)
class Row:
    """Column → value, as the file has them (text only, in a CSV file)."""

    number: int
    values: Mapping[str, JSON]


@dataclass(frozen=True)
class RowError:
    """Why one row cannot be imported.  `column` may be a path (`responses.1.text`); excerpt: safe to print."""

    number: int
    column: str
    reason: str
    excerpt: str = ""

    def __str__(self) -> str:
        where = f"row {self.number}" + (f", {self.column}" if self.column else "")
        return f"{where}: {self.reason}" + (f" Found: {self.excerpt}" if self.excerpt else "")


class FileUnreadable(FeedbackError):
    """The file as a whole cannot be read: nothing is known about its rows."""


class RowRefused(ValueError):
    """A layout cannot make a task of this row."""

    def __init__(self, column: str, reason: str, value: JSON = None) -> None:
        self.column, self.reason, self.value = column, reason, value
        super().__init__(f"{column}: {reason}")

    def at(self, number: int) -> RowError:
        return RowError(number, self.column, self.reason, excerpt(self.value))


def excerpt(value: JSON) -> str:
    """The beginning of a value, with everything invisible or unprintable written as an escape."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    cut = text[:EXCERPT_CHARS] + ("…" if len(text) > EXCERPT_CHARS else "")
    shown = _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", cut)
    return shown.encode("utf-8", "backslashreplace").decode()


def check_storable(values: Mapping[str, JSON]) -> None:
    """Raises RowRefused at the first value that PostgreSQL's JSONB cannot hold as it is."""
    for path, value in _walk(values):
        if isinstance(value, str) and (found := UNSTORABLE.search(value)):
            raise RowRefused(path, _unstorable(found.group(), found.start()), value[max(0, found.start() - 20) :])
        if isinstance(value, float) and not math.isfinite(value):
            raise RowRefused(path, "Is not a finite number.", str(value))


def _unstorable(character: str, position: int) -> str:
    if character == "\x00":
        return f"Holds a NUL character (character {position + 1}); remove it."
    if UNDECODED.match(character):
        byte = ord(character) - 0xDC00
        return f"Holds a lone surrogate, or byte 0x{byte:02X} that is not UTF-8 (character {position + 1})."
    return f"Holds a lone surrogate, half of a character (character {position + 1}); remove it."


def _walk(values: Mapping[str, JSON]) -> Iterator[tuple[str, JSON]]:
    """Every leaf and every key with its path.  Iterative: a hostile file may nest deeper than the stack."""
    pending: list[tuple[str, JSON, int]] = [("", values, 0)]
    while pending:
        path, value, depth = pending.pop()
        if depth > MAX_DEPTH:
            raise RowRefused(excerpt(path), f"Is nested deeper than {MAX_DEPTH} levels.")
        if isinstance(value, Mapping):
            for key, inner in value.items():
                where = f"{path}.{excerpt(key)}" if path else excerpt(key)
                yield where, key
                pending.append((where, inner, depth + 1))
        elif isinstance(value, list | tuple):
            pending += [(f"{path}.{index}", inner, depth + 1) for index, inner in enumerate(value)]
        else:
            yield path, value
