"""Choosing tasks and a person, or a priority, by page and by program."""

import pytest
from django.urls import reverse

from annotation.models import Reservation
from annotation.queue import claim_assignment
from feedback.access import rater_of
from feedback.models import Task
from tests.annotation.queueing import claim


@pytest.fixture
def address(client, campaign, alice):
    client.force_login(alice)
    return reverse("annotation:campaign-assign", args=[campaign.pk])


def last(campaign):
    return campaign.tasks.order_by("-order_key").first()


def test_a_manager_asks_one_person_a_task_first(client, address, campaign, bob):
    task = last(campaign)
    reply = client.post(address, {"tasks": task.external_id, "person": bob.pk}, follow=True)
    assert "is asked 1 of them first" in reply.content.decode()
    assert Reservation.objects.get().created_by.username == "alice"
    assert claim(rater_of(bob), campaign).task == task
    assert not Reservation.objects.exists()


def test_names_that_lead_nowhere_are_said_and_nothing_is_done(client, address, campaign, bob):
    reply = client.post(address, {"tasks": f"{last(campaign).external_id}\nno-such", "person": bob.pk, "priority": 3})
    assert reply.status_code == 422
    assert "Not in this campaign: no-such." in reply.content.decode()
    assert not Reservation.objects.exists()
    assert set(Task.objects.values_list("priority", flat=True)) == {0}


def test_own_numbers_and_a_priority(client, address, campaign, bob):
    task = last(campaign)
    client.post(address, {"tasks": f"#{task.pk}", "priority": "7"})
    task.refresh_from_db()
    campaign.refresh_from_db()
    assert (task.priority, campaign.has_priorities) == (7, True)
    assert claim(rater_of(bob), campaign).task == task


NOTHING = [{}, {"tasks": "x"}, {"flagged": "on", "priority": "1"}, {"priority": "-1"}]


@pytest.mark.parametrize("posted", NOTHING, ids=str)
def test_a_post_that_asks_for_nothing_says_what_is_missing(client, address, posted):
    assert client.post(address, posted).status_code == 422


def test_a_reservation_that_waits_is_shown_and_can_be_dropped(client, address, campaign, bob, carol):
    task = claim(rater_of(carol), campaign).task
    client.post(address, {"tasks": task.external_id, "person": bob.pk})
    assert "no place free" in client.get(address).content.decode()
    assert claim_assignment(rater=rater_of(bob), campaign=campaign).assignment.task != task
    client.post(address, {"drop": Reservation.objects.get().pk})
    assert not Reservation.objects.exists()


def test_a_program_sets_priorities_and_reserves(client, campaign, alice, bob):
    client.force_login(alice)
    first, second = campaign.tasks.order_by("-order_key")[:2]
    where = {"args": [campaign.pk]}
    reply = client.post(
        reverse("annotation-api:campaign-priorities", **where),
        {"tasks": [first.external_id], "priority": 4},
        content_type="application/json",
    )
    assert (reply.status_code, reply.json()) == (200, {"n_tasks": 1})
    body = {"tasks": [second.external_id], "username": "bob"}
    reserved = reverse("annotation-api:campaign-reservations", **where)
    reply = client.post(reserved, body, content_type="application/json")
    assert reply.json() == {"n_reserved": 1, "refused": []}
    campaign.refresh_from_db()
    assert claim(rater_of(bob), campaign).task == second
    reply = client.post(reserved, {**body, "username": "dave"}, content_type="application/json")
    assert reply.status_code == 409
    reply = client.post(reserved, {**body, "tasks": ["no-such"]}, content_type="application/json")
    assert reply.status_code == 400
