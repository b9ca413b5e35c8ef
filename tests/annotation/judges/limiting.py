"""A worker process for the limiter's tests: `python -m tests.annotation.judges.limiting ENDPOINT SECONDS GRACE`.

Prints a line `time change` (shared monotonic seconds, seats) just after seats are taken and just before they are given.
"""

from __future__ import annotations

import random
import sys
import time
from datetime import timedelta

import django


def report(change: int) -> None:
    sys.stdout.write(f"{time.monotonic()!r} {change}\n")
    sys.stdout.flush()


def work(endpoint_id: int, seconds: float, grace: float) -> None:
    from annotation.judges import limiter
    from annotation.models import Endpoint

    limiter.GRACE = timedelta(seconds=grace)
    door = limiter.Limiter(Endpoint.objects.get(pk=endpoint_id), "m")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        grant = door.take(random.randint(1, 5))
        if not grant.seats:
            time.sleep(min(grant.wait, 0.005))
            continue
        report(grant.seats)
        time.sleep(random.uniform(0.0, 0.01))
        report(-grant.seats)
        door.give(grant.seats, answered=grant.seats)


def hold(endpoint_id: int, grace: float) -> None:
    """Take all there is and never give it back."""
    from annotation.judges import limiter
    from annotation.models import Endpoint

    limiter.GRACE = timedelta(seconds=grace)
    report(limiter.Limiter(Endpoint.objects.get(pk=endpoint_id), "m").take(100).seats)
    time.sleep(60)


if __name__ == "__main__":
    django.setup()
    endpoint, seconds, grace = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    if seconds:
        work(endpoint, seconds, grace)
    else:
        hold(endpoint, grace)
