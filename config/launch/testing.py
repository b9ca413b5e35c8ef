"""`./test`: pytest on a PostgreSQL of its own, which is fast, forgetful, and stopped afterwards."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from config.launch.chromium import ensure_chromium
from config.launch.cluster import Cluster, open_cluster
from config.launch.family import Family
from config.launch.home import CHECKOUT, AlreadyLocked, Home, LaunchError, locked
from config.launch.postgres import accepts, server_pid, start
from config.launch.services import database_service
from config.launch.stopping import Member, stop_members
from config.launch.supervisor import Stop, stop_on_signals

QUICK = "not slow and not gpu"
ALL = "not gpu"
# What a developer's shell may hold that would make the tests mean something else.
FOREIGN = ("SECRET_KEY", "DEBUG", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "CELERY_BROKER_URL", "HTTPS", "PORT", "BIND",
    "BEHIND_TLS_PROXY", "PYTHONDONTWRITEBYTECODE", "DJANGO_SETTINGS_MODULE", "TOUCHSTONE_RUNS")  # fmt: skip


def fresh_cluster(folder: Path) -> Cluster:
    """The tests' cluster.  It does not survive a crash (fsync is off), so after one it is made anew."""
    cluster = open_cluster(folder, durable=False)
    if cluster.pid_file.exists() and server_pid(cluster) is None and not accepts(cluster):
        shutil.rmtree(cluster.data)
        cluster = open_cluster(folder, durable=False)
    return cluster


def start_database(home: Home, family: Family) -> str:
    """Start the tests' PostgreSQL and return its address."""
    cluster = fresh_cluster(home.root / "test-postgres")
    service = database_service(cluster, home, name="test-postgres")
    started = start(cluster, lambda _: family.spawn(service), service.log)
    if started is None and (pid := server_pid(cluster)) is not None:
        family.adopt(service, pid)
    return cluster.url


def test_environment(home: Home) -> dict[str, str]:
    """Ours without what would change the tests' meaning; their files go to a folder of their own."""
    given = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    own = home.root / "test"
    own.mkdir(mode=0o700, exist_ok=True)
    given["TOUCHSTONE_HOME"] = str(own)
    for name, value in (
        ("OMP_NUM_THREADS", "1"),
        ("TOKENIZERS_PARALLELISM", "false"),
        ("HF_HUB_OFFLINE", "1"),
        ("HF_HUB_DISABLE_TELEMETRY", "1"),
        ("DJANGO_ALLOW_ASYNC_UNSAFE", "1"),
    ):
        given.setdefault(name, value)
    browser, reason = ensure_chromium(home.logs / "install.log")
    if browser:
        given["TOUCHSTONE_CHROMIUM"] = browser
    else:
        print(f"Browser tests will be skipped: {reason}.", flush=True)
        given["TOUCHSTONE_NO_BROWSER"] = reason
    return given


def pytest_command(words: list[str]) -> list[str]:
    """`--all` is ours, the rest is pytest's; what comes later wins, so every default can be overruled."""
    marks = ALL if "--all" in words else QUICK
    rest = [word for word in words if word != "--all"]
    return [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile", "-m", marks, *rest]


def run_tests(home: Home, lock: int, words: list[str]) -> int:
    environment = test_environment(home)
    family = Family(lock=lock, environment=environment, say=print)
    process = None
    try:
        environment["DATABASE_URL"] = start_database(home, family)
        # pytest stays in the terminal's group, so Ctrl-C reaches it and a debugger can read from it.
        process = subprocess.Popen(pytest_command(words), cwd=CHECKOUT, env=environment)
        member = Member("pytest", process.pid, signal.SIGINT, rank=0, grace=10.0)
        family.watch(member)
        try:
            return process.wait()
        except Stop:
            stop_members([member])
            return 130
    finally:
        family.stop()


def main(words: list[str]) -> int:
    home = Home.from_environment()
    stop_on_signals()
    try:
        home.make()
        with locked(home.root / "test.lock", wait=False) as lock:
            return run_tests(home, lock, words)
    except AlreadyLocked:
        print(f"touchstone: another ./test uses {home.root}: wait for it, or set TOUCHSTONE_HOME.", flush=True)
        return 1
    except LaunchError as error:
        print(f"touchstone: {error}", flush=True)
        return 1
    except Stop:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
