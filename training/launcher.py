"""Starting the engine: its command, its environment, its process group, and the end of a predecessor.

The engine runs in a session of its own, under `training.guard`, so that a worker killed with -9 takes it along.  What
was started is written to `process.json` in the job's directory: the next attempt ends what is left of the last one
before it begins, and the engine itself holds a lock on the directory besides.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from django.conf import settings

LOG = "log.txt"
RECORD = "process.json"
ORPHAN_GRACE_SECONDS = 20.0
# What the engine has no business knowing.
PRIVATE = ("DATABASE_URL", "SECRET_KEY", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE")
ENGINE_DEFAULTS = {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONUNBUFFERED": "1"}
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


@dataclass(frozen=True)
class Launched:
    """A guard with its engine.  The guard leads the process group."""

    guard: subprocess.Popen[bytes]
    directory: Path

    def poll(self) -> int | None:
        """The engine's exit code, 128 + n when signal n ended it; None while it runs."""
        code = self.guard.poll()
        if code is None:
            return None
        _kill_group(self.guard.pid)  # ranks and loaders that outlived their leader
        return code if code >= 0 else 128 - code

    def ask_to_stop(self) -> None:
        """SIGTERM: the engine saves a checkpoint after its current step and exits with code 3."""
        self.guard.terminate()

    def kill(self) -> None:
        _kill_group(self.guard.pid)
        self.guard.wait()


def engine_command(*words: str) -> list[str]:
    """The engine's command line with `words`; TOUCHSTONE_ENGINE puts another program in its place."""
    return [*(settings.TRAINING_ENGINE or [sys.executable, "-m", "training.engine"]), *words]


def engine_environment() -> dict[str, str]:
    """Ours without its secrets, offline, one thread unless told otherwise."""
    given = {name: value for name, value in os.environ.items() if name not in PRIVATE}
    home = {"TOUCHSTONE_HOME": str(settings.TOUCHSTONE_HOME)}
    return {**ENGINE_DEFAULTS, **given, **OFFLINE, **home}


def launch(directory: Path, command: Sequence[str]) -> Launched:
    """Start the engine in a session of its own; its output goes to the end of `log.txt`."""
    guarded = [sys.executable, "-m", "training.guard", str(ORPHAN_GRACE_SECONDS), *command]
    with (directory / LOG).open("ab") as log:
        guard = subprocess.Popen(
            guarded,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            cwd=settings.BASE_DIR,
            env=engine_environment(),
            start_new_session=True,
        )
    _write_record(directory, guard.pid)
    return Launched(guard, directory)


def _write_record(directory: Path, pid: int) -> None:
    record = {"pid": pid, "host": socket.gethostname(), "since": time.time()}
    fresh = directory / f"{RECORD}.new"
    fresh.write_text(json.dumps(record))
    fresh.replace(directory / RECORD)


def end_predecessor(directory: Path, *, seconds: float = 10.0) -> None:
    """Kill what the last attempt on this machine left running, and wait until it is gone.

    Only processes of the recorded group that are not older than the record are touched: the number may be another
    program's by now.
    """
    try:
        record = json.loads((directory / RECORD).read_text())
    except (FileNotFoundError, ValueError):
        return
    if record["host"] != socket.gethostname():
        return
    left = _group(record["pid"], since=record["since"])
    for process in left:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(left, timeout=seconds)
    (directory / RECORD).unlink(missing_ok=True)


def _group(number: int, *, since: float) -> list[psutil.Process]:
    """Processes of this process group which could have been started by the launch at `since` (POSIX seconds)."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, ProcessLookupError):
            if os.getpgid(process.pid) == number and process.create_time() > since - 5.0:
                found.append(process)
    return found


def _kill_group(number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(number, signal.SIGKILL)
