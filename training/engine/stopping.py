"""Being told to stop: SIGTERM and SIGINT set a flag that is looked at where stopping is safe."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from training.engine.exceptions import Cancelled


class Stop:
    """A request to stop; `check` ends what is going on, `requested` lets the trainer save first."""

    def __init__(self) -> None:
        self.requested = False

    def check(self) -> None:
        """Raise Cancelled when a stop was asked for."""
        if self.requested:
            raise Cancelled


@contextmanager
def stop_on_signals() -> Iterator[Stop]:
    """A Stop that the process's signals set, while the block runs; only the main thread may take signals."""
    stop = Stop()

    def ask(number: int, frame: FrameType | None) -> None:
        stop.requested = True

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, ask) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, action in before.items():
            signal.signal(number, action)
