"""Datasets by program: a selection saved, frozen and fetched, and nobody else's campaigns in it."""

import io
import zipfile

import pytest

from feedback.models import Dataset, Membership
from feedback.services.campaigns import set_role
from feedback.tasks import freeze_version
from tests.factories import CampaignFactory, JudgementFactory
from tests.feedback.test_api import client_of, is_problem, paths

pytestmark = pytest.mark.django_db


@pytest.fixture
def alices(alice):
    return client_of(alice)


@pytest.fixture
def selection(campaign):
    JudgementFactory(task=campaign.tasks.first())
    return {"campaigns": [str(campaign.pk)], "ties": "drop"}


def test_a_dataset_is_saved_frozen_and_fetched(alices, selection, monkeypatch, django_capture_on_commit_callbacks):
    monkeypatch.setattr(freeze_version, "delay", freeze_version)
    made = alices.post("/api/v1/datasets/", {"name": "Sky", "selection": selection}, format="json")
    assert made.status_code == 201, made.content
    assert made.json()["selection"]["ties"] == "drop"

    with django_capture_on_commit_callbacks(execute=True):
        begun = alices.post(f"/api/v1/datasets/{made.json()['id']}/versions/")
    assert (begun.status_code, begun.json()["status"]) == (202, "freezing")

    version = alices.get(f"/api/v1/dataset-versions/{begun.json()['id']}/").json()
    assert (version["status"], version["number"], len(version["sha256"])) == ("frozen", 1, 64)
    download = alices.get(f"/api/v1/dataset-versions/{version['id']}/download/")
    names = zipfile.ZipFile(io.BytesIO(b"".join(download.streaming_content))).namelist()
    assert "sky-v1/README.md" in names
    listed = alices.get("/api/v1/datasets/").json()["results"]
    assert [row["versions"][0]["sha256"] for row in listed] == [version["sha256"]]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"selection": {"campaigns": []}}, "campaigns"),
        ({"selection": {"campaigns": ["no-id"]}}, "campaigns"),
        ({"selection": {}}, "campaigns"),
        ({"ties": "guess"}, "ties"),
        ({"name": "Taken"}, "name"),
    ],
)
def test_a_selection_that_cannot_be_says_where(alices, selection, given, path):
    alices.post("/api/v1/datasets/", {"name": "Taken", "selection": selection}, format="json")
    whole = {"name": given.get("name", "Sky"), "selection": given.get("selection", {**selection, **given})}
    whole["selection"].pop("name", None)

    response = alices.post("/api/v1/datasets/", whole, format="json")

    assert path in paths(is_problem(response, 422, "The selection does not hold together."))


@pytest.mark.parametrize("selection", ["campaigns", [], 5, None])
def test_a_selection_is_an_object(alices, selection):
    response = alices.post("/api/v1/datasets/", {"name": "Sky", "selection": selection}, format="json")

    assert "selection" in paths(is_problem(response, 400))


def test_nobody_selects_from_a_campaign_they_do_not_manage(alices, alice, bob, selection):
    foreign = CampaignFactory(manager=bob)
    reviewed = CampaignFactory(manager=bob)
    set_role(reviewed, alice, Membership.Role.REVIEWER, actor=bob)

    for other in (foreign, reviewed):
        both = {**selection, "campaigns": [*selection["campaigns"], str(other.pk)]}
        response = alices.post("/api/v1/datasets/", {"name": "Mine", "selection": both}, format="json")
        assert is_problem(response, 422)["errors"] == [{"path": "campaigns", "message": "One of these does not exist."}]
    assert not Dataset.objects.exists()
