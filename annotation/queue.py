"""Who works on what, and when: the door to the queue.

    claim_assignment → extend_lease / save_draft → submit_judgement, or skip_assignment → undo_skip / revise
    claim_ahead → begin_ahead, for the task after it

A step of a person locks their cursor first (see `annotation.seats` for the whole order), so a double click, two tabs
and a retry take turns; different people meet only on the rows they share, and claims pass over locked rows.
Whoever calls these has checked that the person belongs to the campaign (`feedback.access`, `annotation.access`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import TextChoices
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.ahead import begin_ahead, claim_ahead, give_back_ahead
from annotation.deadlocks import again_after_deadlock
from annotation.drafts import load_draft, save_draft
from annotation.leases import Lease, LeaseRefusal, extend_lease, release_expired, skip_assignment, undo_skip
from annotation.models import Assignment
from annotation.seats import Standing, open_cursor, pick_again, pick_task, take_over_task, why_nothing
from annotation.submission import Editable, Submission, editable_judgement, last_ended, submit_judgement
from annotation.taking import lease_task, own_leases
from feedback.models import Campaign, Rater, Task

__all__ = [
    "Claim",
    "Editable",
    "Lease",
    "LeaseRefusal",
    "NothingToDo",
    "Submission",
    "begin_ahead",
    "claim_ahead",
    "claim_assignment",
    "editable_judgement",
    "extend_lease",
    "give_back_ahead",
    "last_ended",
    "load_draft",
    "release_expired",
    "save_draft",
    "skip_assignment",
    "submit_judgement",
    "undo_skip",
]


class NothingToDo(TextChoices):
    """Why a claim got no assignment."""

    NOT_STARTED = "not_started", _("This campaign has not started yet.")
    PAUSED = "paused", _("This campaign is paused.")
    CLOSED = "closed", _("This campaign is closed.")
    QUOTA_REACHED = "quota_reached", _("This campaign has all the judgements it asked for.")
    YOUR_QUOTA_REACHED = (
        "your_quota_reached",
        _("You have given as many judgements as this campaign takes from one person."),
    )
    HOLDS_ENOUGH = "holds_enough", _("You hold as many tasks as one person may hold at once.")
    NOT_QUALIFIED = "not_qualified", _("This campaign asks for a qualification that you do not have yet.")
    PARKED = (
        "parked",
        _("The tasks that are left wait for the campaign's manager, as several people skipped them."),
    )
    LEASED = "leased", _("The tasks that are left are being worked on by others.")
    YOURS_DONE = "yours_done", _("You have been through every task; what is left is for others.")
    ALL_DONE = "all_done", _("Every task has all its judgements.")


CLOSED_BECAUSE = {
    Campaign.Status.DRAFT: NothingToDo.NOT_STARTED,
    Campaign.Status.PAUSED: NothingToDo.PAUSED,
    Campaign.Status.CLOSED: NothingToDo.CLOSED,
    Campaign.Status.ARCHIVED: NothingToDo.CLOSED,
}


@dataclass(frozen=True)
class Claim:
    """What a claim came to.  Without an assignment, `reason` says why and `until` when to look again, if known.

    assignment: its task, campaign and rater are loaded; show `assignment.form` and `assignment.guideline`, which a
    newer version of the campaign's does not change.  resumed: the person had it already.
    """

    assignment: Assignment | None
    reason: NothingToDo | None = None
    until: datetime | None = None
    resumed: bool = False


@again_after_deadlock
@transaction.atomic
def claim_assignment(*, rater: Rater, campaign: Campaign) -> Claim:
    """The rater's own lease if they hold one, else a lease of the next task they may judge (at most 6 statements).

    The walk goes on from the rater's cursor, passing over rows that others hold; then takes over a lease that ran out;
    then starts again at the beginning of the order and waits for whoever holds a row, before it says "nothing left".
    """
    now = timezone.now()
    standing = open_cursor(rater, campaign, now)
    if (reason := _refusal(standing)) is not None:
        return Claim(None, reason)
    own = own_leases(rater, campaign)
    if (mine := _resume(own, standing, now)) is not None:
        return Claim(mine, resumed=True)
    if len(own) >= standing.max_leases:
        return Claim(None, NothingToDo.HOLDS_ENOUGH, until=min(lease.expires_at for lease in own))
    if standing.quota is not None and standing.n_quota_used >= standing.quota:
        return Claim(None, NothingToDo.QUOTA_REACHED)
    if standing.quota is not None and standing.n_quota_used + standing.n_live >= standing.quota:
        return Claim(None, NothingToDo.LEASED, until=why_nothing(rater, campaign).until)
    task = pick_task(rater, campaign, standing) or take_over_task(rater, campaign, now) or pick_again(rater, campaign)
    if task is None:
        return _explain(rater, campaign)
    return Claim(lease_task(rater, campaign, task, standing, now))


def _refusal(standing: Standing) -> NothingToDo | None:
    """What keeps this person from any task of the campaign."""
    if standing.status != Campaign.Status.ACTIVE:
        return CLOSED_BECAUSE[Campaign.Status(standing.status)]
    if standing.form_id is None:
        return NothingToDo.NOT_STARTED
    if standing.rater_quota is not None and standing.n_counted >= standing.rater_quota:
        return NothingToDo.YOUR_QUOTA_REACHED
    return None


def _resume(own: list[Assignment], standing: Standing, now: datetime) -> Assignment | None:
    """The lease the person holds, extended.  One that ran out is theirs until somebody takes its seat.

    What was leased for later comes last; it begins now, under the questions and guidelines in force.
    """
    mine = next((lease for lease in own if lease.task.status == Task.Status.OPEN), None)
    if mine is None:
        return None
    mine.expires_at, mine.heartbeat_at = now + timedelta(seconds=standing.lease_seconds), now
    changed = ["expires_at", "heartbeat_at"]
    if mine.is_ahead:
        mine.is_ahead, mine.started_at = False, now
        assert standing.form_id is not None  # noqa: S101  (_refusal turns a campaign without one away)
        mine.form_id, mine.guideline_id = standing.form_id, standing.guideline_id
        changed += ["is_ahead", "started_at", "form", "guideline"]
    mine.save(update_fields=changed)
    return mine


def _explain(rater: Rater, campaign: Campaign) -> Claim:
    left = why_nothing(rater, campaign)
    if left.until is not None:
        return Claim(None, NothingToDo.LEASED, until=left.until)
    if left.has_parked:
        return Claim(None, NothingToDo.PARKED)
    return Claim(None, NothingToDo.YOURS_DONE if left.has_seats else NothingToDo.ALL_DONE)
