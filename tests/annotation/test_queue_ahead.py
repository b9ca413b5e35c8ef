"""The task after the one worked on: leased early, short, and only where nobody else lacks a seat for it."""

import pytest
from django.utils import timezone

from annotation.ahead import AHEAD_SECONDS
from annotation.models import Assignment
from annotation.queue import (
    begin_ahead,
    claim_ahead,
    claim_assignment,
    extend_lease,
    give_back_ahead,
    release_expired,
    skip_assignment,
)
from feedback.models import Campaign
from feedback.services.campaigns import move_campaign, publish_guidelines
from tests.annotation.queueing import assert_seats_add_up, claim, raters, run_out, statements, submit, together
from tests.factories import CampaignFactory


def open_campaign(n_tasks=6, **fields) -> Campaign:
    return CampaignFactory(n_tasks=n_tasks, active=True, **fields)


def ahead_of(rater, campaign) -> Assignment:
    got = claim_ahead(rater=rater, campaign=campaign)
    assert got is not None
    return got


@pytest.mark.django_db
def test_the_next_task_is_leased_shortly_and_becomes_the_next_claim():
    campaign = open_campaign()
    (rater,) = raters(1)
    first = claim(rater, campaign)

    later = ahead_of(rater, campaign)

    left = (later.expires_at - timezone.now()).total_seconds()
    assert later.is_ahead
    assert AHEAD_SECONDS - 5 < left <= AHEAD_SECONDS
    assert claim(rater, campaign) == first  # what is worked on comes first
    submit(first)
    second = claim(rater, campaign)
    assert (second.pk, second.is_ahead) == (later.pk, False)
    assert second.started_at > later.started_at  # its clock begins when it is shown
    assert_seats_add_up(campaign)


@pytest.mark.django_db
def test_asking_twice_gives_the_same_one_in_few_statements():
    campaign = open_campaign()
    (rater,) = raters(1)
    claim(rater, campaign)
    spent = statements(lambda: claim_ahead(rater=rater, campaign=campaign))
    assert len(spent) <= 6
    assert ahead_of(rater, campaign) == ahead_of(rater, campaign)
    assert Assignment.objects.filter(is_ahead=True).count() == 1


@pytest.mark.django_db
def test_nothing_is_leased_ahead_of_no_work():
    campaign = open_campaign()
    (rater,) = raters(1)
    assert claim_ahead(rater=rater, campaign=campaign) is None


@pytest.mark.django_db
def test_nobody_is_starved_when_fewer_seats_are_free_than_people_work():
    campaign = open_campaign(5)
    bob, carol, dan = raters(3)
    for rater in (bob, carol, dan):
        claim(rater, campaign)
    assert claim_ahead(rater=bob, campaign=campaign) is None  # two seats for three people

    campaign = open_campaign(6)
    for rater in (bob, carol, dan):
        claim(rater, campaign)
    ahead_of(bob, campaign)
    assert claim_ahead(rater=carol, campaign=campaign) is None  # two seats are left for the three


@pytest.mark.django_db
@pytest.mark.parametrize("fields", [{"max_leases": 1}, {"rater_quota": 1}, {"quota": 1}], ids=str)
def test_a_lease_for_later_counts_against_every_cap(fields):
    campaign = open_campaign(**fields)
    (rater,) = raters(1)
    claim(rater, campaign)
    assert claim_ahead(rater=rater, campaign=campaign) is None


@pytest.mark.django_db
def test_the_heartbeat_of_the_task_worked_on_holds_the_next_one_too():
    campaign = open_campaign()
    (rater,) = raters(1)
    first = claim(rater, campaign)
    later = ahead_of(rater, campaign)
    run_out(later)

    lease = extend_lease(first.pk, rater)

    later.refresh_from_db()
    assert lease.ahead == later.pk
    assert 0 < (later.expires_at - timezone.now()).total_seconds() <= AHEAD_SECONDS
    assert later.is_ahead


@pytest.mark.django_db
def test_without_a_heartbeat_it_goes_to_others_and_with_a_farewell_at_once():
    campaign = open_campaign(4)
    bob, carol = raters(2)
    first = claim(bob, campaign)
    later = ahead_of(bob, campaign)
    run_out(later)
    release_expired()
    assert not begin_ahead(later.pk, bob)
    assert extend_lease(first.pk, bob).ahead is None
    another = ahead_of(bob, campaign)
    assert another.task_id != later.task_id  # never one that the person had before
    assert give_back_ahead(bob, campaign) == 1
    assert not begin_ahead(another.pk, bob)
    seen = set()
    while got := claim_assignment(rater=carol, campaign=campaign).assignment:
        seen.add(got.task_id)
        submit(got)
    assert seen == {later.task_id, another.task_id} | set(
        campaign.tasks.exclude(pk=first.task_id).values_list("pk", flat=True)
    )
    assert_seats_add_up(campaign)


@pytest.mark.django_db
def test_it_begins_once_and_only_for_its_person():
    campaign = open_campaign()
    bob, carol = raters(2)
    claim(bob, campaign)
    later = ahead_of(bob, campaign)
    assert not begin_ahead(later.pk, carol)
    assert begin_ahead(later.pk, bob)
    assert not begin_ahead(later.pk, bob)


@pytest.mark.django_db
def test_newer_guidelines_or_a_pause_send_the_person_the_ordinary_way():
    campaign = open_campaign()
    (rater,) = raters(1)
    first = claim(rater, campaign)
    later = ahead_of(rater, campaign)
    newer = publish_guidelines(campaign, "Prefer the shorter one.", actor=None)
    assert not begin_ahead(later.pk, rater)
    submit(first)
    second = claim(rater, Campaign.objects.select_related("guideline").get())
    assert (second.pk, second.guideline) == (later.pk, newer)  # never shown under the older ones

    third = ahead_of(rater, campaign)
    move_campaign(campaign, Campaign.Status.PAUSED, actor=None)
    assert not begin_ahead(third.pk, rater)


@pytest.mark.django_db
def test_skipping_is_followed_by_the_same_next_task():
    campaign = open_campaign()
    (rater,) = raters(1)
    first = claim(rater, campaign)
    later = ahead_of(rater, campaign)
    skip_assignment(assignment_id=first.pk, rater=rater)
    assert begin_ahead(later.pk, rater)
    assert_seats_add_up(campaign)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempt", range(3))
def test_begun_taken_over_and_given_back_at_once_leave_one_holder(attempt):
    campaign = open_campaign(3)
    bob, carol = raters(2)
    submit(claim(carol, campaign))
    claim(bob, campaign)
    later = claim_ahead(rater=bob, campaign=campaign)
    assert later is not None
    run_out(later)

    begun, carols, _given, _released = together(
        lambda: begin_ahead(later.pk, bob),
        lambda: claim_assignment(rater=carol, campaign=campaign),
        lambda: give_back_ahead(bob, campaign),
        lambda: release_expired(),
    )

    holders = Assignment.objects.filter(task=later.task, status="leased")
    assert holders.count() <= 1
    assert not isinstance(carols, Exception)
    assert not (begun is True and carols.assignment is not None and carols.assignment.task_id == later.task_id)
    assert_seats_add_up(campaign)


@pytest.mark.django_db(transaction=True)
def test_eight_pages_that_look_ahead_at_once_lease_one_task():
    campaign = open_campaign(20, max_leases=20)
    (rater,) = raters(1)
    claim(rater, campaign)
    got = together(*(lambda: claim_ahead(rater=rater, campaign=campaign) for _ in range(8)))
    assert len({one.pk for one in got}) == 1
    assert_seats_add_up(campaign)
