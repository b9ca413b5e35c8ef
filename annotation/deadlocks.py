"""The queue's steps do not deadlock with each other (`annotation.seats`); with others who lock many tasks they can."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django.db import OperationalError, connection
from psycopg.errors import DeadlockDetected

P = ParamSpec("P")
R = TypeVar("R")
ATTEMPTS = 3


def again_after_deadlock(step: Callable[P, R]) -> Callable[P, R]:
    """Do a step again when PostgreSQL chose it as a deadlock's victim: it was rolled back whole.

    Not inside a caller's transaction, which is rolled back with it.
    """

    @functools.wraps(step)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        for _ in range(ATTEMPTS - 1):
            try:
                return step(*args, **kwargs)
            except OperationalError as error:
                if connection.in_atomic_block or not isinstance(error.__cause__, DeadlockDetected):
                    raise
        return step(*args, **kwargs)

    return wrapped
