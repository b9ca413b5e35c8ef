"""Keeping, giving up and getting back a lease."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, TextChoices
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.ahead import extend_ahead, release_ahead
from annotation.deadlocks import again_after_deadlock
from annotation.exceptions import AlreadySubmitted, AssignmentNotFound, TextInvalid
from annotation.models import Assignment, Cursor, Parking
from annotation.parking import has_parked, park_if_skipped_often
from annotation.seats import release_overdue
from annotation.seconds import keep_seconds
from feedback.models import Campaign, Rater, Task
from feedback.questions.base import UNSTORABLE

Status = Assignment.Status
MAX_REASON = 500


class LeaseRefusal(TextChoices):
    """Why a lease was not extended or given back."""

    TAKEN = "taken", gettext_lazy("Your time ran out and others took the task's places.")
    SUBMITTED = "submitted", gettext_lazy("Your answer is in already.")
    SKIPPED = "skipped", gettext_lazy("You skipped this task.")
    HOLDS_ENOUGH = (
        "holds_enough",
        gettext_lazy("You hold as many tasks as one person may hold at once: finish or skip one first."),
    )
    NOT_OPEN = "not_open", gettext_lazy("This campaign or task is not open any more.")


@dataclass(frozen=True)
class Lease:
    """Whether the person holds the seat now; if not, `refusal` says why.  An answer may be submitted in either case.

    renewed: it had run out, and a free seat was taken again.  ahead: the lease for later that the person holds too.
    """

    assignment: Assignment
    held: bool
    refusal: LeaseRefusal | None = None
    renewed: bool = False
    ahead: uuid.UUID | None = None

    @property
    def expires_at(self) -> datetime | None:
        return self.assignment.expires_at if self.held else None


def lock_assignment(assignment_id: uuid.UUID, rater: Rater) -> Assignment:
    """The person's assignment, locked after their cursor; with all it refers to (two statements).

    Raises AssignmentNotFound for another person's too.
    """
    cursors = Cursor.objects.filter(rater=rater, campaign__assignments=assignment_id)
    list(cursors.select_for_update(no_key=True, of=("self",)))
    assignment: Assignment | None = (
        Assignment.objects.filter(pk=assignment_id, rater=rater)
        .select_for_update(no_key=True, of=("self",))
        .select_related("task", "campaign", "form", "guideline")
        .first()
    )
    if assignment is None:
        raise AssignmentNotFound(_("There is no such assignment of yours: go back to the campaign and start again."))
    assignment.rater = rater
    return assignment


@again_after_deadlock
def extend_lease(assignment_id: uuid.UUID, rater: Rater, seconds: float | None = None) -> Lease:
    """Heartbeat: keep the seat for another `lease_seconds`.  A lease that ran out is renewed if a seat is free.

    seconds: the time at work that the browser has counted so far.  Raises SecondsInvalid when that cannot be.
    """
    now = timezone.now()
    with transaction.atomic():
        assignment = lock_assignment(assignment_id, rater)
        if assignment.status == Status.SUBMITTED:
            return Lease(assignment, held=False, refusal=LeaseRefusal.SUBMITTED)
        keep_seconds(assignment, seconds)
        if assignment.status == Status.LEASED:
            _move(assignment, Status.LEASED, now)
            return Lease(assignment, held=True, ahead=extend_ahead(assignment, now))
        if assignment.status == Status.SKIPPED:
            return Lease(assignment, held=False, refusal=LeaseRefusal.SKIPPED)
        return _take_back(assignment, now)


@again_after_deadlock
def skip_assignment(
    *, assignment_id: uuid.UUID, rater: Rater, reason: str = "", seconds: float | None = None
) -> Assignment:
    """Give up the seat, not the turn: the task goes to someone else and never to this person, unless undone.

    A task skipped often enough (`Campaign.park_after_skips`) goes to nobody until the manager has looked at it.
    Again is the same as once.  Raises AlreadySubmitted, TextInvalid, SecondsInvalid.
    """
    if len(reason) > MAX_REASON or UNSTORABLE.search(reason):
        raise TextInvalid(_("A reason has at most %(max)s characters, without NUL.") % {"max": MAX_REASON})
    with transaction.atomic():
        assignment = lock_assignment(assignment_id, rater)
        if assignment.status == Status.SUBMITTED:
            raise AlreadySubmitted(_("Your answer to this task is in: revise it instead of skipping the task."))
        if assignment.status == Status.SKIPPED:
            return assignment
        held = int(assignment.status == Status.LEASED)
        Task.objects.filter(pk=assignment.task_id).update(n_leased=F("n_leased") - held, n_skipped=F("n_skipped") + 1)
        keep_seconds(assignment, seconds)
        assignment.status, assignment.skip_reason, assignment.ended_at = Status.SKIPPED, reason, timezone.now()
        assignment.is_ahead = False
        assignment.save(update_fields=["status", "skip_reason", "ended_at", "active_seconds", "is_ahead"])
        park_if_skipped_often(assignment)
        return assignment


@again_after_deadlock
def undo_skip(*, assignment_id: uuid.UUID, rater: Rater) -> Lease:
    """Take the skipped task back if a seat is free, else say why not; it stays skipped then."""
    now = timezone.now()
    with transaction.atomic():
        assignment = lock_assignment(assignment_id, rater)
        if assignment.status == Status.SUBMITTED:
            return Lease(assignment, held=False, refusal=LeaseRefusal.SUBMITTED)
        if assignment.status == Status.LEASED:
            _move(assignment, Status.LEASED, now)
            return Lease(assignment, held=True)
        return _take_back(assignment, now)


def _take_back(assignment: Assignment, now: datetime) -> Lease:
    """Seat the person again.  A skip no longer counts then; if it parked the task, the task is open again."""
    was_skipped = assignment.status == Status.SKIPPED
    allowed = {Task.Status.OPEN, Task.Status.PARKED} if was_skipped and has_parked(assignment) else {Task.Status.OPEN}
    if assignment.campaign.status != Campaign.Status.ACTIVE or assignment.task.status not in allowed:
        return Lease(assignment, held=False, refusal=LeaseRefusal.NOT_OPEN)
    if _holds_enough(assignment):
        return Lease(assignment, held=False, refusal=LeaseRefusal.HOLDS_ENOUGH)
    seated = Task.objects.filter(
        pk=assignment.task_id, status__in=allowed, n_leased__lt=F("overlap") - F("n_counted")
    ).update(n_leased=F("n_leased") + 1, n_skipped=F("n_skipped") - int(was_skipped), status=Task.Status.OPEN)
    if not seated:
        return Lease(assignment, held=False, refusal=LeaseRefusal.TAKEN)
    if Task.Status.PARKED in allowed:
        Parking.objects.filter(assignment=assignment).delete()
    _move(assignment, Status.LEASED, now)
    return Lease(assignment, held=True, renewed=True)


def _holds_enough(assignment: Assignment) -> bool:
    """Whether the person holds all the seats they may; what they hold for later makes room first."""
    held = Assignment.objects.of(assignment.rater, assignment.campaign).leased()
    most = assignment.campaign.max_leases
    n_held = held.count()
    if n_held >= most:
        n_held -= release_ahead(assignment.rater, assignment.campaign_id)
    return n_held >= most


def _move(assignment: Assignment, status: str, now: datetime) -> None:
    assignment.status, assignment.ended_at, assignment.heartbeat_at, assignment.is_ahead = status, None, now, False
    assignment.expires_at = now + timedelta(seconds=assignment.campaign.lease_seconds)
    assignment.save(update_fields=["status", "ended_at", "heartbeat_at", "expires_at", "active_seconds", "is_ahead"])


def release_expired(limit: int = 500, *, stop: Callable[[], bool] = lambda: False) -> int:
    """End every overdue lease, `limit` to a transaction; returns how many.  stop: asked between two of them."""
    n_released = 0
    while not stop():
        with transaction.atomic():
            n_batch = release_overdue(timezone.now(), limit)
        n_released += n_batch
        if n_batch < limit:
            break
    return n_released
