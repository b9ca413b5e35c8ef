"""A task that leaves a mark in a file, and a program that sends it: run as processes by the broker tests."""

import sys
from pathlib import Path

import django

django.setup()

from celery import shared_task  # noqa: E402  (Django first)
from django.db import transaction  # noqa: E402

from config.celery import app  # noqa: E402, F401  (named by `celery -A`)


@shared_task(name="tests.leave_mark")  # the sender runs as __main__, the worker imports this file
def leave_mark(path: str) -> None:
    with Path(path).open("a") as stream:
        stream.write("ran\n")


class Withdrawn(Exception):
    """Ends a transaction on purpose."""


def send(folder: Path) -> None:
    """One plain message, one on commit, one whose transaction is rolled back, one for another queue."""
    with transaction.atomic():
        leave_mark.delay_on_commit(str(folder / "committed"))
        leave_mark.delay(str(folder / "plain"))
    try:
        with transaction.atomic():
            leave_mark.delay_on_commit(str(folder / "withdrawn"))
            raise Withdrawn
    except Withdrawn:
        pass
    leave_mark.apply_async((str(folder / "judges"),), queue="judges")


if __name__ == "__main__":
    send(Path(sys.argv[1]))
