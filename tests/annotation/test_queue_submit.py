"""Answers coming in: counted once, never lost, never twice; changes are revisions."""

import pytest
from django.db import IntegrityError, transaction

from annotation.exceptions import (
    AssignmentNotFound,
    KeyInvalid,
    KeyReused,
    SecondsInvalid,
)
from annotation.queue import (
    claim_assignment,
    release_expired,
    skip_assignment,
    submit_judgement,
)
from feedback.models import Campaign, Judgement, Task
from feedback.questions.form import AnswersInvalid
from feedback.services.campaigns import publish_form
from tests.annotation.queueing import assert_seats_add_up, claim, prefer, raters, run_out, submit
from tests.factories import PAIRWISE, CampaignFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def one_task():
    return CampaignFactory(n_tasks=1, active=True)


@pytest.fixture
def bob_rater():
    return raters(1)[0]


def test_a_submit_turns_the_lease_into_a_counted_judgement(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)

    submission = submit(assignment, "r2", key="page-1", seconds=1.5)

    judgement = Judgement.objects.get()
    assert submission.judgement == judgement
    assert (submission.created, submission.revised, submission.surplus) == (True, False, False)
    assert judgement.answers == {"better": {"state": "answered", "value": prefer("r2")["better"]}}
    assert (judgement.rater, judgement.form, judgement.guideline) == (bob_rater, one_task.form, one_task.guideline)
    assert (judgement.shown, judgement.seconds, judgement.key) == (assignment.shown, 1.5, "page-1")
    assert judgement.is_counted
    task = one_task.tasks.get()
    assert (task.n_leased, task.n_counted, task.needs_aggregation) == (0, 1, True)
    assignment.refresh_from_db()
    assert (assignment.status, assignment.judgement) == ("submitted", judgement)
    assert_seats_add_up(one_task)


def test_a_key_of_another_task_is_refused_and_nothing_is_written(bob_rater):
    campaign = CampaignFactory(n_tasks=2, active=True)
    submit(claim(bob_rater, campaign), key="page-1")
    second = claim(bob_rater, campaign)

    with pytest.raises(KeyReused):
        submit(second, key="page-1")

    assert Judgement.objects.count() == 1
    second.refresh_from_db()
    assert second.status == "leased"
    assert_seats_add_up(campaign)


@pytest.mark.parametrize("key", ["", "k" * 101, "a~b", "with space", "nul\x00", "é", "line\n"])
def test_a_key_that_cannot_be_one_is_refused(one_task, bob_rater, key):
    assignment = claim(bob_rater, one_task)

    with pytest.raises(KeyInvalid):
        submit_judgement(assignment_id=assignment.pk, rater=bob_rater, raw_answers=prefer(), key=key)


def test_another_persons_assignment_does_not_exist(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)
    (carol,) = raters(1)

    with pytest.raises(AssignmentNotFound):
        submit_judgement(assignment_id=assignment.pk, rater=carol, raw_answers=prefer(), key="k")


@pytest.mark.parametrize("raw", [{}, {"better": None}, {"better": {"verdict": "purple"}}, {"other": {}}])
def test_answers_that_do_not_fit_are_refused_before_anything_is_written(one_task, bob_rater, raw):
    assignment = claim(bob_rater, one_task)

    with pytest.raises(AnswersInvalid):
        submit_judgement(assignment_id=assignment.pk, rater=bob_rater, raw_answers=raw, key="k")

    assert not Judgement.objects.exists()
    assignment.refresh_from_db()
    assert assignment.status == "leased"
    assert_seats_add_up(one_task)


@pytest.mark.parametrize("seconds", [-1, -0.001, float("nan"), float("inf"), 86400.0, True, "3"])
def test_an_impossible_time_is_refused(one_task, bob_rater, seconds):
    assignment = claim(bob_rater, one_task)

    with pytest.raises(SecondsInvalid):
        submit(assignment, seconds=seconds)

    assert not Judgement.objects.exists()


def test_a_time_that_was_not_measured_stays_unknown(one_task, bob_rater):
    assert submit(claim(bob_rater, one_task)).judgement.seconds is None


def test_a_late_submit_takes_a_free_seat(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)
    run_out(assignment)
    release_expired()

    submission = submit(assignment)

    assert not submission.surplus
    assert_seats_add_up(one_task)


def test_a_late_submit_whose_seat_is_gone_is_kept_as_surplus_and_the_person_is_told(one_task, bob_rater):
    (carol,) = raters(1)
    assignment = claim(bob_rater, one_task)
    run_out(assignment)
    carols = claim(carol, one_task)

    late = submit(assignment)

    assert late.surplus
    assert Judgement.objects.get() == late.judgement
    assert not late.judgement.is_counted
    assert not submit(carols).surplus
    assert not one_task.judgements.for_consensus().filter(rater=bob_rater).exists()
    assert_seats_add_up(one_task)


def test_five_people_submit_to_one_seat_and_one_is_counted():
    campaign = CampaignFactory(n_tasks=1, active=True)
    held = []
    for rater in raters(5):
        held.append(claim(rater, campaign))
        run_out(held[-1])

    surplus = [submit(assignment).surplus for assignment in held]

    assert sorted(surplus) == [False, True, True, True, True]
    assert Judgement.objects.count() == 5
    assert_seats_add_up(campaign)


def test_an_answer_to_a_skipped_task_is_a_late_submit(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)
    skip_assignment(assignment_id=assignment.pk, rater=bob_rater)

    submission = submit(assignment)

    assert not submission.surplus
    assert one_task.tasks.get().n_skipped == 0
    assert_seats_add_up(one_task)


@pytest.mark.parametrize("status", [Campaign.Status.PAUSED, Campaign.Status.CLOSED, Campaign.Status.ARCHIVED])
def test_a_campaign_that_stopped_still_takes_the_answers_of_those_at_work(one_task, bob_rater, status):
    assignment = claim(bob_rater, one_task)
    Campaign.objects.filter(pk=one_task.pk).update(status=status)

    assert not submit(assignment).surplus
    assert_seats_add_up(one_task)


def test_an_answer_beyond_the_quota_is_kept_as_surplus(bob_rater):
    campaign = CampaignFactory(n_tasks=2, quota=1, active=True)
    (carol,) = raters(1)
    bobs = claim(bob_rater, campaign)
    run_out(bobs)  # so that the quota has room for Carol's claim
    submit(claim(carol, campaign))

    assert submit(bobs).surplus
    assert_seats_add_up(campaign)


def test_a_surplus_answer_does_not_ask_for_aggregation(one_task, bob_rater):
    (carol,) = raters(1)
    assignment = claim(bob_rater, one_task)
    run_out(assignment)
    submit(claim(carol, one_task))
    one_task.tasks.update(needs_aggregation=False)

    submit(assignment)

    assert not one_task.tasks.get().needs_aggregation


def test_answers_are_read_by_the_form_that_was_shown(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)
    publish_form(one_task, [{**PAIRWISE, "key": "kinder"}], actor=None)

    assert submit(assignment).judgement.form.number == 1


def test_the_database_refuses_more_people_than_seats(one_task):
    with pytest.raises(IntegrityError, match="task_seats_kept"), transaction.atomic():
        Task.objects.filter(campaign=one_task).update(n_leased=2)


def test_swapping_the_display_changes_nothing_that_is_stored():
    campaign = CampaignFactory(n_tasks=1, overlap=20, active=True)
    stored = set()
    for rater in raters(20):
        assignment = claim(rater, campaign)
        judgement = submit(assignment, "r2").judgement
        stored.add((judgement.answers["better"]["value"]["preferred"], judgement.body_hash))

    assert len(stored) == 1
    assert claim_assignment(rater=raters(1)[0], campaign=campaign).assignment is None
