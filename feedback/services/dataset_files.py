"""Where the files of dataset versions lie: `datasets/<version id>/` in Django's default storage.

On a file system the folder is written beside its place and renamed, so that a folder that is there is whole; on
another storage the card, which is written last, says so.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.files import File
from django.core.files.storage import FileSystemStorage, default_storage

from feedback.datasets.folder import FILES, settle
from feedback.models import DatasetVersion

CARD, COUNTS = "README.md", "counts.json"
NAMES = (*FILES, COUNTS, CARD)
PREFIX, DAY = ".freezing-", 86_400


def path_of(version: DatasetVersion) -> str:
    return f"datasets/{version.pk}"


@contextmanager
def work_folder() -> Iterator[Path]:
    """An empty folder, on the disk of the storage when it has one; gone afterwards unless it was published."""
    base: Path | None = None
    if isinstance(default_storage, FileSystemStorage) or hasattr(default_storage, "base_location"):
        base = Path(default_storage.path("datasets"))
        base.mkdir(parents=True, exist_ok=True)
        _tidy(base)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _tidy(base: Path) -> None:
    """Folders of workers that were killed; none takes a day."""
    for left in base.glob(f"{PREFIX}*"):
        if time.time() - left.stat().st_mtime > DAY:
            shutil.rmtree(left, ignore_errors=True)


def publish(folder: Path, path: str) -> None:
    """Put a whole folder at its place; what an attempt that died left there is replaced."""
    settle(folder)
    if isinstance(default_storage, FileSystemStorage) or hasattr(default_storage, "base_location"):
        target = Path(default_storage.path(path))
        shutil.rmtree(target, ignore_errors=True)
        folder.chmod(0o755)
        folder.rename(target)
        return
    for name in NAMES:
        if default_storage.exists(f"{path}/{name}"):
            default_storage.delete(f"{path}/{name}")
        with (folder / name).open("rb") as stream:
            default_storage.save(f"{path}/{name}", File(stream))


def open_file(version: DatasetVersion, name: str) -> File[bytes]:
    """One of NAMES, for reading.  Raises FileNotFoundError."""
    return default_storage.open(f"{version.path}/{name}", "rb")
