"""Label real tasks of every kind with the keyboard alone, in a real browser, against a running `./run`.

    ./run                                             # in one terminal
    .venv/bin/python -m examples.label_kinds          # in another; --n 20, --base, --data, --sampled, --shots, --only

Imports one public set per kind without its judgements, has the demo's annotator answer n tasks of each by pressing keys
drawn from a seed, and compares what is stored with what was pressed.  Looks for violations of WCAG 2.2 AA with axe on
the first task of each, in light and dark, and takes screenshots of an answered one at three widths.  Fails on the first
difference.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect, sync_playwright

from examples.first_loop import CHROMIUM, FLAGS, Walk
from feedback.questions.steps import steps_of

if TYPE_CHECKING:
    from annotation.models import Assignment

JSON = Any
WIDTHS = (1440, 1024, 390)
WCAG = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}


@dataclass(frozen=True)
class Set:
    """file: below the data folder.  Sets that are prompts only lie in another, made by `examples.sample_responses`."""

    name: str
    file: str
    options: tuple[str, ...] = ()
    sampled: bool = False


SETS = {
    "pairwise": Set("PandaLM", "pairwise_pandalm/testset-v1.json"),
    "ranking": Set("OpenAssistant", "ranking_oasst_sample/en_100_tree.jsonl"),
    "rating": Set("SummEval-OP", "rating_summeval_op/summeval-op-detailed.jsonl"),
    "spans": Set("WMT MQM", "span_wmt_mqm_ted_ende/mqm_ted_ende.tsv", ("--on-error", "skip")),
    "revision": Set("FineGrainedRLHF", "pairwise_span_finegrained_qa/dev_feedback.jsonl.gz"),
    "checklist": Set("IFEval", "ifeval.jsonl", sampled=True),
    "constraints": Set("FollowBench", "followbench.jsonl", sampled=True),
    "steps": Set("PRMBench", "step_prmbench/target_data.jsonl"),
    "first_error": Set("Mr-Ben", "step_mrben/math.json"),
}


class Labeller:
    """Presses keys for one task and says what they mean, in the words of the stored answer."""

    def __init__(self, page: Page, seed: int) -> None:
        self.page, self.draw = page, random.Random(seed)  # noqa: S311  the same walk every time

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def pairwise(self, assignment: Assignment) -> JSON:
        first, second = assignment.shown
        key = self.draw.choice("123")
        self.press(key)
        preferred = {"1": first, "3": second}.get(key)
        return {"better": {"verdict": "prefer", "preferred": preferred} if preferred else {"verdict": "tie"}}

    def ranking(self, assignment: Assignment) -> JSON:
        most = min(9, len(assignment.shown))
        places = {id: self.draw.randint(1, most) for id in assignment.shown}
        self.press(*map(str, places.values()))
        ids = assignment.task.content.ids
        groups = [[id for id in ids if places[id] == place] for place in sorted(set(places.values()))]
        return {"order": {"groups": groups, "cannot_tell": False}}

    def rating(self, assignment: Assignment) -> JSON:
        (question,) = assignment.form.questions
        settings: Any = question.settings
        keys = [attribute.key for attribute in settings.attributes]
        scores = {id: {key: self.draw.randint(1, 5) for key in keys} for id in assignment.shown}
        self.press(*(str(score) for row in scores.values() for score in row.values()))
        return {question.key: {"scores": scores}}

    def checklist(self, assignment: Assignment) -> JSON:
        told = {"y": "yes", "n": "no", "a": "na", "u": "unsure"}
        verdicts: dict[str, dict[str, JSON]] = {}
        for id in assignment.shown:
            for criterion in assignment.task.content.criteria:
                key = self.draw.choice("ynau")
                self.press(key)
                verdicts.setdefault(id, {})[criterion.key] = {"verdict": told[key]}
        return {"rules": {"verdicts": verdicts}}

    constraints = checklist

    def steps(self, assignment: Assignment) -> JSON:
        (question, *_why) = assignment.form.questions
        n = len(steps_of(assignment.task.content.responses[0]))
        labels = [self.draw.choice(["correct", "wrong"]) for _ in range(n)]
        self.press(*("1" if label == "correct" else "2" for label in labels))
        return {question.key: {"labels": {"r1": labels}}}

    def first_error(self, assignment: Assignment) -> JSON:
        (question, *_why) = assignment.form.questions
        n = len(steps_of(assignment.task.content.responses[0]))
        wrong = self.draw.randint(0, n)
        if wrong == n:
            self.press("0")
            return {question.key: {"labels": {"r1": ["correct"] * n}}}
        self.press(*["j"] * (wrong + 1), "x")  # the first j shows where one is
        return {question.key: {"labels": {"r1": ["correct"] * wrong + ["wrong"]}}}

    def spans(self, assignment: Assignment) -> JSON:
        """One or two marks in the first characters, where every caret step is one code point, else nothing to mark."""
        (question,) = assignment.form.questions
        text = assignment.task.content.responses[0].text
        settings: Any = question.settings
        start, length = self.draw.randint(0, 4), self.draw.randint(3, 8)
        quote = text[start : start + length]
        if not text[:14].isascii() or "\n" in text[:14] or quote != quote.strip() or not quote:
            self.press("0")
            return {question.key: {"responses": {"r1": {"spans": [], "nothing": True}}}}
        at = self.draw.randrange(min(9, len(settings.categories)))
        self.press("j", "Control+Home", *["ArrowRight"] * start, *["Shift+ArrowRight"] * length, str(at + 1))
        span = {"start": start, "end": start + length, "quote": quote, "category": settings.categories[at].key}
        if settings.severities:
            turns = self.draw.randint(1, len(settings.severities))
            self.press(*["v"] * turns)
            span["severity"] = settings.severities[turns - 1].key
        return {question.key: {"responses": {"r1": {"spans": [span], "nothing": False}}}}

    def revision(self, assignment: Assignment) -> JSON:
        told = self.spans(assignment)
        words = f"A better answer, number {self.draw.randint(1, 99)}."
        box = self.page.get_by_label("The corrected answer")
        while not box.evaluate("element => element === document.activeElement"):
            self.press("Tab")
        self.page.keyboard.type(words)
        (answer,) = told.values()
        answer["responses"]["r1"]["revision"] = words
        return told


def set_up(name: str, path: Path, options: tuple[str, ...]) -> Any:
    """A campaign of this set that the demo's annotator may label."""
    from django.core.management import call_command

    from feedback.models import Campaign, User
    from feedback.services.campaigns import activate_campaign, set_role

    title = f"{name} {time.strftime('%H:%M:%S')}"
    call_command(
        "import_tasks", str(path), "--new", title, "--user", "manager", "--no-judgements", *options, verbosity=0
    )
    campaign = Campaign.objects.get(name=title)
    manager = User.objects.get(username="manager")
    set_role(campaign, User.objects.get(username="annotator"), "annotator", actor=manager)
    activate_campaign(campaign, actor=manager)
    return campaign


def inspect(page: Page, kind: str) -> None:
    """Axe in both themes."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        found = Axe().run(page, options=WCAG)
        if found.violations_count:
            raise AssertionError(f"{kind}, {theme}: {found.generate_report()}")
    page.emulate_media(color_scheme="light")


def picture(page: Page, kind: str, shots: Path, errors: list[str]) -> None:
    """An answered task at three widths, with what was answered last in sight."""
    known = len(errors)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("document.getElementById('status').replaceChildren()")
        if width < 1440:
            page.evaluate("document.activeElement.scrollIntoView({ block: 'center' })")
        page.screenshot(path=shots / f"{kind}-{width}.png", caret="initial")
    page.set_viewport_size({"width": 1440, "height": 900})
    del errors[known:]  # a screenshot brings styles of its own, which the policy refuses


def label(walk: Walk, kind: str, campaign: Any, n: int, errors: list[str]) -> None:
    from annotation.models import Assignment
    from feedback.models import Judgement

    walk.start_labelling(campaign.name)
    answer: Callable[[Assignment], JSON] = getattr(Labeller(walk.page, seed=n), kind)
    for number in range(n):
        heading = walk.task()
        walk.page.wait_for_load_state()
        if number:  # a new task in the same page is ready when its heading has the focus
            expect(walk.page.get_by_role("heading", level=1)).to_be_focused()
        else:
            inspect(walk.page, kind)
        found = Assignment.objects.select_related("task", "form", "rater").get(
            pk=walk.page.locator("#task").get_attribute("data-task")
        )
        pressed = answer(found)
        if walk.shots and number == min(n - 1, 2):
            picture(walk.page, kind, walk.shots, errors)
        walk.page.keyboard.press("Control+Enter")
        expect(walk.page.get_by_role("heading", level=1)).not_to_have_text(heading)
        stored = Judgement.objects.current().get(task=found.task_id, rater=found.rater_id)
        told = {key: entry["value"] for key, entry in stored.answers.items() if entry["state"] == "answered"}
        if told != pressed:
            raise AssertionError(f"{kind}, task {number + 1}: pressed {pressed}, stored {told}")
    walk.say(f"{kind}: {n} tasks of {campaign.name} labelled by keyboard; stored is what was pressed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default="http://127.0.0.1:8000")
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("TOUCHSTONE_DATA", "../shared/data")))
    parser.add_argument("--sampled", type=Path, help="folder with ifeval.jsonl and followbench.jsonl; left out without")
    parser.add_argument("--shots", type=Path, help="folder for screenshots")
    parser.add_argument("--only", nargs="+", choices=list(SETS), default=list(SETS))
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # playwright's loop runs in this thread
    django.setup()
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        installed = CHROMIUM if CHROMIUM.exists() else None
        browser = playwright.chromium.launch(args=FLAGS.split(), executable_path=installed)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(30_000)
        errors: list[str] = []
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        walk = Walk(page, options.base.rstrip("/"), options.shots)
        walk.log_in("annotator")
        for kind in options.only:
            one = SETS[kind]
            folder = options.sampled if one.sampled else options.data
            if folder is None:
                walk.say(f"{kind}: left out, {one.name} has prompts only (--sampled FOLDER)")
                continue
            label(walk, kind, set_up(one.name, folder / one.file, one.options), options.n, errors)
        browser.close()
    unexpected = [error for error in errors if not re.search("favicon", error)]
    if unexpected:
        raise AssertionError(f"the console says: {unexpected}")
    print("every kind is labelled")


if __name__ == "__main__":
    main()
