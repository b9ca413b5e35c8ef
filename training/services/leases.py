"""Who may write for a job.  Every state moves by compare-and-swap on (status, attempt); the row is the truth.

All times are the database's, so that machines whose clocks differ agree on what is stale.
"""

from __future__ import annotations

import os
import socket
from functools import partial
from typing import Any, TypeVar

from celery import current_app
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from training.exceptions import Fenced
from training.models import Job, Round, Run

JobT = TypeVar("JobT", Run, Round)

MESSAGES = {"run": "training.tasks.execute_run", "round": "training.tasks.execute_round"}


def worker_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def send_job(job: Job) -> None:
    """Name the job to the GPU workers once this transaction is committed.

    A broker that is down costs nothing but time: the row stays queued, and the reaper sends again.
    """
    type(job)._default_manager.filter(pk=job.pk, status=Job.Status.QUEUED).update(sent_at=Now())
    name = MESSAGES[str(job._meta.model_name)]
    transaction.on_commit(partial(current_app.send_task, name, args=[str(job.pk)]), robust=True)


@transaction.atomic
def claim_job(model: type[JobT], id: str) -> JobT | None:
    """queued → starting, as the next attempt; None when somebody else did it or there is nothing to do."""
    claimed = model._default_manager.filter(pk=id, status=Job.Status.QUEUED).update(
        status=Job.Status.STARTING,
        attempt=F("attempt") + 1,
        worker=worker_name(),
        heartbeat_at=Now(),
        started_at=Now(),
        finished_at=None,
        progress={"phase": "preparing"},
        error="",
        advice="",
    )
    return model._default_manager.get(pk=id) if claimed else None


def renew(job: Job, **values: Any) -> bool:
    """Write the heartbeat, and `values`, for this attempt; True when a person asked to cancel.

    A job the reaper has put back, but nobody has claimed yet, is taken back: its engine still runs.
    Raises Fenced when the job is another's now.
    """
    mine = type(job)._default_manager.filter(pk=job.pk, attempt=job.attempt)
    status = Job.Status.STARTING if job.status == Job.Status.QUEUED else job.status
    if not mine.filter(status__in=Job.LIVE).update(status=status, heartbeat_at=Now(), **values):
        raise Fenced(f"Attempt {job.attempt} of {job.pk} has been overtaken.", "Nothing to do: the newer one goes on.")
    job.status = status
    return mine.filter(cancel_requested_at__isnull=False).exists()


def finish(job: Job, status: str, **values: Any) -> None:
    """The last write of this attempt.  Raises Fenced when the job is another's now."""
    live = type(job)._default_manager.filter(pk=job.pk, attempt=job.attempt, status__in=Job.LIVE)
    if not live.update(status=status, finished_at=Now(), heartbeat_at=None, **values):
        raise Fenced(f"Attempt {job.attempt} of {job.pk} has been overtaken.", "Nothing to do: the newer one goes on.")
    job.status = status


def put_back(job: Job, *, lost: bool, reason: str = "") -> bool:
    """starting or running → queued, for the next attempt to resume; False when the job is another's now.

    lost: the attempt ended without a word, which counts towards giving up.
    """
    mine = type(job)._default_manager.filter(pk=job.pk, attempt=job.attempt, status__in=Job.LIVE)
    moved = mine.update(
        status=Job.Status.QUEUED,
        heartbeat_at=None,
        sent_at=None,
        n_lost=F("n_lost") + int(lost),
        progress={"phase": "waiting"},
        error=reason,
    )
    if moved:
        send_job(job)
    return bool(moved)
