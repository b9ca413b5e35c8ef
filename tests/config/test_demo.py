"""The demo: what a newcomer finds after the first start, and that loading it again adds nothing."""

import json

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command

from annotation.models import Absence
from annotation.queue import claim_assignment
from config import demo
from feedback.access import access_dataset, rater_of
from feedback.models import AuditEvent, Campaign, Dataset, Judgement, Preference, Task, User
from training.models import Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def short(tmp_path, monkeypatch):
    """The beginning of each committed file: what matters but how much there is."""
    for file in demo.FOLDER.glob("*.jsonl"):
        lines = file.read_text().splitlines(keepends=True)
        (tmp_path / file.name).write_text("".join(lines[:6]))
    monkeypatch.setattr(demo, "FOLDER", tmp_path)


@pytest.fixture
def loaded(short, capsys):
    call_command("load_demo")
    return capsys.readouterr().out


def votes() -> Campaign:
    return Campaign.objects.get(name=demo.VOTES.name)


def instructions() -> Campaign:
    return Campaign.objects.get(name=demo.INSTRUCTIONS.name)


def test_the_two_accounts_are_told_and_work(loaded):
    assert "manager and annotator, password touchstone-demo" in loaded
    manager = authenticate(username="manager", password=demo.PASSWORD)
    annotator = authenticate(username="annotator", password=demo.PASSWORD)

    assert (manager.opens_campaigns, annotator.opens_campaigns) == (True, False)
    assert not manager.is_staff
    assert not User.objects.filter(is_superuser=True).exists()


def test_one_campaign_waits_for_votes(loaded):
    campaign = votes()

    assert campaign.is_open
    assert not campaign.judgements.exists()
    for username in ("manager", "annotator"):
        assert claim_assignment(rater=rater_of(User.objects.get(username=username)), campaign=campaign).assignment


def test_the_other_was_answered_by_verifiers_and_still_has_seats_for_people(loaded):
    campaign = instructions()

    assert campaign.is_open
    assert {j.rater.kind for j in campaign.judgements.select_related("rater")} == {"verifier"}
    assert set(campaign.judgements.values_list("task", flat=True)) == set(campaign.tasks.values_list("pk", flat=True))
    assert not Absence.objects.exists()
    assert not Task.objects.exclude(n_counted=0).exists()
    annotator = rater_of(User.objects.get(username="annotator"))
    assert claim_assignment(rater=annotator, campaign=campaign).assignment


def test_its_preferences_are_frozen_into_a_dataset_that_says_something(loaded):
    dataset = Dataset.objects.get(name=demo.DATASET)
    version = dataset.versions.get()

    assert version.status == "frozen"
    assert version.counts["judgements"] == Judgement.objects.count()
    assert min(version.counts["rows"]["preference"].values()) >= 1
    assert access_dataset(User.objects.get(username="manager"), dataset.pk) == dataset
    assert 0 < Preference.objects.filter(probability=0.5).count() < Preference.objects.count()


def test_a_run_waits_for_a_worker(loaded):
    run = Run.objects.get(name=demo.RUN)

    assert (run.status, run.recipe, run.base_model["kind"]) == ("queued", "reward", "tiny")
    assert run.settings["epochs"] == demo.RUN_SETTINGS["epochs"]


def everything() -> dict[str, int]:
    models = (User, Campaign, Task, Judgement, Preference, Dataset, Run, AuditEvent)
    return {model.__name__: model.objects.count() for model in models}


def test_loading_again_adds_nothing_and_keeps_what_people_did(loaded):
    annotator = User.objects.get(username="annotator")
    annotator.set_password("my own")
    annotator.save()
    Campaign.objects.filter(pk=votes().pk).update(status="paused")
    before = everything()

    call_command("load_demo")

    assert everything() == before
    assert votes().status == "paused"
    annotator.refresh_from_db()
    assert annotator.check_password("my own")


def test_a_load_that_broke_off_is_finished_by_the_next(short, monkeypatch):
    def broken(*args, **kwargs):
        raise OSError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(demo, "create_dataset", broken)
        with pytest.raises(OSError, match="disk"):
            call_command("load_demo")

    call_command("load_demo")

    assert Campaign.objects.count() == 2
    assert Run.objects.count() == 1


def test_the_committed_files_are_enough_for_ten_votes_and_a_reward_model():
    call_command("load_demo")

    assert votes().tasks.count() >= 10
    rows = Dataset.objects.get(name=demo.DATASET).versions.get().counts["rows"]["preference"]
    assert rows["train"] >= 50
    assert rows["test"] >= 10
    fresh = (demo.FOLDER / "fresh.jsonl").read_text().splitlines()
    assert all(len(json.loads(line)["responses"]) >= 2 for line in fresh)
