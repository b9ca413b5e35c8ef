"""A campaign moves by nouns: activation, pause, closure, archive; what is not possible is said, and changes nothing."""

import pytest
from django.urls import reverse

from annotation.tasks import run_verifiers
from feedback.models import Campaign
from tests.factories import CampaignFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def alices(client, alice):
    client.force_login(alice)
    return client


def post(client, campaign, noun):
    name = "annotation:campaign-activation" if noun == "activation" else "annotation:campaign-state"
    args = [campaign.pk] if noun == "activation" else [campaign.pk, noun]
    response = client.post(reverse(name, args=args), follow=True)
    campaign.refresh_from_db()
    return " ".join(response.content.decode().split())


def test_a_campaign_goes_through_its_life(alices, alice):
    campaign = CampaignFactory(manager=alice, n_tasks=1)
    steps = [
        ("activation", "active"),
        ("pause", "paused"),
        ("activation", "active"),
        ("closure", "closed"),
        ("activation", "active"),
        ("closure", "closed"),
        ("archive", "archived"),
    ]
    for noun, status in steps:
        post(alices, campaign, noun)
        assert campaign.status == status


def test_a_campaign_without_tasks_does_not_open(alices, alice):
    campaign = CampaignFactory(manager=alice, name="Bare")

    assert "“Bare” has no task yet: import some first." in post(alices, campaign, "activation")
    assert campaign.status == "draft"


@pytest.mark.parametrize(("status", "noun"), [("draft", "pause"), ("archived", "activation"), ("active", "archive")])
def test_an_impossible_move_says_where_the_campaign_is(alices, alice, status, noun):
    campaign = CampaignFactory(manager=alice, n_tasks=1)
    Campaign.objects.filter(pk=campaign.pk).update(status=status)

    assert f"is {status} and cannot become" in post(alices, campaign, noun)
    assert campaign.status == status


def test_opening_sends_the_verifiers(alices, alice, django_capture_on_commit_callbacks, monkeypatch):
    sent = []
    monkeypatch.setattr(run_verifiers, "delay", sent.append)
    campaign = CampaignFactory(manager=alice, n_tasks=1)

    with django_capture_on_commit_callbacks(execute=True):
        post(alices, campaign, "activation")

    assert sent == [str(campaign.pk)]


@pytest.mark.parametrize("noun", ["activation", "pause", "closure", "archive"])
def test_looking_at_an_address_changes_nothing(alices, campaign, noun):
    name, args = ("activation", [campaign.pk]) if noun == "activation" else ("state", [campaign.pk, noun])

    assert alices.get(reverse(f"annotation:campaign-{name}", args=args)).status_code == 405
    campaign.refresh_from_db()
    assert campaign.status == "active"


def test_there_is_no_other_noun(alices, campaign):
    address = reverse("annotation:campaign-state", args=[campaign.pk, "pause"]).replace("pause", "explosion")

    assert alices.post(address).status_code == 404


@pytest.mark.parametrize("noun", ["activation", "pause", "closure"])
def test_an_annotator_moves_nothing(client, bob, campaign, noun):
    client.force_login(bob)
    name, args = ("activation", [campaign.pk]) if noun == "activation" else ("state", [campaign.pk, noun])

    assert client.post(reverse(f"annotation:campaign-{name}", args=args)).status_code == 403
    campaign.refresh_from_db()
    assert campaign.status == "active"
