"""What the prepared database and static files were made from: when nothing of it changed, a start skips all that.

Loading Django to find that there is nothing to migrate takes seconds; comparing names and times takes none.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from config.launch.home import CHECKOUT, Home, read_json, write_json

PATTERNS = (
    "requirements/web.txt",
    "*/migrations/*.py",
    "*/management/commands/*.py",
    "static/**/*",
)


def _sources() -> Iterator[Path]:
    for pattern in PATTERNS:
        yield from sorted(path for path in CHECKOUT.glob(pattern) if path.is_file())


def fingerprint(data: Path) -> str:
    """A digest of the names, sizes and times of what is prepared from, and of the database's own birth."""
    digest = hashlib.sha256()
    for path in (*_sources(), data / "PG_VERSION"):
        facts = path.stat()
        digest.update(f"{path} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def is_prepared(home: Home, data: Path) -> bool:
    return read_json(home.root / "prepared.json").get("fingerprint") == fingerprint(data)


def mark_prepared(home: Home, data: Path) -> None:
    write_json(home.root / "prepared.json", {"fingerprint": fingerprint(data)})
