"""Rendered HTML, kept in files that all processes of this machine share and that outlive them.

A file is named by what it was rendered from, so nothing goes stale; the oldest go when there are too many.  Plain text
and not a pickle.  A disk that cannot be written only makes pages slower.
"""

from __future__ import annotations

import contextlib
import os
import random
import tempfile
from pathlib import Path

from django.conf import settings

MOST_BYTES = 256 * 1024 * 1024
LOOKED_AFTER = 500
"""About every so many new files, the oldest are removed if all together are too big."""
WHOLE = "<!-- whole -->"
"""Ends a file; one without it was cut short when the machine stopped."""


def _path(name: str) -> Path:
    return Path(settings.RENDERED_ROOT) / name[:2] / f"{name}.html"


def recall(name: str) -> str | None:
    """What was kept under this name, if it still is."""
    try:
        text = _path(name).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return text.removesuffix(WHOLE) if text.endswith(WHOLE) else None


def keep(name: str, html: str) -> None:
    """Under a name that says everything the HTML depends on."""
    path = _path(name)
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        number, own = tempfile.mkstemp(dir=path.parent)
        with open(number, "w", encoding="utf-8") as stream:  # noqa: PTH123 (a file number)
            stream.write(html + WHOLE)
        os.replace(own, path)  # noqa: PTH105 (own is text)
        if random.randrange(LOOKED_AFTER) == 0:  # noqa: S311 (no secret)
            remove_oldest(MOST_BYTES)


def remove_oldest(most_bytes: int) -> None:
    """Down to three quarters, if there is more than this."""
    found = []
    for path in Path(settings.RENDERED_ROOT).glob("*/*"):
        with contextlib.suppress(OSError):
            stat = path.stat()
            found.append((stat.st_mtime, stat.st_size, path))
    left = sum(size for _time, size, _path in found)
    if left <= most_bytes:
        return
    for _time, size, path in sorted(found):
        if left <= most_bytes * 3 // 4:
            break
        path.unlink(missing_ok=True)
        left -= size
