"""Time at work: counted by the browser, kept and checked by the server; and the limit a form may set."""

import pytest

from annotation.exceptions import SecondsInvalid
from annotation.queue import extend_lease
from feedback.models import Campaign, FormVersion
from tests.annotation.queueing import claim, raters, submit
from tests.factories import CampaignFactory


def open_campaign(n_tasks=2) -> Campaign:
    return CampaignFactory(n_tasks=n_tasks, active=True)


@pytest.mark.django_db
def test_time_at_work_is_kept_by_heartbeats_and_never_shrinks_nor_exceeds_the_clock():
    campaign = open_campaign(2)
    (rater,) = raters(1)
    assignment = claim(rater, campaign)
    assignment.started_at = assignment.started_at.replace(year=2020)
    assignment.save(update_fields=["started_at"])

    for told in (40.0, 12.0, 41.0):
        extend_lease(assignment.pk, rater, told)
    for impossible in (-1.0, float("nan"), 1e12):
        with pytest.raises(SecondsInvalid):
            extend_lease(assignment.pk, rater, impossible)
    assignment.refresh_from_db()
    assert assignment.active_seconds == 41.0
    assert submit(assignment, seconds=3.0).judgement.seconds == 41.0  # a browser that forgot what it had counted


@pytest.mark.django_db
def test_a_heartbeat_within_the_slack_is_kept_at_what_the_clock_allows():
    campaign = open_campaign(1)
    (rater,) = raters(1)
    assignment = claim(rater, campaign)
    extend_lease(assignment.pk, rater, 20.0)
    assignment.refresh_from_db()
    assert 0 <= assignment.active_seconds < 20.0


@pytest.mark.django_db
def test_under_a_time_limit_the_servers_clock_counts_and_a_late_answer_is_told():
    campaign = open_campaign(2)
    campaign.form = FormVersion.objects.create(
        campaign=campaign, number=2, questions_raw=campaign.form.questions_raw, time_limit=60
    )
    campaign.save(update_fields=["form"])
    (rater,) = raters(1)
    in_time = submit(claim(rater, campaign), seconds=1.0)
    assignment = claim(rater, campaign)
    assignment.started_at = assignment.started_at.replace(year=2020)
    assignment.save(update_fields=["started_at"])
    late = submit(assignment, seconds=5.0)

    assert not in_time.late
    assert late.late
    assert late.judgement.seconds > 60
    assert late.judgement.is_counted
