"""What a claim reads and writes of assignments: the leases a person holds, and a new one."""

from __future__ import annotations

import json
import secrets
import uuid
from datetime import datetime, timedelta

from annotation.models import Assignment
from annotation.seats import Standing
from feedback.models import Campaign, Rater, Task

_shuffle = secrets.SystemRandom().shuffle

INSERT = """
INSERT INTO annotation_assignment AS lease (id, campaign_id, task_id, rater_id, form_id, guideline_id, status, shown,
    started_at, expires_at, heartbeat_at, active_seconds, skip_reason, is_ahead)
VALUES (%(id)s, %(campaign)s, %(task)s, %(rater)s, %(form)s, %(guideline)s, 'leased', %(shown)s::jsonb,
    %(now)s, %(expires)s, %(now)s, 0, '', %(ahead)s)
ON CONFLICT (task_id, rater_id) DO UPDATE SET status = 'leased', form_id = EXCLUDED.form_id,
    guideline_id = EXCLUDED.guideline_id, expires_at = EXCLUDED.expires_at, heartbeat_at = EXCLUDED.heartbeat_at,
    is_ahead = EXCLUDED.is_ahead, ended_at = NULL
WHERE lease.status IN ('expired', 'released')
RETURNING lease.*
"""


def own_leases(rater: Rater, campaign: Campaign) -> list[Assignment]:
    """What the person holds here, overdue or not, locked: oldest first, what is leased for later last."""
    held = (
        Assignment.objects.of(rater, campaign)
        .leased()
        .select_for_update(no_key=True, of=("self",))
        .select_related("task", "form", "guideline")
        .order_by("is_ahead", "started_at")
    )
    own = list(held)
    for assignment in own:
        assignment.campaign, assignment.rater, assignment.task.campaign = campaign, rater, campaign
    return own


def lease_task(
    rater: Rater, campaign: Campaign, task: Task, standing: Standing, now: datetime, ahead_until: datetime | None = None
) -> Assignment:
    """Write the lease of a seat that is taken.  The order of the responses is drawn once per person and task.

    ahead_until: it is for later, and held that long.
    """
    shown = [*task.content.ids]
    _shuffle(shown)
    params = {
        "id": uuid.uuid4(),
        "campaign": campaign.pk,
        "task": task.pk,
        "rater": rater.pk,
        "form": standing.form_id,
        "guideline": standing.guideline_id,
        "shown": json.dumps(shown),
        "now": now,
        "expires": ahead_until or now + timedelta(seconds=standing.lease_seconds),
        "ahead": ahead_until is not None,
    }
    (assignment,) = Assignment.objects.raw(INSERT, params)
    task.campaign = campaign
    assignment.task, assignment.campaign, assignment.rater = task, campaign, rater
    if campaign.form is not None and campaign.form_id == standing.form_id:
        assignment.form = campaign.form
    if campaign.guideline_id == standing.guideline_id:
        assignment.guideline = campaign.guideline
    return assignment
