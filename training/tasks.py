"""What Celery runs for training.  A message names a job and is acknowledged at once; the job's row is the truth."""

from celery import shared_task

from training.services import reaping, round_execution, run_execution


@shared_task(name="training.tasks.execute_run", acks_late=False)
def execute_run(run_id: str) -> None:
    """Train one run in a subprocess, as long as that takes."""
    run_execution.execute_run(run_id)


@shared_task(name="training.tasks.execute_round", acks_late=False)
def execute_round(round_id: str) -> None:
    """Score fresh responses and open the next campaign."""
    round_execution.execute_round(round_id)


@shared_task(name="training.tasks.reap_runs", soft_time_limit=60)
def reap_runs() -> None:
    """Put jobs without a heartbeat back in the queue, and send lost messages again."""
    reaping.reap_jobs()
