"""Writing files so that a kill at any moment leaves the old version or the new one, never a torn one."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from training.engine.exceptions import DiskFull

UNFINISHED = ".unfinished-"
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


def is_disk_full(error: BaseException) -> bool:
    """Whether an error, of Python or of safetensors (which only has the text), means that there is no space left."""
    if isinstance(error, OSError) and error.errno in NO_SPACE:
        return True
    return "os error 28" in str(error) or "No space left on device" in str(error)


def disk_full(path: Path) -> DiskFull:
    """The typed error for a write to `path` that found no space."""
    return DiskFull(f"There is no space left to write {path.name}.", f"Free some space below {path.parent} and resume.")


def write_json(path: Path, value: Any) -> None:
    """Replace `path` by the JSON of `value`, durably.  Raises ValueError for NaN, which is not JSON."""
    write_text(path, json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Replace `path` by `text`, durably."""
    fresh = path.with_name(f"{UNFINISHED}{path.name}")
    with fresh.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(path)
    sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """Make the names in a directory durable."""
    number = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def publish_directory(target: Path, fill: Callable[[Path], object]) -> None:
    """Let `fill` write files into a new directory, make them durable, and only then give it the name `target`.

    A directory that already has that name is complete and is replaced.  On any error nothing is left behind, so that a
    full disk is less full afterwards.
    """
    unfinished = target.with_name(f"{UNFINISHED}{target.name}")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    try:
        fill(unfinished)
        for path in sorted(unfinished.rglob("*")):
            _sync(path)
        sync_directory(unfinished)
        if target.exists():
            target.rename(target.with_name(f"{UNFINISHED}old-{target.name}"))
        unfinished.rename(target)
        sync_directory(target.parent)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.rmtree(target.with_name(f"{UNFINISHED}old-{target.name}"), ignore_errors=True)


def remove_unfinished(directory: Path) -> None:
    """Delete what a killed process left half-written in `directory`."""
    for path in directory.glob(f"{UNFINISHED}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    """Hex digest of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sync(path: Path) -> None:
    if path.is_dir():
        sync_directory(path)
        return
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
