"""A manager's way from a file to a frozen dataset, in a real browser; every page of it is accessible."""

import json

import pytest
from playwright.sync_api import expect

from feedback.importing.layouts.base import PAIRWISE_FORM
from feedback.models import DatasetVersion, Task
from feedback.services.campaigns import create_campaign
from feedback.services.freezing import create_dataset, freeze_version, start_version
from feedback.services.importing import import_tasks

PAIRS = [{"id": f"p{n}", "prompt": f"Why {n}?", "chosen": f"Because of {n}.", "rejected": "Dunno."} for n in range(12)]


@pytest.fixture
def pairs(alice):
    campaign = create_campaign(actor=alice, name="Pairs", questions=PAIRWISE_FORM)
    import_tasks(campaign, PAIRS, actor=alice)
    return campaign


@pytest.fixture
def no_worker(monkeypatch):
    """Messages go nowhere: the test is the worker."""
    monkeypatch.setattr("feedback.tasks.freeze_version.delay", lambda id: None)


def test_a_file_is_tried_and_then_imported(page, log_in, alice, tmp_path, assert_accessible, expected_errors):
    campaign = create_campaign(actor=alice, name="Pairs", questions=PAIRWISE_FORM)
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in [*PAIRS, {**PAIRS[0], "id": "bad", "chosen": 5}]))
    log_in(alice, f"/campaigns/{campaign.pk}/imports/")
    assert_accessible("import")
    page.get_by_label("File", exact=True).set_input_files(path)
    page.get_by_role("button", name="Try the file").click()
    expect(page.get_by_role("table")).to_contain_text("Expected text or a list of messages.")
    assert_accessible("tried")
    assert not Task.objects.exists()
    page.get_by_role("button", name="Import the others").click()
    expect(page.get_by_role("main")).to_contain_text("12 tasks were added, 12 judgements.")


def test_a_dataset_is_frozen_while_the_page_waits(page, log_in, alice, pairs, no_worker, assert_accessible):
    log_in(alice, "/datasets/")
    assert_accessible("no dataset")
    page.get_by_role("link", name="Make the first one").click()
    page.get_by_label("Name", exact=True).fill("Sky")
    page.get_by_label("Pairs (draft").check()
    expect(page.get_by_label("What the chosen campaigns hold")).to_contain_text("12")
    assert_accessible("new dataset")
    page.get_by_role("button", name="Freeze").click()
    expect(page.get_by_role("main")).to_contain_text("Waiting for a worker")
    assert_accessible("waiting")
    freeze_version(DatasetVersion.objects.get().pk)
    expect(page.get_by_role("link", name="Train on this")).to_be_visible()
    expect(page.locator("#status")).to_have_text("The version is frozen.")
    assert_accessible("frozen")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "sky-v1.zip"


def test_the_pages_of_a_dataset_fit_a_phone(page, log_in, alice, pairs, assert_accessible):
    dataset = create_dataset(name="Sky", selection={"campaigns": [str(pairs.pk)]}, actor=alice)
    version = freeze_version(start_version(dataset, actor=alice).pk)
    page.set_viewport_size({"width": 390, "height": 800})
    for path in ("/datasets/", "/datasets/new/", f"/datasets/{dataset.pk}/", f"/dataset-versions/{version.pk}/"):
        log_in(alice, path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        assert_accessible(path)
