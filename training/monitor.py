"""Looking after one engine while it runs: heartbeat, metrics, log, cancel.

A cancel has three stages: the row says so, the engine is asked (SIGTERM, it saves a checkpoint and exits with 3), and
after a grace its process group is killed.  While the database is away the engine keeps running and the heartbeat is
tried again with growing pauses.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from training.exceptions import Fenced
from training.launcher import LOG, Launched
from training.models import Job
from training.services.leases import renew
from training.services.patience import AWAY, BackOff, drop_connections
from training.tailing import read_tail

TICK = 0.2
# A worker that is told to stop has little time itself.
STOP_GRACE_SECONDS = 3.0
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ending:
    """How an engine ended.  code: its exit code, 128 + n for signal n."""

    code: int
    cancelled: bool = False
    stopped: bool = False


class Monitor:
    """Watches one launched engine for one attempt of a job.

    drain: takes what the engine has reported since the last call, stores it, and returns the columns to write with
    the heartbeat.  stopping: tells that this worker is asked to end.
    """

    def __init__(
        self,
        job: Job,
        launched: Launched,
        *,
        drain: Callable[[], dict[str, Any]],
        stopping: Callable[[], bool],
    ) -> None:
        self.job, self.launched = job, launched
        self._drain, self._stopping = drain, stopping
        self._pauses = BackOff()
        self._next_beat = 0.0
        self._kill_at: float | None = None
        self._cancelled = self._stopped = False
        self._log_tail = ""

    def watch(self) -> Ending:
        """Returns when the engine has ended.  Raises Fenced, with the engine killed, when the job is another's now."""
        try:
            while (code := self.launched.poll()) is None:
                if time.monotonic() >= self._next_beat:
                    self._try_to_beat()
                self._escalate()
                time.sleep(TICK)
        except Fenced:
            self.launched.kill()
            raise
        return Ending(code, self._cancelled, self._stopped)

    def beat(self) -> None:
        """Store what the engine reported, with the heartbeat.  Safe to repeat."""
        values = self._drain()
        tail = read_tail(self.launched.directory / LOG)
        if tail != self._log_tail:
            values["log_tail"] = tail
        self.job.status = Job.Status.RUNNING
        if renew(self.job, **values):
            self._cancelled = True
        self._log_tail = tail

    def _try_to_beat(self) -> None:
        try:
            self.beat()
        except AWAY as error:
            log.warning("No heartbeat for %s: %s", self.job.pk, str(error).strip().partition("\n")[0])
            drop_connections()
            self._next_beat = time.monotonic() + self._pauses.longer()
        else:
            self._pauses.reset()
            self._next_beat = time.monotonic() + settings.TRAINING_HEARTBEAT_SECONDS

    def _escalate(self) -> None:
        if self._kill_at is not None:
            if time.monotonic() >= self._kill_at:
                self.launched.kill()
            return
        self._stopped = self._stopping()
        if self._cancelled or self._stopped:
            self.launched.ask_to_stop()
            grace = STOP_GRACE_SECONDS if self._stopped else settings.TRAINING_GRACE_SECONDS
            self._kill_at = time.monotonic() + grace
