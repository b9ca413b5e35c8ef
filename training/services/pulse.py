from __future__ import annotations

import time

from django.conf import settings

from training.models import Job
from training.services.leases import renew
from training.services.patience import AWAY


class Pulse:
    """A heartbeat for the stretches without an engine: call it often, it writes every few seconds."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._due = 0.0

    def __call__(self) -> None:
        if time.monotonic() < self._due:
            return
        try:
            renew(self._job)
        except AWAY:
            return
        self._due = time.monotonic() + settings.TRAINING_HEARTBEAT_SECONDS
