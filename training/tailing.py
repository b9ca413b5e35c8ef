"""Reading files that another process is still writing."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

JSON = Any


class LineTail:
    """New complete lines of a file since the last look; a line still being written waits for its end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._offset = 0

    def lines(self) -> Iterator[str]:
        """Yields each new line once.  A file that became shorter was begun again and is read from its start."""
        try:
            with self.path.open("rb") as stream:
                if stream.seek(0, 2) < self._offset:
                    self._offset = 0
                stream.seek(self._offset)
                for line in stream:
                    if not line.endswith(b"\n"):
                        return
                    self._offset += len(line)
                    yield line.decode(errors="replace")
        except FileNotFoundError:
            return

    def objects(self) -> Iterator[dict[str, JSON]]:
        """The new lines that are JSON objects; one torn by a kill is passed over."""
        for line in self.lines():
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                yield storable(value)


def storable(value: JSON) -> JSON:
    """JSON that PostgreSQL accepts: NaN and infinities become null, NUL and lone surrogates a question mark."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, dict):
        return {plain(str(key)): storable(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [storable(entry) for entry in value]
    return value


def plain(text: str) -> str:
    return text.replace("\x00", "?").encode(errors="replace").decode()


def read_tail(path: Path, size: int = 6000) -> str:
    """The last `size` bytes of a text file, from the beginning of a line; "" when there is none."""
    try:
        with path.open("rb") as stream:
            end = stream.seek(0, 2)
            stream.seek(max(0, end - size))
            text = stream.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
    if end > size:
        text = text.partition("\n")[2] or text
    return plain(text)


def read_object(path: Path) -> dict[str, JSON]:
    """The JSON object in a file; empty when it is missing or torn."""
    try:
        value = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return storable(value) if isinstance(value, dict) else {}
