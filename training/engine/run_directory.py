"""The run directory: who may write in it, and the small files by which a run tells how it goes.

`spec.json, data/, metrics.jsonl, progress.json, report.json, log.txt, checkpoints/step_N/, result.json`.  Whoever works
here holds `flock` on `lock`, which a kill releases, and its attempt must be the latest that ever began.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from training.engine.durable_files import publish_directory, remove_unfinished, write_json, write_text
from training.engine.exceptions import AttemptSuperseded, DirectoryBusy
from training.engine.specification import asked_attempt

LOG = "log.txt"
METRICS = "metrics.jsonl"
PROGRESS = "progress.json"
REPORT = "report.json"
RESULT = "result.json"
CHECKPOINTS = "checkpoints"
PROGRESS_SECONDS = 0.5

logger = logging.getLogger(__name__)


class RunDirectory:
    """One run's files.  `writes` is false on all ranks but the first, which then change nothing on disk."""

    def __init__(self, path: Path, *, writes: bool = True) -> None:
        self.path = path
        self.writes = writes
        self.attempt = 0
        self._last_progress = (0.0, "")

    @property
    def checkpoints(self) -> Path:
        return self.path / CHECKPOINTS

    @contextmanager
    def held(self, attempt: int) -> Iterator[None]:
        """Hold the directory for this attempt.  Raises DirectoryBusy or AttemptSuperseded, having changed nothing."""
        if not self.writes:
            yield
            return
        with (self.path / "lock").open("a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise DirectoryBusy(
                    f"Another process trains in {self.path}.", "Wait for it to end, or cancel it first."
                ) from error
            self._begin(attempt)
            yield

    def _begin(self, attempt: int) -> None:
        latest = _read_number(self.path / "attempt")
        attempt = attempt or latest
        if attempt < latest:
            raise AttemptSuperseded(f"Attempt {attempt} is older than attempt {latest}.", "Let the latest one run.")
        self.attempt = attempt
        write_text(self.path / "attempt", f"{attempt}\n")
        self.checkpoints.mkdir(exist_ok=True)
        remove_unfinished(self.path)
        remove_unfinished(self.checkpoints)

    def check_fence(self) -> None:
        """Raise AttemptSuperseded when spec.json is a later attempt's by now.  Called before each publication."""
        if self.writes and (asked := asked_attempt(self.path)) > self.attempt:
            raise AttemptSuperseded(f"Attempt {asked} has taken over from {self.attempt}.", "Let the latest one run.")

    def append_metrics(self, row: dict[str, Any]) -> None:
        """One line of metrics, complete or absent."""
        if self.writes:
            with (self.path / METRICS).open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(row, allow_nan=False) + "\n")

    def rewind_metrics(self, step: int) -> None:
        """Forget lines after `step`, and torn ones: the steps from there on are trained again."""
        path = self.path / METRICS
        if self.writes and path.is_file():
            kept = [line for line in path.read_text(encoding="utf-8").splitlines() if _step_of(line) <= step]
            write_text(path, "".join(f"{line}\n" for line in kept))

    def progress(self, phase: str, step: int, total: int) -> None:
        """Say how far the run is; at most twice a second within a phase, always at its ends."""
        now = time.monotonic()
        since, last_phase = self._last_progress
        if not self.writes or (phase == last_phase and 0 < step < total and now - since < PROGRESS_SECONDS):
            return
        self._last_progress = (now, phase)
        value = {"phase": phase, "step": step, "total": total, "time": round(time.time(), 3)}
        fresh = self.path / f"{PROGRESS}.new"
        fresh.write_text(json.dumps(value) + "\n", encoding="utf-8")
        fresh.replace(self.path / PROGRESS)  # not fsynced: losing it costs nothing

    def write_report(self, report: dict[str, Any]) -> None:
        if self.writes:
            write_json(self.path / REPORT, report)

    def write_result(self, result: dict[str, Any]) -> None:
        """The last file of an attempt."""
        if self.writes:
            write_json(self.path / RESULT, {**result, "attempt": self.attempt})

    def publish(self, target: Path, fill: Callable[[Path], object]) -> None:
        """Make a directory below the run's, complete or not at all."""
        if self.writes:
            target.parent.mkdir(parents=True, exist_ok=True)
            publish_directory(target, fill)

    def read_result(self) -> dict[str, Any]:
        """The result of an earlier attempt, or empty."""
        try:
            value = json.loads((self.path / RESULT).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}

    def forget_result(self) -> None:
        if self.writes:
            (self.path / RESULT).unlink(missing_ok=True)


@contextmanager
def logging_to(path: Path, *, writes: bool = True) -> Iterator[None]:
    """Log to standard error, and to `path` too unless a supervisor has pointed standard error there already."""
    targets: list[logging.Handler] = [logging.StreamHandler()]
    if writes and not _is_standard_error(path):
        targets.append(logging.FileHandler(path, encoding="utf-8"))
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.INFO if writes else logging.WARNING)
    for target in targets:
        target.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        root.addHandler(target)
    try:
        yield
    finally:
        root.setLevel(level)
        for target in targets:
            root.removeHandler(target)
            target.close()


def _is_standard_error(path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(sys.stderr.fileno()), path.stat())
    except (OSError, ValueError):
        return False  # no such file yet, or a standard error without a descriptor


def _read_number(path: Path) -> int:
    try:
        return int(path.read_text())
    except (FileNotFoundError, ValueError):
        return 0


def _step_of(line: str) -> float:
    try:
        return float(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        return float("inf")
