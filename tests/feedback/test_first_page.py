"""The first page, a person's settings, and logging in again beside unsaved work."""

import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.factories import PASSWORD, CampaignFactory, JudgementFactory, RaterFactory

HOME = reverse("feedback:home")
AGAIN = reverse("feedback:login-again")


def test_a_person_sees_their_own_campaigns_only(client, campaign, bob, dave):
    client.force_login(bob)
    assert campaign.name.encode() in client.get(HOME).content
    client.force_login(dave)
    page = client.get(HOME).content
    assert campaign.name.encode() not in page
    assert b"yours is \xe2\x80\x9cdave\xe2\x80\x9d" in page


def test_a_campaign_with_work_offers_to_start(client, campaign, bob):
    client.force_login(bob)
    page = client.get(HOME).content.decode()
    assert reverse("annotation:work", args=[campaign.pk]) in page
    assert "0 of 3 places for people filled" in page
    campaign.tasks.update(n_counted=1)
    page = client.get(HOME).content.decode()
    assert reverse("annotation:work", args=[campaign.pk]) not in page
    assert "3 of 3 places for people filled" in page


def test_only_who_manages_is_offered_the_managers_pages(client, campaign, alice, bob):
    client.force_login(bob)
    assert b"Manage" not in client.get(HOME).content
    client.force_login(alice)
    assert b"Manage" in client.get(HOME).content


def test_the_first_page_costs_the_same_for_one_campaign_and_for_five(client, alice, bob):
    costs = []
    for n_campaigns in (1, 4):
        for _ in range(n_campaigns):
            made = CampaignFactory(manager=alice, annotators=[bob], n_tasks=2, active=True)
            JudgementFactory(task=made.tasks.first(), rater=RaterFactory())
        client.force_login(bob)
        with CaptureQueriesContext(connection) as asked:
            assert client.get(HOME).status_code == 200
        costs.append(len(asked))
    assert costs[0] == costs[1] <= 8


def test_settings_are_kept(client, bob):
    client.force_login(bob)
    client.post(reverse("feedback:account"), {"theme": "dark"})
    bob.refresh_from_db()
    assert (bob.theme, bob.shortcuts) == ("dark", False)
    page = client.get(HOME).content.decode()
    assert 'data-theme="dark"' in page
    assert 'data-shortcuts="off"' in page


def test_an_unknown_theme_is_refused(client, bob):
    client.force_login(bob)
    assert client.post(reverse("feedback:account"), {"theme": "pink"}).status_code == 422
    bob.refresh_from_db()
    assert bob.theme == "system"


def test_logging_in_again_hands_out_the_new_token(bob):
    client = Client(enforce_csrf_checks=True)
    page = client.get(AGAIN)
    assert b"Please log in again" in page.content
    token = client.cookies["csrftoken"].value
    posted = {"username": "bob", "password": PASSWORD, "csrfmiddlewaretoken": token}
    reply = client.post(AGAIN, posted)
    assert reply.status_code == 204
    detail = json.loads(reply["HX-Trigger"])["touchstone:logged-in"]
    assert detail["user"] == str(bob.uid)
    saved = client.post(reverse("feedback:account"), {"theme": "light", "csrfmiddlewaretoken": detail["token"]})
    assert saved.status_code == 302


def test_a_wrong_password_is_said_in_the_fragment(client, bob):
    reply = client.post(AGAIN, {"username": "bob", "password": "no"})
    assert reply.status_code == 422
    assert b"field-error" in reply.content
    assert b"<html" not in reply.content


@pytest.mark.django_db
def test_a_stale_token_is_told_apart_from_a_refusal(bob):
    client = Client(enforce_csrf_checks=True)
    client.force_login(bob)
    reply = client.post(reverse("feedback:account"), {"theme": "dark"})
    assert reply.status_code == 403
    assert b"data-stale-token" in reply.content


def test_errors_have_pages_of_their_own(client, bob):
    client.force_login(bob)
    reply = client.get("/nowhere/")
    assert reply.status_code == 404
    assert b"There is nothing here" in reply.content


def test_every_page_obeys_the_content_security_policy(client, bob, campaign):
    client.force_login(bob)
    for path in (HOME, reverse("feedback:account"), reverse("annotation:work", args=[campaign.pk])):
        reply = client.get(path, follow=True)
        assert "script-src 'self'" in reply["Content-Security-Policy"]
        page = reply.content.decode()
        for inline in ("<style", " style=", " onclick=", " hx-on", "<script>"):
            assert inline not in page
