"""Campaigns with as many tasks as a benchmark needs, and people with much behind them."""

from __future__ import annotations

import uuid
from typing import Any

TEXT = (
    "The sky is **blue** because air scatters short waves more than long ones.\n\n* Rayleigh, 1871.\n* Not the sea. "
    * 12
)
# The tasks that will be asked differ, so that nothing is rendered from a cache; the others are cheaper to write.
MANY_TASKS = """
INSERT INTO feedback_task (campaign_id, external_id, content_hash, prompt_hash, content, metadata, status, order_key,
    overlap, n_leased, n_counted, n_skipped, needs_aggregation, created_at)
SELECT campaign_id, 't' || n, content_hash, prompt_hash, CASE WHEN n <= 2000 OR place < 0.002
        OR place BETWEEN 0.0995 AND 0.103 THEN replace(content::text, 'blue', 'blue ' || n)::jsonb ELSE content END,
    metadata, status, key, overlap, 0, 0, 0, false, created_at
FROM feedback_task, generate_series(2, %s) n, LATERAL (SELECT hashint8extended(n, 7) & 9223372036854775807 AS key) k,
    LATERAL (SELECT key / 9.2e18 AS place) p
WHERE campaign_id = %s
"""
MUCH_PAST = """
WITH done AS MATERIALIZED (SELECT id, order_key FROM feedback_task WHERE campaign_id = %(campaign)s
        AND n_counted = 0 AND n_leased = 0 ORDER BY order_key LIMIT %(n)s),
said AS (INSERT INTO feedback_judgement (campaign_id, task_id, rater_id, form_id, guideline_id, answers, shown, key,
        body_hash, is_current, is_counted, is_surplus, created_at)
    SELECT %(campaign)s, id, %(rater)s, %(form)s, %(guideline)s, '{}', '[]', 'past-' || id, '', true, true, false, now()
    FROM done),
held AS (INSERT INTO annotation_assignment (id, campaign_id, task_id, rater_id, form_id, guideline_id, status, shown,
        started_at, expires_at, heartbeat_at, ended_at, active_seconds, skip_reason)
    SELECT gen_random_uuid(), %(campaign)s, id, %(rater)s, %(form)s, %(guideline)s, 'submitted', '[]', now(), now(),
        now(), now(), 30, '' FROM done),
walk AS (UPDATE annotation_cursor SET n_counted = n_counted + %(n)s, order_key = (SELECT max(order_key) FROM done)
    WHERE campaign_id = %(campaign)s AND rater_id = %(rater)s)
UPDATE feedback_task task SET n_counted = 1 FROM done WHERE task.id = done.id
"""


def seed(n_tasks: int) -> Any:
    """An active campaign of two responses of 1.4 KB a task, overlap 2."""
    from django.db import connection

    from feedback.models import Campaign, Task
    from feedback.questions.content import dump_content, prompt_hash, read_content, sha256_of
    from feedback.services.campaigns import activate_campaign, create_campaign

    questions = [{"key": "better", "kind": "pairwise", "title": "Which response is better?"}]
    campaign = create_campaign(
        actor=None, name=f"queue-{uuid.uuid4().hex[:8]}", questions=questions, overlap=2, guidelines="Read *both*."
    )
    content = read_content({"prompt": "Why is the sky blue?", "responses": [TEXT[:1400], TEXT[20:1420]]})
    raw = dump_content(content)
    hashes = {"content_hash": sha256_of(raw), "prompt_hash": prompt_hash(content)}
    Task.objects.create(campaign=campaign, external_id="t1", content_raw=raw, overlap=2, **hashes)
    with connection.cursor() as cursor:
        cursor.execute(MANY_TASKS, [n_tasks, campaign.pk])
        cursor.execute("ANALYZE feedback_task")  # as an import does
    activate_campaign(campaign, actor=None)
    return Campaign.objects.select_related("form", "guideline").get(pk=campaign.pk)


def member(campaign: Any) -> Any:
    from feedback.models import GuidelineReading, User
    from feedback.services.campaigns import set_role

    user = User.objects.create(username=f"queue-{uuid.uuid4().hex[:12]}")
    set_role(campaign, user, "annotator", actor=None)
    GuidelineReading.objects.create(guideline=campaign.guideline, user=user)
    return user


def live_past(campaign: Any, rater: Any, n: int) -> None:
    """Let the person have judged `n` tasks of the campaign."""
    from django.db import connection

    form, guideline = campaign.form_id, campaign.guideline_id
    with connection.cursor() as cursor:
        params = {"campaign": campaign.pk, "rater": rater.pk, "form": form, "guideline": guideline, "n": n}
        cursor.execute(MUCH_PAST, params)
        cursor.execute("ANALYZE feedback_task, feedback_judgement, annotation_assignment")  # as autovacuum would
