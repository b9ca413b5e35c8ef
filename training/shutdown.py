"""Whether this worker was told to stop, as seen from the pool process that supervises an engine.

Celery's main process gets the signal; the pool process that runs the task does not.  A byte of memory shared across
the fork carries the word.  A main process that was killed shows as a changed parent.
"""

from __future__ import annotations

import mmap
import os
from typing import Any

from celery.signals import worker_process_init, worker_shutting_down

_told = mmap.mmap(-1, 1)
_parent: int | None = None


@worker_shutting_down.connect
def _remember(**kwargs: Any) -> None:
    _told[0] = 1


@worker_process_init.connect
def _remember_parent(**kwargs: Any) -> None:
    global _parent
    _parent = os.getppid()


def worker_is_stopping() -> bool:
    return bool(_told[0]) or (_parent is not None and os.getppid() != _parent)
