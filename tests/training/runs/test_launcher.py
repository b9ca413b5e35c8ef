"""Engines as processes: no orphan, no stranger killed."""

import json
import os
import signal
import time

import psutil

from tests.training.conftest import lives
from training.launcher import end_predecessor, launch


def _wait_until(reached, seconds=10):
    deadline = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_a_predecessor_left_running_is_ended_before_the_next_attempt(tmp_path, quick):
    launched = launch(tmp_path, ["sleep", "60"])
    _wait_until(lambda: psutil.Process(launched.guard.pid).children())
    engine = psutil.Process(launched.guard.pid).children()[0]
    os.kill(launched.guard.pid, signal.SIGKILL)  # the leader alone: the engine is an orphan now
    launched.guard.wait()
    assert engine.is_running()
    end_predecessor(tmp_path)
    assert not lives(engine.pid)


def test_the_engine_ends_when_the_supervisors_end_of_the_pipe_closes(tmp_path, quick):
    launched = launch(tmp_path, ["sleep", "60"])
    _wait_until(lambda: psutil.Process(launched.guard.pid).children())
    engine = psutil.Process(launched.guard.pid).children()[0]
    launched.guard.stdin.close()
    _wait_until(lambda: not lives(engine.pid))
    assert launched.guard.wait(timeout=5) == 128 + signal.SIGTERM


def test_a_recycled_process_number_is_left_alone(tmp_path, quick):
    launched = launch(tmp_path, ["sleep", "60"])
    record = json.loads((tmp_path / "process.json").read_text())
    record["since"] = time.time() + 3600
    (tmp_path / "process.json").write_text(json.dumps(record))
    end_predecessor(tmp_path)
    assert launched.poll() is None
    launched.kill()
