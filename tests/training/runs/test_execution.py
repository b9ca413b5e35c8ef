"""One attempt of a run, with real processes and a fake engine."""

import hashlib
import json
import threading
import time
from pathlib import Path

import psutil
import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from tests.training.conftest import chained, lives, plan
from training.launcher import engine_environment
from training.models import Run
from training.services import leases
from training.services.run_execution import execute_run
from training.services.runs import cancel_run, resume_run, retry_run


def test_a_run_ends_with_checkpoint_evaluation_metrics_and_log(run):
    assert execute_run(str(run.pk))
    run.refresh_from_db()
    assert (run.status, run.attempt, run.error) == ("succeeded", 1, "")
    checkpoint = run.checkpoints.get()
    assert default_storage.open(f"{checkpoint.path}/model.safetensors").read() == chained(b"train rows", 6)
    evaluation = checkpoint.evaluations.get()
    assert (evaluation.split, evaluation.accuracy, evaluation.low, evaluation.high, evaluation.n) == (
        "test", 0.7, 0.6, 0.8, 40,
    )  # fmt: skip
    assert list(run.metrics.values_list("step", flat=True)) == [1, 2, 3, 4, 5, 6]
    assert "starting after step 0" in run.log_tail
    assert run.result["report"] == {"kept": 3}


def test_what_only_resuming_needs_is_not_published(run):
    execute_run(str(run.pk))
    checkpoint = run.checkpoints.get()
    assert not default_storage.exists(f"{checkpoint.path}/training_state.json")
    assert checkpoint.size == sum(
        default_storage.size(f"{checkpoint.path}/{name}") for name in ("model.safetensors", "meta.json")
    )


def test_the_spec_names_the_training_files_own_hash_and_all_settings(run, settings):
    execute_run(str(run.pk))
    spec = json.loads((Path(settings.RUNS_ROOT) / str(run.pk) / "spec.json").read_text())
    assert spec["data"]["sha256"] == hashlib.sha256(b"train rows").hexdigest()
    assert spec["settings"]["epochs"] == 2.0
    assert spec["settings"]["seed"] == spec["seed"] == 7
    assert spec["base_model"] == {"kind": "tiny", "name": "tiny-llama"}
    assert spec["attempt"] == 1


def test_the_engine_is_told_no_secret_and_stays_offline(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "s")
    monkeypatch.setenv("DATABASE_URL", "postgres://")
    given = engine_environment()
    assert "SECRET_KEY" not in given
    assert "DATABASE_URL" not in given
    assert given["HF_HUB_OFFLINE"] == "1"


def test_a_second_message_for_the_same_run_does_nothing(run):
    assert execute_run(str(run.pk))
    assert not execute_run(str(run.pk))
    run.refresh_from_db()
    assert run.attempt == 1


def test_what_the_engine_says_of_its_failure_reaches_the_run(run, settings):
    plan(run, settings, fail="Nothing is left to train on.")
    execute_run(str(run.pk))
    run.refresh_from_db()
    assert (run.status, run.error, run.advice) == ("failed", "Nothing is left to train on.", "Do otherwise.")
    assert run.finished_at is not None
    assert run.heartbeat_at is None


def test_an_engine_that_ends_without_a_result_fails_with_its_last_words(run, settings):
    plan(run, settings, crash=9)
    execute_run(str(run.pk))
    run.refresh_from_db()
    assert run.status == "failed"
    assert "code 9" in run.error
    assert "Segmentation fault" in run.error


def test_a_dataset_without_its_file_fails_with_advice(run, version):
    default_storage.delete(f"{version.path}/group/train.parquet")
    execute_run(str(run.pk))
    run.refresh_from_db()
    assert run.status == "failed"
    assert "missing from the storage" in run.error
    assert run.advice


def test_a_missing_test_split_is_left_out_of_the_spec(run, version, settings):
    default_storage.delete(f"{version.path}/group/test.parquet")
    execute_run(str(run.pk))
    spec = json.loads((Path(settings.RUNS_ROOT) / str(run.pk) / "spec.json").read_text())
    assert set(spec["data"]) == {"train", "sha256"}


def _when(run, reached, act):
    """Do `act` from another thread as soon as the run's files show that `reached` is so."""

    def wait():
        deadline = time.monotonic() + 20
        while not reached() and time.monotonic() < deadline:
            time.sleep(0.02)
        try:
            act()
        finally:
            connection.close()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.django_db(transaction=True)
def test_a_cancelled_run_keeps_a_checkpoint_and_resumes_from_it(run, settings):
    folder = plan(run, settings, steps=200, seconds=0.05, save_every=100)
    thread = _when(run, (folder / "progress.json").exists, lambda: cancel_run(run))
    execute_run(str(run.pk))
    thread.join()
    run.refresh_from_db()
    assert run.status == "cancelled"
    saved = max(int(path.name[5:]) for path in (folder / "checkpoints").iterdir())
    assert 0 < saved < 100
    plan(run, settings, steps=saved + 3, seconds=0.01, save_every=100)
    resume_run(run)
    execute_run(str(run.pk))
    run.refresh_from_db()
    assert (run.status, run.attempt) == ("succeeded", 2)
    assert f"starting after step {saved}" in run.log_tail
    weights = default_storage.open(f"{run.checkpoints.get().path}/model.safetensors").read()
    assert weights == chained(b"train rows", saved + 3)
    assert run.metrics.count() == saved + 3


@pytest.mark.django_db(transaction=True)
def test_an_engine_deaf_to_the_first_signal_is_killed_after_the_grace(run, settings):
    folder = plan(run, settings, steps=2000, seconds=0.05, deaf=True)
    thread = _when(run, (folder / "progress.json").exists, lambda: cancel_run(run))
    started = time.monotonic()
    execute_run(str(run.pk))
    thread.join()
    run.refresh_from_db()
    assert run.status == "cancelled"
    assert 1.0 < time.monotonic() - started < 15


@pytest.mark.django_db(transaction=True)
def test_a_queued_run_is_cancelled_at_once(run):
    cancel_run(run)
    run.refresh_from_db()
    assert run.status == "cancelled"
    assert not execute_run(str(run.pk))


def _engine_of(folder):
    """The engine's own process below the recorded guard."""
    record = json.loads((folder / "process.json").read_text())
    return psutil.Process(record["pid"]).children()[0]


@pytest.mark.django_db(transaction=True)
def test_a_trainer_killed_with_9_is_put_back_and_resumes(run, settings):
    folder = plan(run, settings, steps=40, seconds=0.05, save_every=4)
    reached = (folder / "checkpoints" / "step_8").exists
    thread = _when(run, reached, lambda: _engine_of(folder).kill())
    execute_run(str(run.pk))
    thread.join()
    run.refresh_from_db()
    assert (run.status, run.n_lost) == ("queued", 1)
    assert "signal 9" in run.error
    execute_run(str(run.pk))
    run.refresh_from_db()
    assert (run.status, run.attempt, run.n_lost, run.error) == ("succeeded", 2, 0, "")
    weights = default_storage.open(f"{run.checkpoints.get().path}/model.safetensors").read()
    assert weights == chained(b"train rows", 40)


def test_a_run_that_is_killed_again_and_again_is_given_up(run, settings):
    settings.TRAINING_MAX_LOST = 1
    plan(run, settings, crash=137)
    execute_run(str(run.pk))
    run.refresh_from_db()
    assert run.status == "queued"
    execute_run(str(run.pk))
    run.refresh_from_db()
    assert run.status == "failed"
    assert "2 times" in run.error
    assert "memory" in run.advice


@pytest.mark.django_db(transaction=True)
def test_an_overtaken_attempt_kills_its_engine_and_writes_nothing(run, settings):
    folder = plan(run, settings, steps=2000, seconds=0.05)

    def overtake():
        Run.objects.filter(pk=run.pk).update(attempt=5, worker="another")

    thread = _when(run, (folder / "progress.json").exists, overtake)
    execute_run(str(run.pk))
    thread.join()
    run.refresh_from_db()
    assert (run.status, run.attempt, run.worker) == ("running", 5, "another")
    assert not lives(json.loads((folder / "process.json").read_text())["pid"])


@pytest.mark.django_db(transaction=True)
def test_a_supervisor_takes_back_a_run_that_was_put_back_but_not_claimed(run, settings):
    folder = plan(run, settings, steps=30, seconds=0.05)

    def put_back():
        leases.put_back(Run.objects.get(pk=run.pk), lost=True, reason="went silent")

    thread = _when(run, (folder / "progress.json").exists, put_back)
    execute_run(str(run.pk))
    thread.join()
    run.refresh_from_db()
    assert (run.status, run.attempt) == ("succeeded", 1)


def test_a_worker_that_died_after_the_training_only_costs_the_registration(run, settings):
    folder = plan(run, settings)
    execute_run(str(run.pk))
    run.checkpoints.get().evaluations.all().delete()
    run.checkpoints.all().delete()
    Run.objects.filter(pk=run.pk).update(status="queued")
    plan(run, settings, crash=9)  # a second training would be noticed
    execute_run(str(run.pk))
    run.refresh_from_db()
    assert run.status == "succeeded"
    assert run.checkpoints.count() == 1
    assert (folder / "log.txt").read_text().count("attempt ") == 1


def test_a_retry_begins_again_in_a_new_directory(run, settings):
    plan(run, settings, fail="No.")
    execute_run(str(run.pk))
    run.refresh_from_db()
    old = Path(settings.RUNS_ROOT) / str(run.pk)
    retry_run(run)
    execute_run(str(run.pk))
    run.refresh_from_db()
    assert run.status == "succeeded"
    assert run.directory.endswith(".2")
    assert not old.exists()


def test_heartbeats_use_the_databases_clock(run):
    claimed = leases.claim_job(Run, str(run.pk))
    assert abs((claimed.heartbeat_at - timezone.now()).total_seconds()) < 60
