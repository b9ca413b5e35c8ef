"""Rows of a format as text: JSONL, CSV or TSV, streamed.  Pure.

In a table, a cell whose value has parts holds it as JSON; texts stay as they are, Unicode unescaped.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

JSON = Any
Rows = Iterable[Mapping[str, JSON]]


def as_jsonl(columns: list[str], rows: Rows) -> Iterator[str]:
    for row in rows:
        yield json.dumps(row, ensure_ascii=False) + "\n"


def as_csv(columns: list[str], rows: Rows) -> Iterator[str]:
    return _table(columns, rows, ",")


def as_tsv(columns: list[str], rows: Rows) -> Iterator[str]:
    return _table(columns, rows, "\t")


def _table(columns: list[str], rows: Rows, delimiter: str) -> Iterator[str]:
    line = io.StringIO()
    writer = csv.writer(line, delimiter=delimiter)
    for cells in _cells(columns, rows):
        writer.writerow(cells)
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def _cells(columns: list[str], rows: Rows) -> Iterator[list[JSON]]:
    yield columns
    for row in rows:
        values = (row[column] for column in columns)
        yield [json.dumps(v, ensure_ascii=False) if isinstance(v, list | dict) else v for v in values]


WRITERS: dict[str, Callable[[list[str], Rows], Iterator[str]]] = {"jsonl": as_jsonl, "csv": as_csv, "tsv": as_tsv}
