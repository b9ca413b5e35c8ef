"""When a campaign hands out nothing: not open, quota reached, all done; and what it says then."""

import pytest

from annotation.models import Assignment
from annotation.queue import NothingToDo, claim_assignment
from feedback.models import Campaign, Task
from feedback.services.campaigns import move_campaign, publish_form
from tests.annotation.queueing import assert_seats_add_up, claim, raters, run_out, submit
from tests.factories import PAIRWISE, CampaignFactory

pytestmark = pytest.mark.django_db


def open_campaign(n_tasks=3, **fields) -> Campaign:
    return CampaignFactory(n_tasks=n_tasks, active=True, **fields)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (Campaign.Status.DRAFT, NothingToDo.NOT_STARTED),
        (Campaign.Status.PAUSED, NothingToDo.PAUSED),
        (Campaign.Status.CLOSED, NothingToDo.CLOSED),
        (Campaign.Status.ARCHIVED, NothingToDo.CLOSED),
    ],
)
def test_only_an_active_campaign_hands_out_tasks(status, reason):
    campaign = open_campaign()
    Campaign.objects.filter(pk=campaign.pk).update(status=status)  # behind the back of the caller's object

    got = claim_assignment(rater=raters(1)[0], campaign=campaign)

    assert (got.assignment, got.reason) == (None, reason)
    assert not Assignment.objects.exists()


@pytest.mark.parametrize("status", [Task.Status.PARKED, Task.Status.WITHDRAWN])
def test_a_task_that_is_parked_or_withdrawn_is_not_handed_out(status):
    campaign = open_campaign(n_tasks=1)
    campaign.tasks.update(status=status)

    assert claim_assignment(rater=raters(1)[0], campaign=campaign).reason == NothingToDo.ALL_DONE


def test_a_lease_of_a_withdrawn_task_is_not_given_again():
    campaign = open_campaign(n_tasks=2)
    (rater,) = raters(1)
    first = claim(rater, campaign)
    Task.objects.filter(pk=first.task_id).update(status=Task.Status.WITHDRAWN)

    second = claim(rater, campaign)

    assert second.task != first.task


def test_a_quota_ends_the_campaign_when_it_is_reached():
    campaign = open_campaign(n_tasks=5, quota=2)
    (rater,) = raters(1)
    for _ in range(2):
        assert not submit(claim(rater, campaign)).surplus

    got = claim_assignment(rater=rater, campaign=campaign)

    assert got.reason == NothingToDo.QUOTA_REACHED
    assert_seats_add_up(campaign)


def test_nobody_starts_work_that_the_quota_leaves_no_room_for():
    campaign = open_campaign(n_tasks=5, quota=2)
    bob, carol, dave = raters(3)
    claim(bob, campaign)
    carols = claim(carol, campaign)

    assert claim_assignment(rater=dave, campaign=campaign).reason == NothingToDo.LEASED

    run_out(carols)
    assert claim(dave, campaign)


def test_a_campaign_without_quota_hands_out_all_its_tasks_and_keeps_no_count():
    campaign = open_campaign(n_tasks=4)
    (rater,) = raters(1)
    for _ in range(4):
        submit(claim(rater, campaign))

    campaign.refresh_from_db()
    assert campaign.n_quota_used == 0
    assert claim_assignment(rater=rater, campaign=campaign).reason == NothingToDo.ALL_DONE


def test_all_done_is_said_only_when_every_task_is_counted():
    campaign = open_campaign(n_tasks=1, overlap=2)
    bob, carol = raters(2)
    submit(claim(bob, campaign))

    assert claim_assignment(rater=bob, campaign=campaign).reason == NothingToDo.YOURS_DONE
    submit(claim(carol, campaign))
    assert claim_assignment(rater=bob, campaign=campaign).reason == NothingToDo.ALL_DONE


def test_an_assignment_keeps_the_form_it_was_shown_with():
    campaign = open_campaign()
    old = campaign.form
    bob, carol = raters(2)
    bobs = claim(bob, campaign)

    new = publish_form(campaign, [{**PAIRWISE, "title": "Which is kinder?"}], actor=None)

    assert claim(bob, campaign).form == old
    assert claim(carol, campaign).form == new
    assert submit(bobs).judgement.form == old


def test_a_campaign_that_pauses_and_goes_on_hands_out_tasks_again(alice):
    campaign = open_campaign(manager=alice)
    (rater,) = raters(1)
    first = claim(rater, campaign)
    move_campaign(campaign, Campaign.Status.PAUSED, actor=alice)
    assert claim_assignment(rater=rater, campaign=campaign).reason == NothingToDo.PAUSED
    move_campaign(campaign, Campaign.Status.ACTIVE, actor=alice)

    assert claim(rater, campaign) == first
