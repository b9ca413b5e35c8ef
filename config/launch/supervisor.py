"""`./run`: bring up the whole product on this machine and look after it until it is told to stop."""

import errno
import http.client
import os
import secrets
import signal
import socket
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from config.launch.cluster import open_cluster
from config.launch.family import Family, last_words
from config.launch.fingerprint import is_prepared, mark_prepared
from config.launch.home import AlreadyLocked, Home, LaunchError, locked, read_json, write_json, write_text
from config.launch.install import train_extra_is_installed
from config.launch.postgres import server_pid, start
from config.launch.services import (
    WITHOUT_DEMO,
    database_service,
    prepare_service,
    train_extra_service,
    web_service,
    worker_services,
)
from config.launch.stopping import pid_lives

WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  (where to look, nothing is bound here)
LOOPBACK = ("127.0.0.1", "localhost", "::1")
WEB_SECONDS = 60.0
WEB_TRIES = 3
TEND_SECONDS = 0.25
HURRY_SECONDS = 1.5
# How long a start waits for the children of a run that was killed: its watcher is ending them.
TAKEOVER_SECONDS = 45.0


class Stop(Exception):
    """A signal asked us to stop."""


def say(line: str) -> None:
    print(line, flush=True)


def _stop_on_signal(number: int, frame: FrameType | None) -> None:
    """Raise Stop, once.  Some senders signal twice in a breath; who asks again later means it."""
    asked = time.monotonic()

    def again(number: int, frame: FrameType | None) -> None:
        if time.monotonic() - asked > HURRY_SECONDS:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)  # the watcher ends the children

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, again)
    raise Stop(signal.Signals(number).name)


def stop_on_signals() -> None:
    """From now on SIGINT, SIGTERM and SIGHUP raise Stop; a second one, a while later, ends us at once."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop_on_signal)


def address() -> tuple[str, int]:
    """Where to listen: `BIND` (default loopback) and `PORT` (default 8000)."""
    given = os.environ.get("PORT") or "8000"
    if not given.isdigit() or not 0 < int(given) < 65536:
        raise LaunchError(f"PORT={given} is no port: give a number from 1 to 65535.")
    return os.environ.get("BIND") or "127.0.0.1", int(given)


def check_port(host: str, port: int) -> None:
    """Raises LaunchError when somebody else listens there (a child of ours would only find out later)."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise LaunchError(f"Port {port} is taken by another program: try PORT={port + 1} ./run") from error
            raise LaunchError(f"Cannot listen on {host}:{port}: {error.strerror}. Set BIND or PORT.") from error


def environment(home: Home, host: str, port: int) -> dict[str, str]:
    """What the children get: ours, with the address, the home, and plain HTTP on loopback only."""
    given = dict(os.environ)
    given.update(TOUCHSTONE_HOME=str(home.root), BIND=host, PORT=str(port), PYTHONUNBUFFERED="1")
    given.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    given.setdefault("OMP_NUM_THREADS", "1")
    # Compiled modules go into our own .venv: without them every start compiles Django again.
    given.pop("PYTHONDONTWRITEBYTECODE", None)
    if host in LOOPBACK:
        given.setdefault("HTTPS", "false")
    return given


class Run:
    """One run: the steps from nothing to a served page, in the order they happen."""

    def __init__(self, home: Home, lock: int) -> None:
        self.home = home
        self.host, self.port = address()
        check_port(self.host, self.port)
        self.environment = environment(home, self.host, self.port)
        self.data: Path | None = None  # of the embedded PostgreSQL
        self.family = Family(lock=lock, environment=self.environment, say=say)

    @property
    def address(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}/"

    def up(self) -> None:
        """Start everything; returns when the first page is served."""
        write_json(
            self.home.run_state,
            {"pid": os.getpid(), "address": self.address, "started": datetime.now(UTC).isoformat(timespec="seconds")},
        )
        if not (self.home.root / "secret_key").exists():
            write_text(self.home.root / "secret_key", secrets.token_urlsafe(50))
        self.start_database()
        self.prepare()
        self.family.spawn(web_service(self.home))
        self.wait_for_page()
        for service in worker_services(self.home):
            self.family.spawn(service)
        self.greet()
        if self.wants_train_extra():
            self.family.spawn(train_extra_service(self.home))

    def wants_train_extra(self) -> bool:
        """A node without training (`TOUCHSTONE_TRAIN=0`) stays a quarter of the size."""
        return self.environment.get("TOUCHSTONE_TRAIN") != "0" and not train_extra_is_installed()

    def start_database(self) -> None:
        if self.environment.get("DATABASE_URL"):
            return
        log = self.home.logs / "postgres.log"
        with locked(self.home.root / "postgres.lock", wait=True):
            cluster = open_cluster(self.home.root / "postgres")
            service = database_service(cluster, self.home)
            started = start(cluster, lambda _: self.family.spawn(service), log)
            if started is None and (pid := server_pid(cluster)) is not None:
                self.family.adopt(service, pid)
            write_text(self.home.database_url, cluster.url)
        self.data = cluster.data
        self.environment["DATABASE_URL"] = cluster.url
        self.environment["TOUCHSTONE_EMBEDDED"] = "1"

    def prepare(self) -> None:
        """Migrate, load the demo and collect static files: one process, so Django is loaded once."""
        if self.data is not None and is_prepared(self.home, self.data):
            return
        service = prepare_service(self.home)
        service.log.unlink(missing_ok=True)
        status = self.family.spawn(service).wait()
        child = self.family.children.pop(service.name)
        if status not in (0, WITHOUT_DEMO):
            raise LaunchError(f"The database could not be prepared. {last_words(child)}")
        if self.data is not None and status == 0:
            mark_prepared(self.home, self.data)

    def wait_for_page(self) -> None:
        """Raises LaunchError when the web process ends again and again, or serves nothing in time."""
        deadline = time.monotonic() + WEB_SECONDS
        web = self.family.children["web"]
        while not self._serves():
            self.family.tend()
            web = self.family.children["web"]
            if web.failures >= WEB_TRIES or time.monotonic() > deadline:
                raise LaunchError(f"The web server does not come up. {last_words(web)}")
            time.sleep(0.05)

    def _serves(self) -> bool:
        """Whether anything answers; what it answers is for the log and the browser to say."""
        connection = http.client.HTTPConnection(WILDCARDS.get(self.host, self.host), self.port, timeout=20)
        try:
            connection.request("GET", "/login/", headers={"Host": f"localhost:{self.port}"})
            return connection.getresponse().status > 0
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def greet(self) -> None:
        demo = read_json(self.home.root / "demo.json")
        say(f"\nTouchstone is running at {self.address}\n")
        if demo:
            say("  log in as   manager    touchstone-demo   opens campaigns, freezes datasets, trains models")
            say("          or  annotator  touchstone-demo   answers tasks")
            say("\n  First: log in as annotator, start labelling a campaign and answer by keyboard (1, 2, …).")
            say("  Then:  log in as manager in a private window: make a dataset of a campaign, train, promote.\n")
        say(f"  Stop with Ctrl-C. Logs are in {self.home.logs}.")
        if self.wants_train_extra():
            say("  Training (torch, transformers) is being installed in the background; the pages show how far.")

    def tend(self) -> None:
        while True:
            for child in self.family.tend():
                if child.service.name == "train-extra":
                    say(str(read_json(self.home.install_state).get("message") or "The train extra did not install."))
            time.sleep(TEND_SECONDS)


def supervise(home: Home, lock: int) -> int:
    run = Run(home, lock)
    status = 0
    try:
        run.up()
        run.tend()
    except Stop as stop:
        say(f"\n{stop}: stopping…")
    except LaunchError as error:
        say(f"touchstone: {error}")
        status = 1
    killed = run.family.stop()
    home.run_state.unlink(missing_ok=True)
    say(f"Stopped{' (had to kill: ' + ', '.join(killed) + ')' if killed else ''}. Start again with ./run")
    return status


def report_other(home: Home) -> int | None:
    """Say who runs here already; None when that run is dead and its children are being ended."""
    state = read_json(home.run_state)
    pid = state.get("pid")
    if not isinstance(pid, int) or not pid_lives(pid):
        return None
    say(f"Touchstone runs here already: {state.get('address')} (process {pid}, since {state.get('started')}).")
    say("Stop it with Ctrl-C in its terminal, or: kill " + str(pid))
    return 0


def main() -> int:
    home = Home.from_environment()
    stop_on_signals()
    deadline = time.monotonic() + TAKEOVER_SECONDS
    try:
        home.make()
        while True:
            try:
                with locked(home.root / "run.lock", wait=False) as lock:
                    return supervise(home, lock)
            except AlreadyLocked:
                if (status := report_other(home)) is not None:
                    return status
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
    except LaunchError as error:
        say(f"touchstone: {error}")
        return 1
    except Stop:
        return 130


if __name__ == "__main__":
    sys.exit(main())
