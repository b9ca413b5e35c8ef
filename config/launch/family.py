"""The supervisor's children: start them so that none can be orphaned, restart the dead, stop all in order."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config.launch.home import CHECKOUT
from config.launch.stopping import Member, pid_lives, stop_members

# A child waits for one line before it becomes its program; without it (we died) it ends at once.
GATE = ["/bin/sh", "-c", 'read -r go && exec "$@" </dev/null', "gate"]
LONGEST_PAUSE = 30.0
STEADY_SECONDS = 60.0  # a child that lived this long starts again without a pause


@dataclass(frozen=True)
class Service:
    """What to run and how to stop it."""

    name: str
    command: list[str]
    log: Path
    keep: bool = True  # start it again when it ends
    terminal: bool = False  # what it prints is for the terminal; its errors go to the log all the same
    signal: int = signal.SIGTERM
    rank: int = 0
    grace: float = 8.0
    popen: dict[str, Any] = field(default_factory=dict)
    before: Callable[[], None] | None = None


@dataclass
class Child:
    """A service that was started, or (with no `process`) one that ran before us and was adopted."""

    service: Service
    pid: int
    process: subprocess.Popen[bytes] | None
    started: float
    failures: int = 0
    start_again_at: float | None = None

    def ended(self) -> int | None:
        """The exit status, or None while it runs."""
        if self.process is not None:
            return self.process.poll()
        return None if pid_lives(self.pid) else 0


class Family:
    """All children of one supervisor, and the watcher that ends them if we are killed.

    `lock` is the descriptor of the run lock: the watcher keeps a share of it until the last child is gone.
    """

    def __init__(self, *, lock: int, environment: dict[str, str], say: Callable[[str], None]) -> None:
        self.children: dict[str, Child] = {}
        self._lock = lock
        self._environment = environment
        self._say = say
        self._watcher = self._start_watcher()

    def _start_watcher(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "config.launch.watcher"], stdin=subprocess.PIPE, start_new_session=True,
            pass_fds=[self._lock], cwd=CHECKOUT, env=self._environment,
        )  # fmt: skip

    def _tell_watcher(self, line: str) -> None:
        try:
            self._write(line)
        except BrokenPipeError:  # somebody killed the watcher: a new one learns of everybody
            self._watcher.wait()
            self._watcher = self._start_watcher()
            for member in self._members():
                self._write("+" + member.line())

    def _members(self) -> list[Member]:
        return [_member(child) for child in self.children.values() if child.start_again_at is None]

    def _write(self, line: str) -> None:
        assert self._watcher.stdin is not None  # noqa: S101  (opened as a pipe just above)
        self._watcher.stdin.write(f"{line}\n".encode())
        self._watcher.stdin.flush()

    def spawn(self, service: Service) -> subprocess.Popen[bytes]:
        """Start a service's program, once the watcher knows of it."""
        if service.before is not None:
            service.before()
        options = {"cwd": CHECKOUT, "env": self._environment, **service.popen}
        with service.log.open("ab") as stream:
            process = subprocess.Popen(
                [*GATE, *service.command], stdin=subprocess.PIPE, stdout=None if service.terminal else stream,
                stderr=stream, start_new_session=True, **options,
            )  # fmt: skip
        before = self.children.get(service.name)
        child = Child(service, process.pid, process, time.monotonic(), before.failures if before else 0)
        self.children[service.name] = child
        self._tell_watcher("+" + _member(child).line())
        assert process.stdin is not None  # noqa: S101  (opened as a pipe just above)
        try:
            process.stdin.write(b"go\n")
            process.stdin.close()
        except BrokenPipeError:
            pass  # it died before its first word: `tend` sees that
        return process

    def watch(self, member: Member) -> None:
        """Have the watcher end a process that we started in our own way."""
        self._tell_watcher("+" + member.line())

    def adopt(self, service: Service, pid: int) -> None:
        """Look after a process that a former supervisor left running."""
        self.children[service.name] = Child(service, pid, None, time.monotonic())
        self._tell_watcher("+" + _member(self.children[service.name]).line())

    def tend(self) -> list[Child]:
        """Restart what died (after a growing pause); returns the children that ended since the last call."""
        if self._watcher.poll() is not None:
            self._tell_watcher("-0")
        ended = []
        for child in list(self.children.values()):
            if child.start_again_at is not None:
                if time.monotonic() >= child.start_again_at:
                    self.spawn(child.service)
            elif (status := child.ended()) is not None:
                ended.append(child)
                self._tell_watcher(f"-{child.pid}")
                self._plan_restart(child, status)
        return ended

    def _plan_restart(self, child: Child, status: int) -> None:
        if not child.service.keep:
            del self.children[child.service.name]
            return
        if time.monotonic() - child.started > STEADY_SECONDS:
            child.failures = 0
        pause = min(LONGEST_PAUSE, 0.5 * 2**child.failures)
        child.failures += 1
        child.start_again_at = time.monotonic() + pause
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        self._say(f"{child.service.name} ended ({how}); starting it again in {pause:g} s. {last_words(child)}")

    def stop(self) -> list[str]:
        """Stop everybody in order; returns the names of those that had to be killed."""
        killed = stop_members(self._members())
        for child in self.children.values():
            if child.process is not None:
                child.process.wait()
        self.children.clear()
        if self._watcher.stdin is not None:
            self._watcher.stdin.close()
        self._watcher.wait()
        return killed


def _member(child: Child) -> Member:
    service = child.service
    return Member(service.name, child.pid, service.signal, service.rank, service.grace)


def last_words(child: Child) -> str:
    """The last line of a child's log and where the rest is, for a message to the terminal."""
    size = child.service.log.stat().st_size
    with child.service.log.open("rb") as stream:
        stream.seek(max(0, size - 4096), os.SEEK_SET)
        lines = [line.strip() for line in stream.read().decode(errors="replace").splitlines() if re.search(r"\w", line)]
    return f"Last words: {lines[-1][:200]} ({child.service.log})" if lines else f"See {child.service.log}"
