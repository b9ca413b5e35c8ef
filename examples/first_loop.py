"""Walk the loop in a real browser against a running `./run`: vote, freeze, train, promote, open the next campaign.

    ./run                                             # in one terminal
    .venv/bin/python -m examples.first_loop           # in another; --base, --shots FOLDER

It uses the demo accounts and campaigns, labels ten tasks by keyboard and two checklists by mouse, and says what it
saw at each step. It fails on the first thing that is not as it should be, and on any error in the browser's console.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

VOTES, RULES = "Demo: which answer helps more?", "Demo: does it follow the instructions?"
PASSWORD = "touchstone-demo"  # noqa: S105  public: the demo is for a loopback address
FRESH = Path(__file__).parent.parent / "feedback" / "demo" / "fresh.jsonl"
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage"
)


class Walk:
    """One person's way through the product; `say` prints with the time since the start."""

    def __init__(self, page: Page, base: str, shots: Path | None) -> None:
        self.page, self.base, self.shots = page, base, shots
        self.started = time.monotonic()

    def say(self, words: str) -> None:
        print(f"{time.monotonic() - self.started:6.1f} s  {words}", flush=True)

    def shoot(self, name: str) -> None:
        if self.shots is not None:
            self.shots.mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=self.shots / f"{name}.png", full_page=True, caret="initial")

    def log_in(self, username: str) -> None:
        self.page.context.clear_cookies()
        self.page.goto(f"{self.base}/login/")
        self.page.get_by_label("Username").fill(username)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Your campaigns")
        self.say(f"{username} is logged in")

    def start_labelling(self, campaign: str) -> None:
        self.page.goto(self.base)
        self.page.get_by_role("link", name=f"Start labelling {campaign}").click()
        heading = self.page.get_by_role("heading", level=1)
        expect(heading).to_contain_text(re.compile("Task|guidelines"))
        if "guidelines" in heading.inner_text():
            self.page.wait_for_load_state()
            self.page.keyboard.press("Enter")
            expect(heading).to_contain_text("Task")

    def task(self) -> str:
        """The heading of the task in front of the person; the next one has another number."""
        heading = self.page.get_by_role("heading", level=1)
        expect(heading).to_contain_text("Task")
        return heading.inner_text()

    def vote_by_keyboard(self, n: int) -> None:
        self.start_labelling(VOTES)
        draw = random.Random(0)  # noqa: S311  the same walk every time
        for index in range(n):
            before = self.task()
            self.page.keyboard.press(draw.choice("123"))
            if index == 0:
                self.shoot("workbench")
            self.page.keyboard.press("Enter")
            expect(self.page.get_by_role("heading", level=1)).not_to_have_text(before)
        self.say(f"{n} tasks labelled by keyboard")

    def check_by_mouse(self, n: int) -> None:
        self.start_labelling(RULES)
        for index in range(n):
            before = self.task()
            for group in self.page.get_by_role("radiogroup").all():
                group.locator("label.segment").first.click()
            if index == 0:
                self.shoot("checklist")
            self.page.locator("button[data-submit]").click()
            expect(self.page.get_by_role("heading", level=1)).not_to_have_text(before)
        self.say(f"{n} checklists answered by mouse")

    def figure(self, name: str) -> int:
        text = self.page.locator(".stat", has=self.page.get_by_text(name, exact=True)).locator("dd").inner_text()
        return int(re.sub(r"[^\d].*", "", text.strip(), flags=re.DOTALL))

    def see_counted(self, campaign: str, at_least: int) -> None:
        self.page.goto(f"{self.base}/campaigns/")
        self.page.get_by_role("link", name=campaign, exact=True).click()
        n = self.figure("Seats filled")
        if n < at_least:
            message = f"{campaign}: {n} seats filled, expected at least {at_least}"
            raise AssertionError(message)
        self.shoot("campaign")
        self.say(f"“{campaign}” shows {n} seats filled")

    def freeze(self, name: str) -> None:
        """From the campaign's page."""
        self.page.get_by_role("link", name="Make a dataset").click()
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_role("button", name="Freeze").click()
        expect(self.page.get_by_role("link", name="Train on this")).to_be_visible(timeout=60_000)
        self.shoot("dataset")
        self.say(f"dataset frozen, sha256 {self.page.locator('dd code.break').inner_text()[:12]}…")

    def train(self, timeout_s: float) -> None:
        self.page.get_by_role("link", name="Train on this").click()
        self.page.get_by_role("button", name="Start the run").click()
        self.page.wait_for_url(re.compile(r"/runs/[0-9a-f-]{36}/"))
        self.say("run started")
        expect(self.page.locator("#promote")).to_be_visible(timeout=timeout_s * 1000)
        self.shoot("run")
        self.say("run succeeded: " + " ".join(self.page.locator(".evaluation").inner_text().split())[:160])

    def close_the_loop(self, timeout_s: float) -> None:
        self.page.locator("#promote").click()
        self.page.locator("#open-round").click()
        self.page.locator("input[type=file]").set_input_files(FRESH)
        self.page.get_by_role("button", name="Rank and open").click()
        opened = self.page.locator("#opened-campaign")
        expect(opened).to_be_visible(timeout=timeout_s * 1000)
        self.shoot("round")
        opened.click()
        expect(self.page.locator(".badge", has_text="active").first).to_be_visible()
        self.shoot("next-campaign")
        self.say(f"next campaign open with {self.figure('Tasks')} tasks: {self.page.url}")


def walk_the_loop(base: str, shots: Path | None = None, timeout_s: float = 600) -> None:
    """The whole walk.  timeout_s: how long the run (with the install it may wait for) and the round may each take."""
    installed = CHROMIUM if CHROMIUM.exists() else None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(args=FLAGS.split(), executable_path=installed)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(30_000)
        errors: list[str] = []
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        walk = Walk(page, base.rstrip("/"), shots)
        walk.log_in("annotator")
        walk.vote_by_keyboard(10)
        walk.check_by_mouse(2)
        walk.log_in("manager")
        walk.see_counted(VOTES, 10)
        walk.see_counted(RULES, 2)
        walk.freeze(f"First loop {time.strftime('%Y-%m-%d %H:%M:%S')}")
        walk.train(timeout_s)
        walk.close_the_loop(timeout_s)
        browser.close()
    if errors:
        raise AssertionError(f"the console says: {errors}")
    print("the loop is closed")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default="http://127.0.0.1:8000")
    parser.add_argument("--shots", type=Path, help="folder for screenshots")
    arguments = parser.parse_args()
    walk_the_loop(arguments.base, arguments.shots)
