"""Invitation links: who joins by them, what refuses them, and that no use is given twice."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
import time_machine
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from feedback.models import Invitation, Membership, User
from feedback.services.campaigns import set_role
from feedback.services.invitations import InvitationUnusable, find_invitation, invite, redeem, revoke
from tests.factories import CampaignFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def link(campaign, alice):
    def make(**given):
        wanted = {"role": "annotator", "n_uses": 1, "days": 7, "note": "", **given}
        return invite(campaign, actor=alice, **wanted)

    return make


def url(token):
    return reverse("annotation:invitation", args=[token])


def test_the_token_is_nowhere_in_the_database(link):
    invitation, token = link()
    assert token not in str(Invitation.objects.filter(pk=invitation.pk).values().get())
    assert find_invitation(token) == invitation


def test_somebody_with_an_account_joins_in_the_role_of_the_link(client, link, campaign):
    _, token = link(role="reviewer")
    erin = UserFactory(username="erin")
    client.force_login(erin)
    assert b"Join" in client.get(url(token)).content
    assert client.post(url(token)).status_code == 302
    assert campaign.memberships.get(user=erin).role == "reviewer"
    assert Invitation.objects.get().n_uses == 1


def test_somebody_new_makes_an_account_and_is_logged_in(client, link, campaign):
    _, token = link()
    given = {"username": "newcomer", "password1": "a-long-pass-phrase-7", "password2": "a-long-pass-phrase-7"}
    response = client.post(url(token), given, follow=True)
    assert response.context["user"].username == "newcomer"
    assert campaign.memberships.get(user__username="newcomer").role == "annotator"


def test_a_weak_password_makes_neither_account_nor_member(client, link, campaign):
    _, token = link()
    response = client.post(url(token), {"username": "newcomer", "password1": "1234", "password2": "1234"})
    assert response.status_code == 422
    assert not User.objects.filter(username="newcomer").exists()
    assert Invitation.objects.get().n_uses == 0


def test_an_account_is_not_made_when_the_last_use_is_gone_meanwhile(client, link, monkeypatch):
    _, token = link()
    given = {"username": "late", "password1": "a-long-pass-phrase-7", "password2": "a-long-pass-phrase-7"}
    monkeypatch.setattr("annotation.campaigns.inviting.redeem", _used_up)
    assert client.post(url(token), given).status_code == 410
    assert not User.objects.filter(username="late").exists()


def _used_up(token, user):
    raise InvitationUnusable("This invitation is used up.")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"revoked_at": timezone.now()}, b"withdrawn"),
        ({"expires_at": timezone.now() - timedelta(days=1)}, b"expired"),
        ({"n_uses": 1}, b"used up"),
        ({"token_hash": "0" * 64}, b"no such invitation"),
    ],
)
def test_a_link_that_cannot_be_used_says_why(client, link, change, said):
    invitation, token = link()
    Invitation.objects.filter(pk=invitation.pk).update(**change)
    response = client.get(url(token))
    assert response.status_code == 410
    assert said in response.content


def test_a_link_runs_out_after_its_days(link):
    _, token = link(days=2)
    with (
        time_machine.travel(timezone.now() + timedelta(days=2, minutes=1)),
        pytest.raises(InvitationUnusable, match="expired"),
    ):
        find_invitation(token)


def test_a_member_stays_what_they_are_and_uses_nothing_up(link, campaign, alice):
    _, token = link(role="annotator")
    assert redeem(token, alice).role == "manager"
    assert Invitation.objects.get().n_uses == 0


def test_who_was_switched_off_is_not_let_in_by_a_link(link, campaign, alice, bob):
    set_role(campaign, bob, Membership.Role.ANNOTATOR, actor=alice, active=False)
    _, token = link()
    with pytest.raises(InvitationUnusable, match="switched off"):
        redeem(token, bob)
    assert not campaign.memberships.get(user=bob).is_active


def test_withdrawing_twice_is_withdrawing_once(link, alice, campaign):
    invitation, _ = link()
    revoke(invitation, actor=alice)
    revoke(invitation, actor=alice)
    assert campaign.events.filter(verb="invitation.withdrawn").count() == 1


def test_a_new_link_is_shown_once_and_the_list_never_shows_it(client, campaign, alice):
    client.force_login(alice)
    page = reverse("annotation:campaign-invitations", args=[campaign.pk])
    made = client.post(page, {"role": "annotator", "n_uses": 2, "days": 3, "note": "for the lab"})
    token = made.context["link"].rstrip("/").rsplit("/", 1)[-1]
    assert find_invitation(token).note == "for the lab"
    assert token not in client.get(page).content.decode()


@pytest.mark.parametrize("given", [{"n_uses": 0}, {"n_uses": 5000}, {"days": 0}, {"days": 900}])
def test_a_link_for_nobody_or_for_ever_is_refused(client, campaign, alice, given):
    client.force_login(alice)
    page = reverse("annotation:campaign-invitations", args=[campaign.pk])
    assert client.post(page, {"role": "annotator", "n_uses": 1, "days": 1, **given}).status_code == 422
    assert not Invitation.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_people_cannot_both_take_the_last_use():
    alice = UserFactory(username="alice", opens_campaigns=True)
    campaign = CampaignFactory(manager=alice)
    _, token = invite(campaign, role="annotator", n_uses=1, days=1, note="", actor=alice)
    people = [UserFactory(username=f"p{n}") for n in range(4)]
    together = Barrier(len(people))

    def join(user):
        together.wait()
        try:
            redeem(token, user)
        except InvitationUnusable:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(len(people)) as pool:
        joined = list(pool.map(join, people))
    assert sum(joined) == 1
    assert campaign.memberships.filter(role="annotator").count() == 1
