"""What a manager asks of the queue: priorities, reservations, caps, quotas of one person, tasks that wait for them."""

import pytest

from annotation.models import Cursor, Parking, Reservation
from annotation.parking import unpark_task, withdraw_task
from annotation.queue import (
    LeaseRefusal,
    NothingToDo,
    claim_assignment,
    skip_assignment,
    undo_skip,
)
from annotation.reserving import reserve_task
from feedback.exceptions import WrongState
from feedback.models import Campaign, Judgement, Task
from feedback.services.priorities import set_priority
from tests.annotation.queueing import assert_seats_add_up, claim, raters, statements, submit, together
from tests.factories import CampaignFactory, UserFactory


@pytest.fixture
def manager(db):
    return UserFactory()


def open_campaign(n_tasks=4, **fields) -> Campaign:
    return CampaignFactory(n_tasks=n_tasks, active=True, **fields)


def last_in_order(campaign) -> Task:
    return campaign.tasks.order_by("-order_key").first()


@pytest.mark.django_db
def test_a_task_with_priority_is_asked_first_the_highest_before_the_others(manager):
    campaign = open_campaign(5)
    low, high = campaign.tasks.order_by("-order_key")[:2]
    set_priority(campaign, [low.pk], 1, actor=manager)
    set_priority(campaign, [high.pk], 9, actor=manager)
    campaign.refresh_from_db()
    (rater,) = raters(1)

    asked = []
    for _ in range(5):
        assignment = claim(rater, campaign)
        asked.append(assignment.task_id)
        submit(assignment)

    assert asked[:2] == [high.pk, low.pk]
    assert asked[2:] == list(
        campaign.tasks.exclude(pk__in=asked[:2]).order_by("order_key").values_list("pk", flat=True)
    )


@pytest.mark.django_db
def test_taking_the_last_priority_away_makes_claims_plain_again(manager):
    campaign = open_campaign(2)
    task = last_in_order(campaign)
    set_priority(campaign, [task.pk], 3, actor=manager)
    assert Campaign.objects.get().has_priorities
    set_priority(campaign, [task.pk], 0, actor=manager)
    assert not Campaign.objects.get().has_priorities


@pytest.mark.django_db
def test_a_priority_for_a_task_of_another_campaign_is_refused_and_changes_nothing(manager):
    campaign, other = open_campaign(1), open_campaign(1)
    ids = [campaign.tasks.get().pk, other.tasks.get().pk]
    with pytest.raises(WrongState):
        set_priority(campaign, ids, 5, actor=manager)
    assert set(Task.objects.values_list("priority", flat=True)) == {0}


@pytest.mark.django_db
def test_a_reserved_task_comes_first_and_the_reservation_goes(manager):
    campaign = open_campaign(4)
    bob, carol = raters(2)
    task = last_in_order(campaign)
    set_priority(campaign, [campaign.tasks.order_by("order_key").first().pk], 5, actor=manager)
    reserve_task(task=task, rater=bob, actor=manager)
    reserve_task(task=task, rater=bob, actor=manager)
    campaign.refresh_from_db()

    assert Reservation.objects.count() == 1
    assert claim(carol, campaign).task_id != task.pk
    assert claim(bob, campaign).task == task
    assert not Reservation.objects.exists()
    assert_seats_add_up(campaign)


@pytest.mark.django_db
def test_a_reservation_without_a_free_seat_stays_and_the_person_gets_another_task(manager):
    campaign = open_campaign(2)
    bob, carol = raters(2)
    taken = claim(carol, campaign).task
    reserve_task(task=taken, rater=bob, actor=manager)

    assert claim(bob, campaign).task != taken
    assert Reservation.objects.get().task == taken


@pytest.mark.django_db
def test_a_reservation_of_what_the_person_has_answered_is_refused(manager):
    campaign = open_campaign(1)
    (bob,) = raters(1)
    assignment = claim(bob, campaign)
    submit(assignment)
    with pytest.raises(WrongState):
        reserve_task(task=assignment.task, rater=bob, actor=manager)


@pytest.mark.django_db
def test_wishes_of_the_manager_cost_no_further_statement(manager):
    campaign = open_campaign(3)
    bob, _carol = raters(2)
    set_priority(campaign, [last_in_order(campaign).pk], 5, actor=manager)
    reserve_task(task=campaign.tasks.order_by("order_key").first(), rater=bob, actor=manager)
    campaign = Campaign.objects.select_related("form", "guideline").get()  # as `access_campaign` gives it

    assert len(statements(lambda: claim(bob, campaign))) == 4  # cursor, own leases, pick, lease


@pytest.mark.django_db
def test_nobody_collects_tasks_by_skipping_and_coming_back():
    """Field case 17: people opened many tasks and kept them."""
    campaign = open_campaign(6, max_leases=2, park_after_skips=None)
    (rater,) = raters(1)
    skipped = []
    for _ in range(4):
        skipped.append(claim(rater, campaign))
        skip_assignment(assignment_id=skipped[-1].pk, rater=rater)

    got = [undo_skip(assignment_id=one.pk, rater=rater) for one in skipped]

    assert [lease.held for lease in got] == [True, True, False, False]
    assert {lease.refusal for lease in got[2:]} == {LeaseRefusal.HOLDS_ENOUGH}
    assert_seats_add_up(campaign)


@pytest.mark.django_db
def test_one_person_is_asked_no_more_than_their_quota_and_told_so():
    campaign = open_campaign(4, rater_quota=2)
    bob, carol = raters(2)
    for _ in range(2):
        submit(claim(bob, campaign))

    assert claim_assignment(rater=bob, campaign=campaign).reason == NothingToDo.YOUR_QUOTA_REACHED
    assert claim(carol, campaign)


@pytest.mark.django_db
def test_an_answer_beyond_ones_quota_is_kept_as_surplus_and_its_seat_goes_to_others():
    campaign = open_campaign(2, rater_quota=2, max_leases=5)
    bob, carol = raters(2)
    first = claim(bob, campaign)
    skip_assignment(assignment_id=first.pk, rater=bob)
    second = claim(bob, campaign)
    submit(second)
    Campaign.objects.filter(pk=campaign.pk).update(rater_quota=1)

    late = submit(first)

    assert (late.surplus, late.over_quota) == (True, True)
    assert Judgement.objects.count() == 2
    assert claim(carol, campaign).task_id == first.task_id
    assert Cursor.objects.get(rater=bob).n_counted == 1


@pytest.mark.django_db
def test_a_full_campaign_quota_does_not_use_up_ones_own():
    campaign = open_campaign(2, quota=5, rater_quota=5)
    (bob,) = raters(1)
    assignment = claim(bob, campaign)
    Campaign.objects.filter(pk=campaign.pk).update(quota=0)

    assert submit(assignment).surplus
    assert Cursor.objects.get(rater=bob).n_counted == 0


@pytest.mark.django_db(transaction=True)
def test_the_quota_of_one_person_is_kept_when_all_their_pages_submit_at_once():
    """Field case 13: a limit that only the client knew."""
    campaign = open_campaign(6, max_leases=20, park_after_skips=None)
    (rater,) = raters(1)
    held = []
    for _ in range(6):
        held.append(claim(rater, campaign))
        skip_assignment(assignment_id=held[-1].pk, rater=rater)
    Campaign.objects.filter(pk=campaign.pk).update(rater_quota=3)

    got = together(*(lambda a=assignment: submit(a) for assignment in held))

    assert [one.surplus for one in got].count(False) == 3
    assert Judgement.objects.count() == 6
    assert_seats_add_up(campaign)


@pytest.mark.django_db
def test_a_task_that_is_skipped_often_waits_for_the_manager():
    campaign = open_campaign(1, park_after_skips=2)
    bob, carol, dan = raters(3)
    for rater in (bob, carol):
        skip_assignment(assignment_id=claim(rater, campaign).pk, rater=rater, reason="Not in my language.")

    assert Task.objects.get().status == Task.Status.PARKED
    assert claim_assignment(rater=dan, campaign=campaign).reason == NothingToDo.PARKED
    assert claim_assignment(rater=bob, campaign=campaign).reason == NothingToDo.ALL_DONE


@pytest.mark.django_db
def test_undoing_the_skip_that_parked_a_task_opens_it_and_undoing_another_does_not():
    campaign = open_campaign(1, park_after_skips=2, overlap=2)
    bob, carol, dan = raters(3)
    skips = {rater: claim(rater, campaign) for rater in (bob, carol)}
    for rater, assignment in skips.items():
        skip_assignment(assignment_id=assignment.pk, rater=rater)

    assert undo_skip(assignment_id=skips[bob].pk, rater=bob).refusal == LeaseRefusal.NOT_OPEN
    assert undo_skip(assignment_id=skips[carol].pk, rater=carol).held
    assert Task.objects.get().status == Task.Status.OPEN
    assert not Parking.objects.exists()
    assert claim(dan, campaign)
    assert_seats_add_up(campaign)


@pytest.mark.django_db
def test_a_manager_opens_a_parked_task_again_or_withdraws_it(manager):
    campaign = open_campaign(1, park_after_skips=1)
    bob, carol = raters(2)
    skip_assignment(assignment_id=claim(bob, campaign).pk, rater=bob)
    task = Task.objects.get()

    unpark_task(task, actor=manager)
    assert claim(carol, campaign).task == task
    withdraw_task(task, actor=manager)
    assert Task.objects.get().status == Task.Status.WITHDRAWN
    with pytest.raises(WrongState):
        unpark_task(task, actor=manager)


@pytest.mark.django_db(transaction=True)
def test_skips_at_once_park_a_task_once():
    campaign = open_campaign(1, overlap=4, park_after_skips=2)
    people = raters(4)
    held = {rater: claim(rater, campaign) for rater in people}

    got = together(*(lambda r=r, a=a: skip_assignment(assignment_id=a.pk, rater=r) for r, a in held.items()))

    assert not [one for one in got if isinstance(one, Exception)]
    assert Parking.objects.count() == 1
    assert_seats_add_up(campaign)
