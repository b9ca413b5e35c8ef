"""Runs Python that a model wrote: Linux namespaces without a network, an empty disk over what is private, hard limits.

Wanted are network, mount, process and IPC namespaces (util-linux `unshare`; a user namespace where we are not root, an
account without rights where we are).  Where these cannot be had nothing is run at all (NoIsolation says why).  The
environment is empty; /tmp, /run and this installation's own folder are empty memory disks, which also hides the sockets
that lie in them.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

NOBODY = 65534
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
MOST_OUTPUT = 16 * 2**20
"""Bytes of output, and of any file; a program that writes more is stopped."""
_ENTER = """
for d in $HIDDEN; do mount -t tmpfs -o size=16m,mode=1777 tmpfs "$d" || exit 97; done
cd /tmp || exit 97
if [ -n "$PREFIX" ]; then
    mkdir .python && mount --bind "$PREFIX" .python && mount -o remount,bind,ro .python || exit 97
    exec setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --bounding-set=-all \
        env -i LC_ALL=C.UTF-8 "$@"
fi
exec env -i LC_ALL=C.UTF-8 "$@"
"""


_PROBE = """
import socket
try:
    socket.create_connection(("127.0.0.1", 9), 1)
except OSError as error:
    print(error.errno)
"""


class NoIsolation(Exception):
    """This machine cannot isolate a program; the message says what is missing."""


@dataclass(frozen=True)
class Limits:
    """seconds: of wall-clock time and of CPU time.  processes: beside those that the account runs already."""

    seconds: float = 5.0
    memory_mb: int = 256
    processes: int = 64


@dataclass(frozen=True)
class Ended:
    """code: the exit status, negative for a signal.  output: what it wrote, standard error left out."""

    code: int
    output: str
    timed_out: bool


def run_isolated(program: str, stdin: str, limits: Limits) -> Ended:
    """Run a Python program with this text on its standard input.  Raises NoIsolation."""
    if missing := why_not():
        raise NoIsolation(missing)
    return _run(program, stdin, limits)


@cache
def why_not() -> str:
    """What keeps this machine from isolating a program, or ""; tried once a process."""
    if sys.platform != "linux":
        return "code is run on Linux only, where it can be kept from the network"
    if shutil.which("unshare") is None:
        return "the program unshare (util-linux) is not there, so that code cannot be kept from the network"
    ended = _run(_PROBE, "", Limits(seconds=10))
    network_is_gone = ended.output.strip() == "101"  # ENETUNREACH: not even the loopback device is up
    if ended.code or not network_is_gone:
        return f"this machine does not let a program be isolated (unshare ended with {ended.code})"
    return ""


def _run(program: str, stdin: str, limits: Limits) -> Ended:
    is_root = os.geteuid() == 0
    flags = ["--net", "--mount", "--pid", "--ipc", "--fork", "--kill-child"]
    flags += [] if is_root else ["--user", "--map-root-user"]
    interpreter = Path(sys._base_executable).resolve()  # type: ignore[attr-defined]
    if is_root:  # it may lie in a folder that only root may enter: it is seen elsewhere, read-only
        interpreter = Path("/tmp/.python") / interpreter.relative_to(sys.base_prefix)  # noqa: S108
    command = [shutil.which("unshare") or "unshare", *flags, "/bin/sh", "-c", _ENTER, "sh"]
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen(
            [*command, str(interpreter), "-I", "-S", "-B", "-c", program],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.DEVNULL,
            env={"PATH": PATH, "HIDDEN": _hidden(), "PREFIX": sys.base_prefix if is_root else ""},
            cwd="/",
            start_new_session=True,
            preexec_fn=_confine(limits, NOBODY if is_root else os.geteuid()),
        ) as process,
    ):
        timed_out = False
        try:
            process.communicate(stdin.encode(), timeout=limits.seconds)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        output.seek(0)
        return Ended(code, output.read().decode(errors="replace"), timed_out)


def _hidden() -> str:
    """What is covered, outermost first; what lies in another is covered with it."""
    home = Path(os.environ.get("TOUCHSTONE_HOME") or ".touchstone").resolve()
    places = [Path("/tmp"), Path("/var/tmp"), Path("/run"), home]  # noqa: S108  covered, not used
    prefix = Path(sys.base_prefix)
    kept = prefix if os.geteuid() else Path("/")  # root sees the interpreter in another place
    outermost = [one for one in places if set(places).isdisjoint(one.parents)]
    return " ".join(str(one) for one in outermost if one.is_dir() and one not in kept.parents and " " not in str(one))


def _confine(limits: Limits, account: int) -> Callable[[], None]:
    """Limits that the child sets itself before it becomes unshare, and that nothing in it can raise."""
    seconds = max(1, int(limits.seconds + 1))
    bounds = {
        resource.RLIMIT_AS: limits.memory_mb * 2**20,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: MOST_OUTPUT,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: limits.processes + _threads_of(account),
    }

    def confine() -> None:
        for which, bound in bounds.items():
            resource.setrlimit(which, (bound, bound))

    return confine


def _threads_of(account: int) -> int:
    """Threads that this account runs now: the system counts them all against its limit."""
    import psutil

    found = psutil.process_iter(["uids", "num_threads"])
    return sum(one.info["num_threads"] or 0 for one in found if one.info["uids"] and one.info["uids"].real == account)
