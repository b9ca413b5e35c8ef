"""Who gets which task, and what is said when there is none."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Assignment, Cursor
from annotation.queue import NothingToDo, claim_assignment, release_expired, skip_assignment
from feedback.access import rater_of
from feedback.models import Campaign
from tests.annotation.queueing import assert_seats_add_up, claim, raters, run_out, submit
from tests.factories import CampaignFactory, JudgementFactory, TaskFactory

pytestmark = pytest.mark.django_db


def open_campaign(n_tasks=3, **fields) -> Campaign:
    return CampaignFactory(n_tasks=n_tasks, active=True, **fields)


def test_a_claim_leases_a_task_and_shows_both_responses_in_a_drawn_order():
    campaign = open_campaign()
    (rater,) = raters(1)

    assignment = claim(rater, campaign)

    assert assignment.status == "leased"
    assert sorted(assignment.shown) == ["r1", "r2"]
    assert assignment.form == campaign.form
    assert assignment.guideline == campaign.guideline
    assert assignment.expires_at > timezone.now() + timedelta(seconds=campaign.lease_seconds - 10)
    assert Assignment.objects.get().shown == assignment.shown
    assert_seats_add_up(campaign)


def test_the_order_of_the_responses_differs_between_assignments():
    campaign = open_campaign(n_tasks=1, overlap=40)

    first = {claim(rater, campaign).shown[0] for rater in raters(40)}

    assert first == {"r1", "r2"}  # one side only in 40 draws: 1 in 5e11


def test_a_claim_returns_the_raters_own_live_lease_first():
    campaign = open_campaign()
    (rater,) = raters(1)
    first = claim(rater, campaign)

    again = claim_assignment(rater=rater, campaign=campaign)

    assert again.resumed
    assert again.assignment == first
    assert again.assignment.shown == first.shown
    assert Assignment.objects.count() == 1  # whoever opens many tabs holds one task


def test_an_own_lease_that_ran_out_is_still_the_raters_while_nobody_took_it():
    campaign = open_campaign()
    (rater,) = raters(1)
    first = claim(rater, campaign)
    run_out(first)

    again = claim_assignment(rater=rater, campaign=campaign)

    assert again.resumed
    assert again.assignment == first
    assert again.assignment.expires_at > timezone.now()


def test_a_lease_that_ran_out_goes_to_someone_else_before_anyone_releases_it():
    campaign = open_campaign(n_tasks=1)
    bob, carol = raters(2)
    bobs = claim(bob, campaign)
    run_out(bobs)

    carols = claim(carol, campaign)

    assert carols.task == bobs.task
    bobs.refresh_from_db()
    assert bobs.status == "expired"
    assert_seats_add_up(campaign)


def test_a_lease_that_runs_goes_to_nobody_else():
    campaign = open_campaign(n_tasks=1)
    bob, carol = raters(2)
    bobs = claim(bob, campaign)

    got = claim_assignment(rater=carol, campaign=campaign)

    assert got.assignment is None
    assert got.reason == NothingToDo.LEASED
    assert got.until == bobs.expires_at


def test_two_raters_who_ask_get_two_tasks():
    campaign = open_campaign(n_tasks=2)
    bob, carol = raters(2)

    assert claim(bob, campaign).task != claim(carol, campaign).task


def test_with_overlap_two_a_task_stays_in_the_queue_after_the_first_vote_and_leaves_after_the_second():
    campaign = open_campaign(n_tasks=1, overlap=2)
    bob, carol, dave = raters(3)
    submit(claim(bob, campaign))

    submit(claim(carol, campaign))

    assert claim_assignment(rater=dave, campaign=campaign).reason == NothingToDo.ALL_DONE
    assert_seats_add_up(campaign)


def test_a_rater_never_gets_a_task_twice():
    campaign = open_campaign(n_tasks=5, overlap=3)
    (rater,) = raters(1)
    seen = []
    for _ in range(5):
        assignment = claim(rater, campaign)
        seen.append(assignment.task_id)
        submit(assignment)

    got = claim_assignment(rater=rater, campaign=campaign)

    assert len(set(seen)) == 5
    assert got.reason == NothingToDo.YOURS_DONE


def test_a_skipped_task_goes_to_another_rater_and_not_back_to_the_first():
    campaign = open_campaign(n_tasks=1)
    bob, carol = raters(2)
    skip_assignment(assignment_id=claim(bob, campaign).pk, rater=bob)

    assert claim_assignment(rater=bob, campaign=campaign).reason == NothingToDo.YOURS_DONE
    assert claim(carol, campaign).task == campaign.tasks.get()


def test_tasks_added_behind_the_raters_cursor_are_found_on_the_second_lap():
    campaign = open_campaign(n_tasks=2)
    (rater,) = raters(1)
    for _ in range(2):
        submit(claim(rater, campaign))
    assert claim_assignment(rater=rater, campaign=campaign).reason == NothingToDo.ALL_DONE
    late = TaskFactory(campaign=campaign, order_key=0)

    assert claim(rater, campaign).task == late
    assert Cursor.objects.get().order_key == 0


def test_a_freed_seat_behind_the_cursor_is_found_again():
    campaign = open_campaign(n_tasks=2)
    bob, carol = raters(2)
    bobs = claim(bob, campaign)
    carols = claim(carol, campaign)
    skip_assignment(assignment_id=bobs.pk, rater=bob)
    submit(carols)

    assert claim(carol, campaign).task == bobs.task


def test_tasks_are_walked_in_their_random_order_key():
    campaign = open_campaign(n_tasks=6)
    (rater,) = raters(1)
    walked = []
    for _ in range(6):
        assignment = claim(rater, campaign)
        walked.append(assignment.task.order_key)
        submit(assignment)

    assert walked == sorted(walked)
    assert len(set(walked)) == 6


def test_judgements_of_programs_take_no_seat():
    campaign = open_campaign(n_tasks=1)
    JudgementFactory(task=campaign.tasks.get())

    assert claim(raters(1)[0], campaign)


def test_a_task_a_person_judged_without_an_assignment_is_not_handed_to_them():
    campaign = open_campaign(n_tasks=1, overlap=2)
    bob, carol = raters(2)
    JudgementFactory(task=campaign.tasks.get(), rater=bob)

    assert claim_assignment(rater=bob, campaign=campaign).reason == NothingToDo.YOURS_DONE
    assert claim(carol, campaign)


def test_a_lease_taken_up_again_is_the_same_assignment_with_the_same_order():
    campaign = open_campaign(n_tasks=1)
    (rater,) = raters(1)
    first = claim(rater, campaign)
    run_out(first)
    assert release_expired() == 1

    second = claim_assignment(rater=rater, campaign=campaign)

    assert not second.resumed
    assert second.assignment == first
    assert second.assignment.shown == first.shown
    assert second.assignment.ended_at is None
    assert_seats_add_up(campaign)


def test_a_user_is_one_rater(bob):
    assert rater_of(bob) == rater_of(bob)
