"""Where one installation keeps its state: `$TOUCHSTONE_HOME`, by default `.touchstone` in the checkout.

Standard library only: the installer uses it before anything is installed.
"""

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]


class LaunchError(Exception):
    """The product cannot be brought up; the message is one line: what happened and what to do."""


class AlreadyLocked(LaunchError):
    """Another process holds the lock."""


@dataclass(frozen=True)
class Home:
    """The files and folders of one installation."""

    root: Path

    @classmethod
    def from_environment(cls) -> "Home":
        return cls(Path(os.environ.get("TOUCHSTONE_HOME") or CHECKOUT / ".touchstone").absolute())

    def make(self) -> None:
        """Create the folders.  Others may pass through (a database account must), not look inside."""
        self.root.mkdir(parents=True, exist_ok=True)
        self.logs.mkdir(exist_ok=True)
        if self.root.stat().st_uid == os.geteuid():
            self.root.chmod(0o711)
            self.logs.chmod(0o700)

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def database_url(self) -> Path:
        return self.root / "database_url"

    @property
    def run_state(self) -> Path:
        """Who runs here now: pid, address and start time of the supervisor."""
        return self.root / "run.json"

    @property
    def install_state(self) -> Path:
        """How far the background installation of the train extra is; the web pages read it."""
        return self.root / "install.json"


def write_text(path: Path, text: str, mode: int = 0o600) -> None:
    """Replace a file in one step, so that a reader sees the old text or the new, never half of it."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f"{path.name}.", delete=False) as stream:
        stream.write(text)
    Path(stream.name).chmod(mode)
    Path(stream.name).replace(path)


def write_json(path: Path, value: dict[str, Any]) -> None:
    write_text(path, json.dumps(value) + "\n", mode=0o644)


def read_json(path: Path) -> dict[str, Any]:
    """The stored object, or an empty one where there is none (yet) or it is not readable as JSON."""
    try:
        value = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


@contextmanager
def locked(path: Path, *, wait: bool) -> Iterator[int]:
    """Hold an exclusive lock on a file.  The kernel frees it with the process, however that ends.

    Yields the file descriptor, so that a child may be given a share of the lock.
    Raises AlreadyLocked when another holds it and `wait` is false.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError as busy:
            raise AlreadyLocked(f"Another process holds {path}.") from busy
        yield descriptor
    finally:
        os.close(descriptor)
