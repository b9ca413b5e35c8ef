import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from feedback.models import Preference, Rater, Score, Task
from feedback.services import aggregation
from feedback.services.aggregation import (
    aggregate_preferences,
    aggregate_stale_tasks,
    aggregate_task,
    mark_stale,
)
from feedback.services.campaigns import publish_form
from feedback.services.judgements import submit_program_judgement
from feedback.tasks import aggregate_stale_tasks as background
from tests.factories import CHECKLIST, PAIRWISE, CampaignFactory, JudgementFactory, RaterFactory, prefer


def said(verdict, question="better"):
    return {question: {"state": "answered", "value": {"verdict": verdict}}}


def checked(**by_response):
    """checked(r1="yes no yes") answers bullets, kind and short of r1."""
    keys = [criterion["key"] for criterion in CHECKLIST["settings"]["criteria"]]
    verdicts = {
        response: {key: {"verdict": verdict} for key, verdict in zip(keys, row.split(), strict=True) if verdict != "-"}
        for response, row in by_response.items()
    }
    return {"rules": {"state": "answered", "value": {"verdicts": verdicts}}}


@pytest.fixture
def task(campaign):
    return campaign.tasks.order_by("pk").first()


def mark(*tasks):
    Task.objects.filter(pk__in=[task.pk for task in tasks]).update(needs_aggregation=True)


def test_votes_become_one_preference_with_raters_counted_by_kind(task):
    JudgementFactory(task=task, answers=prefer("r1"))
    JudgementFactory(task=task, answers=said("tie"))
    JudgementFactory(task=task, answers=said("cannot_tell"))
    JudgementFactory(task=task, answers=prefer("r1"), rater=RaterFactory(kind=Rater.Kind.JUDGE))
    aggregate_task(task)
    found = Preference.objects.get(task=task)
    assert (found.question, found.aspect, found.first, found.second) == ("better", "", "r1", "r2")
    assert found.probability == pytest.approx(2.5 / 3)
    assert (found.n_raters, found.n_ties, found.raters) == (3, 1, {"imported": 2, "judge": 1})


@pytest.mark.parametrize(
    ("rater", "judgement"),
    [({"admitted": False}, {}), ({"weight": 0.0}, {}), ({}, {"is_surplus": True}), ({}, {"is_current": False})],
)
def test_what_does_not_count_is_left_out(task, rater, judgement):
    JudgementFactory(task=task, answers=prefer("r1"))
    JudgementFactory(task=task, answers=prefer("r2"), rater=RaterFactory(**rater), **judgement)
    aggregate_task(task)
    assert Preference.objects.get().probability == 1.0
    assert Preference.objects.get().n_raters == 1


def test_weights_of_raters_count(task):
    JudgementFactory(task=task, answers=prefer("r1"), rater=RaterFactory(weight=3.0))
    JudgementFactory(task=task, answers=prefer("r2"))
    aggregate_task(task)
    assert Preference.objects.get().probability == 0.75


def test_a_checklist_becomes_scores_and_a_preference(checklist_campaign):
    task = checklist_campaign.tasks.first()
    JudgementFactory(task=task, answers=checked(r1="yes - -", r2="no - -"))
    JudgementFactory(task=task, answers=checked(r1="- - no", r2="- - yes"))
    aggregate_task(task)
    values = {(s.response, s.aspect): s.value for s in Score.objects.filter(task=task)}
    assert values[("r1", "bullets")] == 1.0
    assert values[("r1", "")] == pytest.approx(1 / 3)
    assert values[("r2", "")] == pytest.approx(2 / 3)
    pair = Preference.objects.get(task=task)
    assert (pair.question, pair.probability, pair.n_raters) == ("rules", 0.0, 2)
    assert pair.strength == pytest.approx(-1 / 3)


def test_every_question_of_a_form_has_its_own_preference(alice):
    campaign = CampaignFactory(manager=alice, both=True, n_tasks=1)
    task = campaign.tasks.get()
    JudgementFactory(task=task, answers=prefer("r1") | checked(r1="no no no", r2="yes yes yes"))
    JudgementFactory(task=task, answers=prefer("r1") | {"rules": {"state": "skipped"}})
    assert aggregate_preferences(campaign) == 2
    found = {p.question: (p.probability, p.n_raters) for p in Preference.objects.all()}
    assert found == {"better": (1.0, 2), "rules": (0.0, 1)}


def test_rebuilding_replaces_and_never_adds(task):
    first = JudgementFactory(task=task, answers=prefer("r1"))
    aggregate_task(task)
    aggregate_task(task)
    assert Preference.objects.get().probability == 1.0
    type(first).objects.filter(pk=first.pk).update(is_current=False)
    aggregate_task(task)
    assert not Preference.objects.exists()


def test_only_marked_tasks_are_rebuilt_and_their_mark_is_cleared(campaign):
    marked, other = campaign.tasks.order_by("pk")[:2]
    for task in (marked, other):
        JudgementFactory(task=task)
    mark(marked)
    assert aggregate_stale_tasks() == 1
    assert [p.task_id for p in Preference.objects.all()] == [marked.pk]
    assert not Task.objects.stale().exists()
    assert aggregate_stale_tasks() == 0


def test_a_limit_is_kept_and_the_rest_follows(campaign):
    mark(*campaign.tasks.all())
    assert [aggregate_stale_tasks(limit=2), aggregate_stale_tasks(limit=2)] == [2, 1]


def test_the_background_task_works_off_what_is_marked(campaign, monkeypatch):
    monkeypatch.setattr(aggregation, "BATCH", 2)
    mark(*campaign.tasks.all())
    assert background() == 3
    assert background() == 0


def test_a_change_of_the_gate_marks_what_the_rater_judged(task):
    judge = RaterFactory(kind=Rater.Kind.JUDGE, admitted=False)
    JudgementFactory(task=task, answers=prefer("r2"), rater=judge)
    aggregate_task(task)
    assert not Preference.objects.exists()
    judge.admitted = True
    judge.save(update_fields=["admitted"])
    assert mark_stale(judge) == 1
    assert mark_stale(judge) == 0
    aggregate_stale_tasks()
    assert Preference.objects.get().probability == 0.0


def test_answers_under_an_older_form_count_where_it_asked_the_same_kind(campaign, task, alice):
    JudgementFactory(task=task, answers=prefer("r1"))
    publish_form(campaign, [{**PAIRWISE, "settings": {"points": 7}}], actor=alice)
    graded = {"better": {"state": "answered", "value": {"verdict": "prefer", "preferred": "r2", "strength": 3}}}
    JudgementFactory(task=task, answers=graded, campaign=campaign)
    aggregate_task(task)
    assert (Preference.objects.get().probability, Preference.objects.get().strength) == (0.5, -1.0)


def test_answers_of_another_kind_under_the_same_key_are_not_mixed(campaign, task, alice):
    JudgementFactory(task=task, answers=prefer("r1"))
    publish_form(campaign, [{**CHECKLIST, "key": "better"}], actor=alice)
    JudgementFactory(
        task=task, campaign=campaign, answers={"better": checked(r1="no no no", r2="yes yes yes")["rules"]}
    )
    aggregate_task(task)
    assert (Preference.objects.get().probability, Preference.objects.get().n_raters) == (0.0, 1)


def test_one_unreadable_record_does_not_hold_up_the_others(campaign, caplog):
    broken, sound = campaign.tasks.order_by("pk")[:2]
    JudgementFactory(task=broken, answers={"better": {"state": "answered", "value": {"verdict": "purple"}}})
    JudgementFactory(task=sound)
    mark(broken, sound)
    assert aggregate_stale_tasks() == 2
    assert [p.task_id for p in Preference.objects.all()] == [sound.pk]
    assert f"Task {broken.pk}" in caplog.text


def statements(n_tasks, alice):
    campaign = CampaignFactory(manager=alice, n_tasks=n_tasks)
    for task in campaign.tasks.all():
        JudgementFactory(task=task)
    mark(*campaign.tasks.all())
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert aggregate_stale_tasks(limit=n_tasks) == n_tasks
    return len([q for q in captured.captured_queries if "SAVEPOINT" not in q["sql"]])


def test_a_batch_takes_the_same_few_statements_for_2_and_20_tasks(alice):
    assert statements(2, alice) == statements(20, alice) <= 8


def in_thread(function):
    """Run in a thread with a connection of its own; the returned function waits, and raises what it raised."""

    def run():
        try:
            function()
        finally:
            connections.close_all()

    pool = ThreadPoolExecutor(1)
    future = pool.submit(run)
    pool.shutdown(wait=False)
    return lambda: future.result(20)


def wait_until_somebody_waits_for_a_lock():
    """Until the database shows a statement of this test's own database that waits for a row."""
    for _ in range(200):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone()[0]:
                return
        time.sleep(0.02)
    raise AssertionError("Nobody waits: the submit did not meet the aggregation.")


@pytest.fixture
def racing_task(transactional_db):
    campaign = CampaignFactory(n_tasks=1, active=True)
    task = campaign.tasks.get()
    submit(task, "r1")
    return task


def submit(task, response):
    answers = {"better": {"verdict": "prefer", "preferred": response}}
    return submit_program_judgement(task=task, rater=RaterFactory(), raw_answers=answers, key=f"k-{response}")


def test_a_judgement_submitted_while_its_task_is_rebuilt_is_not_lost(racing_task, monkeypatch):
    """The submit comes after the judgements were read: the mark it leaves must survive this rebuild."""
    derive, joins = aggregation._derive, []

    def slow(*args):
        if not joins:
            joins.append(in_thread(lambda: submit(racing_task, "r2")))
            wait_until_somebody_waits_for_a_lock()
        derive(*args)

    monkeypatch.setattr(aggregation, "_derive", slow)
    aggregate_stale_tasks(limit=1)
    joins[0]()
    assert Preference.objects.get().n_raters == 1
    assert Task.objects.stale().get() == racing_task
    assert aggregate_stale_tasks() == 1
    assert Preference.objects.get().n_raters == 2
    assert Preference.objects.get().probability == 0.5


def test_a_task_held_by_a_submit_is_left_for_the_next_call(racing_task):
    holding, commit = threading.Event(), threading.Event()

    def hold():
        with transaction.atomic():
            submit(racing_task, "r2")
            holding.set()
            assert commit.wait(10)

    join = in_thread(hold)
    assert holding.wait(10)
    assert aggregate_stale_tasks() == 0
    commit.set()
    join()
    assert aggregate_stale_tasks() == 1
    assert Preference.objects.get().n_raters == 2


def test_two_workers_share_the_marked_tasks(transactional_db, monkeypatch):
    campaign = CampaignFactory(n_tasks=6)
    for task in campaign.tasks.all():
        JudgementFactory(task=task)
    mark(*campaign.tasks.all())
    monkeypatch.setattr(aggregation, "BATCH", 1)
    counts = []
    joins = [in_thread(lambda: counts.append(aggregate_stale_tasks())) for _ in range(2)]
    for join in joins:
        join()
    assert sum(counts) == 6
    assert Preference.objects.count() == 6


def test_a_rebuild_that_fails_half_way_leaves_the_mark_and_the_old_rows(racing_task, monkeypatch):
    aggregate_stale_tasks()
    mark(racing_task)

    def fail(rows):
        raise KeyboardInterrupt

    monkeypatch.setattr(Score.objects, "bulk_create", fail)
    with pytest.raises(KeyboardInterrupt):
        aggregate_stale_tasks()
    assert Task.objects.stale().count() == 1
    assert Preference.objects.count() == 1
