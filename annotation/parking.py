"""Tasks that people skip again and again wait for the manager, who opens them again or withdraws them."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Assignment, Parking
from feedback.exceptions import WrongState
from feedback.models import Campaign, Task, User
from feedback.services.events import record_event


def park_if_skipped_often(assignment: Assignment) -> None:
    """Within a skip, whose transaction holds the task: `park_after_skips` skips park it (by compare-and-swap)."""
    limit = assignment.campaign.park_after_skips
    tasks = Task.objects.filter(pk=assignment.task_id, status=Task.Status.OPEN)
    if limit is not None and tasks.filter(n_skipped__gte=limit).update(status=Task.Status.PARKED):
        Parking.objects.create(task_id=assignment.task_id, campaign_id=assignment.campaign_id, assignment=assignment)


def has_parked(assignment: Assignment) -> bool:
    """Whether it was this skip that parked the task."""
    return Parking.objects.filter(assignment=assignment).exists()


@transaction.atomic
def unpark_task(task: Task, *, actor: User) -> None:
    """Open it for everybody who has not skipped it; one more skip parks it again.  Raises WrongState."""
    _move(task, [Task.Status.PARKED], Task.Status.OPEN, actor)


@transaction.atomic
def withdraw_task(task: Task, *, actor: User) -> None:
    """Nobody gets it any more, and no dataset frozen from now on holds it; what was answered is kept.

    Raises WrongState when it is withdrawn already.
    """
    _move(task, [Task.Status.OPEN, Task.Status.PARKED], Task.Status.WITHDRAWN, actor)


def _move(task: Task, sources: Sequence[str], status: str, actor: User) -> None:
    if not Task.objects.filter(pk=task.pk, status__in=sources).update(status=status):
        raise WrongState(_("Somebody has changed this task meanwhile: look at the list again."))
    Parking.objects.filter(task=task).delete()
    record_event(actor, f"task.{status}", task, campaign=task.campaign, before=task.status)
    task.status = status


def skipped_tasks(campaign: Campaign) -> list[Parking]:
    """What waits for the manager, the longest first, each with `task`."""
    parked = Parking.objects.filter(campaign=campaign, task__status=Task.Status.PARKED)
    return list(parked.select_related("task"))
