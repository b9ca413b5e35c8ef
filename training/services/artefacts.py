"""Moving files between Django's storage and a job's directory: the GPU machine is not the web machine.

Every copy is made beside its place and renamed, so that a file that is there is whole.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from django.core.files import File
from django.core.files.storage import FileSystemStorage, default_storage

from training.exceptions import JobFailed

CHUNK = 4 * 1024 * 1024
Pulse = Callable[[], object]


def fetch_file(name: str, target: Path, pulse: Pulse) -> None:
    """Copy one stored file to `target`, unless a whole copy lies there.  `pulse` is called between chunks.

    Raises JobFailed when the storage has no such file.
    """
    if not default_storage.exists(name):
        raise JobFailed(f"{name} is missing from the storage.", "Freeze a new dataset version and train on it.")
    if target.exists() and target.stat().st_size == default_storage.size(name):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f"{target.name}.new")
    with default_storage.open(name, "rb") as source, fresh.open("wb") as sink:
        while block := source.read(CHUNK):
            sink.write(block)
            pulse()
    fresh.replace(target)


def stored_files(prefix: str) -> Iterator[str]:
    """Names of all files below `prefix` in the storage, folder by folder."""
    folders, files = default_storage.listdir(prefix)
    yield from (f"{prefix}/{name}" for name in sorted(files))
    for folder in sorted(folders):
        yield from stored_files(f"{prefix}/{folder}")


def local_folder(prefix: str, into: Path, pulse: Pulse) -> Path:
    """A folder on this machine with what is stored below `prefix`: the storage's own, or a copy in `into`.

    Raises JobFailed when nothing is stored there.
    """
    if isinstance(default_storage, FileSystemStorage):
        found = Path(default_storage.path(prefix))
        if found.is_dir():
            return found
        raise JobFailed(f"The folder {prefix} is missing from the storage.", "Train again to make a new checkpoint.")
    for name in stored_files(prefix):
        fetch_file(name, into / PurePosixPath(name).relative_to(prefix), pulse)
    return into


def publish_folder(folder: Path, prefix: str, pulse: Pulse, *, leave_out: Callable[[Path], bool]) -> int:
    """Store every file of a folder under `prefix`, replacing what is there; returns the bytes stored."""
    total = 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not leave_out(path)):
        name = f"{prefix}/{path.relative_to(folder).as_posix()}"
        total += publish_file(path, name)
        pulse()
    return total


def publish_file(path: Path, name: str) -> int:
    if default_storage.exists(name):
        default_storage.delete(name)
    with path.open("rb") as stream:
        default_storage.save(name, File(stream))
    return path.stat().st_size


def remove_folder(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
