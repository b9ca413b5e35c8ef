"""One attempt of a job on a GPU worker, from the claim to its last write.

`conduct` decides what an ending means for the row; what is done in between is the business of `run_execution` and
`round_execution`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from training.exceptions import EngineLost, Fenced, JobCancelled, JobFailed, TrainingError, WorkerStopping
from training.launcher import LOG, end_predecessor, engine_command, launch
from training.models import Job
from training.monitor import Ending, Monitor
from training.services.leases import JobT, claim_job, finish, put_back
from training.services.patience import patiently
from training.services.train_extra import extra_is_awaited
from training.shutdown import worker_is_stopping
from training.tailing import plain, read_object, read_tail

CANCELLED_CODE = 3
BUSY_CODE = 4
RESULT = "result.json"
log = logging.getLogger(__name__)

Drain = Callable[[], dict[str, Any]]


def job_directory(job: Job) -> Path:
    """The job's folder on this machine, made on first use."""
    folder = Path(settings.RUNS_ROOT) / (getattr(job, "directory", "") or str(job.pk))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def accept_job(model: type[JobT], id: str) -> JobT | None:
    """Claim the job, unless this worker is about to end or the train extra is on its way.

    A job passed over asks the reaper for another message, since its own is used up.
    """
    if worker_is_stopping() or extra_is_awaited():
        waiting = model._default_manager.filter(pk=id, status=Job.Status.QUEUED)
        patiently(lambda: waiting.update(sent_at=None))
        return None
    return patiently(lambda: claim_job(model, id))


def conduct(job: JobT, perform: Callable[[JobT], None]) -> None:
    """Do the job's work and write how it ended.  A job that was overtaken is left alone."""
    try:
        try:
            perform(job)
        except JobFailed as failure:
            _finish_failed(job, failure)
        except JobCancelled:
            patiently(lambda: finish(job, Job.Status.CANCELLED, progress={"phase": "cancelled"}))
        except WorkerStopping:
            patiently(lambda: put_back(job, lost=False, reason=_("The worker was stopped; the run goes on later.")))
        except EngineLost as loss:
            lose(job, loss)
        except OSError as error:
            advice = _("Check the free space and the permissions of %(folder)s, then resume.")
            _finish_failed(job, JobFailed(str(error), advice % {"folder": settings.RUNS_ROOT}))
    except Fenced as fence:
        log.warning("%s", fence)


def lose(job: Job, loss: TrainingError) -> None:
    """Put a job whose attempt ended without a word back in the queue, or give it up when that happened too often."""
    if job.n_lost + 1 <= settings.TRAINING_MAX_LOST:
        patiently(lambda: put_back(job, lost=True, reason=loss.message))
        return
    failure = JobFailed(
        _("%(what)s This happened %(n)d times in a row.") % {"what": loss.message, "n": job.n_lost + 1},
        loss.advice or _("Read the log; most often the machine ran out of memory. Resume when that is cured."),
    )
    _finish_failed(job, failure)


def _finish_failed(job: Job, failure: TrainingError) -> None:
    message, advice = plain(failure.message), plain(failure.advice)
    patiently(lambda: finish(job, Job.Status.FAILED, error=message, advice=advice, progress={"phase": "failed"}))


def run_engine(job: Job, directory: Path, *words: str, drain: Drain) -> None:
    """Run the engine with `words` under supervision until it succeeds.

    Raises JobCancelled, WorkerStopping, EngineLost or JobFailed, as it ended; Fenced when the job is another's now.
    """
    end_predecessor(directory)
    (directory / RESULT).unlink(missing_ok=True)
    monitor = Monitor(job, launch(directory, engine_command(*words)), drain=drain, stopping=worker_is_stopping)
    ending = monitor.watch()
    patiently(monitor.beat)
    if ending.code != 0:
        raise _meaning(ending, directory)


def _meaning(ending: Ending, directory: Path) -> TrainingError:
    """What an exit code other than 0 amounts to."""
    if ending.cancelled:
        return JobCancelled(_("Cancelled."))
    if ending.stopped or ending.code == CANCELLED_CODE:
        return WorkerStopping(_("The worker was stopped."))
    if ending.code >= 128:
        text = _("The engine was killed (signal %(n)d).")
        return EngineLost(text % {"n": ending.code - 128})
    if ending.code == BUSY_CODE:
        return EngineLost(_("Another process still works in this directory."))
    result = read_object(directory / RESULT)
    if result.get("status") == "failed":
        return JobFailed(str(result.get("error") or ""), str(result.get("advice") or ""))
    last = (read_tail(directory / LOG, 600).strip().splitlines() or [_("it said nothing")])[-1]
    text = _("The engine ended with code %(code)d: %(last)s")
    return JobFailed(text % {"code": ending.code, "last": last[:300]}, _("Read the log, then resume or retry."))
