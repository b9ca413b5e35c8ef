"""A dataset version as a folder: `FORMAT/{train,test}.parquet`, counts.json, README.md.  Pure but for the disk.

The version's sha256 is over its rows as canonical JSON lines, format by format and split by split in alphabetical
order, the rows in the order of the file (by task): it can be computed again from the files alone.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from feedback.datasets.formats.registry import FORMATS, SPLITS
from feedback.datasets.votes import Group
from feedback.questions.content import canonical

JSON = Any
ROW_GROUP = 1000
FILES = tuple(f"{name}/{split}.parquet" for name in sorted(FORMATS) for split in sorted(SPLITS))


class FolderWriter:
    """Writes groups to every format's files.  Use it as a context: only its end makes the files complete."""

    def __init__(self, folder: Path) -> None:
        self.n_rows = dict.fromkeys(FILES, 0)
        self._folder, self._files = folder, ExitStack()
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._pending: dict[str, list[dict[str, JSON]]] = {name: [] for name in FILES}

    def __enter__(self) -> Self:
        for name in FILES:
            path = self._folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            schema = FORMATS[path.parent.name].schema
            self._writers[name] = self._files.enter_context(pq.ParquetWriter(path, schema, compression="zstd"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            for name in FILES:
                self._flush(name)
        self._files.close()

    def add(self, group: Group) -> None:
        for format in FORMATS.values():
            name = f"{format.name}/{group.split}.parquet"
            self._pending[name] += format.rows(group)
            if len(self._pending[name]) >= ROW_GROUP:
                self._flush(name)

    def _flush(self, name: str) -> None:
        rows = self._pending[name]
        if rows:
            table = pa.Table.from_pylist(rows, schema=FORMATS[name.split("/")[0]].schema)
            self._writers[name].write_table(table)
            self.n_rows[name] += len(rows)
        self._pending[name] = []


def read_rows(path: Path | Any) -> Iterator[dict[str, JSON]]:
    """Rows of one Parquet file (a path or an open binary file), streamed."""
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=ROW_GROUP):
            yield from batch.to_pylist()


def sha256_of_rows(folder: Path) -> str:
    """The version's sha256, from the files."""
    digest = hashlib.sha256()
    for name in FILES:
        format, split = name.removesuffix(".parquet").split("/")
        for row in read_rows(folder / name):
            digest.update(canonical({"format": format, "split": split, "row": row}).encode())
            digest.update(b"\n")
    return digest.hexdigest()


def settle(folder: Path) -> None:
    """Make what was written survive a power cut, before anything says that it is there."""
    for path in [*folder.rglob("*"), folder]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
