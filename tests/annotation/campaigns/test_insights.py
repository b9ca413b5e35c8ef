"""Pace, forecast, times, answers and habits of a campaign."""

from datetime import date, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.campaigns.insights import Habit, answers_of, naming_tasks_of, pace_of, skips_of, times_of
from annotation.queue import skip_assignment
from feedback.access import rater_of
from feedback.models import Judgement, Rater
from tests.annotation.queueing import claim
from tests.factories import JudgementFactory, RaterFactory, TaskFactory, UserFactory, prefer

pytestmark = pytest.mark.django_db
TODAY = date(2026, 11, 20)


def person():
    user = UserFactory()
    return RaterFactory(name=user.username, kind=Rater.Kind.ANNOTATOR, user=user)


def work(campaign, per_day, today=TODAY):
    """per_day: counted answers on each day up to and with today."""
    rater = person()
    for ago, n in enumerate(reversed(per_day)):
        for _ in range(n):
            judgement = JudgementFactory(task=TaskFactory(campaign=campaign), rater=rater, is_counted=True)
            moment = timezone.make_aware(
                timezone.datetime.combine(today - timedelta(days=ago), timezone.datetime.min.time())
            )
            with_trigger_off(judgement.pk, moment)


def with_trigger_off(pk, moment):
    """A judgement's time cannot be changed; a test may."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("UPDATE feedback_judgement SET created_at = %s WHERE id = %s", [moment, pk])
        cursor.execute("SET LOCAL session_replication_role = origin")


def test_a_steady_pace_says_the_day(campaign):
    work(campaign, [4, 4, 4, 1])
    pace = pace_of(campaign, 8, TODAY)
    assert pace.per_day == 4.0
    assert pace.soonest == pace.latest == TODAY + timedelta(days=2)
    assert [n for _, n in pace.days] == [4, 4, 4, 1]


def test_an_uneven_pace_says_a_range_or_only_the_earliest(campaign):
    work(campaign, [0, 6, 1, 5, 2, 0])
    pace = pace_of(campaign, 30, TODAY)
    assert pace.soonest is not None
    assert pace.latest is None or pace.latest > pace.soonest


def test_one_day_is_too_early_to_tell_and_none_is_nothing(campaign):
    assert pace_of(campaign, 5, TODAY).days == ()
    work(campaign, [3])
    assert pace_of(campaign, 5, TODAY).per_day is None


def test_times_are_those_of_people_and_every_answer_has_its_bar(campaign):
    rater = person()
    for seconds in (1.0, 2.0, 3.0, 4.0, 100.0):
        JudgementFactory(task=TaskFactory(campaign=campaign), rater=rater, seconds=seconds)
    JudgementFactory(task=TaskFactory(campaign=campaign), seconds=5000.0)  # a program's
    times = times_of(campaign)
    assert (times.n, times.median) == (5, 3.0)
    assert sum(times.bars.values()) == 5


def test_answers_are_counted_in_the_words_of_the_form_with_each_raters_habit(campaign):
    rater = person()
    for n in range(6):
        shown = ["r1", "r2"] if n % 2 else ["r2", "r1"]
        JudgementFactory(task=TaskFactory(campaign=campaign), rater=rater, answers=prefer(shown[0]), shown=shown)
    (answers,) = answers_of(campaign)
    assert answers.groups == {"": {"shown as A": 6.0}}
    (habit,) = answers.habits
    assert (habit.n_first, habit.n) == (6, 6)
    share, low, high = habit.interval
    assert share == 1.0
    assert 0.5 < low < 1.0 <= high + 1e-9


def test_an_interval_is_wilsons():
    _, low, high = Habit("x", 5, 10).interval
    assert (low, high) == (pytest.approx(0.2366, abs=1e-4), pytest.approx(0.7634, abs=1e-4))


def test_reasons_of_skips_are_counted(campaign, bob):
    assignment = claim(rater_of(bob), campaign)
    skip_assignment(assignment_id=assignment.pk, rater=assignment.rater, reason="Too long")
    assert skips_of(campaign) == [{"skip_reason": "Too long", "n": 1}]


def test_tasks_that_name_their_model_are_shown_to_the_manager(client, campaign, alice):
    task = TaskFactory(campaign=campaign, names_model=True)
    assert naming_tasks_of(campaign) == (1, [task])
    client.force_login(alice)
    page = client.get(reverse("annotation:campaign-insights", args=[campaign.pk])).content.decode()
    assert "which model wrote it" in page
    assert str(task) in page


def test_the_insights_cost_the_same_few_statements_with_more_judgements(
    client, campaign, alice, django_assert_max_num_queries
):
    client.force_login(alice)
    url = reverse("annotation:campaign-insights", args=[campaign.pk])
    for _ in range(30):
        JudgementFactory(task=TaskFactory(campaign=campaign), answers=prefer("r1"), shown=["r1", "r2"])
    assert Judgement.objects.count() == 30
    with django_assert_max_num_queries(22):
        assert client.get(url).status_code == 200
