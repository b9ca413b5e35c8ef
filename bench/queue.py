"""`make bench-queue`: what do the next task and a submit cost, however many tasks there are and lie behind?

The real views and services on a real PostgreSQL (an embedded one in a temporary home, or `DATABASE_URL`'s).  One person
works in a campaign of 2,000 tasks, in one of 1,000,000, and in that one again with 100,000 judgements behind them: SQL
statements, and CPU time of the web process.  Then 50 people at once over HTTP (gunicorn), and one in Chromium: from the
key press to the next task on the screen.  Left out: PostgreSQL's own CPU time (the throughput shows it).
"""

from __future__ import annotations

import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.filling import live_past, member, seed
from bench.race import ROOT, Client, Web, installation

SMALL, LARGE, PAST = 2_000, 1_000_000, 100_000
N_MEASURED, N_WARM = 60, 15
N_PEOPLE, CROWD_SECONDS = 50, 15.0
N_KEYS = 40
CHROMIUM = Path(os.environ.get("TOUCHSTONE_CHROMIUM", "/usr/bin/chromium"))
WATCH = """() => {
  window.waits = [];
  let pressed = 0, task = "";
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { pressed = performance.now(); task = document.getElementById("task").dataset.task; }
  }, true);
  new MutationObserver(() => {
    const now = document.getElementById("task")?.dataset.task;
    if (!pressed || !now || now === task) return;
    const since = pressed;
    pressed = 0;
    requestAnimationFrame(() => setTimeout(() => window.waits.push(performance.now() - since)));  // it is painted
  }).observe(document.getElementById("main"), { childList: true });
}"""


class Bench:
    """One person in one campaign, through the views as a browser would ask them."""

    def __init__(self, campaign: Any, user: Any) -> None:
        from django.test import Client as Browser

        self.campaign, self.user = campaign, user
        self.browser = Browser(headers={"HX-Request": "true"})
        self.browser.force_login(user)
        self.page = self._get(f"/work/{campaign.pk}/")

    def _get(self, path: str) -> str:
        reply = self.browser.get(path, secure=True)
        assert reply.status_code == 200, (path, reply.status_code)
        return str(reply.content.decode())

    @property
    def task(self) -> str:
        return str(re.findall(r'data-task="([^"]+)"', self.page)[0])

    def fetch(self) -> None:
        """The next task, leased ahead and rendered."""
        reply = self.browser.post(f"/assignments/{self.task}/ahead/", secure=True)
        assert reply.status_code == 200, reply.status_code
        self.following = reply.content.decode()

    def submit(self) -> None:
        """The answer, after which what was fetched is shown."""
        verdict = re.findall(r'value="(prefer:[^"]+)"', self.page)[0]
        key = re.findall(r'name="key" value="([^"]+)"', self.page)[0]
        later = re.findall(r'data-task="([^"]+)"', self.following)[0]
        data = {"q.better.verdict": verdict, "key": key, "seconds": "0.0", "ahead": later}
        reply = self.browser.post(f"/assignments/{self.task}/judgement/", data, secure=True)
        assert reply.headers.get("Touchstone-Ahead") == later, reply.content[:300]
        self.page = self.following

    def costs(self) -> dict[str, float]:
        """p50 of CPU milliseconds of this process."""
        for _ in range(N_WARM):
            self.fetch()
            self.submit()
        spent = [(cpu_ms(self.fetch), cpu_ms(self.submit)) for _ in range(N_MEASURED)]
        return {"next": statistics.median(s[0] for s in spent), "submit": statistics.median(s[1] for s in spent)}


def cpu_ms(step: Callable[[], Any]) -> float:
    begun = time.process_time()
    step()
    return (time.process_time() - begun) * 1000


def statements(campaign: Any) -> dict[str, int]:
    """SQL of the services and of the whole page; BEGIN, COMMIT, session and login left out."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from annotation.queue import claim_assignment, submit_judgement
    from feedback.access import rater_of

    def count(step: Callable[[], Any]) -> int:
        with CaptureQueriesContext(connection) as captured:
            step()
        words = ("django_session", '"feedback_user"', "SAVEPOINT", "BEGIN", "COMMIT")
        return sum(not any(word in query["sql"][:400] for word in words) for query in captured)

    user, rater = member(campaign), rater_of(member(campaign))
    found: dict[str, int] = {"claim": count(lambda: claim_assignment(rater=rater, campaign=campaign))}
    held = claim_assignment(rater=rater, campaign=campaign).assignment
    assert held is not None
    answer = {"better": {"verdict": "prefer", "preferred": held.shown[0]}}
    found["submit"] = count(
        lambda: submit_judgement(assignment_id=held.pk, rater=rater, raw_answers=answer, key=str(uuid.uuid4()))
    )
    bench = Bench(campaign, user)
    found["page"] = count(lambda: bench._get(f"/work/{campaign.pk}/"))
    return found


def crowd(port: int, campaign: Any) -> tuple[float, int]:
    """(judgements a second, failures) of N_PEOPLE who claim and submit over HTTP without a pause."""
    from rest_framework.authtoken.models import Token

    tokens = [Token.objects.create(user=member(campaign)).key for _ in range(N_PEOPLE)]
    counts, failures, until = [0] * N_PEOPLE, [0] * N_PEOPLE, time.monotonic() + CROWD_SECONDS

    def work(n: int) -> None:
        client = Client(port, tokens[n])
        while time.monotonic() < until:
            _, claim = client.post(f"/api/v1/campaigns/{campaign.pk}/assignments/")
            held = claim["assignment"]
            answer = {"better": {"verdict": "prefer", "preferred": held["responses"][0]["id"]}}
            body = {"key": str(uuid.uuid4()), "answers": answer}
            status, _ = client.post(f"/api/v1/assignments/{held['id']}/judgement/", body)
            counts[n] += status == 201
            failures[n] += status != 201

    threads = [threading.Thread(target=work, args=(n,)) for n in range(N_PEOPLE)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - begun), sum(failures)


def key_presses(port: int, campaign: Any) -> list[float]:
    """Milliseconds from Enter to the next task painted, one person in Chromium."""
    from django.conf import settings
    from django.test import Client as Browser
    from playwright.sync_api import sync_playwright

    browser = Browser()
    browser.force_login(member(campaign))
    session = browser.cookies[settings.SESSION_COOKIE_NAME].value
    with sync_playwright() as playwright:
        given: dict[str, Any] = {"executable_path": str(CHROMIUM)} if CHROMIUM.exists() else {}
        window = playwright.chromium.launch(args=["--no-sandbox", "--disable-gpu"], **given)
        page = window.new_page()
        address = f"http://127.0.0.1:{port}"
        page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": address}])
        page.goto(f"{address}/work/{campaign.pk}/")
        page.evaluate(WATCH)
        for n in range(N_KEYS):
            page.wait_for_timeout(1300)  # somebody who reads; the next task is fetched meanwhile
            page.keyboard.press("1")
            page.keyboard.press("Enter")
            for _ in range(200):
                if len(page.evaluate("window.waits")) > n:
                    break
                page.wait_for_timeout(25)
        waits: list[float] = page.evaluate("window.waits")
        window.close()
    return waits


def measure(web: Web) -> list[tuple[str, float, str, str, bool, str | None]]:
    """Every figure: (name, value, unit, target, ok, against)."""
    from feedback.access import rater_of

    small, large = seed(SMALL), seed(LARGE)
    print(f"{SMALL:,} and {LARGE:,} tasks are there", flush=True)
    sql = statements(small)
    veteran = Bench(large, member(large))
    costs = {"small": Bench(small, member(small)).costs(), "large": veteran.costs()}
    live_past(large, rater_of(veteran.user), PAST)
    costs["past"] = veteran.costs()
    print({where: {name: round(ms, 2) for name, ms in cost.items()} for where, cost in costs.items()}, flush=True)
    found: list[tuple[str, float, str, str, bool, str | None]] = [
        (f"SQL of a {name}", n, "statements", f"<= {most}", n <= most, None)
        for (name, n), most in zip(sql.items(), (6, 6, 12), strict=True)
    ]
    for name in ("next", "submit"):
        cost = costs["large"][name]
        found.append((f"CPU of a {name}", round(cost, 1), "ms p50", "<= 15", cost <= 15, None))
        for where, what in (("large", f"{LARGE:,} tasks"), ("past", f"{PAST:,} judgements behind")):
            grows = costs[where][name] / costs["small"][name]
            found.append((f"{name}: {what}", round(grows, 2), "x", "<= 1.3", grows <= 1.3, f"{SMALL:,} tasks"))
    rate, failed = crowd(web.port, large)
    found.append((f"throughput of {N_PEOPLE} people", round(rate, 1), "judgements/s", "> 0", rate > 0, None))
    found.append(("failures of the crowd", failed, "replies", "= 0", failed == 0, None))
    waits = key_presses(web.port, large)
    p50, p95 = statistics.median(waits), statistics.quantiles(waits, n=20)[-1]
    found.append(("key press to next task, p50", round(p50), "ms", "<= 100", p50 <= 100, None))
    found.append(("key press to next task, p95", round(p95), "ms", "<= 200", p95 <= 200, None))
    found.append(("key presses answered", len(waits), "tasks", f"= {N_KEYS}", len(waits) == N_KEYS, None))
    return found


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing started here stays behind
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="touchstone-queue-") as folder, installation(Path(folder)):
        import django
        from django.conf import settings

        for command in ("migrate", "collectstatic"):
            subprocess.run([sys.executable, "manage.py", command, "--no-input", "--verbosity=0"], cwd=ROOT, check=True)
        django.setup()
        settings.ALLOWED_HOSTS = ["testserver", "127.0.0.1"]
        web = Web(Path(folder) / "web.log")
        try:
            web.wait()
            found = measure(web)
        finally:
            web.kill()
            from django.db import connections

            connections["default"].close_pool()  # type: ignore[attr-defined]  # of the PostgreSQL wrapper only
    seconds = time.monotonic() - begun
    found.append(("time", round(seconds), "s", "< 360", seconds < 360, None))
    keys = ("name", "value", "unit", "target", "ok", "against")
    parts: list[dict[str, Any]] = [dict(zip(keys, one, strict=True)) for one in found]
    for part in parts:
        print(f"{part['name']}: {part['value']} {part['unit']} ({part['target']})")
    verdict = {"name": "queue", "ok": all(part["ok"] for part in parts), "parts": parts}
    print(json.dumps(verdict))
    return 0 if verdict["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
