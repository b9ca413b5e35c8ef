"""The supervisor's children: none starts unwatched, none outlives us, the dead are restarted, all stop in order."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from config.launch.family import Family, Service
from config.launch.home import CHECKOUT
from config.launch.stopping import Member, stop_members, wait_gone

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]
# A child that starts a grandchild in a session of its own, as a worker starts a training run.
WORKER = [
    sys.executable,
    "-c",
    "import subprocess, sys, time\n"
    "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', sys.argv[1]], start_new_session=True)\n"
    "time.sleep(600)",
]
SUPERVISOR = """
import os, sys, time
from pathlib import Path
from config.launch.family import Family, Service
folder = Path(sys.argv[1])
lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT)
family = Family(lock=lock, environment=dict(os.environ), say=print)
command = [sys.executable, "-c", sys.argv[2], str(folder / "grandchild")]
for name in ("one", "two"):
    family.spawn(Service(name, command, folder / f"{name}.log"))
print("up", flush=True)
time.sleep(600)
"""


def processes_of(folder):
    return [p for p in psutil.process_iter(["cmdline"]) if any(str(folder) in word for word in p.info["cmdline"] or [])]


def until(question, seconds=30.0):
    """Ask again until the answer is true; fails after so long."""
    deadline = time.monotonic() + seconds
    while not (answer := question()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
    return answer


@pytest.fixture
def said():
    return []


@pytest.fixture
def family(short_folder, said):
    lock = os.open(short_folder / "lock", os.O_RDWR | os.O_CREAT)
    made = Family(lock=lock, environment=dict(os.environ), say=said.append)
    yield made
    made.stop()
    os.close(lock)


def test_a_dead_child_is_started_again_and_its_last_words_are_said(family, said, short_folder):
    command = [sys.executable, "-c", "print('no such table: tasks'); raise SystemExit(3)"]
    family.spawn(Service("web", command, short_folder / "web.log"))
    until(lambda: family.tend() or said)
    assert "web ended (exit status 3); starting it again in 0.5 s." in said[0]
    assert "no such table: tasks" in said[0]
    until(lambda: family.tend() is not None and family.children["web"].failures >= 2)
    assert "in 1 s" in said[1], "the pause must grow"


def test_a_child_that_is_not_kept_is_reported_once(family, said, short_folder):
    family.spawn(Service("installer", ["true"], short_folder / "log", keep=False))
    assert [child.service.name for child in until(family.tend)] == ["installer"]
    assert not family.children
    assert not said


def test_stopping_asks_by_rank_so_that_the_database_goes_last(family, short_folder):
    note = "import signal, sys, time\ndef stop(*_): print(time.monotonic(), flush=True); sys.exit()\n"
    command = [
        sys.executable,
        "-c",
        note + "signal.signal(signal.SIGTERM, stop); print(0, flush=True); time.sleep(600)",
    ]
    for name, rank in (("postgres", 1), ("web", 0), ("worker", 0)):
        family.spawn(Service(name, command, short_folder / f"{name}.log", rank=rank))
    logs = {name: short_folder / f"{name}.log" for name in ("postgres", "web", "worker")}
    until(lambda: all(log.read_text() for log in logs.values()))
    assert family.stop() == []
    stopped = {name: float(log.read_text().split()[-1]) for name, log in logs.items()}
    assert stopped["postgres"] > max(stopped["web"], stopped["worker"])


def test_a_child_that_will_not_stop_is_killed_after_its_grace(family, short_folder):
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(600)"
    log = short_folder / "deaf.log"
    process = family.spawn(Service("deaf", [sys.executable, "-c", deaf], log, grace=0.3))
    until(log.read_text)
    assert family.stop() == ["deaf"]
    assert process.returncode is not None


def test_a_grandchild_in_a_session_of_its_own_is_stopped_too(family, short_folder):
    family.spawn(Service("worker", [*WORKER, str(short_folder / "run")], short_folder / "log"))
    grandchild = until(lambda: [p for p in processes_of(short_folder / "run") if p.ppid() != os.getpid()])
    family.stop()
    assert not wait_gone(grandchild, 5)


def test_a_killed_watcher_is_replaced(family, short_folder):
    process = family.spawn(Service("web", SLEEP, short_folder / "log"))
    family._watcher.kill()
    family._watcher.wait()
    family.tend()
    assert family._watcher.poll() is None
    assert process.poll() is None


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_no_child_outlives_a_supervisor_that_is_killed(short_folder, number):
    sleeper = WORKER[2]
    supervisor = subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, short_folder, sleeper], cwd=CHECKOUT, stdout=subprocess.PIPE, text=True
    )
    assert supervisor.stdout.readline() == "up\n"
    children = until(lambda: (found := processes_of(short_folder / "grandchild")) and len(found) == 4 and found)
    supervisor.send_signal(number)
    supervisor.wait()
    supervisor.stdout.close()
    assert not wait_gone(children, 30)


def test_a_child_that_was_never_told_to_go_ends_without_starting(short_folder):
    """The supervisor died between making the child and telling the watcher."""
    from config.launch.family import GATE

    mark = short_folder / "started"
    child = subprocess.Popen([*GATE, "touch", str(mark)], stdin=subprocess.PIPE)
    child.stdin.close()
    assert child.wait(timeout=10) != 0
    assert not mark.exists()


def test_stopping_a_member_that_is_gone_is_no_error():
    done = subprocess.Popen(["true"])
    done.wait()
    assert stop_members([Member("gone", done.pid)]) == []


def test_a_member_survives_its_line():
    member = Member("gpu-worker", 4711, signal.SIGINT, 1, 4.5)
    assert Member.from_line(member.line()) == member
