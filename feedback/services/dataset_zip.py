"""A frozen version as one zip archive, streamed: the same bytes each time, nothing held in memory."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

from feedback.models import DatasetVersion
from feedback.services.dataset_files import NAMES, open_file

CHUNK = 256 * 1024
_EPOCH = (1980, 1, 1, 0, 0, 0)


class _Pipe(io.RawIOBase):
    """What is written to it can be taken out of it; it cannot be rewound, and zipfile copes."""

    def __init__(self) -> None:
        self._held = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]  # any buffer, by the base class
        self._held += data
        return len(data)

    def take(self) -> bytes:
        taken = bytes(self._held)
        self._held.clear()
        return taken


def stream_zip(version: DatasetVersion, folder: str) -> Iterator[bytes]:
    """folder: the name of the folder inside the archive.  Stored, not compressed: Parquet is compressed already."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_STORED) as archive:
        for name in NAMES:
            with (
                open_file(version, name) as source,
                archive.open(zipfile.ZipInfo(f"{folder}/{name}", _EPOCH), "w") as sink,
            ):
                while block := source.read(CHUNK):
                    sink.write(block)
                    yield pipe.take()
            yield pipe.take()
    yield pipe.take()
