"""What a manager changes while people work: settings, guidelines, members.  Nothing already given is lost."""

import threading
import time

import pytest
from django.db import transaction
from django.urls import reverse

from feedback.access import rater_of
from feedback.exceptions import WrongState
from feedback.models import Campaign, Membership, Task
from feedback.services.campaigns import change_campaign, set_role
from tests.annotation.queueing import assert_seats_add_up, claim, submit, together

pytestmark = pytest.mark.django_db


@pytest.fixture
def alices(client, alice):
    client.force_login(alice)
    return client


def url(name, campaign) -> str:
    return reverse(f"annotation:campaign-{name}", args=[campaign.pk])


def settings_of(campaign, **changed):
    fields = ("name", "description", "overlap", "lease_seconds", "undo_seconds", "max_leases")
    return {**{name: getattr(campaign, name) for name in fields}, "quota": campaign.quota or "", **changed}


def save(client, campaign, **changed):
    response = client.post(url("settings", campaign), settings_of(campaign, **changed))
    campaign.refresh_from_db()
    return response


def test_settings_are_saved_and_the_tasks_get_the_new_overlap(alices, campaign):
    assert save(alices, campaign, overlap=3, lease_seconds=120, name="Renamed").status_code == 302

    assert (campaign.name, campaign.overlap, campaign.lease_seconds) == ("Renamed", 3, 120)
    assert set(campaign.tasks.values_list("overlap", flat=True)) == {3}


def test_a_smaller_overlap_keeps_the_seats_that_are_taken(alices, campaign, bob, carol):
    save(alices, campaign, overlap=2)
    for person in (bob, carol):
        for _ in range(2):
            submit(claim(rater_of(person), campaign))

    save(alices, campaign, overlap=1)

    assert_seats_add_up(campaign)
    assert all(task.overlap == max(1, task.n_counted) for task in campaign.tasks.all())


def test_a_quota_given_late_counts_what_was_counted_before(alices, campaign, bob):
    submit(claim(rater_of(bob), campaign))

    save(alices, campaign, quota=2)

    assert (campaign.quota, campaign.n_quota_used) == (2, 1)
    submit(claim(rater_of(bob), campaign))
    assert_seats_add_up(campaign)


def test_a_quota_below_what_is_counted_is_refused_at_its_field(alices, campaign, bob):
    for _ in range(2):
        submit(claim(rater_of(bob), campaign))

    response = save(alices, campaign, quota=1)

    assert response.status_code == 422
    assert "2 judgements are counted already" in response.content.decode()
    assert campaign.quota is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("overlap", 0),
        ("lease_seconds", 5),
        ("name", ""),
        ("quota", 0),
        ("rater_quota", 0),
        ("max_leases", 0),
        ("max_leases", 21),
        ("park_after_skips", 0),
        ("time_limit", 4),
    ],
)
def test_settings_that_cannot_be_are_refused(alices, campaign, field, value):
    response = save(alices, campaign, **{field: value})

    assert response.status_code == 422
    assert f'href="#id_{field}"' in response.content.decode()


def test_publishing_guidelines_makes_a_version_and_old_answers_name_theirs(alices, campaign, bob):
    judgement = submit(claim(rater_of(bob), campaign)).judgement
    old = campaign.guideline

    alices.post(url("guidelines", campaign), {"text": "Be brief."})

    campaign.refresh_from_db()
    assert (campaign.guideline.number, campaign.guideline.text) == (old.number + 1, "Be brief.")
    assert judgement.guideline == old
    page = alices.get(url("guidelines", campaign)).content.decode()
    assert "Be brief." in page
    assert "Guidelines 2" in page


def test_guidelines_are_previewed_as_they_are_written_and_safely(alices, campaign):
    written = {"text": "Be **kind**. <script>alert(1)</script>"}

    page = alices.post(url("guidelines-preview", campaign), written).content.decode()

    assert "<strong>kind</strong>" in page
    assert "<script>" not in page
    assert campaign.guidelines.count() == 1


def test_two_versions_of_the_guidelines_are_compared(alices, campaign):
    alices.post(url("guidelines", campaign), {"text": "Be brief."})

    page = alices.get(url("guidelines", campaign), {"with": "1"}).content.decode()

    assert "<ins>" in page
    assert "From version 1 to 2" in page
    assert alices.get(url("guidelines", campaign), {"with": "x9"}).status_code == 200


def test_publishing_the_same_guidelines_again_makes_no_version(alices, campaign):
    alices.post(url("guidelines", campaign), {"text": campaign.guideline.text})

    assert campaign.guidelines.count() == 1


def add(client, campaign, username, role="annotator", **more):
    return client.post(url("members", campaign), {"username": username, "role": role, **more})


def role_of(campaign, user):
    membership = Membership.objects.filter(campaign=campaign, user=user).first()
    return membership and (membership.role, membership.is_active)


def test_a_member_is_added_changed_switched_off_and_on(alices, campaign, dave):
    assert add(alices, campaign, " dave ").status_code == 302
    assert role_of(campaign, dave) == ("annotator", True)
    add(alices, campaign, "dave", "reviewer")
    assert role_of(campaign, dave) == ("reviewer", True)
    add(alices, campaign, "dave", "reviewer", remove="1")
    assert role_of(campaign, dave) == ("reviewer", False)
    add(alices, campaign, "dave", "reviewer")
    assert role_of(campaign, dave) == ("reviewer", True)


def test_somebody_who_is_not_here_cannot_be_added(alices, campaign):
    response = add(alices, campaign, "nobody")

    assert response.status_code == 422
    assert "Nobody here has this username." in response.content.decode()


def test_somebody_switched_off_sees_the_campaign_no_more_and_their_answers_stay(alices, campaign, bob, client):
    submit(claim(rater_of(bob), campaign))
    add(alices, campaign, "bob", remove="1")

    client.force_login(bob)
    assert client.get(reverse("annotation:work", args=[campaign.pk])).status_code == 404
    assert campaign.judgements.current().count() == 1


@pytest.mark.parametrize("given", [{"role": "annotator"}, {"role": "manager", "remove": "1"}])
def test_the_last_manager_stays(alices, alice, campaign, given):
    response = add(alices, campaign, "alice", **given)

    assert response.status_code == 422
    assert "make another person its manager first" in response.content.decode()
    assert role_of(campaign, alice) == ("manager", True)


def test_a_manager_may_leave_once_there_is_another(alices, alice, bob, campaign):
    add(alices, campaign, "bob", "manager")

    assert add(alices, campaign, "alice", "annotator").status_code == 302
    assert role_of(campaign, alice) == ("annotator", True)


@pytest.mark.django_db(transaction=True)
def test_two_managers_who_remove_each_other_at_once_leave_one(campaign, alice, bob):
    set_role(campaign, bob, Membership.Role.MANAGER, actor=alice)

    results = together(
        lambda: set_role(campaign, bob, Membership.Role.ANNOTATOR, actor=alice),
        lambda: set_role(campaign, alice, Membership.Role.ANNOTATOR, actor=bob),
    )

    assert sum(isinstance(result, WrongState) for result in results) == 1
    assert campaign.memberships.filter(role="manager", is_active=True).count() == 1


def test_a_change_that_changes_nothing_leaves_no_trace(campaign, alice):
    before = campaign.events.count()

    change_campaign(campaign, actor=alice, overlap=campaign.overlap, guidelines=campaign.guideline.text)

    assert campaign.events.count() == before


def test_a_new_time_limit_is_a_new_form_version(alices, campaign, bob):
    held = claim(rater_of(bob), campaign)

    save(alices, campaign, time_limit=90)
    save(alices, campaign, time_limit=90)

    assert (campaign.form.number, campaign.form.time_limit) == (2, 90)
    assert held.form.time_limit is None
    save(alices, campaign)
    assert (campaign.form.number, campaign.form.time_limit) == (3, None)


def test_what_one_person_may_give_and_hold_is_saved(alices, campaign):
    save(alices, campaign, rater_quota=5, max_leases=2, park_after_skips="")

    assert (campaign.rater_quota, campaign.max_leases, campaign.park_after_skips) == (5, 2, None)


@pytest.mark.django_db(transaction=True)
def test_settings_wait_for_whoever_labels_and_never_the_other_way_round(campaign, alice, bob):
    """A submit holds its task and then wants the campaign, for the quota: the manager's change must not hold that."""
    change_campaign(campaign, actor=alice, quota=3)
    assignment = claim(rater_of(bob), campaign)
    is_held, is_changing = threading.Event(), threading.Event()

    def label():
        with transaction.atomic():
            Task.objects.select_for_update(no_key=True).get(pk=assignment.task_id)
            is_held.set()
            assert is_changing.wait(10)
            time.sleep(0.5)  # the change has its first lock, or waits for this task
            return submit(assignment).judgement.is_counted

    def change():
        assert is_held.wait(10)
        is_changing.set()
        change_campaign(Campaign.objects.get(pk=campaign.pk), actor=alice, overlap=2, quota=5)

    assert together(label, change) == [True, None]
    campaign.refresh_from_db()
    assert (campaign.overlap, campaign.quota, campaign.n_quota_used) == (2, 5, 1)
    assert_seats_add_up(campaign)
