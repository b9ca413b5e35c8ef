"""The seats of a task: one SQL statement per step.  Whoever calls these holds the transaction.

Lock order, everywhere: cursor (one per person and campaign; it makes a person's own steps take turns) → assignment →
task → campaign.  A claim locks its task before it inserts the assignment, which no one else can be after: it is either
new, or an ended one of the same person.  Rows are locked FOR NO KEY UPDATE, so that inserts which refer to them never
wait.  Whatever locks several tasks does so by id.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from feedback.models import Campaign, Rater, Task

NOT_MINE = """
    NOT EXISTS (SELECT FROM annotation_assignment mine WHERE mine.task_id = task.id AND mine.rater_id = %(rater)s
        AND mine.status IN ('leased', 'submitted', 'skipped') OFFSET 0)
    AND NOT EXISTS (SELECT FROM feedback_judgement said WHERE said.task_id = task.id AND said.rater_id = %(rater)s
        AND said.is_current OFFSET 0)
"""
NEVER_MINE = """
    NOT EXISTS (SELECT FROM annotation_assignment mine WHERE mine.task_id = task.id AND mine.rater_id = %(rater)s
        OFFSET 0)
    AND NOT EXISTS (SELECT FROM feedback_judgement said WHERE said.task_id = task.id AND said.rater_id = %(rater)s
        AND said.is_current OFFSET 0)
"""
# OFFSET 0: asked task by task, by index.  Without fresh statistics a join would read all of a rater's past.

OPEN_CURSOR = """
WITH walk AS (
    INSERT INTO annotation_cursor (campaign_id, rater_id, order_key) VALUES (%(campaign)s, %(rater)s, -1)
    ON CONFLICT (campaign_id, rater_id) DO UPDATE SET order_key = annotation_cursor.order_key
    RETURNING order_key, n_counted
)
SELECT walk.order_key, walk.n_counted, c.status, c.lease_seconds, c.form_id, c.guideline_id, c.max_leases,
    c.rater_quota, c.has_priorities, EXISTS (SELECT FROM annotation_reservation wish
        WHERE wish.campaign_id = c.id AND wish.rater_id = %(rater)s), c.quota, c.n_quota_used,
    CASE WHEN c.quota IS NULL THEN 0 ELSE (SELECT count(*) FROM annotation_assignment a
        WHERE a.campaign_id = c.id AND a.status = 'leased' AND a.expires_at > %(now)s) END
FROM walk, feedback_campaign c WHERE c.id = %(campaign)s
"""

# The condition on status and seats repeats that of the index `task_claimable`, in whose order the tasks are walked.
PICK = """
WITH picked AS (
    SELECT task.id FROM feedback_task task
    WHERE task.campaign_id = %(campaign)s AND task.status = 'open' AND task.n_leased < (task.overlap - task.n_counted)
        AND task.order_key > %(after)s AND {not_mine}
    ORDER BY task.order_key LIMIT 1 FOR NO KEY UPDATE OF task {wait}
), seated AS (
    UPDATE feedback_task task SET n_leased = task.n_leased + 1 FROM picked WHERE task.id = picked.id RETURNING task.*
), moved AS (
    UPDATE annotation_cursor SET order_key = seated.order_key FROM seated
    WHERE annotation_cursor.campaign_id = %(campaign)s AND annotation_cursor.rater_id = %(rater)s
)
SELECT * FROM seated
"""
PICK_FREE = PICK.format(not_mine=NOT_MINE, wait="SKIP LOCKED")
PICK_WAITING = PICK.format(not_mine=NOT_MINE, wait="")

# What a manager asked for comes first: tasks reserved for this person, then those with a priority.  Of the latter the
# first 500 with a free seat are looked at, so that having judged thousands costs no more; the walk finds the rest.
PICK_FIRST = """
WITH reserved AS (
    SELECT task.id FROM annotation_reservation wish JOIN feedback_task task ON task.id = wish.task_id
    WHERE wish.campaign_id = %(campaign)s AND wish.rater_id = %(rater)s AND task.status = 'open'
        AND task.n_leased < (task.overlap - task.n_counted) AND {not_mine}
    ORDER BY wish.id LIMIT 1 FOR NO KEY UPDATE OF task SKIP LOCKED
), urgent AS (
    SELECT task.id FROM (SELECT id FROM feedback_task task
        WHERE task.campaign_id = %(campaign)s AND task.status = 'open' AND task.priority > 0
            AND task.n_leased < (task.overlap - task.n_counted) AND NOT EXISTS (SELECT FROM reserved)
        ORDER BY task.priority DESC, task.order_key LIMIT 500) near JOIN feedback_task task ON task.id = near.id
    WHERE task.status = 'open' AND task.n_leased < (task.overlap - task.n_counted) AND {not_mine}
    ORDER BY task.priority DESC, task.order_key LIMIT 1 FOR NO KEY UPDATE OF task SKIP LOCKED
), walked AS (
    SELECT task.id FROM feedback_task task
    WHERE task.campaign_id = %(campaign)s AND task.status = 'open' AND task.n_leased < (task.overlap - task.n_counted)
        AND task.order_key > %(after)s AND {not_mine}
        AND NOT EXISTS (SELECT FROM reserved) AND NOT EXISTS (SELECT FROM urgent)
    ORDER BY task.order_key LIMIT 1 FOR NO KEY UPDATE OF task SKIP LOCKED
), seated AS (
    UPDATE feedback_task task SET n_leased = task.n_leased + 1
    FROM (SELECT id FROM reserved UNION ALL SELECT id FROM urgent UNION ALL SELECT id FROM walked) picked
    WHERE task.id = picked.id RETURNING task.*
), moved AS (
    UPDATE annotation_cursor SET order_key = seated.order_key FROM seated, walked
    WHERE annotation_cursor.campaign_id = %(campaign)s AND annotation_cursor.rater_id = %(rater)s
), served AS (
    DELETE FROM annotation_reservation wish USING seated
    WHERE wish.task_id = seated.id AND wish.rater_id = %(rater)s
)
SELECT * FROM seated
"""
PICKS = {
    ahead: (PICK.format(not_mine=mine, wait="SKIP LOCKED"), PICK_FIRST.format(not_mine=mine))
    for ahead, mine in ((False, NOT_MINE), (True, NEVER_MINE))
}
"""Whether it is for later → (the walk alone, what a manager asked for and then the walk)."""

# The seat changes hands, so the task is not touched, nor locked.
TAKE_OVER = f"""
WITH due AS (
    SELECT lease.id, lease.task_id FROM annotation_assignment lease JOIN feedback_task task ON task.id = lease.task_id
    WHERE lease.campaign_id = %(campaign)s AND lease.status = 'leased' AND lease.expires_at <= %(now)s
        AND task.status = 'open' AND {NOT_MINE}
    ORDER BY lease.expires_at LIMIT 1 FOR NO KEY UPDATE OF lease SKIP LOCKED
), ended AS (
    UPDATE annotation_assignment lease SET status = 'expired', ended_at = %(now)s FROM due WHERE lease.id = due.id
)
SELECT task.* FROM feedback_task task JOIN due ON due.task_id = task.id
"""  # noqa: S608  the parts are constants of this file

FILL = """
WITH place AS (
    SELECT id, %(held)s OR n_leased < overlap - n_counted AS free FROM feedback_task WHERE id = %(task)s
    FOR NO KEY UPDATE
), own AS (
    SELECT c.rater_quota IS NULL OR coalesce(walk.n_counted, 0) < c.rater_quota AS has_left
    FROM feedback_campaign c LEFT JOIN annotation_cursor walk ON walk.campaign_id = c.id AND walk.rater_id = %(rater)s
    WHERE c.id = %(campaign)s
), paid AS (
    UPDATE feedback_campaign c SET n_quota_used = c.n_quota_used + 1 FROM place, own
    WHERE c.id = %(campaign)s AND place.free AND own.has_left AND c.n_quota_used < c.quota RETURNING c.id
), verdict AS MATERIALIZED (
    SELECT place.id, own.has_left, place.free AND own.has_left AND (EXISTS (SELECT FROM paid)
        OR EXISTS (SELECT FROM feedback_campaign c WHERE c.id = %(campaign)s AND c.quota IS NULL)) AS counted
    FROM place, own
), spent AS (
    UPDATE annotation_cursor walk SET n_counted = walk.n_counted + 1 FROM verdict
    WHERE verdict.counted AND walk.campaign_id = %(campaign)s AND walk.rater_id = %(rater)s
)
UPDATE feedback_task task SET n_leased = task.n_leased - %(held)s::int,
    n_counted = task.n_counted + verdict.counted::int, n_skipped = task.n_skipped - %(was_skipped)s::int,
    needs_aggregation = task.needs_aggregation OR verdict.counted
FROM verdict WHERE task.id = verdict.id RETURNING verdict.counted, verdict.has_left
"""

RELEASE = """
WITH due AS (
    SELECT id, task_id FROM annotation_assignment WHERE status = 'leased' AND expires_at <= %(now)s
    ORDER BY expires_at LIMIT %(limit)s FOR NO KEY UPDATE SKIP LOCKED
), ended AS (
    UPDATE annotation_assignment lease SET status = 'expired', ended_at = %(now)s FROM due WHERE lease.id = due.id
), freed AS MATERIALIZED (
    SELECT task_id, count(*) AS n FROM due GROUP BY task_id
), locked AS MATERIALIZED (
    SELECT task.id FROM feedback_task task WHERE task.id IN (SELECT task_id FROM freed) ORDER BY task.id
    FOR NO KEY UPDATE
), counted AS (
    UPDATE feedback_task task SET n_leased = task.n_leased - freed.n FROM freed, locked
    WHERE task.id = freed.task_id AND locked.id = task.id
)
SELECT count(*) FROM due
"""

WHY_NOTHING = f"""
SELECT
    (SELECT min(lease.expires_at) FROM annotation_assignment lease JOIN feedback_task task ON task.id = lease.task_id
     WHERE lease.campaign_id = %(campaign)s AND lease.status = 'leased' AND task.status = 'open' AND {NOT_MINE}),
    EXISTS (SELECT FROM feedback_task task WHERE task.campaign_id = %(campaign)s AND task.status = 'open'
        AND task.n_leased < (task.overlap - task.n_counted)),
    EXISTS (SELECT FROM annotation_parking parked JOIN feedback_task task ON task.id = parked.task_id
        WHERE parked.campaign_id = %(campaign)s AND task.n_leased < (task.overlap - task.n_counted) AND {NOT_MINE})
"""  # noqa: S608  the parts are constants of this file


@dataclass(frozen=True)
class Standing:
    """Where a person's walk is, and the campaign as it stands.

    n_counted: the person's own.  n_live: everybody's live leases, looked up only under a quota.
    """

    order_key: int
    n_counted: int
    status: str
    lease_seconds: int
    form_id: int | None
    guideline_id: int | None
    max_leases: int
    rater_quota: int | None
    has_priorities: bool
    has_reservation: bool
    quota: int | None
    n_quota_used: int
    n_live: int


def one_row(sql: str, params: dict[str, Any]) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


def _task(sql: str, params: dict[str, Any]) -> Task | None:
    return next(iter(Task.objects.raw(sql, params)), None)


def open_cursor(rater: Rater, campaign: Campaign, now: datetime) -> Standing:
    """Make the person's cursor if need be and lock it: their other claims, submits and skips wait from here."""
    row = one_row(OPEN_CURSOR, {"campaign": campaign.pk, "rater": rater.pk, "now": now})
    if row is None:
        raise Campaign.DoesNotExist(f"Campaign {campaign.pk} is gone.")
    return Standing(*row)


def pick_task(rater: Rater, campaign: Campaign, standing: Standing, *, ahead: bool = False) -> Task | None:
    """Lease a seat of the next task, passing over rows that others hold right now: what a manager asked for, else the
    next one in the walk, to which the cursor moves.  ahead: only of tasks that the person never had before.
    """
    walk, first = PICKS[ahead]
    sql = first if standing.has_reservation or standing.has_priorities else walk
    return _task(sql, {"campaign": campaign.pk, "rater": rater.pk, "after": standing.order_key})


def pick_again(rater: Rater, campaign: Campaign) -> Task | None:
    """The walk from the beginning of the order; it waits for whoever holds a row."""
    return _task(PICK_WAITING, {"campaign": campaign.pk, "rater": rater.pk, "after": -1})


def take_over_task(rater: Rater, campaign: Campaign, now: datetime) -> Task | None:
    """End another person's overdue lease and keep its seat."""
    return _task(TAKE_OVER, {"campaign": campaign.pk, "rater": rater.pk, "now": now})


@dataclass(frozen=True)
class Filling:
    """counted: the seat is filled.  in_quota: the person may still give counted judgements in this campaign."""

    counted: bool
    in_quota: bool


def fill_seat(task_id: int, campaign_id: uuid.UUID, rater_id: int, *, held: bool, was_skipped: bool) -> Filling:
    """Turn a held seat, or a free one, into a counted one; not counted: none is free, or a quota is full.

    A held seat is given up in either case.
    """
    params = {"task": task_id, "campaign": campaign_id, "rater": rater_id, "held": held, "was_skipped": was_skipped}
    row = one_row(FILL, params)
    if row is None:
        raise Task.DoesNotExist(f"Task {task_id} is gone.")
    return Filling(*row)


def release_overdue(now: datetime, limit: int) -> int:
    """End up to `limit` overdue leases and free their seats.  Leases that someone holds right now are passed over."""
    row = one_row(RELEASE, {"now": now, "limit": limit})
    return int(row[0]) if row else 0


@dataclass(frozen=True)
class Remainder:
    """What is left that this person cannot have: when the first lease that blocks them runs out, whether seats are
    left that they may not take, whether tasks wait for the manager.
    """

    until: datetime | None
    has_seats: bool
    has_parked: bool


def why_nothing(rater: Rater, campaign: Campaign) -> Remainder:
    row = one_row(WHY_NOTHING, {"campaign": campaign.pk, "rater": rater.pk})
    return Remainder(*row) if row else Remainder(None, False, False)
