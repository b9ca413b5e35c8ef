"""kill -9 of worker, PostgreSQL and trainer during one run, with real Celery workers: the model is the same."""

import hashlib
import json
import re
import signal
import subprocess
import sys

import psutil
import pytest
from django.conf import settings as django_settings

from tests.config.conftest import folder_for_processes, make_home
from tests.training.conftest import FAKE_ENGINE
from tests.training.engine.runs import make_run, polite_groups, write_groups
from tests.training.runs.installation import Installation, kill_tree, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]
SETTINGS = {"epochs": "20", "learning_rate": "0.001", "batch_size": "8", "max_length": "256", "save_every": "4"}
QUICK_BEAT = {"TRAINING_HEARTBEAT_SECONDS": "0.3", "TRAINING_STALE_SECONDS": "4", "TRAINING_RESEND_SECONDS": "5"}


@pytest.fixture
def installation(monkeypatch):
    with folder_for_processes() as folder:
        installed = Installation(make_home(folder, monkeypatch), **QUICK_BEAT)
        yield installed
        installed.say_logs()
        installed.stop()


@pytest.fixture
def groups(tmp_path):
    write_groups(tmp_path / "train.parquet", polite_groups(48))
    write_groups(tmp_path / "test.parquet", polite_groups(16, seed=1))
    return tmp_path


def uninterrupted(tmp_path, spec):
    """The weights' hash after the same run in one go, by the engine alone."""
    folder = make_run(tmp_path / "whole", train=polite_groups(48), test=polite_groups(16, seed=1))
    (folder / "spec.json").write_text(json.dumps(spec))
    subprocess.run([sys.executable, "-m", "training.engine", str(folder)], cwd=django_settings.BASE_DIR, check=True)
    weights = json.loads((folder / "result.json").read_text())["checkpoint"]
    return hashlib.sha256((folder / weights / "model.safetensors").read_bytes()).hexdigest()


def steps_done(folder):
    return max((int(path.name[5:]) for path in (folder / "checkpoints").glob("step_*")), default=0)


def attempt_of(folder):
    spec = folder / "spec.json"
    return json.loads(spec.read_text())["attempt"] if spec.exists() else 0


def test_kill_9_of_worker_database_and_trainer_changes_no_bit_of_the_model(installation, groups, tmp_path):
    version = installation.prepare(groups)
    installation.start_worker("main", "--queues=default,judges", "--concurrency=1", "--beat")
    worker = installation.start_worker("gpu", "--queues=gpu", "--concurrency=1")
    chosen = [word for key, value in SETTINGS.items() for word in ("--set", f"{key}={value}")]
    run = re.search(r"[0-9a-f-]{36}", installation.manage("train", version, "--seed", "5", *chosen))[0]
    folder = installation.home.root / "runs" / run

    wait_until(lambda: steps_done(folder) >= 8, 240, "the first checkpoints")
    kill_tree(worker)
    worker = installation.start_worker("gpu", "--queues=gpu", "--concurrency=1")
    wait_until(lambda: attempt_of(folder) == 2, 240, "the second attempt")
    before = steps_done(folder)
    wait_until(lambda: steps_done(folder) >= before + 8, 240, "the second attempt going on")

    installation.kill_database()
    before = steps_done(folder)
    wait_until(lambda: steps_done(folder) >= before + 4, 240, "training without a database")
    installation.start_database()
    assert installation.state(run)["status"] == "running"
    before = steps_done(folder)
    wait_until(lambda: steps_done(folder) >= before + 4, 240, "training after the database is back")
    assert attempt_of(folder) == 2

    record = json.loads((folder / "process.json").read_text())
    psutil.Process(record["pid"]).children()[0].send_signal(signal.SIGKILL)
    wait_until(lambda: installation.state(run)["status"] == "succeeded", 400, "the end")
    state = installation.state(run)
    spec = json.loads((folder / "spec.json").read_text())
    assert (state["attempt"], state["n_lost"], state["error"]) == (3, 0, "")
    assert state["metrics"] == 120
    assert state["sha256"] == [uninterrupted(tmp_path, spec)]


def test_a_worker_told_to_stop_puts_its_run_back_and_the_next_resumes(installation, groups):
    installation.environment["TOUCHSTONE_ENGINE"] = f"{sys.executable} {FAKE_ENGINE}"
    version = installation.prepare(groups)
    run = re.search(r"[0-9a-f-]{36}", installation.manage("train", version))[0]
    folder = installation.home.root / "runs" / run
    folder.mkdir(parents=True)
    (folder / "fake.json").write_text(json.dumps({"steps": 300, "seconds": 0.1, "save_every": 10}))
    worker = installation.start_worker("gpu", "--queues=gpu", "--concurrency=1")
    wait_until(lambda: steps_done(folder) >= 10, 240, "the first checkpoint")
    worker.terminate()
    assert worker.wait(timeout=60) == 0
    state = installation.state(run)
    assert (state["status"], state["n_lost"]) == ("queued", 0)
    saved = steps_done(folder)
    assert saved % 10 != 0  # saved when it was told, not when it was due
    (folder / "fake.json").write_text(json.dumps({"steps": saved + 5, "seconds": 0.1}))
    installation.start_worker("gpu", "--queues=gpu", "--concurrency=1")
    installation.shell("from training.services.reaping import reap_jobs; print(reap_jobs())")
    wait_until(lambda: installation.state(run)["status"] == "succeeded", 240, "the end")
    assert installation.state(run)["attempt"] == 2
