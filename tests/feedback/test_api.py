"""The REST API of the record: campaigns and what lies in them; every error is a problem document."""

import json
import uuid

import pytest
from django.urls import reverse
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from feedback.models import Campaign, Membership, Task
from feedback.services.aggregation import aggregate_preferences
from feedback.services.campaigns import set_role
from tests.annotation.queueing import statements
from tests.factories import CHECKLIST, PAIRWISE, PASSWORD, CampaignFactory, JudgementFactory, TaskFactory, prefer

pytestmark = pytest.mark.django_db

CAMPAIGNS = "/api/v1/campaigns/"


def client_of(user) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {Token.objects.get_or_create(user=user)[0].key}")
    return client


@pytest.fixture
def alices(alice):
    return client_of(alice)


def address(campaign, part="") -> str:
    return f"{CAMPAIGNS}{campaign.pk}/{part}"


def is_problem(response, status, title="") -> dict:
    """The body, once it is a whole problem document."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    body = response.json()
    assert (body["type"], body["status"]) == ("about:blank", status)
    assert body["title"].startswith(title)
    return body


def paths(body) -> list[str]:
    return [error["path"] for error in body["errors"]]


def test_a_token_is_given_for_the_password(bob):
    given = APIClient().post("/api/v1/token/", {"username": "bob", "password": PASSWORD}, format="json")

    assert given.json()["token"] == Token.objects.get(user=bob).key


def test_without_a_token_nothing_is_told(campaign):
    response = APIClient().get(CAMPAIGNS)

    is_problem(response, 401)
    assert response["WWW-Authenticate"] == "Token"


def test_the_list_holds_the_campaigns_one_has_a_role_in(alices, alice, campaign, bob):
    CampaignFactory(name="Foreign", manager=bob)

    body = alices.get(CAMPAIGNS).json()

    assert [row["id"] for row in body["results"]] == [str(campaign.pk)]
    assert body["results"][0]["questions"] == [PAIRWISE]


def test_the_list_costs_the_same_for_two_campaigns_and_seven(alices, alice):
    CampaignFactory(manager=alice)
    few = len(statements(lambda: alices.get(CAMPAIGNS)))
    for _ in range(6):
        CampaignFactory(manager=alice)

    assert len(statements(lambda: alices.get(CAMPAIGNS))) == few


def test_pages_of_the_list_follow_each_other(alices, alice):
    made = {str(CampaignFactory(manager=alice).pk) for _ in range(5)}
    seen, page = [], f"{CAMPAIGNS}?page_size=2"
    while page:
        body = alices.get(page).json()
        seen += [row["id"] for row in body["results"]]
        page = body["next"]

    assert len(seen) == 5
    assert set(seen) == made


def test_a_campaign_is_made_by_program(alices, alice):
    given = {"name": "New", "questions": [PAIRWISE, CHECKLIST], "guidelines": "Be fair.", "overlap": 2, "quota": 10}

    response = alices.post(CAMPAIGNS, given, format="json")

    assert response.status_code == 201
    campaign = Campaign.objects.get(pk=response.json()["id"])
    assert (campaign.status, campaign.overlap, campaign.quota) == ("draft", 2, 10)
    assert campaign.guideline.text == "Be fair."
    assert campaign.memberships.get().role == "manager"
    assert (response.json()["form_version"], response.json()["guideline_version"]) == (1, 1)


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"overlap": 0}, "overlap"),
        ({"overlap": 101}, "overlap"),
        ({"quota": 0}, "quota"),
        ({"lease_seconds": 3}, "lease_seconds"),
        ({"questions": "pairwise"}, "questions"),
        ({"questions": ["pairwise"]}, "questions"),
        ({"questions": None}, "questions"),
        ({"questions": [{**PAIRWISE, "title": "a\x00b"}]}, "questions"),
        ({"questions": [{**PAIRWISE, "title": "\ud800"}]}, "questions"),
    ],
)
@pytest.mark.parametrize("method", ["post", "patch"])
def test_a_field_that_cannot_be_is_named(alices, campaign, method, given, path):
    whole = {"name": "New", "questions": [PAIRWISE], **given}
    where, body = (CAMPAIGNS, whole) if method == "post" else (address(campaign), given)
    response = getattr(alices, method)(where, json.dumps(body), content_type="application/json")

    assert path in paths(is_problem(response, 400, "Invalid input."))
    assert Campaign.objects.count() == 1


@pytest.mark.parametrize(
    ("questions", "path"),
    [
        ([], ""),
        ([{**PAIRWISE, "kind": "telepathy"}], "better.kind"),
        ([PAIRWISE, PAIRWISE], "better"),
        ([{**PAIRWISE, "settings": {"points": 4}}], "better.points"),
        ([{**PAIRWISE, "settings": []}], "better.settings"),
        ([{}], "0.key"),
    ],
)
def test_a_form_that_does_not_hold_together_says_where(alices, questions, path):
    response = alices.post(CAMPAIGNS, {"name": "New", "questions": questions}, format="json")

    body = is_problem(response, 422, "The form does not hold together.")
    assert path in paths(body)
    assert not Campaign.objects.exists()


def test_making_campaigns_needs_the_permission(bob):
    response = client_of(bob).post(CAMPAIGNS, {"name": "New", "questions": [PAIRWISE]}, format="json")

    is_problem(response, 403)


def test_a_change_of_questions_or_guidelines_is_a_new_version(alices, campaign):
    response = alices.patch(address(campaign), {"questions": [CHECKLIST], "guidelines": "New."}, format="json")

    assert (response.json()["form_version"], response.json()["guideline_version"]) == (2, 2)
    assert response.json()["questions"] == [CHECKLIST]
    campaign.refresh_from_db()
    assert campaign.forms.count() == 2
    assert campaign.guideline.text == "New."


def test_settings_change_and_the_rest_stays(alices, campaign):
    response = alices.patch(address(campaign), {"overlap": 4}, format="json")

    assert (response.json()["overlap"], response.json()["name"]) == (4, campaign.name)
    assert response.json()["form_version"] == 1
    assert set(campaign.tasks.values_list("overlap", flat=True)) == {4}


def test_the_status_is_not_changed_by_writing_it(alices, campaign):
    alices.patch(address(campaign), {"status": "closed"}, format="json")

    campaign.refresh_from_db()
    assert campaign.status == "active"


def test_a_reviewer_reads_and_changes_nothing(dave, alice, campaign):
    set_role(campaign, dave, Membership.Role.REVIEWER, actor=alice)
    daves = client_of(dave)

    assert daves.get(address(campaign, "judgements/")).status_code == 200
    is_problem(daves.patch(address(campaign), {"overlap": 4}, format="json"), 403, "Not allowed.")


@pytest.mark.parametrize("part", ["tasks/", "judgements/", "preferences/"])
def test_strangers_get_404_and_annotators_403(dave, bob, campaign, part):
    is_problem(client_of(dave).get(address(campaign, part)), 404, "Not found.")
    is_problem(client_of(bob).get(address(campaign, part)), 403, "Not allowed.")
    assert client_of(dave).get(f"{CAMPAIGNS}{uuid.uuid4()}/{part}").status_code == 404


def test_a_stranger_neither_sees_nor_changes_a_campaign(dave, campaign):
    daves = client_of(dave)

    is_problem(daves.get(address(campaign)), 404)
    is_problem(daves.patch(address(campaign), {"overlap": 9}, format="json"), 404)


def test_somebody_switched_off_is_a_stranger(bob, alice, campaign):
    set_role(campaign, bob, Membership.Role.ANNOTATOR, actor=alice, active=False)

    assert client_of(bob).get(address(campaign)).status_code == 404


def test_tasks_are_listed_with_their_seats_and_models(alices, campaign):
    body = alices.get(address(campaign, "tasks/")).json()

    assert len(body["results"]) == 3
    row = body["results"][0]
    assert [response["model"] for response in row["content"]["responses"]] == ["model-one", "model-two"]
    assert (row["status"], row["overlap"], row["n_leased"], row["n_counted"]) == ("open", 1, 0, 0)


def test_tasks_are_read_page_by_page_at_a_constant_cost(alices, campaign):
    for n in range(7):
        TaskFactory(campaign=campaign, external_id=f"more-{n}")

    first = alices.get(address(campaign, "tasks/?page_size=4")).json()
    second = alices.get(first["next"]).json()

    ids = [row["id"] for row in [*first["results"], *second["results"]]]
    assert ids == sorted(ids)
    assert len(set(ids)) == 8
    few = len(statements(lambda: alices.get(address(campaign, "tasks/?page_size=2"))))
    assert len(statements(lambda: alices.get(address(campaign, "tasks/?page_size=10")))) == few


def test_judgements_are_told_as_given_with_their_versions_and_the_superseded_ones(alices, campaign):
    task = campaign.tasks.first()
    old = JudgementFactory(task=task, is_current=False)
    JudgementFactory(task=task, rater=old.rater, answers=prefer("r2"), supersedes=old, guideline=None)

    first, second = alices.get(address(campaign, "judgements/")).json()["results"]

    assert (first["is_current"], second["is_current"], second["supersedes"]) == (False, True, old.pk)
    assert second["answers"]["better"]["value"]["preferred"] == "r2"
    assert (first["rater_kind"], first["form_version"], first["guideline_version"]) == ("imported", 1, 1)
    assert second["guideline_version"] is None


def test_judgements_cost_the_same_however_many_there_are(alices, campaign):
    JudgementFactory(task=campaign.tasks.first())
    few = len(statements(lambda: alices.get(address(campaign, "judgements/"))))
    for _ in range(5):
        JudgementFactory(task=campaign.tasks.last())

    assert len(statements(lambda: alices.get(address(campaign, "judgements/")))) == few


def test_preferences_are_told(alices, campaign):
    JudgementFactory(task=campaign.tasks.first())
    aggregate_preferences(campaign)

    row = alices.get(address(campaign, "preferences/")).json()["results"][0]

    assert (row["first"], row["second"], row["probability"], row["n_raters"]) == ("r1", "r2", 1.0, 1)
    assert row["raters"] == {"imported": 1}


def test_another_campaigns_rows_are_not_in_it(alices, alice, campaign):
    JudgementFactory(task=TaskFactory(campaign=CampaignFactory(manager=alice)))

    assert alices.get(address(campaign, "judgements/")).json()["results"] == []
    assert len(alices.get(address(campaign, "tasks/")).json()["results"]) == Task.objects.count() - 1


def test_what_is_no_json_is_a_problem_too(alices):
    is_problem(alices.post(CAMPAIGNS, "{", content_type="application/json"), 400)
    is_problem(alices.put(CAMPAIGNS, {}, format="json"), 405)
    is_problem(alices.post(CAMPAIGNS, "x", content_type="text/plain"), 415)


def test_the_schema_describes_every_answer_without_a_warning():
    GENERATOR_STATS.reset()
    schema = SchemaGenerator().get_schema(request=None, public=True)

    said = GENERATOR_STATS._warn_cache | GENERATOR_STATS._error_cache
    assert not said, "\n".join(said)
    assert "/api/v1/campaigns/{campaign}/judgements/" in schema["paths"]


def test_the_schema_and_its_page_are_served(alices):
    assert alices.get(reverse("schema")).status_code == 200
