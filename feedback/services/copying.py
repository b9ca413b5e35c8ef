"""Rows into a table by COPY: many times faster than INSERT, and streamed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection, models

from feedback.questions.content import canonical


@dataclass(frozen=True)
class Encoded:
    """A value of a JSON field that is JSON text already."""

    text: str


def copy_rows(model: type[models.Model], rows: Iterable[Mapping[str, Any]]) -> None:
    """rows: {attname: value}; a field left out takes its default (auto_now_add must be given)."""
    fields = model._meta.concrete_fields
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column) for field in fields if field.column)
    writers = [(field.attname, _default(field), isinstance(field, models.JSONField)) for field in fields]
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {quote(model._meta.db_table)} ({columns}) FROM STDIN") as copy,
    ):
        for row in rows:
            values = ((row[name] if name in row else default(), is_json) for name, default, is_json in writers)
            copy.write_row([_json(value) if is_json else value for value, is_json in values])


def _default(field: models.Field[Any, Any]) -> Callable[[], Any]:
    if callable(field.default):
        return field.get_default
    constant = field.get_default()
    return lambda: constant


def _json(value: Any) -> str | None:
    if isinstance(value, Encoded):
        return value.text
    return None if value is None else canonical(value)


def reserve_ids(model: type[models.Model], n: int) -> list[int]:
    """n fresh primary keys from the table's own sequence."""
    if not n:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, %s)) FROM generate_series(1, %s)",
            [model._meta.db_table, model._meta.pk.column, n],
        )
        return [id for (id,) in cursor.fetchall()]
