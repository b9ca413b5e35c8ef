"""The queue by program: claim, answer, skip, heartbeat; blind, and one's own only."""

import json
import uuid

import pytest
from django.urls import reverse
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from annotation.models import Assignment
from feedback.models import Campaign, Judgement, Membership
from feedback.services.campaigns import set_role
from tests.annotation.queueing import prefer, run_out

pytestmark = pytest.mark.django_db


def client_of(user) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {Token.objects.get_or_create(user=user)[0].key}")
    return client


def claim_url(campaign) -> str:
    return reverse("annotation-api:campaign-assignments", args=[campaign.pk])


def url(name: str, assignment_id) -> str:
    return reverse(f"annotation-api:assignment-{name}", args=[assignment_id])


@pytest.fixture
def bobs(bob):
    return client_of(bob)


@pytest.fixture
def assignment_id(bobs, campaign):
    return bobs.post(claim_url(campaign)).json()["assignment"]["id"]


def test_a_claim_shows_the_task_blind_and_in_the_drawn_order(bobs, campaign):
    body = bobs.post(claim_url(campaign)).json()

    shown = [response["id"] for response in body["assignment"]["responses"]]
    assert shown == Assignment.objects.get().shown
    assert body["assignment"]["questions"][0]["key"] == "better"
    assert body["assignment"]["guidelines"].startswith("Prefer the **true** answer")
    assert (body["resumed"], body["reason"], body["until"]) == (False, None, None)
    assert "model-one" not in json.dumps(body)
    assert set(body["assignment"]["responses"][0]) == {"id", "text"}


def test_a_second_claim_resumes_the_first(bobs, campaign, assignment_id):
    body = bobs.post(claim_url(campaign)).json()

    assert body["resumed"]
    assert body["assignment"]["id"] == assignment_id
    assert bobs.get(url("detail", assignment_id)).json() == body["assignment"]


def test_a_claim_without_a_task_says_why(bobs, campaign):
    Campaign.objects.update(status=Campaign.Status.PAUSED)

    body = bobs.post(claim_url(campaign)).json()

    assert (body["assignment"], body["reason"]) == (None, "paused")
    assert body["message"] == "This campaign is paused."


def test_an_answer_posted_twice_is_stored_once(bobs, assignment_id):
    body = {"key": "page-1", "answers": prefer("r2"), "seconds": 1.0}

    first = bobs.post(url("judgement", assignment_id), body, format="json")
    second = bobs.post(url("judgement", assignment_id), body, format="json")

    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["judgement"] == second.json()["judgement"] == Judgement.objects.get().pk
    assert first.json()["counted"]
    assert second.json()["created"] is False


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"answers": prefer()}, 400),
        ({"key": "k", "answers": [1]}, 400),
        ({"key": "k", "answers": {"better": {"verdict": "purple"}}}, 422),
        ({"key": "k", "answers": {}}, 422),
        ({"key": "k~", "answers": prefer()}, 422),
        ({"key": "k", "answers": prefer(), "seconds": -5}, 422),
        ({"key": "k", "answers": prefer(), "seconds": "NaN"}, 400),
        ({"key": "k", "answers": prefer(), "seconds": 1e9}, 422),
    ],
)
def test_an_answer_that_cannot_be_is_refused_with_a_problem(bobs, assignment_id, body, code):
    response = bobs.post(url("judgement", assignment_id), body, format="json")

    assert response.status_code == code
    assert response["Content-Type"] == "application/problem+json"
    assert not Judgement.objects.exists()


def test_errors_name_the_field(bobs, assignment_id):
    response = bobs.post(url("judgement", assignment_id), {"key": "k", "answers": {"better": None}}, format="json")

    assert response.json()["errors"] == [{"path": "better", "message": "This question needs an answer."}]


def test_a_skip_and_its_undo(bobs, assignment_id):
    assert bobs.post(url("skip", assignment_id), {"reason": "unclear"}, format="json").status_code == 204
    assert Assignment.objects.get().status == "skipped"

    lease = bobs.delete(url("skip", assignment_id)).json()

    assert lease["held"]
    assert lease["seconds_left"] > 500
    assert Assignment.objects.get().status == "leased"


def test_a_submitted_answer_is_not_skipped(bobs, assignment_id):
    bobs.post(url("judgement", assignment_id), {"key": "k", "answers": prefer()}, format="json")

    assert bobs.post(url("skip", assignment_id)).status_code == 409


def test_a_heartbeat_says_whether_the_place_is_held(bobs, carol, campaign, assignment_id):
    assert bobs.post(url("heartbeat", assignment_id)).json()["held"]
    run_out(Assignment.objects.get())
    campaign.tasks.exclude(pk=Assignment.objects.get().task_id).update(status="parked")
    client_of(carol).post(claim_url(campaign))

    lease = bobs.post(url("heartbeat", assignment_id)).json()

    assert (lease["held"], lease["refusal"], lease["seconds_left"]) == (False, "taken", 0.0)


STEPS = [("get", "detail"), ("post", "judgement"), ("post", "skip"), ("delete", "skip"), ("post", "heartbeat")]


@pytest.mark.parametrize(("verb", "name"), STEPS)
@pytest.mark.parametrize("who", ["alice", "carol", "dave"])
def test_another_persons_assignment_is_not_there(request, campaign, assignment_id, verb, name, who):
    client = client_of(request.getfixturevalue(who))

    assert getattr(client, verb)(url(name, assignment_id)).status_code == 404
    assert Assignment.objects.get().status == "leased"


@pytest.mark.parametrize(("verb", "name"), STEPS)
def test_without_a_token_nothing_is_there(assignment_id, verb, name):
    assert getattr(APIClient(), verb)(url(name, assignment_id)).status_code == 401


def test_a_stranger_cannot_claim(dave, campaign):
    assert client_of(dave).post(claim_url(campaign)).status_code == 404
    assert client_of(dave).post(reverse("annotation-api:campaign-assignments", args=[uuid.uuid4()])).status_code == 404


def test_who_was_removed_from_the_campaign_sees_their_assignment_no_more(bob, alice, bobs, campaign, assignment_id):
    set_role(campaign, bob, Membership.Role.ANNOTATOR, actor=alice, active=False)

    assert bobs.get(url("detail", assignment_id)).status_code == 404
    assert bobs.post(claim_url(campaign)).status_code == 404
