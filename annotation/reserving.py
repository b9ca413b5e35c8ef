"""A manager wants a certain person to judge a certain task: it comes first when they claim, if a seat is free."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Assignment, Reservation
from feedback.exceptions import WrongState
from feedback.models import Campaign, Rater, Task, User
from feedback.services.events import record_event


@transaction.atomic
def reserve_task(*, task: Task, rater: Rater, actor: User | None) -> Reservation:
    """Keep nothing free, but ask this person first; again is the same as once.

    Raises WrongState when the task is not open, or the person has it, answered it or skipped it.
    """
    if task.status != Task.Status.OPEN:
        message = _("The task “%(task)s” is %(status)s: open it first.")
        raise WrongState(message % {"task": task, "status": task.get_status_display()})
    turn = Assignment.objects.filter(task=task, rater=rater, status__in=["leased", "submitted", "skipped"]).first()
    if turn is not None:
        message = _("%(person)s has had the task “%(task)s” already (%(status)s).")
        raise WrongState(message % {"person": rater.user, "task": task, "status": turn.get_status_display()})
    reservation, created = Reservation.objects.get_or_create(
        task=task, rater=rater, defaults={"campaign_id": task.campaign_id, "created_by": actor}
    )
    if created:
        record_event(actor, "task.reserved", task, campaign=task.campaign, user=rater.name)
    return reservation


@transaction.atomic
def drop_reservation(reservation: Reservation, *, actor: User | None) -> None:
    record_event(actor, "task.unreserved", reservation.task, campaign=reservation.campaign, user=reservation.rater.name)
    reservation.delete()


def open_reservations(campaign: Campaign) -> QuerySet[Reservation, Any]:
    """What is not served yet, oldest first; `is_full`: no seat of the task is free now."""
    has_had = Assignment.objects.filter(
        task=OuterRef("task"), rater=OuterRef("rater"), status__in=["leased", "submitted", "skipped"]
    )
    free = Task.objects.filter(pk=OuterRef("task"), status=Task.Status.OPEN, n_leased__lt=F("overlap") - F("n_counted"))
    waiting = Reservation.objects.filter(~Exists(has_had), campaign=campaign)
    return waiting.annotate(is_full=~Exists(free)).select_related("task", "rater__user").order_by("pk")


@dataclass(frozen=True)
class Reserved:
    """How many tasks are reserved now, and why others are not."""

    n_reserved: int
    refused: tuple[str, ...]


def reserve_tasks(tasks: Iterable[Task], rater: Rater, *, actor: User | None) -> Reserved:
    """Each by itself: one that cannot be reserved says why and keeps no other from it."""
    refused: list[str] = []
    n_reserved = 0
    for task in tasks:
        try:
            reserve_task(task=task, rater=rater, actor=actor)
            n_reserved += 1
        except WrongState as error:
            refused.append(str(error))
    return Reserved(n_reserved, tuple(refused))
