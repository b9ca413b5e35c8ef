"""Everybody at once: threads with connections of their own on a real PostgreSQL."""

import random
import time
import uuid
from collections import Counter

import pytest

from annotation import deadlocks
from annotation.exceptions import AlreadySubmitted, QueueError
from annotation.models import Assignment
from annotation.queue import (
    NothingToDo,
    claim_assignment,
    extend_lease,
    release_expired,
    skip_assignment,
    undo_skip,
)
from feedback.models import Campaign, Judgement
from tests.annotation.queueing import assert_seats_add_up, claim, raters, run_out, submit, together
from tests.factories import CampaignFactory

pytestmark = pytest.mark.django_db(transaction=True)


def open_campaign(n_tasks: int, **fields) -> Campaign:
    return CampaignFactory(n_tasks=n_tasks, active=True, **fields)


def test_twenty_raters_at_once_get_twenty_tasks():
    campaign = open_campaign(20)

    got = together(*(lambda r=rater: claim(r, campaign) for rater in raters(20)))

    assert len({assignment.task_id for assignment in got}) == 20
    assert_seats_add_up(campaign)


def test_twenty_raters_at_once_never_exceed_the_overlap():
    campaign = open_campaign(3, overlap=2)

    got = together(*(lambda r=rater: claim_assignment(rater=r, campaign=campaign) for rater in raters(20)))

    seated = Counter(one.assignment.task_id for one in got if one.assignment)
    assert sorted(seated.values()) == [2, 2, 2]
    assert {one.reason for one in got if not one.assignment} == {NothingToDo.LEASED}
    assert_seats_add_up(campaign)


def test_one_rater_who_claims_in_eight_tabs_gets_one_task():
    campaign = open_campaign(8)
    (rater,) = raters(1)

    got = together(*(lambda: claim(rater, campaign) for _ in range(8)))

    assert len({assignment.pk for assignment in got}) == 1
    assert_seats_add_up(campaign)


def test_a_submit_posted_eight_times_at_once_is_one_judgement():
    campaign = open_campaign(1)
    (rater,) = raters(1)
    assignment = claim(rater, campaign)

    got = together(*(lambda: submit(assignment, key="page-1") for _ in range(8)))

    assert {one.judgement.pk for one in got} == {Judgement.objects.get().pk}
    assert [one.created for one in got].count(True) == 1
    assert_seats_add_up(campaign)


def test_one_key_with_two_answers_at_once_keeps_both_and_counts_one():
    campaign = open_campaign(1)
    (rater,) = raters(1)
    assignment = claim(rater, campaign)

    together(lambda: submit(assignment, "r1", key="page-1"), lambda: submit(assignment, "r2", key="page-1"))

    assert Judgement.objects.count() == 2
    assert Judgement.objects.current().count() == 1
    assert_seats_add_up(campaign)


def test_revisions_and_a_retry_at_once_leave_one_current_judgement():
    campaign = open_campaign(1)
    (rater,) = raters(1)
    assignment = claim(rater, campaign)
    submit(assignment, "r1", key="page-1")

    got = together(
        lambda: submit(assignment, "r2", key="page-2"),
        lambda: submit(assignment, "r1", key="page-1"),
        lambda: submit(assignment, "r2", key="page-3"),
    )

    assert not [one for one in got if isinstance(one, Exception)]
    chain = list(Judgement.objects.order_by("pk"))
    assert [one.is_current for one in chain] == [False, False, True]
    assert [one.supersedes for one in chain] == [None, *chain[:-1]]
    assert_seats_add_up(campaign)


@pytest.mark.parametrize("attempt", range(3))
def test_an_overdue_seat_goes_to_exactly_one_of_all_who_want_it(attempt):
    campaign = open_campaign(1)
    bob, *others = raters(6)
    bobs = claim(bob, campaign)
    run_out(bobs)

    got = together(
        *(lambda r=rater: claim_assignment(rater=r, campaign=campaign) for rater in others),
        lambda: release_expired(),
        lambda: extend_lease(bobs.pk, bob),
    )

    held = [one for one in got[:5] if one.assignment] + [one for one in got[6:] if one.held]
    assert len(held) == 1
    assert_seats_add_up(campaign)


@pytest.mark.parametrize("attempt", range(3))
def test_a_late_submit_and_a_claim_share_the_last_seat_without_exceeding_it(attempt):
    campaign = open_campaign(1)
    bob, carol = raters(2)
    bobs = claim(bob, campaign)
    run_out(bobs)
    release_expired()

    late, carols = together(lambda: submit(bobs), lambda: claim_assignment(rater=carol, campaign=campaign))

    assert late.surplus == (carols.assignment is not None)
    assert_seats_add_up(campaign)


def test_a_skip_and_a_submit_at_once_end_in_a_submitted_answer():
    campaign = open_campaign(1)
    (rater,) = raters(1)
    assignment = claim(rater, campaign)

    submitted, skipped = together(
        lambda: submit(assignment), lambda: skip_assignment(assignment_id=assignment.pk, rater=rater)
    )

    assert submitted.created
    assert isinstance(skipped, Assignment | AlreadySubmitted)
    assert Judgement.objects.get().is_counted
    assert_seats_add_up(campaign)


def test_the_quota_is_never_exceeded_by_submits_at_once():
    campaign = open_campaign(10, quota=10)
    held = [claim(rater, campaign) for rater in raters(10)]
    Campaign.objects.filter(pk=campaign.pk).update(quota=4)

    got = together(*(lambda a=assignment: submit(a) for assignment in held))

    assert [one.surplus for one in got].count(False) == 4
    assert Judgement.objects.count() == 10
    assert_seats_add_up(campaign)


def _act_at_random(rng: random.Random, rater, campaign, until: float) -> list[str]:
    """One person's session: claims, answers, revises, skips, lets leases run out; returns what went wrong."""
    wrong = []
    while time.monotonic() < until:
        try:
            got = claim_assignment(rater=rater, campaign=campaign).assignment
            mine = got or Assignment.objects.filter(rater=rater).order_by("?").first()
            if mine is None:
                continue
            mine.rater = rater
            match rng.randrange(7):
                case 0:
                    skip_assignment(assignment_id=mine.pk, rater=rater)
                case 1:
                    undo_skip(assignment_id=mine.pk, rater=rater)
                case 2:
                    run_out(mine)
                case 3:
                    extend_lease(mine.pk, rater)
                case 4:
                    release_expired(limit=3)
                case _:
                    submit(mine, rng.choice(["r1", "r2"]), key=rng.choice([f"k-{mine.pk}", uuid.uuid4().hex]))
        except QueueError:
            continue  # refused, with a reason
        except Exception as error:  # noqa: BLE001  a deadlock or a broken constraint, say
            wrong.append(f"{type(error).__name__}: {error}")
    return wrong


def test_people_who_do_everything_at_once_break_no_sum_and_meet_no_deadlock(monkeypatch):
    monkeypatch.setattr(deadlocks, "ATTEMPTS", 1)
    campaign = open_campaign(6, overlap=3, quota=14, lease_seconds=30)
    until = time.monotonic() + 3

    wrong = together(
        *(
            lambda r=rater, seed=seed: _act_at_random(random.Random(seed), r, campaign, until)
            for seed, rater in enumerate(raters(8))
        )
    )

    assert [message for messages in wrong for message in messages] == []
    assert Judgement.objects.count() > 10
    assert_seats_add_up(campaign)
