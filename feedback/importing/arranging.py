"""Rows as a file has them → one row a task: a file may spread one task over many rows, or hold many in one.

Memory holds one task's rows, and a number for each task met.  A task made of several rows has the number of its first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

from feedback.importing.rows import Row, RowError, RowRefused, excerpt

JSON = Any
Rows = Iterator[Row | RowError]
MAX_GROUP = 5000


def group_rows(rows: Rows, columns: Sequence[str]) -> Rows:
    """Rows that stand together and agree in `columns` → one row that holds them (`members_of`).

    Refused whole: a group whose rows stand in two places, or beside a row that cannot be read (it may be one of them).
    """
    seen: set[int] = set()
    held: Row | None = None
    broken: Row | RowError | None = None
    for key, group in groupby(rows, lambda row: _key(row, columns)):
        if not key:
            for error in group:
                if held:
                    yield _beside(held, error)
                    held = None
                yield error
                broken = error
            continue
        if held:
            yield held
        found = _gather(group, columns, known=hash(key) in seen)
        held = found if isinstance(found, Row) and not broken else None
        if not held:
            yield _beside(found, broken) if broken and isinstance(found, Row) else found
        seen.add(hash(key))
        broken = None
    if held:
        yield held


def _key(row: Row | RowError, columns: Sequence[str]) -> tuple[str, ...]:
    """What tells groups apart; () for a row that cannot be read."""
    return tuple(str(row.values.get(column)) for column in columns) if isinstance(row, Row) else ()


def _gather(group: Iterable[Row | RowError], columns: Sequence[str], *, known: bool) -> Row | RowError:
    members = [row for row in islice(group, MAX_GROUP + 1) if isinstance(row, Row)]
    first, named = members[0], ", ".join(columns)
    if known:
        value = excerpt(" ".join(_key(first, columns)))
        reason = f"Its rows do not stand together: the others are further up. Sort the file by {named}."
        return RowError(first.number, columns[0], reason, value)
    if len(members) > MAX_GROUP:
        return RowError(first.number, columns[0], f"More than {MAX_GROUP:,} rows have the same {named}.")
    return Row(first.number, {"rows": members})


def _beside(row: Row, broken: Row | RowError) -> RowError:
    reason = f"Stands beside row {broken.number}, which cannot be read and may belong to it; mend that one."
    return RowError(row.number, "", reason)


def spread_rows(rows: Rows, parts: Callable[[Row], Iterable[Row]]) -> Rows:
    """parts: one row → a row for each of its tasks; a RowRefused that it raises refuses the row."""
    for row in rows:
        if isinstance(row, RowError):
            yield row
            continue
        try:
            found = list(parts(row))
        except RowRefused as error:
            yield error.at(row.number)
        else:
            yield from found


def members_of(row: Row) -> Sequence[Row]:
    """What `group_rows` has put together."""
    members: Sequence[Row] = row.values["rows"]
    return members


def rows_of(row: Row) -> Sequence[Mapping[str, JSON]]:
    """Their values."""
    return [member.values for member in members_of(row)]
