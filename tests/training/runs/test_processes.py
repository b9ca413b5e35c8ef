"""Two or more real processes on one run: races between workers, and workers that are killed."""

import os
import subprocess
import sys
import textwrap
import time
from datetime import timedelta

import psutil
import pytest
from django.conf import settings as django_settings
from django.core.files.storage import default_storage
from django.db import connection
from django.db.models.functions import Now

from tests.training.conftest import FAKE_ENGINE, chained, make_run, plan
from training.models import Run
from training.services import reaping
from training.services.run_execution import execute_run

pytestmark = pytest.mark.django_db(transaction=True)

WORKER = """
    import sys, django
    django.setup()
    from training.services.run_execution import execute_run
    print(int(execute_run(sys.argv[1])))
"""


@pytest.fixture
def home(settings, tmp_path):
    """One installation's folders, for this process and for the workers it starts."""
    settings.TOUCHSTONE_HOME = tmp_path
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.RUNS_ROOT = tmp_path / "runs"
    return tmp_path


@pytest.fixture
def run(home, quick, version, alice):
    return make_run(version, alice)


def environment(home):
    """A worker's: this test's database and folders, and the fake engine."""
    database = django_settings.DATABASES["default"]
    socket = database["HOST"].replace("/", "%2F")
    login = f"{database['USER']}:{database['PASSWORD']}@" if database["PASSWORD"] else f"{database['USER']}@"
    port = f":{database['PORT']}" if database["PORT"] else ""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": f"postgres://{login}{socket}{port}/{connection.settings_dict['NAME']}",
        "TOUCHSTONE_HOME": str(home),
        "TOUCHSTONE_ENGINE": f"{sys.executable} {FAKE_ENGINE}",
        "TRAINING_HEARTBEAT_SECONDS": "0.1",
        "SECRET_KEY": "for-tests-only",
    }


def start_worker(home, run):
    command = [sys.executable, "-c", textwrap.dedent(WORKER), str(run.pk)]
    return subprocess.Popen(
        command, env=environment(home), cwd=django_settings.BASE_DIR, stdout=subprocess.PIPE, text=True
    )


def wait_until(reached, seconds=30):
    deadline = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def engines_of(folder):
    """Live processes that were started for this directory."""
    return [
        process
        for process in psutil.process_iter(["cmdline", "status"])
        if str(folder) in (process.info["cmdline"] or []) and process.info["status"] != psutil.STATUS_ZOMBIE
    ]


def test_two_workers_that_get_the_same_message_make_one_run(run, home, settings):
    plan(run, settings, steps=20, seconds=0.05)
    workers = [start_worker(home, run) for _ in range(2)]
    said = sorted(worker.communicate(timeout=60)[0].strip() for worker in workers)
    assert said == ["0", "1"]
    run.refresh_from_db()
    assert (run.status, run.attempt) == ("succeeded", 1)


def test_a_worker_killed_with_9_takes_its_engine_along_and_the_next_resumes(run, home, settings, monkeypatch):
    folder = plan(run, settings, steps=60, seconds=0.05, save_every=5)
    worker = start_worker(home, run)
    wait_until((folder / "checkpoints" / "step_10").exists)
    worker.kill()
    worker.wait()
    wait_until(lambda: not engines_of(folder), seconds=10)
    run.refresh_from_db()
    assert run.status == "running"
    Run.objects.filter(pk=run.pk).update(heartbeat_at=Now() - timedelta(seconds=31))
    monkeypatch.setattr(reaping, "_database_uptime", lambda: timedelta(hours=1))
    assert reaping.reap_jobs()["lost"] == 1
    assert execute_run(str(run.pk))
    run.refresh_from_db()
    assert (run.status, run.attempt) == ("succeeded", 2)
    weights = default_storage.open(f"{run.checkpoints.get().path}/model.safetensors").read()
    assert weights == chained(b"train rows", 60)
    assert run.metrics.count() == 60


@pytest.mark.slow
def test_a_worker_that_wakes_up_after_it_was_replaced_ends_its_engine(run, home, settings, monkeypatch):
    folder = plan(run, settings, steps=400, seconds=0.05, save_every=5)
    worker = start_worker(home, run)
    wait_until((folder / "checkpoints" / "step_10").exists)
    psutil.Process(worker.pid).suspend()
    Run.objects.filter(pk=run.pk).update(heartbeat_at=Now() - timedelta(seconds=31))
    monkeypatch.setattr(reaping, "_database_uptime", lambda: timedelta(hours=1))
    reaping.reap_jobs()
    plan(run, settings, steps=60, seconds=0.01, save_every=5)
    assert execute_run(str(run.pk))
    run.refresh_from_db()
    assert (run.status, run.attempt) == ("succeeded", 2)
    psutil.Process(worker.pid).resume()
    worker.communicate(timeout=30)
    after = Run.objects.get(pk=run.pk)
    assert (after.status, after.attempt, after.finished_at) == ("succeeded", 2, run.finished_at)
    assert not engines_of(folder)
