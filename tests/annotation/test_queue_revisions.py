"""Answers sent again or changed: the same key and answers are one judgement, a change is a revision."""

import pytest

from annotation.exceptions import (
    NotSubmitted,
    WindowClosed,
)
from annotation.models import Assignment
from annotation.queue import (
    editable_judgement,
    last_ended,
)
from feedback.models import Judgement
from tests.annotation.queueing import assert_seats_add_up, claim, close_window, prefer, raters, run_out, submit
from tests.factories import CampaignFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def one_task():
    return CampaignFactory(n_tasks=1, active=True)


@pytest.fixture
def bob_rater():
    return raters(1)[0]


def test_the_same_key_and_answers_again_return_the_same_judgement(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)
    first = submit(assignment, "r1", key="page-1", seconds=1)

    again = submit(assignment, "r1", key="page-1", seconds=2)

    assert again.judgement == first.judgement
    assert not again.created
    assert Judgement.objects.count() == 1
    assert_seats_add_up(one_task)


def test_the_same_key_with_other_answers_is_a_revision_and_never_a_silent_drop(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)
    first = submit(assignment, "r1", key="page-1").judgement

    second = submit(assignment, "r2", key="page-1")

    first.refresh_from_db()
    assert second.revised
    assert second.judgement.supersedes == first
    assert second.judgement.key.startswith("page-1~")
    assert (first.is_current, first.is_counted) == (False, False)
    assert (second.judgement.is_current, second.judgement.is_counted) == (True, True)
    assert_seats_add_up(one_task)


def test_the_same_key_revises_even_after_the_window(one_task, bob_rater):
    """The page may never have learnt that its first answers arrived."""
    assignment = claim(bob_rater, one_task)
    submit(assignment, "r1", key="page-1")
    close_window(assignment)

    assert submit(assignment, "r2", key="page-1").revised


def test_a_retry_of_a_revision_under_the_same_key_returns_that_revision(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)
    submit(assignment, "r1", key="page-1")
    second = submit(assignment, "r2", key="page-1")

    again = submit(assignment, "r2", key="page-1")

    assert again.judgement == second.judgement
    assert not again.created
    assert Judgement.objects.count() == 2


def test_a_late_retry_of_answers_that_were_revised_says_so_and_flips_nothing(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)
    first = submit(assignment, "r1", key="page-1")
    second = submit(assignment, "r2", key="page-1")

    retry = submit(assignment, "r1", key="page-1")

    assert retry.judgement == first.judgement
    assert retry.superseded
    assert Judgement.objects.current().get() == second.judgement


def test_an_edit_with_a_new_key_is_a_revision_within_the_window(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)
    first = submit(assignment, "r1", key="page-1").judgement

    edit = submit(assignment, "r2", key="page-2")

    assert edit.revised
    assert edit.judgement.supersedes == first
    assert edit.judgement.key == "page-2"
    assignment.refresh_from_db()
    assert assignment.judgement == edit.judgement
    assert_seats_add_up(one_task)


def test_an_edit_after_the_window_is_refused_and_the_answer_stands(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)
    first = submit(assignment, "r1", key="page-1").judgement
    close_window(assignment)

    with pytest.raises(WindowClosed, match="10 minutes"):
        submit(assignment, "r2", key="page-2")

    assert Judgement.objects.current().get() == first


def test_a_revision_does_not_lengthen_the_window(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)
    submit(assignment, "r1", key="page-1")
    ended_at = Assignment.objects.get().ended_at

    submit(assignment, "r2", key="page-2")

    assert Assignment.objects.get().ended_at == ended_at


def test_a_retry_of_the_first_answer_after_the_window_is_still_acknowledged(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)
    first = submit(assignment, key="page-1")
    close_window(assignment)

    assert submit(assignment, key="page-1").judgement == first.judgement


def test_two_raters_may_use_the_same_key(bob_rater):
    campaign = CampaignFactory(n_tasks=1, overlap=2, active=True)
    (carol,) = raters(1)

    assert submit(claim(bob_rater, campaign), key="1").created
    assert submit(claim(carol, campaign), key="1").created


def test_a_surplus_judgement_stays_surplus_when_it_is_revised(one_task, bob_rater):
    (carol,) = raters(1)
    assignment = claim(bob_rater, one_task)
    run_out(assignment)
    submit(claim(carol, one_task))
    submit(assignment, "r1", key="page-1")

    assert submit(assignment, "r2", key="page-2").surplus
    assert_seats_add_up(one_task)


def test_a_stored_answer_can_be_opened_again_within_the_window(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)
    submit(assignment, "r2")

    editable = editable_judgement(rater=bob_rater, assignment_id=assignment.pk)

    assert editable.judgement.answers["better"]["value"] == prefer("r2")["better"]
    assert editable.assignment == assignment
    assert last_ended(rater=bob_rater, campaign=one_task) == assignment
    close_window(assignment)
    with pytest.raises(WindowClosed):
        editable_judgement(rater=bob_rater, assignment_id=assignment.pk)
    assert last_ended(rater=bob_rater, campaign=one_task) is None


def test_what_is_not_submitted_or_not_ones_own_cannot_be_opened_again(one_task, bob_rater):
    assignment = claim(bob_rater, one_task)
    with pytest.raises(NotSubmitted):
        editable_judgement(rater=bob_rater, assignment_id=assignment.pk)
    submit(assignment)

    with pytest.raises(NotSubmitted):
        editable_judgement(rater=raters(1)[0], assignment_id=assignment.pk)
