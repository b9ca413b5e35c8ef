"""The figures of a campaign's page are the record's, and cost the same however large the campaign is."""

import pytest

from annotation.campaigns import overview
from annotation.campaigns.insights import answers_of
from annotation.campaigns.overview import progress_by_campaign, progress_of, raters_of
from annotation.models import Absence
from annotation.queue import skip_assignment
from feedback.access import rater_of
from feedback.models import Rater, Task
from feedback.services.aggregation import aggregate_preferences
from tests.annotation.queueing import claim, statements, submit
from tests.factories import CampaignFactory, JudgementFactory, RaterFactory, TaskFactory, prefer

pytestmark = pytest.mark.django_db


def stored(**value):
    return {"better": {"state": "answered", "value": value}}


def test_progress_counts_seats_leases_answers_and_skips(campaign, bob, carol):
    submit(claim(rater_of(bob), campaign))
    claim(rater_of(bob), campaign)
    skipped = claim(rater_of(carol), campaign)
    skip_assignment(assignment_id=skipped.pk, rater=skipped.rater, reason="")
    aggregate_preferences(campaign)

    progress = progress_of(campaign)

    assert (progress.n_tasks, progress.n_seats, progress.n_counted, progress.n_leased) == (3, 3, 1, 1)
    assert (progress.n_skipped, progress.n_judgements, progress.n_preferences) == (1, 1, 1)
    assert (progress.percent, progress.n_free) == (33, 1)


def test_progress_tells_surplus_and_absences_and_leaves_withdrawn_tasks_out(campaign):
    first, second, third = campaign.tasks.order_by("pk")
    JudgementFactory(task=first, is_surplus=True)
    Absence.objects.create(task=second, rater=RaterFactory(), question="better", reason="It was away.")
    Task.objects.filter(pk=third.pk).update(status=Task.Status.WITHDRAWN)

    progress = progress_of(campaign)

    assert (progress.n_tasks, progress.n_judgements, progress.n_surplus, progress.n_absences) == (2, 1, 1, 1)


def test_a_campaign_without_tasks_is_all_zeros():
    progress = progress_of(CampaignFactory())

    assert (progress.n_tasks, progress.n_seats, progress.percent, progress.n_free) == (0, 0, 0, 0)


def test_the_progress_of_many_campaigns_is_kept_apart_and_costs_four_statements(campaign):
    other = CampaignFactory(n_tasks=5)
    JudgementFactory(task=other.tasks.first())

    assert len(statements(lambda: progress_by_campaign([campaign, other]))) == 4
    found = progress_by_campaign([campaign, other])

    assert (found[campaign.pk].n_tasks, found[campaign.pk].n_judgements) == (3, 0)
    assert (found[other.pk].n_tasks, found[other.pk].n_judgements) == (5, 1)


def test_no_figure_costs_more_statements_with_more_tasks_and_raters(campaign, checklist_campaign):
    def cost(of):
        return [
            len(statements(lambda: progress_of(of))),
            len(statements(lambda: raters_of(of))),
            len(statements(lambda: overview.datasets_of(of))),
            len(statements(lambda: overview.absences_of(of))),
        ]

    few = cost(campaign)
    for n in range(10):
        JudgementFactory(task=TaskFactory(campaign=campaign, external_id=f"more-{n}"))

    assert cost(campaign) == few == cost(checklist_campaign)


def test_raters_are_counted_one_by_one_with_their_median_seconds(campaign, bob):
    first, second, third = campaign.tasks.order_by("pk")
    fast = RaterFactory(name="fast")
    for task, seconds in ((first, 2.0), (second, 4.0), (third, 90.0)):
        JudgementFactory(task=task, rater=fast, seconds=seconds)
    old = JudgementFactory(task=first, is_current=False)
    submit(claim(rater_of(bob), campaign), seconds=0.0)

    rows = {row["rater__name"]: row for row in raters_of(campaign)}

    assert set(rows) == {"fast", "bob"}, f"{old.rater} has no current answer"
    assert (rows["fast"]["n"], rows["fast"]["n_counted"], rows["fast"]["seconds"]) == (3, 0, 4.0)
    assert (rows["bob"]["n"], rows["bob"]["n_counted"], rows["bob"]["seconds"]) == (1, 1, 0.0)
    assert rows["bob"]["kind"] == Rater.Kind.ANNOTATOR.label


def test_pairwise_answers_are_counted_by_where_the_response_was_shown(campaign):
    first, second, third = campaign.tasks.order_by("pk")
    JudgementFactory(task=first, answers=prefer("r1"), shown=["r1", "r2"])
    JudgementFactory(task=second, answers=prefer("r1"), shown=["r2", "r1"])
    JudgementFactory(task=third, answers=prefer("r2"), shown=["r2", "r1"])
    JudgementFactory(task=third, answers=prefer("r2"), shown=[])
    JudgementFactory(task=third, answers=stored(verdict="tie"))
    JudgementFactory(task=second, answers={"better": {"state": "skipped"}})
    JudgementFactory(task=first, answers=prefer("r1"), is_current=False)

    counts = answers_of(campaign)[0].groups

    assert counts == {"": {"shown as A": 2, "one preferred": 1, "tie": 1, "shown as B": 1}}


def test_checklist_answers_are_counted_over_responses_and_criteria(checklist_campaign):
    verdicts = {"r1": {"bullets": {"verdict": "yes"}, "kind": {"verdict": "no"}}, "r2": {"short": {"verdict": "na"}}}
    answers = {"rules": {"state": "answered", "value": {"verdicts": verdicts}}}
    JudgementFactory(task=checklist_campaign.tasks.first(), answers=answers)

    counts = answers_of(checklist_campaign)[0].groups

    assert counts == {"": {"yes": 1, "no": 1, "n.a.": 1}}
