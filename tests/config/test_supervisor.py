"""`./run` with real processes: it serves, says who runs already, restarts the dead, and leaves nothing behind."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress

import psutil
import pytest

from config.launch import supervisor
from config.launch.home import CHECKOUT, LaunchError
from config.launch.stopping import wait_gone
from tests.config.conftest import free_port, run_environment
from tests.config.test_family import until

START_SECONDS = 120


class LiveRun:
    """One `./run` in a home and on a port of its own, from just after the installer."""

    def __init__(self, home, port):
        self.home, self.port = home, port
        self.process = launch(home, port)
        self.members = []

    def wait_until_served(self):
        until(lambda: self.process.poll() is not None or self.serves(), START_SECONDS)
        assert self.process.poll() is None, self.process.communicate()[0]
        until(lambda: len(self.tree()) >= 8, START_SECONDS)
        return self

    def remember(self):
        """Everything that runs now: what is orphaned by the next signal is still in the list."""
        self.members = self.tree()

    def serves(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", "/login/", headers={"Host": "localhost"})
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def tree(self):
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, word):
        """The pid of the child whose command has this word, or None while there is none."""
        for process in psutil.Process(self.process.pid).children():
            with suppress(psutil.Error):
                if any(word in part for part in process.cmdline()):
                    return process.pid
        return None

    def end(self, number):
        self.process.send_signal(number)
        return self.process.communicate(timeout=90)[0]


def launch(home, port):
    return subprocess.Popen(
        [sys.executable, "-m", "config.launch.supervisor"], cwd=CHECKOUT, env=run_environment(home, port),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip


def output_of(home, port):
    process = launch(home, port)
    return process.communicate(timeout=60)[0], process.returncode


@pytest.fixture
def run(shared_home):
    made = LiveRun(shared_home, free_port())
    yield made
    if made.process.poll() is None:
        made.end(signal.SIGTERM)


def test_a_taken_port_is_said_in_one_line(home):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said, status = output_of(home, port)
    assert said == f"touchstone: Port {port} is taken by another program: try PORT={port + 1} ./run\n"
    assert status == 1
    assert not (home.root / "postgres").exists(), "nothing may be started first"


@pytest.mark.parametrize("given", ["http", "0", "70000", "-1"])
def test_a_port_that_is_none_is_said_in_one_line(monkeypatch, given):
    monkeypatch.setenv("PORT", given)
    with pytest.raises(LaunchError, match=f"PORT={given} is no port"):
        supervisor.address()


def test_plain_http_is_for_loopback_only(home, monkeypatch):
    monkeypatch.delenv("HTTPS", raising=False)
    assert supervisor.environment(home, "127.0.0.1", 8000)["HTTPS"] == "false"
    assert "HTTPS" not in supervisor.environment(home, "192.0.2.1", 8000)


@pytest.mark.slow
def test_one_run_serves_reports_itself_restarts_its_web_process_and_stops_cleanly(run):
    run.wait_until_served()
    said, status = output_of(run.home, free_port())
    assert f"runs here already: http://127.0.0.1:{run.port}/ (process {run.process.pid}" in said
    assert status == 0

    web = run.child("gunicorn")
    os.kill(web, signal.SIGKILL)
    until(lambda: run.child("gunicorn") not in (web, None) and run.serves(), START_SECONDS)

    run.remember()
    run.process.send_signal(signal.SIGINT)
    said = run.end(signal.SIGINT)  # as `timeout` does: it signals its child, and then the child's group
    assert "SIGINT: stopping…" in said
    assert "Stopped" in said
    assert "web ended (signal 9)" in said
    assert not wait_gone(run.members, 5)
    assert not run.home.run_state.exists()
    assert run.process.returncode == 0
    assert (run.home.root / "secret_key").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_after_kill_9_nothing_is_left_and_the_next_run_serves_the_same_data(run):
    run.wait_until_served()
    run.remember()
    run.end(signal.SIGKILL)
    assert not wait_gone(run.members, 40)

    again = LiveRun(run.home, run.port).wait_until_served()
    again.remember()
    said = again.end(signal.SIGTERM)
    assert "Migrating" not in said, "the data of the killed run was not found"
    assert not wait_gone(again.members, 5)


@pytest.mark.slow
def test_a_killed_database_is_started_again_and_served_from(run):
    run.wait_until_served()
    database = run.child("postgres")
    os.kill(database, signal.SIGKILL)
    until(lambda: run.child("postgres") not in (database, None), START_SECONDS)
    until(run.serves, START_SECONDS)


def test_the_state_of_a_dead_run_does_not_count_as_running(home, capsys):
    done = subprocess.Popen(["true"])
    done.wait()
    home.run_state.write_text(json.dumps({"pid": done.pid, "address": "http://127.0.0.1:8000/"}))
    assert supervisor.report_other(home) is None
    home.run_state.write_text(json.dumps({"pid": os.getpid(), "address": "http://127.0.0.1:8000/", "started": "now"}))
    assert supervisor.report_other(home) == 0
    assert "http://127.0.0.1:8000/" in capsys.readouterr().out
