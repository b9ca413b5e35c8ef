"""Stop processes in order, and whatever they started: used by the supervisor and by its watcher."""

import signal
import time
from dataclasses import dataclass

import psutil

POSTGRES_SIGNAL = signal.SIGINT  # PostgreSQL's fast shutdown; SIGTERM would wait for every client
TREE_GRACE = 10.0


@dataclass(frozen=True)
class Member:
    """A process to stop: members of a lower rank go first and are gone before the next rank is asked."""

    name: str
    pid: int
    signal: int = signal.SIGTERM
    rank: int = 1
    grace: float = 20.0

    def line(self) -> str:
        return f"{self.name} {self.pid} {int(self.signal)} {self.rank} {self.grace}"

    @classmethod
    def from_line(cls, text: str) -> "Member":
        name, pid, number, rank, grace = text.split()
        return cls(name, int(pid), int(number), int(rank), float(grace))


def process_of(member: Member) -> psutil.Process | None:
    try:
        return psutil.Process(member.pid)
    except psutil.NoSuchProcess:
        return None


def pid_lives(pid: int) -> bool:
    try:
        return lives(psutil.Process(pid))
    except psutil.NoSuchProcess:
        return False


def _tree(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def lives(process: psutil.Process) -> bool:
    """Whether it still runs; a zombie nobody has collected yet does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_gone(processes: list[psutil.Process], seconds: float) -> list[psutil.Process]:
    """Wait until all are gone, at most so long; returns those that still live."""
    deadline = time.monotonic() + seconds
    while (alive := [process for process in processes if lives(process)]) and time.monotonic() < deadline:
        time.sleep(0.02)
    return alive


def _ask(process: psutil.Process, number: int) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return


def stop_members(members: list[Member]) -> list[str]:
    """Ask every member to stop, wait its grace, then end it and all it started.

    A training run is a grandchild in a session of its own: it is asked too (it saves a checkpoint), but
    only once its worker is gone.  Returns the names of those that had to be killed.
    """
    killed: list[str] = []
    for rank in sorted({member.rank for member in members}):
        killed += _stop_rank([member for member in members if member.rank == rank])
    return killed


def _stop_rank(members: list[Member]) -> list[str]:
    found = [(member, process) for member in members if (process := process_of(member)) is not None]
    trees = [child for _, process in found for child in _tree(process)]
    for member, process in found:
        _ask(process, member.signal)
    start = time.monotonic()
    killed = []
    for member, process in sorted(found, key=lambda pair: pair[0].grace):
        if wait_gone([process], start + member.grace - time.monotonic()):
            killed.append(member.name)
            _ask(process, signal.SIGKILL)
    _stop_tree(trees)
    return killed


def _stop_tree(trees: list[psutil.Process]) -> None:
    alive = [process for process in trees if lives(process)]
    for process in alive:
        _ask(process, signal.SIGTERM)
    alive = wait_gone(alive, TREE_GRACE)
    for process in alive:
        _ask(process, signal.SIGKILL)
    wait_gone(alive, 2.0)
