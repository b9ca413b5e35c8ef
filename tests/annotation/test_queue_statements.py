"""What a claim and a submit cost: a fixed number of statements, along an index, however much lies behind."""

import json
import uuid
from collections.abc import Iterator

import pytest
from django.db import connection
from django.utils import timezone

from annotation.models import Cursor
from annotation.queue import claim_assignment, skip_assignment
from annotation.seats import PICK_FREE
from feedback.models import Campaign
from tests.annotation.queueing import claim, raters, run_out, statements, submit
from tests.factories import CampaignFactory, TaskFactory

pytestmark = pytest.mark.django_db
BUDGET = 6


def open_campaign(n_tasks: int, **fields) -> Campaign:
    """With `n_tasks` tasks, of which the factory makes one and the database the others."""
    campaign = CampaignFactory(n_tasks=1, **fields)
    campaign.tasks.update(overlap=campaign.overlap)
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO feedback_task (campaign_id, external_id, content_hash, prompt_hash, content, metadata,
                 status, order_key, overlap, n_leased, n_counted, n_skipped, needs_aggregation, created_at)
               SELECT campaign_id, 'copy-' || n, content_hash, prompt_hash, content, metadata, status,
                 hashint8extended(n, 7) & 9223372036854775807, overlap, 0, 0, 0, false, created_at
               FROM feedback_task, generate_series(2, %s) n WHERE campaign_id = %s""",
            [n_tasks, campaign.pk],
        )
    Campaign.objects.filter(pk=campaign.pk).update(status=Campaign.Status.ACTIVE)
    campaign.refresh_from_db()
    return campaign


def last_in_order(campaign, rater) -> None:
    Cursor.objects.filter(campaign=campaign, rater=rater).update(order_key=2**63 - 1)


@pytest.mark.parametrize("quota", [None, 1000])
def test_a_claim_costs_the_same_few_statements_with_2_and_with_200_tasks(quota):
    counts = []
    for n_tasks in (2, 200):
        campaign = open_campaign(n_tasks, quota=quota)
        (rater,) = raters(1)
        counts.append(len(statements(lambda c=campaign, r=rater: claim(r, c))))

    assert counts[0] == counts[1] <= BUDGET


def test_the_longest_way_to_a_task_stays_within_the_budget():
    """No own lease, nothing ahead, nothing overdue: back to the beginning of the order."""
    campaign = open_campaign(3)
    bob, carol = raters(2)
    skip_assignment(assignment_id=claim(bob, campaign).pk, rater=bob)
    submit(claim(carol, campaign))
    last_in_order(campaign, carol)

    spent = statements(lambda: claim(carol, campaign))

    assert len(spent) == BUDGET
    assert sum("SKIP LOCKED" in sql for sql in spent) == 2  # ahead, overdue; the last look waits


def test_finding_nothing_stays_within_the_budget():
    campaign = open_campaign(1)
    bob, carol = raters(2)
    claim(bob, campaign)

    spent = statements(lambda: claim_assignment(rater=carol, campaign=campaign))

    assert len(spent) == BUDGET


@pytest.mark.parametrize("quota", [None, 1000])
def test_a_submit_costs_the_same_few_statements_with_2_and_with_200_tasks(quota):
    counts = []
    for n_tasks in (2, 200):
        campaign = open_campaign(n_tasks, quota=quota)
        (rater,) = raters(1)
        assignment = claim(rater, campaign)
        counts.append(len(statements(lambda a=assignment: submit(a))))

    assert counts[0] == counts[1] <= BUDGET


def test_every_kind_of_submit_stays_within_the_budget():
    campaign = open_campaign(3, quota=1000)
    bob, carol = raters(2)
    assignment = claim(bob, campaign)
    run_out(assignment)
    claim(carol, campaign)

    late = statements(lambda: submit(assignment, key="page-1"))
    retry = statements(lambda: submit(assignment, key="page-1"))
    same_key = statements(lambda: submit(assignment, "r2", key="page-1"))
    edit = statements(lambda: submit(assignment, "r1", key="page-2"))

    assert max(map(len, (late, retry, same_key, edit))) <= BUDGET
    assert len(retry) == 3


def explain(campaign, rater) -> dict:
    """The plan of the first look of a claim, as it ran, with the pages it touched."""
    after = Cursor.objects.get(campaign=campaign, rater=rater).order_key
    params = {"campaign": campaign.pk, "rater": rater.pk, "after": after}
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + PICK_FREE, params)
        found = cursor.fetchone()[0]
    return (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]


def nodes(plan: dict) -> Iterator[dict]:
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def judge_many(campaign, rater, n: int) -> None:
    """`n` tasks from the beginning of the order are judged by the rater, who goes on from there."""
    with connection.cursor() as cursor:
        cursor.execute(
            """WITH done AS (SELECT id, order_key FROM feedback_task WHERE campaign_id = %(campaign)s
                             ORDER BY order_key LIMIT %(n)s),
               said AS (INSERT INTO feedback_judgement (campaign_id, task_id, rater_id, form_id, answers, shown, key,
                   body_hash, is_current, is_counted, is_surplus, created_at)
                 SELECT %(campaign)s, id, %(rater)s, %(form)s, '{}', '[]', id::text, '', true, false, false, %(now)s
                 FROM done),
               held AS (INSERT INTO annotation_assignment (id, campaign_id, task_id, rater_id, form_id, status, shown,
                   started_at, expires_at, heartbeat_at, ended_at, active_seconds, skip_reason)
                 SELECT gen_random_uuid(), %(campaign)s, id, %(rater)s, %(form)s, 'submitted', '[]', %(now)s, %(now)s,
                   %(now)s, %(now)s, 0, '' FROM done)
               INSERT INTO annotation_cursor (campaign_id, rater_id, order_key)
                 SELECT %(campaign)s, %(rater)s, max(order_key) FROM done""",
            {
                "campaign": campaign.pk, "rater": rater.pk, "form": campaign.form_id, "n": n, "now": timezone.now(),
            },
        )  # fmt: skip


def test_a_claim_walks_the_partial_index_and_touches_no_more_pages_when_much_lies_behind():
    """With the statistics that an import leaves (`import_tasks` analyses what it fills)."""
    pages = {}
    for n_tasks, n_done in ((20, 2), (20_000, 10_000)):
        campaign = open_campaign(n_tasks, overlap=3)
        (rater,) = raters(1)
        judge_many(campaign, rater, n_done)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE feedback_task, feedback_judgement, annotation_assignment")
        plan = explain(campaign, rater)
        pages[n_tasks] = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    used = {node.get("Index Name") for node in nodes(plan)}
    scanned = {node["Relation Name"] for node in nodes(plan) if node["Node Type"] == "Seq Scan"}
    assert "task_claimable" in used
    assert scanned <= {"annotation_cursor"}  # one row in this test
    assert pages[20_000] < pages[20] + 40


def test_a_task_that_is_imported_later_is_claimable_at_once():
    campaign = open_campaign(2)
    (rater,) = raters(1)
    for _ in range(2):
        submit(claim(rater, campaign))
    TaskFactory(campaign=campaign, external_id=uuid.uuid4().hex)

    assert claim(rater, campaign)
