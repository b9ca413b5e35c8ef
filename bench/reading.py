"""`make bench-reading`: does a very long text stay usable, and does what helps to read stay quick?

Real gunicorn, real PostgreSQL (an embedded one in a temporary home, or `DATABASE_URL`'s), headless Chromium.  A task
whose response has 1 MB beside the same task with 1 KB: from navigation to painted; from a key press to the painted
choice.  The differences of two responses of 3 KB that have little in common.  On the server: a text of 3 KB rendered,
and recalled.  Medians.  Left out: the network.
"""

from __future__ import annotations

import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.race import ROOT, Web, installation

CHROMIUM = Path(os.environ.get("TOUCHSTONE_CHROMIUM", "/usr/bin/chromium"))
N_TIMES = 7
WORDS = [f"word{n}" for n in range(400)]
PAINTED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"
PRESS = """(key) => new Promise((done) => {
  const begun = performance.now();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
})"""


def prose(size: int, seed: int) -> str:
    """About `size` characters of lines with some Markdown in them."""
    drawn = random.Random(seed)
    lines: list[str] = []
    while sum(map(len, lines)) + len(lines) < size:
        lines += [" ".join(drawn.choices(WORDS, k=12)) + " with `code` and **stress**." for _ in range(20)]
    return "\n".join(lines)[:size]


def seed() -> tuple[str, dict[str, str]]:
    """A session key, and the path of each task's page."""
    from django.conf import settings
    from django.test import Client

    from annotation.queue import claim_assignment
    from feedback.access import rater_of
    from feedback.models import Task, User
    from feedback.questions.content import dump_content, prompt_hash, read_content, sha256_of
    from feedback.services.campaigns import activate_campaign, create_campaign, set_role

    user = User.objects.create(username=f"reader-{uuid.uuid4().hex[:8]}")
    paths = {}
    questions = [{"key": "better", "kind": "pairwise", "title": "Which response is better?"}]
    for name, size in (("1 KB", 1_000), ("3 KB", 3_000), ("1 MB", 1_000_000)):
        campaign = create_campaign(actor=None, name=f"reading {name} {user.username}", questions=questions)
        content = read_content({"prompt": "Why?", "responses": [prose(size, 1), prose(min(size, 3_000), 2)]})
        raw = dump_content(content)
        hashes = {"content_hash": sha256_of(raw), "prompt_hash": prompt_hash(content)}
        Task.objects.create(campaign=campaign, external_id="one", content_raw=raw, **hashes)
        activate_campaign(campaign, actor=None)
        set_role(campaign, user, "annotator", actor=None)
        claimed = claim_assignment(rater=rater_of(user), campaign=campaign).assignment
        assert claimed is not None
        paths[name] = f"/assignments/{claimed.pk}/"
    client = Client()
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value, paths


def median(measure: Callable[[], float]) -> float:
    return statistics.median(measure() for _ in range(N_TIMES))


def browse(port: int, session: str, paths: dict[str, str]) -> dict[str, float]:
    """Milliseconds in one window of Chromium, which has its style sheets and scripts already."""
    from playwright.sync_api import sync_playwright

    given: dict[str, Any] = {"executable_path": str(CHROMIUM)} if CHROMIUM.exists() else {}
    address = f"http://127.0.0.1:{port}"
    with sync_playwright() as playwright:
        window = playwright.chromium.launch(args=["--no-sandbox", "--disable-gpu"], **given)
        page = window.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
        page.context.add_cookies([{"name": "sessionid", "value": session, "url": address}])

        def opened(name: str) -> float:
            page.goto(address + paths[name], wait_until="load")
            return float(page.evaluate(PAINTED))

        def pressed(key: str) -> float:
            return float(page.evaluate(PRESS, key))

        opened("1 KB")  # fills the browser's cache
        found = {"small page": median(lambda: opened("1 KB")), "large page": median(lambda: opened("1 MB"))}
        found["large key"] = median(lambda: pressed("1") + 0 * pressed("2"))
        opened("3 KB")

        def differences() -> float:
            shown = pressed("d")
            assert page.locator("[data-diff-view]").count() == 2
            page.keyboard.press("d")
            return shown

        found["differences"] = median(differences)
        window.close()
    return found


def server_side() -> tuple[float, float]:
    """Milliseconds to render 3 KB of Markdown that was never seen, and to recall it."""
    from feedback.rendering import render_markdown

    def timed(text: str) -> float:
        begun = time.perf_counter()
        render_markdown(text)
        return 1000 * (time.perf_counter() - begun)

    texts = [prose(3_000, number) for number in range(20, 20 + N_TIMES)]
    timed(prose(3_000, 19))
    return statistics.median(map(timed, texts)), statistics.median(map(timed, texts))


def part(name: str, value: float, against: float | None, target: float, unit: str = "ms") -> dict[str, Any]:
    """value, at most target, beside what it is compared with."""
    beside = None if against is None else round(against, 2)
    return {
        "name": name,
        "value": round(value, 2),
        "unit": unit,
        "against": beside,
        "target": target,
        "ok": value <= target,
    }


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing started here stays behind
    with tempfile.TemporaryDirectory(prefix="touchstone-reading-") as folder, installation(Path(folder)):
        import django

        subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity=0"], cwd=ROOT, check=True)
        subprocess.run([sys.executable, "manage.py", "collectstatic", "--noinput", "-v0"], cwd=ROOT, check=True)
        django.setup()
        session, paths = seed()
        web = Web(Path(folder) / "web.log")
        try:
            web.wait()
            seen = browse(web.port, session, paths)
        finally:
            web.kill()
        rendered, recalled = server_side()
        from django.db import connections

        connections["default"].close_pool()  # type: ignore[attr-defined]  # of the PostgreSQL wrapper only
    parts = [
        part("page with a response of 1 MB, painted", seen["large page"], seen["small page"], 2000),
        part("key press on that page, painted", seen["large key"], None, 100),
        part("differences of 2 x 3 KB, painted", seen["differences"], None, 100),
        part("3 KB of Markdown recalled, as a share of rendered", recalled / rendered, rendered, 0.2, "share"),
    ]
    verdict = {"name": "reading", "ok": all(each["ok"] for each in parts), "parts": parts}
    print(json.dumps(verdict))
    return 0 if verdict["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
