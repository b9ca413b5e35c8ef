"""Runs, checkpoints and rounds over REST."""

import pytest
from rest_framework.test import APIClient

from tests.training.conftest import finish_run
from training.models import Round, Run


@pytest.fixture
def api(alice):
    client = APIClient()
    client.force_authenticate(alice)
    return client


def asked(version, **values):
    body = {"name": "By API", "dataset_version": str(version.pk), "recipe": "reward", "base_model": {"kind": "tiny"}}
    return {**body, "settings": {"epochs": 2}, **values}


def test_a_run_is_asked_for_and_read_back_whole(api, version):
    made = api.post("/api/v1/runs/", asked(version), format="json")
    assert made.status_code == 201
    assert made.data["status"] == "queued"
    assert made.data["settings"]["epochs"] == 2.0
    assert made.data["settings"]["tuning"] == "full"
    assert api.get(f"/api/v1/runs/{made.data['id']}/").data["name"] == "By API"
    assert len(api.get("/api/v1/runs/").data["results"]) == 1


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"settings": {"epochs": -1}}, "settings.epochs"),
        ({"settings": {"nonsense": 1}}, "settings.nonsense"),
        ({"base_model": {"kind": "hub", "name": "x"}}, "base_model"),
        ({"recipe": "alchemy"}, "recipe"),
        ({"seed": -1}, "seed"),
    ],
)
def test_what_is_wrong_is_said_at_its_path(api, version, wrong, path):
    answer = api.post("/api/v1/runs/", asked(version, **wrong), format="json")
    assert answer.status_code in (400, 422)
    assert path in [error["path"] for error in answer.data["errors"]]
    assert not Run.objects.exists()


def test_runs_of_foreign_datasets_do_not_exist(version, run, dave):
    client = APIClient()
    client.force_authenticate(dave)
    assert client.post("/api/v1/runs/", asked(version), format="json").status_code == 404
    assert client.get(f"/api/v1/runs/{run.pk}/").status_code == 404
    assert client.get(f"/api/v1/runs/{run.pk}/metrics/").status_code == 404
    assert client.post(f"/api/v1/runs/{run.pk}/cancellation/").status_code == 404
    assert client.get("/api/v1/runs/").data["results"] == []


def test_a_run_is_cancelled_and_resumed_and_refuses_what_makes_no_sense(api, run):
    assert api.post(f"/api/v1/runs/{run.pk}/cancellation/").data["status"] == "cancelled"
    again = api.post(f"/api/v1/runs/{run.pk}/cancellation/")
    assert again.status_code == 409
    assert "ended already" in again.data["detail"]
    assert api.post(f"/api/v1/runs/{run.pk}/resumption/").data["status"] == "queued"


def test_metrics_are_read_step_by_step(api, run):
    finish_run(run)
    metrics = api.get(f"/api/v1/runs/{run.pk}/metrics/").data
    assert [entry["step"] for entry in metrics] == [1, 2, 3, 4, 5, 6]
    assert metrics[1]["values"]["loss"] == 0.5


def test_a_promoted_checkpoint_opens_a_round(api, run):
    checkpoint = finish_run(run).checkpoints.get()
    rows = [{"prompt": "p", "responses": ["one", "two words"]}]
    body = {"name": "Next", "checkpoint": checkpoint.pk, "n_pairs": 3, "responses": rows}
    refused = api.post("/api/v1/rounds/", body, format="json")
    assert refused.status_code == 409
    promoted = api.post(f"/api/v1/checkpoints/{checkpoint.pk}/promotion/")
    assert promoted.data["rater"].endswith(checkpoint.sha256[:12])
    made = api.post("/api/v1/rounds/", body, format="json")
    assert made.status_code == 201
    assert Round.objects.get().source["kind"] == "file"
    assert api.get(f"/api/v1/rounds/{made.data['id']}/").data["status"] == "queued"


@pytest.mark.parametrize("body", [{}, {"responses": [{"prompt": "p", "responses": ["a"]}]}, {"sample": {"k": 99}}])
def test_a_round_without_a_usable_source_is_refused(api, run, body):
    checkpoint = finish_run(run).checkpoints.get()
    api.post(f"/api/v1/checkpoints/{checkpoint.pk}/promotion/")
    answer = api.post("/api/v1/rounds/", {"name": "N", "checkpoint": checkpoint.pk, **body}, format="json")
    assert answer.status_code in (400, 422)
    assert not Round.objects.exists()
