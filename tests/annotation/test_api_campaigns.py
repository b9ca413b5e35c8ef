"""Running a campaign by program: states and imports."""

import json

import pytest
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from annotation.tasks import run_verifiers
from feedback.models import Campaign
from feedback.services.campaigns import move_campaign
from tests.factories import CampaignFactory, prefer, task_content

pytestmark = pytest.mark.django_db


def client_of(user) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {Token.objects.get_or_create(user=user)[0].key}")
    return client


@pytest.fixture
def alices(alice):
    return client_of(alice)


def post(client, campaign, noun, body=b"", **query):
    address = f"/api/v1/campaigns/{campaign.pk}/{noun}/"
    if query:
        address += "?" + "&".join(f"{name}={value}" for name, value in query.items())
    return client.post(address, body, content_type="application/x-ndjson")


def rows(*contents) -> bytes:
    return b"\n".join(json.dumps(row).encode() for row in contents)


def row(n, **fields):
    return {"external_id": f"row-{n}", **task_content(n), **fields}


def test_a_campaign_is_opened_paused_closed_and_archived(alices, alice):
    campaign = CampaignFactory(manager=alice, n_tasks=1)

    for noun, status in [
        ("activation", "active"),
        ("pause", "paused"),
        ("activation", "active"),
        ("closure", "closed"),
        ("archive", "archived"),
    ]:
        response = post(alices, campaign, noun)
        assert (response.status_code, response.json()["status"]) == (200, status)


def test_what_is_not_possible_now_is_a_conflict_that_says_so(alices, alice, campaign):
    bare = CampaignFactory(manager=alice, name="Bare")

    response = post(alices, bare, "activation")
    assert (response.status_code, response["Content-Type"]) == (409, "application/problem+json")
    assert "import some first" in response.json()["detail"]
    assert post(alices, campaign, "archive").status_code == 409
    assert post(alices, campaign, "explosion").status_code == 404


@pytest.mark.parametrize("noun", ["activation", "pause", "closure", "archive", "imports"])
def test_only_a_manager_may(bob, dave, campaign, noun):
    assert post(client_of(bob), campaign, noun).status_code == 403
    assert post(client_of(dave), campaign, noun).status_code == 404
    assert post(APIClient(), campaign, noun).status_code == 401
    campaign.refresh_from_db()
    assert campaign.status == "active"


def test_tasks_are_imported_once(alices, campaign):
    response = post(alices, campaign, "imports", rows(row(1), row(2)))

    assert response.status_code == 201, response.content
    assert (response.json()["n_rows"], response.json()["n_tasks_added"]) == (2, 2)
    assert campaign.tasks.count() == 5
    again = post(alices, campaign, "imports", rows(row(1), row(2)))
    assert (again.status_code, again.json()["n_tasks_known"]) == (200, 2)
    assert campaign.tasks.count() == 5


def test_judgements_come_with_their_tasks(alices, campaign):
    answers = {"better": prefer("r2")["better"]["value"]}
    response = post(alices, campaign, "imports", rows(row(1, judgements=[{"rater": "x", "answers": answers}])))

    assert response.json()["n_judgements_added"] == 1
    assert campaign.judgements.get().rater.name == "x"


def test_a_dry_run_tells_and_keeps_nothing(alices, campaign, monkeypatch, django_capture_on_commit_callbacks):
    sent = []
    monkeypatch.setattr(run_verifiers, "delay", sent.append)
    with django_capture_on_commit_callbacks(execute=True):
        response = post(alices, campaign, "imports", rows(row(1)), dry_run="true")

    assert (response.status_code, response.json()["n_tasks_added"], response.json()["dry_run"]) == (200, 1, True)
    assert campaign.tasks.count() == 3
    assert sent == []


def test_one_bad_row_refuses_the_file_and_says_which(alices, campaign):
    response = post(alices, campaign, "imports", rows(row(1), {"external_id": "bad", "prompt": "?", "responses": []}))

    assert (response.status_code, response["Content-Type"]) == (422, "application/problem+json")
    assert response.json()["errors"][0]["path"].startswith("2.")
    assert campaign.tasks.count() == 3


def test_the_good_rows_alone_are_imported_when_asked(alices, campaign):
    response = post(alices, campaign, "imports", rows({"prompt": "?", "responses": []}, row(1)), on_error="skip")

    assert (response.status_code, response.json()["n_refused"], response.json()["n_tasks_added"]) == (201, 1, 1)


@pytest.mark.parametrize("body", [b"", b"\n\n", b"{", b"\xff\xfe", b"[1, 2"])
def test_a_body_that_is_no_file_is_a_problem(alices, campaign, body):
    response = post(alices, campaign, "imports", body)

    assert response.status_code == 422, response.content
    assert response["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("query", [{"layout": "no-such"}, {"file_format": "exe"}, {"on_error": "shrug"}])
def test_an_option_that_does_not_exist_is_refused(alices, campaign, query):
    assert post(alices, campaign, "imports", rows(row(1)), **query).status_code in (400, 422)


def test_a_table_is_read_as_its_format_says(alices, campaign):
    table = b"prompt,chosen,rejected\nWhy?,Because.,No.\n"
    response = post(alices, campaign, "imports", table, file_format="csv")

    assert response.status_code == 201, response.content
    assert response.json()["n_tasks_added"] == 1


def test_a_closed_campaign_takes_no_tasks(alices, alice, campaign):
    move_campaign(campaign, Campaign.Status.CLOSED, actor=alice)

    assert post(alices, campaign, "imports", rows(row(1))).status_code == 409


def test_the_verifiers_answer_what_came_into_an_open_campaign(
    alices, campaign, monkeypatch, django_capture_on_commit_callbacks
):
    told = []
    monkeypatch.setattr(run_verifiers, "delay", told.append)
    with django_capture_on_commit_callbacks(execute=True):
        post(alices, campaign, "imports", rows(row(1)))

    assert told == [str(campaign.pk)]


def test_a_draft_waits_for_its_opening(alices, alice, monkeypatch, django_capture_on_commit_callbacks):
    told = []
    monkeypatch.setattr(run_verifiers, "delay", told.append)
    draft = CampaignFactory(manager=alice)
    with django_capture_on_commit_callbacks(execute=True):
        post(alices, draft, "imports", rows(row(1)))
    assert told == []

    with django_capture_on_commit_callbacks(execute=True):
        post(alices, draft, "activation")
    assert told == [str(draft.pk)]
