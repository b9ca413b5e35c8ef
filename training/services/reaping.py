"""Finding jobs that lost their worker or their message.  Run by beat; every decision is a compare-and-swap.

A heartbeat is stale only if the database has been up for that long as well: after an outage supervisors get the time
to report before they are given up.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import connection
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from training.exceptions import EngineLost, Fenced
from training.models import Job, Round, Run
from training.services.execution import lose
from training.services.leases import finish, send_job
from training.services.train_extra import extra_is_awaited

# A queued job behind a running one waits for its turn: its message is sent again much later.
BUSY_FACTOR = 15


def reap_jobs() -> dict[str, int]:
    """Give up or put back what is stale, send again what waits unheard; returns how many of each."""
    counts = {"lost": 0, "sent": 0}
    for model in (Run, Round):
        counts["lost"] += _reap_stale(model)
    for model in (Run, Round):
        counts["sent"] += _send_again(model)
    return counts


def _database_uptime() -> timedelta:
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp() - pg_postmaster_start_time()")
        uptime: timedelta = cursor.fetchone()[0]
    return uptime


def _reap_stale(model: type[Run] | type[Round]) -> int:
    patience = timedelta(seconds=settings.TRAINING_STALE_SECONDS)
    if _database_uptime() < patience:
        return 0
    held = model._default_manager.filter(status__in=[Job.Status.STARTING, Job.Status.RUNNING])
    stale = held.filter(Q(heartbeat_at__lt=Now() - patience) | Q(heartbeat_at__isnull=True))
    return sum(_reap(job) for job in stale)


def _reap(job: Run | Round) -> bool:
    try:
        if job.cancel_requested_at is not None:
            finish(job, Job.Status.CANCELLED, progress={"phase": "cancelled"})
        else:
            lose(job, EngineLost(_("Worker %(name)s went silent.") % {"name": job.worker}))
    except Fenced:
        return False
    return True


def _send_again(model: type[Run] | type[Round]) -> int:
    if extra_is_awaited():
        return 0
    patience = timedelta(seconds=settings.TRAINING_RESEND_SECONDS)
    if _a_worker_is_busy():
        patience *= BUSY_FACTOR
    queued = model._default_manager.filter(status=Job.Status.QUEUED)
    waiting = queued.filter(Q(sent_at__isnull=True) | Q(sent_at__lt=Now() - patience))
    jobs = list(waiting)
    for job in jobs:
        send_job(job)
    return len(jobs)


def _a_worker_is_busy() -> bool:
    held = Q(status__in=[Job.Status.STARTING, Job.Status.RUNNING])
    return Run.objects.filter(held).exists() or Round.objects.filter(held).exists()
