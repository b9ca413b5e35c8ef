"""The one place where judgements are written."""

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from feedback.access import rater_of
from feedback.exceptions import WrongState
from feedback.models import Judgement
from feedback.questions.form import AnswersInvalid
from feedback.services.judgements import submit_program_judgement, supersede_judgement
from tests.factories import CampaignFactory, JudgementFactory, RaterFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def task():
    return CampaignFactory(n_tasks=1, active=True, checklist=True).tasks.select_related("campaign").get()


@pytest.fixture
def program():
    return RaterFactory(kind="verifier", name="word-count", version="1")


def verdicts(bullets: str, **others: str) -> dict:
    given = {key: {"verdict": verdict} for key, verdict in {"bullets": bullets, **others}.items()}
    return {"rules": {"verdicts": {"r1": given}}}


def test_a_program_answers_a_part_of_the_form_and_takes_no_seat(task, program):
    judgement = submit_program_judgement(task=task, rater=program, raw_answers=verdicts("yes"), key="run-1")

    task.refresh_from_db()
    assert (judgement.is_current, judgement.is_counted, judgement.is_surplus) == (True, False, False)
    assert (judgement.form, judgement.guideline) == (task.campaign.form, task.campaign.guideline)
    assert (task.n_leased, task.n_counted, task.needs_aggregation) == (0, 0, True)
    assert Judgement.objects.for_consensus().get() == judgement


def test_the_same_answers_again_write_nothing(task, program):
    first = submit_program_judgement(task=task, rater=program, raw_answers=verdicts("yes"), key="run-1")
    type(task).objects.update(needs_aggregation=False)

    again = submit_program_judgement(task=task, rater=program, raw_answers=verdicts("yes"), key="run-2")

    task.refresh_from_db()
    assert again == first
    assert not task.needs_aggregation


def test_other_answers_supersede_and_what_came_last_stands_even_if_it_was_said_before(task, program):
    for answer in ("yes", "no", "yes", "no"):
        submit_program_judgement(task=task, rater=program, raw_answers=verdicts(answer), key="run-1")

    chain = list(Judgement.objects.order_by("pk"))
    assert [one.is_current for one in chain] == [False, False, False, True]
    assert [one.supersedes for one in chain] == [None, *chain[:-1]]
    assert len({one.key for one in chain}) == 4


def test_a_program_is_held_to_the_form_like_everybody(task, program):
    with pytest.raises(AnswersInvalid):
        submit_program_judgement(task=task, rater=program, raw_answers=verdicts("maybe"), key="run-1")
    assert not Judgement.objects.exists()


def test_a_person_does_not_answer_through_the_programs_door(task, bob):
    with pytest.raises(WrongState):
        submit_program_judgement(task=task, rater=rater_of(bob), raw_answers=verdicts("yes"), key="k")


def test_a_judgement_that_is_not_current_cannot_be_superseded_again(task):
    judgement = JudgementFactory(task=task)
    supersede_judgement(judgement)

    with pytest.raises(WrongState):
        supersede_judgement(judgement)


def test_the_database_refuses_a_second_current_judgement(task):
    first = JudgementFactory(task=task)

    with pytest.raises(IntegrityError, match="judgement_current_once"), transaction.atomic():
        JudgementFactory(task=task, rater=first.rater)


@pytest.mark.parametrize("change", [{"answers": {}}, {"seconds": 3.0}, {"shown": ["r2", "r1"]}, {"key": "other"}])
def test_the_database_refuses_to_rewrite_a_judgement(task, change):
    judgement = JudgementFactory(task=task)

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Judgement.objects.filter(pk=judgement.pk).update(**change)


def test_the_database_refuses_to_delete_a_judgement(task):
    judgement = JudgementFactory(task=task)

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Judgement.objects.filter(pk=judgement.pk).delete()
