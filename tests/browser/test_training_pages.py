"""A manager starts a run in the browser, watches it end, promotes it and opens the next campaign."""

import json
import re
import sys
import threading

import pytest
from django.db import connection
from playwright.sync_api import expect

from tests.training.conftest import FAKE_ENGINE, finish_run, make_run, make_version, plan
from training.models import Round, Run
from training.services.round_execution import execute_round
from training.services.run_execution import execute_run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def version(campaign, alice, settings):
    settings.TRAINING_ENGINE = [sys.executable, str(FAKE_ENGINE)]
    settings.TRAINING_HEARTBEAT_SECONDS = 0.2
    return make_version(campaign, alice)


def in_background(execute, job):
    """What a GPU worker does, in a thread."""

    def work():
        try:
            execute(str(job.pk))
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_a_run_is_started_watched_promoted_and_opens_the_next_campaign(
    page, log_in, version, alice, settings, tmp_path
):
    log_in(alice, f"/runs/new/?dataset_version={version.pk}")
    page.get_by_role("radio", name=re.compile("LoRA")).check()
    expect(page.get_by_text("for 3 groups")).to_be_visible()
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_text("Waiting for a GPU worker")).to_be_visible()
    run = Run.objects.get()
    assert run.settings["tuning"] == "lora"
    plan(run, settings, steps=30, seconds=0.1, save_every=10)
    thread = in_background(execute_run, run)
    expect(page.get_by_text(re.compile(r"Training: step \d+ of 30"))).to_be_visible()
    expect(page.get_by_role("img", name="Loss")).to_be_visible()
    expect(page.get_by_role("heading", name="On held-out prompts")).to_be_visible()
    thread.join()
    page.get_by_role("button", name="Promote").click()
    page.get_by_role("link", name="Open the next campaign").click()
    fresh = tmp_path / "fresh.jsonl"
    rows = [{"prompt": f"Prompt {n}", "responses": ["one", "two words", "three words now"]} for n in range(6)]
    fresh.write_text("".join(json.dumps(row) + "\n" for row in rows))
    page.get_by_label("Name of the next campaign").fill("Second")
    page.get_by_label("File (optional)").set_input_files(fresh)
    page.get_by_role("button", name="Rank and open").click()
    expect(page.get_by_role("heading", name="Second")).to_be_visible()
    in_background(execute_round, Round.objects.get()).join()
    page.get_by_role("link", name="Go to “Second”").click()
    expect(page.get_by_role("heading", name="Second")).to_be_visible()
    expect(page.get_by_role("navigation", name="Lineage")).to_contain_text("Sky v1")


def test_another_base_model_brings_its_defaults_without_a_new_page(page, log_in, version, alice):
    log_in(alice, "/runs/new/")
    page.get_by_label("Name (optional)", exact=True).fill("kept")
    page.get_by_role("radio", name=re.compile("SmolLM2")).check()
    expect(page.get_by_role("radio", name=re.compile("Frozen trunk"))).to_be_checked()
    expect(page.get_by_label("Name (optional)", exact=True)).to_have_value("kept")


def test_every_training_page_is_accessible(page, log_in, version, alice, assert_accessible):
    finished, _waiting = finish_run(make_run(version, alice)), make_run(version, alice)
    log_in(alice, "/runs/")
    for path in ("/runs/", f"/runs/{finished.pk}/", f"/runs/{_waiting.pk}/", "/runs/new/", "/rounds/"):
        page.goto(path)
        assert_accessible(path)
