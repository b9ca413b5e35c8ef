"""JSONL, JSON, CSV and TSV files, gzipped or not, as rows, streamed.  A broken row is an error of that row, no crash.

Text is UTF-8, with or without byte order mark, or UTF-16 with one.  Lines end in \\n or \\r\\n only: U+2028 is text.
A byte that is not UTF-8 is refused at the row and column that hold it.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import BinaryIO, cast

from feedback.importing.json_values import MAX_CHARS, JSONBroken, is_plainly_storable, load, split_values
from feedback.importing.rows import FileUnreadable, Row, RowError, RowRefused, check_storable, excerpt

FORMATS = ("jsonl", "json", "csv", "tsv")
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv"}
_FOREIGN = {
    b"PK\x03\x04": "a spreadsheet or zip archive: save the sheet as CSV",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: unpack it first, or use gzip",
    b"PAR1": "Parquet: convert it to JSONL first",
    b"%PDF": "a PDF",
}
_GZIP = b"\x1f\x8b"
Rows = Iterator[Row | RowError]


def format_of(name: str) -> str:
    """The format that a file's name tells (`.jsonl.gz` too), or ""."""
    return _SUFFIXES.get(PurePath(name.lower().removesuffix(".gz")).suffix, "")


def sniff_format(name: str, stream: BinaryIO) -> str:
    """The format by the file's name, else by its first character.  The stream must be seekable."""
    if found := format_of(name):
        return found
    with _broken_archive():
        first = _unpacked(stream).read(4096).lstrip(codecs.BOM_UTF8).lstrip()[:1]
    return {b"[": "json", b"{": "jsonl"}.get(first, "csv")


def read_rows(stream: BinaryIO, format: str) -> Rows:
    """Every row of the file from its start, or why it is none.  Raises FileUnreadable, also midway."""
    reader = _READERS.get(format)
    if reader is None:
        message = f"Unknown format {format!r}; known: {', '.join(FORMATS)}."
        raise FileUnreadable(message)
    with _broken_archive(), _text_of(_unpacked(stream)) as text:
        try:
            yield from reader(text)
        except UnicodeDecodeError as error:
            message = f"The file breaks off in the middle of a UTF-16 character: {error.reason}."
            raise FileUnreadable(message) from None


def _unpacked(stream: BinaryIO) -> BinaryIO:
    """The stream from its start, or what is gzipped in it, unpacked while it is read."""
    stream.seek(0)
    packed = stream.read(2) == _GZIP
    stream.seek(0)
    return cast(BinaryIO, gzip.GzipFile(fileobj=stream)) if packed else stream


@contextmanager
def _broken_archive() -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        message = f"The gzip archive is broken off or damaged: {error}."
        raise FileUnreadable(message) from None


@contextmanager
def _text_of(stream: BinaryIO) -> Iterator[io.TextIOWrapper]:
    """The stream as text; left open, since it is the caller's."""
    stream.seek(0)
    head = stream.read(4)
    stream.seek(0)
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            message = f"This file is {what}."
            raise FileUnreadable(message)
    utf16 = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding, errors = ("utf-16", "surrogatepass") if utf16 else ("utf-8-sig", "surrogateescape")
    text = io.TextIOWrapper(stream, encoding=encoding, errors=errors, newline="")
    try:
        yield text
    finally:
        if not text.closed:  # closed: the caller gave up midway and closed its stream
            text.detach()


def _lines(text: io.TextIOWrapper) -> Iterator[tuple[int, str | None]]:
    """(line number, line without its end); None for a line too long to hold."""
    text.reconfigure(newline="\n")
    number = 0
    while line := text.readline(MAX_CHARS):
        number += 1
        whole = len(line) < MAX_CHARS or line.endswith("\n")
        while line and not line.endswith("\n") and len(line) >= MAX_CHARS:
            line = text.readline(MAX_CHARS)  # run on to the end of the line
        yield number, line.rstrip("\r\n") if whole else None


def _read_jsonl(text: io.TextIOWrapper) -> Rows:
    for number, line in _lines(text):
        if line is None:
            yield RowError(number, "", f"The line is longer than {MAX_CHARS:,} characters; split it.")
        elif line.strip():
            yield _object_row(number, line)


def _read_json(text: io.TextIOWrapper) -> Rows:
    for number, (value, complete) in enumerate(split_values(text.read), start=1):
        if complete:
            yield _object_row(number, value)
        else:
            yield RowError(number, "", "The file breaks off here; is it complete?", excerpt(value))


def _object_row(number: int, text: str) -> Row | RowError:
    try:
        value = load(text)
    except JSONBroken as error:
        return RowError(number, "", str(error), excerpt(text))
    if not isinstance(value, dict):
        return RowError(number, "", "Expected an object with named fields.", excerpt(value))
    return Row(number, value) if is_plainly_storable(text) else _stored(Row(number, value))


def _stored(row: Row) -> Row | RowError:
    try:
        check_storable(row.values)
    except RowRefused as error:
        return error.at(row.number)
    return row


def _read_csv(text: io.TextIOWrapper) -> Rows:
    start = text.readline(MAX_CHARS)
    delimiter = max(",;\t", key=start.count)
    text.seek(0)
    yield from _read_delimited(text, delimiter)


def _read_tsv(text: io.TextIOWrapper) -> Rows:
    yield from _read_delimited(text, "\t")


def _read_delimited(text: io.TextIOWrapper, delimiter: str) -> Rows:
    csv.field_size_limit(MAX_CHARS)
    reader = csv.reader(iter(lambda: text.readline(MAX_CHARS), ""), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    number = 0
    while True:
        number += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield RowError(number, "", f"Is not a {'TSV' if delimiter == chr(9) else 'CSV'} row: {error}.")
            continue
        if header is None:
            header = _header(cells)
        elif cells:
            yield _cells_row(number, header, cells)


def _header(cells: list[str]) -> list[str]:
    header = [cell.strip() for cell in cells]
    if not any(header):
        raise FileUnreadable("The first row must name the columns; it is empty.")
    if twice := sorted({name for name in header if header.count(name) > 1}):
        message = f"Two columns have the same name: {', '.join(map(excerpt, twice)) or '(none)'}."
        raise FileUnreadable(message)
    return header


def _cells_row(number: int, header: list[str], cells: list[str]) -> Row | RowError:
    if len(cells) != len(header):
        reason = f"Has {len(cells)} cells; the header names {len(header)} columns."
        return RowError(number, "", reason, excerpt(cells[-1]))
    return _stored(Row(number, dict(zip(header, cells, strict=True))))


_READERS: dict[str, Callable[[io.TextIOWrapper], Rows]] = {
    "jsonl": _read_jsonl,
    "json": _read_json,
    "csv": _read_csv,
    "tsv": _read_tsv,
}
