"""Where a PostgreSQL's data lies and how it is first made: owned by one account, reached by one socket."""

import hashlib
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from config.launch.accounts import Account, server_account
from config.launch.binaries import find_programs
from config.launch.home import LaunchError

SYSTEM_STATE = Path("/var/lib/touchstone")
DATABASE = ROLE = "touchstone"
SOCKET_NAME = ".s.PGSQL.5432"
LONGEST_SOCKET_PATH = 100  # the kernel's limit is 104 (macOS) or 108 (Linux) bytes

SAFE = ["fsync=on"]
FAST_AND_LOSSY = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]


@dataclass(frozen=True)
class Cluster:
    """One PostgreSQL: its folders, its programs, and the account that runs it."""

    folder: Path
    data: Path
    socket: Path
    programs: Path
    major: int
    account: Account
    durable: bool

    @property
    def pid_file(self) -> Path:
        return self.data / "postmaster.pid"

    @property
    def url(self) -> str:
        """The address for Django: a socket folder is percent-encoded where a host name stands."""
        return f"postgres://{ROLE}@{str(self.socket).replace('/', '%2F')}/{DATABASE}"

    @property
    def command(self) -> list[str]:
        settings = [
            "listen_addresses=",
            f"unix_socket_directories={self.socket}",
            "max_connections=120",
            "timezone=UTC",
            "log_timezone=UTC",
            "logging_collector=off",
            *(SAFE if self.durable else FAST_AND_LOSSY),
        ]
        if sys.platform == "linux":
            settings.append("recovery_init_sync_method=syncfs")
        options = [word for setting in settings for word in ("-c", setting)]
        return [str(self.programs / "postgres"), "-D", str(self.data), *options]


def _digest(folder: Path) -> str:
    return hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:12]


def _base(folder: Path, account: Account) -> Path:
    """`folder` itself, or one under /var/lib where the account cannot reach the checkout."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if not account.popen or account.reaches(folder.parent):
        return folder
    if (folder / "data").is_dir() and not folder.is_symlink():
        message = f"{account.name} can no longer reach the database in {folder}: open the folders above it to it."
        raise LaunchError(message)
    SYSTEM_STATE.mkdir(mode=0o755, exist_ok=True)
    return SYSTEM_STATE / f"{folder.name}-{_digest(folder)}"


def _socket_folder(base: Path, account: Account) -> Path:
    """A folder only the account may enter, with a path short enough for a socket."""
    socket = base / "socket"
    if len(str(socket / SOCKET_NAME)) > LONGEST_SOCKET_PATH:
        socket = Path(tempfile.gettempdir()) / f"touchstone-{_digest(base)}"
    socket.mkdir(mode=0o700, exist_ok=True)
    if socket.is_symlink() or socket.stat().st_uid not in (os.geteuid(), account.uid):
        raise LaunchError(f"{socket} belongs to someone else: remove it, or set TMPDIR.")
    socket.chmod(0o700)
    account.owns(socket)
    return socket


def open_cluster(folder: Path, *, durable: bool = True) -> Cluster:
    """The PostgreSQL kept in `folder`; makes it on first use.  The caller holds the folder's lock.

    Raises LaunchError when there are no programs, or the data is of another major version.
    """
    account = server_account(folder / "data")
    base = _base(folder, account)
    account = server_account(base / "data")
    base.mkdir(mode=0o755, exist_ok=True)
    if base != folder and not folder.exists():
        folder.symlink_to(base)
    programs, major = find_programs(account, SYSTEM_STATE)
    socket = _socket_folder(base, account)
    cluster = Cluster(base, base / "data", socket, programs, major, account, durable)
    if not cluster.data.exists():
        _create(cluster)
    _check_version(cluster)
    _admit(cluster)
    return cluster


def _check_version(cluster: Cluster) -> None:
    kept = int((cluster.data / "PG_VERSION").read_text())
    if kept != cluster.major:
        message = (
            f"The database in {cluster.data} is of PostgreSQL {kept}, the programs here are {cluster.major}: "
            f"set PG_BIN to a PostgreSQL {kept}, or dump and reload it."
        )
        raise LaunchError(message)


def _create(cluster: Cluster) -> None:
    """Make the data folder beside its place and move it there when it is whole."""
    fresh = cluster.folder / "data.new"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    cluster.account.owns(fresh)
    # Sorting that does not depend on this machine's C library came with version 17.
    locale = ["--locale-provider=builtin", "--locale=C.UTF-8"] if cluster.major >= 17 else ["--no-locale"]
    made = _run(cluster, ["initdb", "-D", fresh, "-U", ROLE, "-A", "peer", "-E", "UTF8", "--no-sync", *locale])
    if made.returncode == 0:
        made = _run(
            cluster, ["postgres", "--single", "-D", fresh, "postgres"], f"CREATE DATABASE {DATABASE} OWNER {ROLE};\n"
        )
    if made.returncode != 0:
        last = (made.stdout.strip().splitlines() or ["no message"])[-1]
        raise LaunchError(f"PostgreSQL could not make its data folder: {last}")
    if cluster.durable:
        one_call = ["--sync-method=syncfs"] if sys.platform == "linux" and cluster.major >= 17 else []
        _run(cluster, ["initdb", "--sync-only", *one_call, "-D", fresh])
    fresh.rename(cluster.data)


def _run(cluster: Cluster, command: list[str | Path], text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [cluster.programs / command[0], *command[1:]],
        input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, cwd="/",
        env={**os.environ, "LC_ALL": "C"}, **cluster.account.popen,
    )  # fmt: skip


def _admit(cluster: Cluster) -> None:
    """Let in, by the kernel's word for who calls (peer), us, root and the account itself: no password."""
    names = {"root", cluster.account.name, pwd.getpwuid(os.geteuid()).pw_name}
    lines = [f"touchstone {name} {ROLE}\n" for name in sorted(names)]
    for name, text in (("pg_ident.conf", "".join(lines)), ("pg_hba.conf", "local all all peer map=touchstone\n")):
        path = cluster.data / name
        if path.read_text() != text:
            path.write_text(text)
