"""`make bench-race`: is an acknowledged answer lost, or counted twice, while the web process is killed over and over?

20 raters work over HTTP on 200 tasks of overlap 3.  Every submit is posted twice at the same moment.  The whole web
process group gets SIGKILL every 3 seconds of service and is started again (for a minute: a slow machine has to finish
too).  After a failure half of the raters send the same post again and half reload, as a person would: the claim must
give their live lease back, unless the answer had arrived.  Real gunicorn, real PostgreSQL (an embedded one in a
temporary home, or `DATABASE_URL`'s).  A single lost, double or missing judgement fails it.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # run as a file, so that `make bench-NAME` needs no package

N_RATERS, N_TASKS, OVERLAP = 20, 200, 3
KILL_EVERY, KILL_FOR = 3.0, 60.0
THINK_SECONDS = (0.2, 0.6)
DEADLINE = 230.0  # room for a machine that is busy with other things
DOWN = (OSError, http.client.HTTPException)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Web:
    """gunicorn with its workers in a process group of its own, to be killed whole."""

    def __init__(self, log: Path) -> None:
        self.log, self.port, self.kills = log, free_port(), 0
        self.starts: list[float] = []
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "gunicorn", "--config", "config/gunicorn.py", "config.wsgi:application"]
        environment = {**os.environ, "PORT": str(self.port), "BIND": "127.0.0.1", "WEB_CONCURRENCY": "2"}
        with self.log.open("ab") as stream:
            return subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=stream, stderr=stream, start_new_session=True
            )

    def wait(self) -> None:
        """Until it answers HTTP at all."""
        begun = time.monotonic()
        while True:
            try:
                Client(self.port, token="").post("/api/v1/assignments/00000000-0000-0000-0000-000000000000/heartbeat/")
                break
            except DOWN:
                if self.process.poll() is not None:
                    raise RuntimeError(f"gunicorn ended: {self.log.read_text()[-2000:]}") from None
                time.sleep(0.05)
        self.starts.append(time.monotonic() - begun)

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def killing(self, done: threading.Event) -> None:
        """Kill and start again, every KILL_EVERY seconds of service, until `done` (or long enough)."""
        until = time.monotonic() + KILL_FOR
        while not done.wait(KILL_EVERY) and time.monotonic() < until:
            self.kill()
            self.kills += 1
            self.process = self._start()
            self.wait()


class Client:
    """One kept-alive connection.  Raises one of DOWN when no whole answer came."""

    def __init__(self, port: int, token: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self.headers = {"Content-Type": "application/json", "Authorization": f"Token {token}"}

    def post(self, path: str, body: object = None) -> tuple[int, Any]:
        try:
            self.connection.request("POST", path, json.dumps(body or {}), self.headers)
            response = self.connection.getresponse()
            text = response.read()
        except DOWN:
            self.connection.close()
            raise
        return response.status, json.loads(text) if text else None


@dataclass
class Ledger:
    """What the raters saw, all together."""

    acknowledged: dict[int, tuple[str, str]] = field(default_factory=dict)  # judgement → (assignment, preferred)
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


class Rater:
    """One person at work: claim, think, submit twice at once; after a failure retry or reload."""

    def __init__(self, port: int, token: str, campaign: uuid.UUID, ledger: Ledger, seed: int) -> None:
        self.clients = (Client(port, token), Client(port, token))
        self.claim_path = f"/api/v1/campaigns/{campaign}/assignments/"
        self.ledger = ledger
        self.rng = random.Random(seed)
        self.reloads = seed % 2 == 1
        self.pool = ThreadPoolExecutor(2)
        self.deadline = time.monotonic() + DEADLINE

    def work(self) -> None:
        lost_touch = ""
        while time.monotonic() < self.deadline:
            claim = self._claim()
            assignment = claim and claim["assignment"]
            if claim is None or assignment is None:
                if claim and claim["reason"] != "leased":
                    return
                time.sleep(0.5)
                continue
            if lost_touch:  # reloaded after a kill: the lease is still the person's, or the answer is in
                same = assignment["id"] == lost_touch and claim["resumed"]
                self.ledger.counts["live leases" if same else "unacknowledged but stored"] += 1
            time.sleep(self.rng.uniform(*THINK_SECONDS))
            lost_touch = "" if self._submit(assignment) else assignment["id"]
        self.ledger.wrong.append("a rater was not done in time")

    def _claim(self) -> dict[str, Any] | None:
        try:
            status, body = self.clients[0].post(self.claim_path)
        except DOWN:
            self.ledger.counts["failed claims"] += 1
            return None
        if status == 200:
            return dict(body)
        self.ledger.wrong.append(f"claim answered {status}: {body}")
        return None

    def _submit(self, assignment: dict[str, Any]) -> bool:
        """Post until acknowledged; False: gave up after a failure, to reload."""
        preferred = self.rng.choice(["r1", "r2"])
        answers = {"better": {"verdict": "prefer", "preferred": preferred}}
        body = {"key": str(uuid.uuid4()), "answers": answers, "seconds": 0.2}
        path = f"/api/v1/assignments/{assignment['id']}/judgement/"
        while time.monotonic() < self.deadline:
            posts = [self.pool.submit(client.post, path, body) for client in self.clients]
            replies = [post.result() for post in posts if not isinstance(post.exception(), DOWN)]
            good = [reply for status, reply in replies if status in (200, 201)]
            self.ledger.wrong += [f"submit answered {status}: {reply}" for status, reply in replies if status >= 300]
            if good:
                self._acknowledge(assignment["id"], preferred, good)
                return True
            self.ledger.counts["failed submits"] += 1
            if self.reloads:
                return False
            time.sleep(0.5)
        return False

    def _acknowledge(self, assignment: str, preferred: str, good: list[dict[str, Any]]) -> None:
        if len({reply["judgement"] for reply in good}) != 1 or sum(reply["created"] for reply in good) > 1:
            self.ledger.wrong.append(f"two answers to one post: {good}")
        self.ledger.counts["doubles answered twice"] += len(good) == 2
        self.ledger.acknowledged[good[0]["judgement"]] = (assignment, preferred)


@contextmanager
def installation(home: Path) -> Iterator[None]:
    """A database and the environment of everything that is started here."""
    from config.launch.home import Home
    from config.launch.postgres import database

    os.environ.update(TOUCHSTONE_HOME=str(home), DJANGO_SETTINGS_MODULE="config.settings", HTTPS="off")
    os.environ.update(SECRET_KEY=secrets.token_urlsafe(50), LOG_LEVEL="ERROR")
    if os.environ.get("DATABASE_URL"):
        Home(home).make()
        yield
    else:
        with database(Home(home)) as url:
            os.environ["DATABASE_URL"] = url
            yield


def seed() -> tuple[uuid.UUID, list[str]]:
    """An active campaign, and a token for each of its raters."""
    from rest_framework.authtoken.models import Token

    from feedback.models import Task, User
    from feedback.questions.content import dump_content, prompt_hash, read_content, sha256_of
    from feedback.services.campaigns import activate_campaign, create_campaign, set_role

    name = f"race-{uuid.uuid4().hex[:8]}"
    questions = [{"key": "better", "kind": "pairwise", "title": "Which response is better?"}]
    campaign = create_campaign(actor=None, name=name, questions=questions, overlap=OVERLAP)
    for n in range(N_TASKS):
        content = read_content({"prompt": f"Prompt {n} of {name}.", "responses": [f"One, {n}.", f"Two, {n}."]})
        raw = dump_content(content)
        hashes = {"content_hash": sha256_of(raw), "prompt_hash": prompt_hash(content)}
        Task.objects.create(campaign=campaign, external_id=f"t{n}", content_raw=raw, overlap=OVERLAP, **hashes)
    activate_campaign(campaign, actor=None)
    tokens = []
    for n in range(N_RATERS):
        user = User.objects.create(username=f"{name}-{n}")
        set_role(campaign, user, "annotator", actor=None)
        tokens.append(Token.objects.create(user=user).key)
    return campaign.pk, tokens


def race(web: Web, campaign: uuid.UUID, tokens: list[str]) -> Ledger:
    """Let everybody work until nothing is left, while the web process dies."""
    ledger, done = Ledger(), threading.Event()
    people = [Rater(web.port, token, campaign, ledger, seed) for seed, token in enumerate(tokens)]
    threads = [threading.Thread(target=rater.work, daemon=True) for rater in people]
    killer = threading.Thread(target=web.killing, args=(done,))
    for thread in (killer, *threads):
        thread.start()
    try:
        for thread in threads:
            thread.join()
    finally:
        done.set()
        killer.join()
    return ledger


def judge_race(campaign: uuid.UUID, ledger: Ledger, web: Web, seconds: float) -> dict[str, Any]:
    """The verdict, from the database and from what the raters were told."""
    from django.db.models import Count

    from feedback.models import Judgement, Task

    rows = Judgement.objects.filter(campaign=campaign)
    said = {one.pk: one.answers["better"]["value"]["preferred"] for one in rows}
    lost = [pk for pk, (_, preferred) in ledger.acknowledged.items() if said.get(pk) != preferred]
    twice = rows.values("task", "rater").annotate(n=Count("pk")).filter(n__gt=1)
    uneven = Task.objects.filter(campaign=campaign).exclude(n_counted=OVERLAP, n_leased=0).count()
    counted, want = rows.filter(is_counted=True).count(), N_TASKS * OVERLAP
    doubles, live = ledger.counts["doubles answered twice"], ledger.counts["live leases"]
    found: list[tuple[str, float, str, str, bool]] = [
        ("counted", counted, "judgements", f"= {want}", counted == want),
        ("lost", len(lost), "acknowledged judgements", "= 0", not lost),
        ("duplicates", twice.count(), "rater and task", "= 0", not twice),
        ("uneven tasks", uneven, "tasks", "= 0", not uneven),
        ("kills", web.kills, "kills", ">= 3", web.kills >= 3),
        ("live-lease-after-kill", live, "claims", "> 0", live > 0),
        ("double posts answered twice", doubles, "submits", "> 0", doubles > 0),
        ("wrong answers", len(ledger.wrong), "replies", "= 0", not ledger.wrong),
        ("time", round(seconds, 1), "s", "< 240", seconds < 240),
    ]
    keys = ("name", "value", "unit", "target", "ok")
    parts: list[dict[str, Any]] = [{**dict(zip(keys, one, strict=True)), "against": None} for one in found]
    print(f"{dict(ledger.counts)}, restarts took {[round(start, 1) for start in web.starts]} s", *ledger.wrong[:10])
    return {"name": "race", "ok": all(one["ok"] for one in parts), "parts": parts}


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing started here stays behind
    with tempfile.TemporaryDirectory(prefix="touchstone-race-") as folder, installation(Path(folder)):
        import django

        subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity=0"], cwd=ROOT, check=True)
        django.setup()
        campaign, tokens = seed()
        begun = time.monotonic()
        web = Web(Path(folder) / "web.log")
        try:
            web.wait()
            ledger = race(web, campaign, tokens)
        finally:
            web.kill()
        verdict = judge_race(campaign, ledger, web, time.monotonic() - begun)
        from django.db import connections

        connections["default"].close_pool()  # type: ignore[attr-defined]  # of the PostgreSQL wrapper only
    print(json.dumps(verdict))
    return 0 if verdict["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
