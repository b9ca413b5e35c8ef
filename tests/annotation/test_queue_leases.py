"""Keeping, giving up and getting back a seat; drafts."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.exceptions import AlreadySubmitted, AssignmentNotFound, TextInvalid
from annotation.models import Assignment, Draft
from annotation.queue import (
    LeaseRefusal,
    claim_assignment,
    extend_lease,
    last_ended,
    load_draft,
    release_expired,
    save_draft,
    skip_assignment,
    undo_skip,
)
from annotation.tasks import release_expired_leases
from feedback.models import Campaign
from tests.annotation.queueing import assert_seats_add_up, claim, raters, run_out, submit
from tests.factories import CampaignFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def one_task():
    return CampaignFactory(n_tasks=1, active=True)


@pytest.fixture
def bob_rater():
    return raters(1)[0]


@pytest.fixture
def held(one_task, bob_rater):
    return claim(bob_rater, one_task)


def test_a_heartbeat_extends_the_lease(held, bob_rater):
    Assignment.objects.filter(pk=held.pk).update(expires_at=timezone.now() + timedelta(seconds=5))

    lease = extend_lease(held.pk, bob_rater)

    assert lease.held
    assert not lease.renewed
    assert lease.expires_at == Assignment.objects.get().expires_at
    assert lease.expires_at > timezone.now() + timedelta(seconds=500)


def test_a_heartbeat_on_a_lease_that_was_released_takes_a_free_seat_again(held, bob_rater, one_task):
    run_out(held)
    release_expired()

    lease = extend_lease(held.pk, bob_rater)

    assert lease.held
    assert lease.renewed
    assert_seats_add_up(one_task)


def test_a_heartbeat_says_so_when_the_seat_was_taken(held, bob_rater, one_task):
    run_out(held)
    claim(raters(1)[0], one_task)

    lease = extend_lease(held.pk, bob_rater)

    assert (lease.held, lease.refusal, lease.expires_at) == (False, LeaseRefusal.TAKEN, None)
    assert_seats_add_up(one_task)


def test_a_heartbeat_after_the_own_submit_says_submitted_and_not_that_another_works_here(held, bob_rater):
    submit(held)

    assert extend_lease(held.pk, bob_rater).refusal == LeaseRefusal.SUBMITTED


def test_a_heartbeat_after_the_own_skip_takes_nothing_back(held, bob_rater, one_task):
    skip_assignment(assignment_id=held.pk, rater=bob_rater)

    assert extend_lease(held.pk, bob_rater).refusal == LeaseRefusal.SKIPPED
    assert_seats_add_up(one_task)


def test_a_live_lease_is_extended_while_the_campaign_is_paused_but_none_is_renewed(held, bob_rater, one_task):
    Campaign.objects.filter(pk=one_task.pk).update(status=Campaign.Status.PAUSED)
    assert extend_lease(held.pk, bob_rater).held

    run_out(held)
    release_expired()
    assert extend_lease(held.pk, bob_rater).refusal == LeaseRefusal.NOT_OPEN


def test_another_persons_lease_cannot_be_extended_skipped_or_taken_back(held):
    (carol,) = raters(1)

    for step in (
        lambda: extend_lease(held.pk, carol),
        lambda: skip_assignment(assignment_id=held.pk, rater=carol),
        lambda: undo_skip(assignment_id=held.pk, rater=carol),
    ):
        with pytest.raises(AssignmentNotFound):
            step()
    assert Assignment.objects.get().status == "leased"


def test_a_skip_frees_the_seat_and_keeps_the_reason(held, bob_rater, one_task):
    skip_assignment(assignment_id=held.pk, rater=bob_rater, reason="The prompt is cut off.")

    held.refresh_from_db()
    assert (held.status, held.skip_reason) == ("skipped", "The prompt is cut off.")
    assert one_task.tasks.get().n_skipped == 1
    assert last_ended(rater=bob_rater, campaign=one_task) == held
    assert_seats_add_up(one_task)


def test_skipping_twice_is_skipping_once(held, bob_rater, one_task):
    for _ in range(2):
        skip_assignment(assignment_id=held.pk, rater=bob_rater)

    assert one_task.tasks.get().n_skipped == 1
    assert_seats_add_up(one_task)


def test_a_lease_that_ran_out_can_still_be_skipped(held, bob_rater, one_task):
    run_out(held)
    claim(raters(1)[0], one_task)

    skip_assignment(assignment_id=held.pk, rater=bob_rater)

    assert_seats_add_up(one_task)


def test_a_submitted_answer_cannot_be_skipped(held, bob_rater):
    submit(held)

    with pytest.raises(AlreadySubmitted):
        skip_assignment(assignment_id=held.pk, rater=bob_rater)


@pytest.mark.parametrize("reason", ["x" * 501, "a\x00b", "\ud800"])
def test_a_reason_that_cannot_be_stored_is_refused(held, bob_rater, reason):
    with pytest.raises(TextInvalid):
        skip_assignment(assignment_id=held.pk, rater=bob_rater, reason=reason)


def test_undoing_a_skip_takes_the_seat_back(held, bob_rater, one_task):
    skip_assignment(assignment_id=held.pk, rater=bob_rater)

    lease = undo_skip(assignment_id=held.pk, rater=bob_rater)

    assert lease.held
    assert one_task.tasks.get().n_skipped == 0
    assert claim(bob_rater, one_task) == held
    assert_seats_add_up(one_task)


def test_undoing_a_skip_says_why_when_others_took_the_seat(held, bob_rater, one_task):
    skip_assignment(assignment_id=held.pk, rater=bob_rater)
    claim(raters(1)[0], one_task)

    lease = undo_skip(assignment_id=held.pk, rater=bob_rater)

    assert lease.refusal == LeaseRefusal.TAKEN
    held.refresh_from_db()
    assert held.status == "skipped"
    assert_seats_add_up(one_task)


def test_undoing_a_skip_after_an_answer_changes_nothing(held, bob_rater):
    submit(held)

    assert undo_skip(assignment_id=held.pk, rater=bob_rater).refusal == LeaseRefusal.SUBMITTED


def test_overdue_leases_are_released_in_batches_and_live_ones_are_not():
    campaign = CampaignFactory(n_tasks=3, overlap=3, active=True)
    held = [claim(rater, campaign) for rater in raters(7)]
    for assignment in held[:5]:
        run_out(assignment)

    assert release_expired(limit=2) == 5
    assert release_expired(limit=2) == 0
    assert Assignment.objects.live().count() == 2
    assert Assignment.objects.filter(status="expired", ended_at__isnull=False).count() == 5
    assert_seats_add_up(campaign)


def test_the_background_task_releases(held, one_task):
    run_out(held)

    release_expired_leases()

    assert one_task.tasks.get().n_leased == 0


def test_a_draft_comes_back_as_it_was_typed(held, bob_rater):
    fields = {"q.better.verdict": ["tie"], "q.note": ["Zeile 1\r\nline 2 \u2028 🙂 שלום", ""]}

    assert save_draft(assignment_id=held.pk, rater=bob_rater, fields={"q.note": ["older"]})
    assert save_draft(assignment_id=held.pk, rater=bob_rater, fields=fields)

    assert load_draft(held) == fields


def test_a_draft_survives_a_lease_that_ran_out_and_is_taken_up_again(held, bob_rater, one_task):
    save_draft(assignment_id=held.pk, rater=bob_rater, fields={"q.note": ["half a thought"]})
    run_out(held)
    release_expired()

    again = claim_assignment(rater=bob_rater, campaign=one_task).assignment

    assert load_draft(again) == {"q.note": ["half a thought"]}


def test_a_submit_ends_its_draft_and_a_late_autosave_cannot_bring_it_back(held, bob_rater):
    save_draft(assignment_id=held.pk, rater=bob_rater, fields={"q.note": ["old"]})
    submit(held)

    assert not Draft.objects.exists()
    assert not save_draft(assignment_id=held.pk, rater=bob_rater, fields={"q.note": ["old"]})
    assert load_draft(held) == {}


def test_nobody_saves_a_draft_on_anothers_assignment(held):
    assert not save_draft(assignment_id=held.pk, rater=raters(1)[0], fields={"q.note": ["mine"]})
    assert not Draft.objects.exists()


@pytest.mark.parametrize("text", ["nul \x00", "half \ud83d"])
def test_a_draft_that_cannot_be_stored_is_refused_with_a_reason(held, bob_rater, text):
    with pytest.raises(TextInvalid):
        save_draft(assignment_id=held.pk, rater=bob_rater, fields={"q.note": [text]})
