"""Background work of the record.  Each task is safe to run twice, and at once with itself."""

import logging
import time
from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from feedback.exceptions import FeedbackError
from feedback.models import DatasetVersion
from feedback.services import aggregation, freezing

logger = logging.getLogger(__name__)

BUDGET_SECONDS = 8.0
"""Shorter than the beat's interval, so that a long backlog never piles up messages; the next beat goes on."""


@shared_task(acks_late=True, ignore_result=True, soft_time_limit=60, time_limit=90)
def aggregate_stale_tasks() -> int:
    """Rebuild the preferences and scores of tasks whose judgements changed; how many tasks were rebuilt."""
    until, done = time.monotonic() + BUDGET_SECONDS, 0
    while time.monotonic() < until:
        rebuilt = aggregation.aggregate_stale_tasks(limit=aggregation.BATCH)
        done += rebuilt
        if not rebuilt:
            break
    return done


@shared_task(acks_late=True, ignore_result=True, soft_time_limit=3000, time_limit=3300)
def freeze_version(version_id: str) -> None:
    """Freeze one waiting dataset version; the row says how it ended."""
    try:
        freezing.freeze_version(version_id)
    except FeedbackError as error:
        logger.info("Dataset version %s failed: %s", version_id, error)


@shared_task(acks_late=True, ignore_result=True, soft_time_limit=60, time_limit=90)
def resume_freezing() -> None:
    """Send again what has been waiting for a minute: its message or its worker may be gone.  Harmless if it is not."""
    old = timezone.now() - timedelta(minutes=1)
    waiting = DatasetVersion.objects.filter(status=DatasetVersion.Status.FREEZING, created_at__lt=old)
    for version_id in waiting.values_list("pk", flat=True):
        freeze_version.delay(str(version_id))
