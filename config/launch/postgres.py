"""Start the embedded PostgreSQL, attach to one that runs, and recover one that was killed.

As a command it lends the database to another: `python -m config.launch.postgres -- COMMAND…`.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from config.launch.cluster import SOCKET_NAME, Cluster, open_cluster
from config.launch.home import Home, LaunchError, locked, write_text
from config.launch.stopping import POSTGRES_SIGNAL, Member, stop_members

Spawn = Callable[[Cluster], subprocess.Popen[bytes]]

START_SECONDS = 120  # a crash recovery replays the log, which may take a while


def accepts(cluster: Cluster) -> bool:
    """Whether a server listens on the cluster's socket: the only proof that one lives."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(2)
        with suppress(OSError):
            probe.connect(str(cluster.socket / SOCKET_NAME))
            return True
    return False


def _written_pid(path: Path) -> int | None:
    with suppress(OSError, ValueError, IndexError):
        return int(path.read_text().splitlines()[0])
    return None


def server_pid(cluster: Cluster) -> int | None:
    """The pid in postmaster.pid if that process really is the server of this data folder."""
    pid = _written_pid(cluster.pid_file)
    if pid is None:
        return None
    try:
        process = psutil.Process(pid)
        words = process.cmdline()
    except psutil.Error:
        return None
    return pid if words and "postgres" in words[0] and str(cluster.data) in words else None


def is_ready(cluster: Cluster, pid: int | None = None) -> bool:
    """What the server itself says in the eighth line of its pid file; with `pid`, that very server.

    Both lines come from one reading: a killed server leaves "ready" behind, and its file is replaced
    at some moment of the next start.
    """
    with suppress(OSError, IndexError, ValueError):
        lines = cluster.pid_file.read_text().splitlines()
        return lines[7].strip() == "ready" and pid in (None, int(lines[0]))
    return False


def disown_stale_pid(cluster: Cluster) -> None:
    """Write our own pid over one left by a killed server, which may be another program's by now.

    PostgreSQL ignores a lock held by its parent, and still finds in the rest of the file the shared
    memory it has to check; so the file is rewritten, never removed.
    """
    for path in (cluster.pid_file, cluster.socket / f"{SOCKET_NAME}.lock"):
        with suppress(FileNotFoundError):
            lines = path.read_text().splitlines(keepends=True)
            path.write_text("".join([f"{os.getpid()}\n", *lines[1:]]))


def spawn_plain(cluster: Cluster, log: Path) -> subprocess.Popen[bytes]:
    """Start the server as a child of ours that no Ctrl-C in this terminal reaches."""
    with log.open("ab") as stream:
        return subprocess.Popen(
            cluster.command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, cwd="/",
            start_new_session=True, **cluster.account.popen,
        )  # fmt: skip


def start(cluster: Cluster, spawn: Spawn, log: Path) -> subprocess.Popen[bytes] | None:
    """Have the server running and ready; returns the process, or None when one ran already.

    Raises LaunchError, with the server's last words, when it does not get ready.
    """
    deadline = time.monotonic() + START_SECONDS
    while server_pid(cluster) is not None or accepts(cluster):
        if is_ready(cluster) and accepts(cluster):
            return None
        if time.monotonic() > deadline:
            raise LaunchError(f"Another PostgreSQL on {cluster.data} neither gets ready nor stops: see {log}.")
        time.sleep(0.05)
    disown_stale_pid(cluster)
    process = spawn(cluster)
    while not is_ready(cluster, process.pid):
        if process.poll() is not None or time.monotonic() > deadline:
            last = (log.read_text(errors="replace").strip().splitlines() or ["it said nothing"])[-1]
            raise LaunchError(f"PostgreSQL did not start: {last} (see {log})")
        time.sleep(0.01)
    return process


@contextmanager
def database(home: Home) -> Iterator[str]:
    """The address of the embedded PostgreSQL, started for the block unless it runs already."""
    home.make()
    log = home.logs / "postgres.log"
    with locked(home.root / "postgres.lock", wait=True):
        cluster = open_cluster(home.root / "postgres")
        process = start(cluster, lambda cluster: spawn_plain(cluster, log), log)
        write_text(home.database_url, cluster.url)
    try:
        yield cluster.url
    finally:
        if process is not None:
            stop_members([Member("postgres", process.pid, POSTGRES_SIGNAL)])
            process.wait()


def main(words: list[str]) -> int:
    """Run a command with `DATABASE_URL` set, on the database of this checkout."""
    command = words[1:] if words[:1] == ["--"] else words
    if not command:
        print("usage: python -m config.launch.postgres -- COMMAND…", file=sys.stderr)
        return 2
    if os.environ.get("DATABASE_URL"):
        return subprocess.run(command, check=False).returncode
    try:
        with database(Home.from_environment()) as url:
            return subprocess.run(command, check=False, env={**os.environ, "DATABASE_URL": url}).returncode
    except LaunchError as error:
        print(f"touchstone: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
