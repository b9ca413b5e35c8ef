"""Real processes for the launch tests: each gets a short folder of its own, and none survives its test."""

import os
import shutil
import socket
import tempfile
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from config.launch import cluster
from config.launch.home import Home


@contextmanager
def folder_for_processes():
    """A folder that any account may enter, with a path short enough for a socket; ends what runs from it."""
    folder = Path(tempfile.mkdtemp(prefix="ts-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        for process in psutil.process_iter(["cmdline"]):
            if any(str(folder) in word for word in process.info["cmdline"] or []):
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)


def make_home(folder, monkeypatch):
    """An installation's home; what cannot lie there lies beside it, not in this machine's /var/lib."""
    monkeypatch.setattr(cluster, "SYSTEM_STATE", folder / "system")
    made = Home(folder / "home")
    made.make()
    return made


@pytest.fixture
def short_folder():
    with folder_for_processes() as folder:
        yield folder


@pytest.fixture
def home(short_folder, monkeypatch):
    return make_home(short_folder, monkeypatch)


@pytest.fixture(scope="module")
def shared_home():
    """One home for the tests of a file: making a database takes seconds."""
    with folder_for_processes() as folder, pytest.MonkeyPatch.context() as patch:
        yield make_home(folder, patch)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_environment(home, port):
    """The environment of a run of its own: nothing of the test run's database or settings."""
    foreign = ("DATABASE_URL", "SECRET_KEY", "HTTPS", "CELERY_BROKER_URL", "BIND")
    given = {name: value for name, value in os.environ.items() if name not in foreign}
    own = {"TOUCHSTONE_HOME": str(home.root), "PORT": str(port), "TOUCHSTONE_DEMO": "0", "TOUCHSTONE_TRAIN": "0"}
    return given | own
