"""Waiting out a database that is away: an engine that has trained for hours outlives a restart of PostgreSQL."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

T = TypeVar("T")
AWAY = (OperationalError, InterfaceError)
LONGEST_PAUSE = 5.0
log = logging.getLogger(__name__)


class BackOff:
    """Pauses that double from a fifth of a second to five seconds, and start small again after a success."""

    def __init__(self) -> None:
        self._pause = 0.0

    def longer(self) -> float:
        self._pause = min(LONGEST_PAUSE, max(0.2, 2 * self._pause))
        return self._pause

    def reset(self) -> None:
        self._pause = 0.0


def drop_connections() -> None:
    """Forget every pooled connection: after a server's death all of them are dead, not only the one that failed."""
    if connection.in_atomic_block:
        return
    connection.close()
    if hasattr(connection, "close_pool"):
        connection.close_pool()


def patiently(call: Callable[[], T], *, give_up: Callable[[], bool] = lambda: False) -> T:
    """Do `call`, again and again while the database is away.  `call` must be safe to repeat.

    Raises the database's error when `give_up` says so, and at once inside a transaction, which is lost anyway.
    """
    pauses = BackOff()
    while True:
        try:
            return call()
        except AWAY as error:
            if connection.in_atomic_block or give_up():
                raise
            log.warning("The database is away (%s); trying again.", str(error).strip().partition("\n")[0])
            drop_connections()
            time.sleep(pauses.longer())
