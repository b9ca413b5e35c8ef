"""The task after the one worked on, leased early so that it can be there at once.

It is a second, short lease of the same person (`Assignment.is_ahead`): not shown yet, so its clock has not begun, and
the questions and guidelines in force when it is shown are the ones that count.  It is kept by the heartbeat of the task
worked on, runs out soon without it, and is taken only where a seat is left for everybody else at work.
"""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from annotation.deadlocks import again_after_deadlock
from annotation.models import Assignment, Cursor
from annotation.seats import Standing, one_row, open_cursor, pick_task
from annotation.taking import lease_task, own_leases
from feedback.models import Campaign, Rater

AHEAD_SECONDS = 120
"""How long a lease for later is held without a heartbeat."""

# Whoever works now may still need a seat for their next task: a second one is taken only where there is one for each.
ROOM = """
WITH working AS MATERIALIZED (
    SELECT count(*) AS n FROM annotation_assignment WHERE campaign_id = %(campaign)s AND status = 'leased'
), near AS (
    SELECT task.overlap - task.n_counted - task.n_leased AS n_free FROM feedback_task task
    WHERE task.campaign_id = %(campaign)s AND task.status = 'open' AND task.n_leased < (task.overlap - task.n_counted)
    LIMIT (SELECT n + 1 FROM working)
)
SELECT (SELECT n FROM working), coalesce(sum(n_free), 0) FROM near
"""

BEGIN_AHEAD = """
UPDATE annotation_assignment lease SET is_ahead = false, started_at = %(now)s, heartbeat_at = %(now)s,
    expires_at = %(now)s + make_interval(secs => c.lease_seconds)
FROM feedback_campaign c, feedback_task task
WHERE lease.id = %(id)s AND lease.rater_id = %(rater)s AND lease.status = 'leased' AND lease.is_ahead
    AND c.id = lease.campaign_id AND c.status = 'active' AND task.id = lease.task_id AND task.status = 'open'
    AND lease.form_id = c.form_id AND lease.guideline_id IS NOT DISTINCT FROM c.guideline_id
RETURNING true
"""

RELEASE_AHEAD = """
WITH due AS (
    SELECT id, task_id FROM annotation_assignment
    WHERE campaign_id = %(campaign)s AND rater_id = %(rater)s AND status = 'leased' AND is_ahead
    ORDER BY task_id FOR NO KEY UPDATE
), ended AS (
    UPDATE annotation_assignment lease SET status = 'released', is_ahead = false, ended_at = %(now)s
    FROM due WHERE lease.id = due.id
), freed AS (
    UPDATE feedback_task task SET n_leased = task.n_leased - 1 FROM due WHERE task.id = due.task_id
)
SELECT count(*) FROM due
"""


@again_after_deadlock
@transaction.atomic
def claim_ahead(*, rater: Rater, campaign: Campaign) -> Assignment | None:
    """Lease the task after the one the person holds, or give them the one leased before (at most 5 statements).

    None: they hold none or too many, the quota of one person is reached with what they hold, or others need the seat.
    """
    now = timezone.now()
    standing = open_cursor(rater, campaign, now)
    if standing.status != Campaign.Status.ACTIVE or standing.form_id is None:
        return None
    own = own_leases(rater, campaign)
    shown = [lease for lease in own if not lease.is_ahead]
    kept = next((lease for lease in own if lease.is_ahead), None)
    if kept is not None or not shown:
        return kept if shown else None
    quota = standing.rater_quota
    full = len(own) >= standing.max_leases or (quota is not None and standing.n_counted + len(own) >= quota)
    if full or not _has_room(campaign, standing):
        return None
    task = pick_task(rater, campaign, standing, ahead=True)
    if task is None:
        return None
    return lease_task(rater, campaign, task, standing, now, ahead_until=_until(standing.lease_seconds, now))


def _until(lease_seconds: int, now: datetime) -> datetime:
    return now + timedelta(seconds=min(AHEAD_SECONDS, lease_seconds))


def _has_room(campaign: Campaign, standing: Standing) -> bool:
    """Whether everybody at work can still have a next seat, and a place in the quota."""
    n_working, n_free = one_row(ROOM, {"campaign": campaign.pk}) or (0, 0)
    in_quota = standing.quota is None or standing.quota - standing.n_quota_used - n_working >= n_working
    return bool(n_free >= n_working and in_quota)


def begin_ahead(assignment_id: uuid.UUID, rater: Rater) -> bool:
    """It is shown now: an ordinary lease from here on, by compare-and-swap (one statement).

    False: it ran out, was given back, or was leased under older questions or guidelines; claim the ordinary way.
    """
    return one_row(BEGIN_AHEAD, {"id": assignment_id, "rater": rater.pk, "now": timezone.now()}) is not None


def extend_ahead(worked_on: Assignment, now: datetime) -> uuid.UUID | None:
    """Hold the lease for later as long as the person is at work; its id, if there is one still."""
    until = _until(worked_on.campaign.lease_seconds, now)
    kept = Assignment.objects.of(worked_on.rater, worked_on.campaign).leased().filter(is_ahead=True)
    ids: list[uuid.UUID] = list(kept.exclude(pk=worked_on.pk).values_list("pk", flat=True))
    if not ids:
        return None
    kept.filter(pk__in=ids).update(expires_at=until, heartbeat_at=now)
    return ids[0]


def give_back_ahead(rater: Rater, campaign: Campaign) -> int:
    """The person leaves: what was leased for later goes back to everybody; returns how many (two statements)."""
    with transaction.atomic():
        list(Cursor.objects.filter(rater=rater, campaign=campaign).select_for_update(no_key=True, of=("self",)))
        return release_ahead(rater, campaign.pk)


def release_ahead(rater: Rater, campaign_id: uuid.UUID) -> int:
    """Within a step that holds the person's cursor (one statement)."""
    row = one_row(RELEASE_AHEAD, {"campaign": campaign_id, "rater": rater.pk, "now": timezone.now()})
    return int(row[0]) if row else 0
