"""Keys of one's own: pressed, shown in the hints, listed, taken back."""

import pytest
from playwright.sync_api import expect

from tests.factories import CampaignFactory


@pytest.fixture
def settings_page(page, log_in, bob):
    return log_in(bob, "/account/")


def save(page):
    page.get_by_role("button", name="Use these keys").click()
    page.wait_for_load_state()


def start(page, campaign):
    page.goto(f"/work/{campaign.pk}/")
    page.wait_for_load_state()


def test_a_key_of_ones_own_takes_the_place_of_the_declared_one(settings_page, checklist_campaign):
    page = settings_page
    page.get_by_label("Yes (y)").press("j")
    expect(page.get_by_label("Yes (y)")).to_have_value("j")
    page.get_by_label("Next question (j)").press("PageDown")
    page.get_by_label("Guidelines (g)").fill("ö")
    save(page)
    expect(page.get_by_role("main")).to_contain_text("Your settings are saved.")
    start(page, checklist_campaign)
    page.keyboard.press("y")
    expect(page.locator("input:checked")).to_have_count(0)
    page.keyboard.press("j")
    expect(page.locator("input:checked")).to_have_count(1)
    expect(page.locator("input[value=yes]").first).to_be_checked()
    expect(page.locator("[data-guide] kbd")).to_have_text("ö")
    assert page.locator("input[value=yes]").first.get_attribute("aria-keyshortcuts") == "j"
    page.keyboard.press("?")
    listed = page.get_by_role("dialog", name="Keyboard shortcuts")
    rows = listed.locator("dt").all_inner_texts()
    assert "j" in [row.strip() for row in rows]
    assert "PageDown Down" in [" ".join(row.split()) for row in rows]


def test_the_next_task_has_ones_own_keys_too(page, log_in, campaign, bob):
    bob.shortcut_keys = {"1": "q"}
    bob.save()
    log_in(bob)
    start(page, campaign)
    page.keyboard.press("q")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
    expect(page.locator("kbd").filter(has_text="q").first).to_be_visible()
    page.keyboard.press("q")
    expect(page.locator("input:checked")).to_have_count(1)


def test_two_commands_with_one_key_are_refused_and_nothing_is_lost(
    settings_page, bob, expected_errors, assert_accessible
):
    expected_errors.append("422")
    page = settings_page
    page.get_by_label("Yes (y)").press("n")
    page.get_by_label("Skip the task (s)").press("w")
    save(page)
    expect(page.get_by_role("alert")).to_contain_text("“n” is also the key for “No”.")
    expect(page.get_by_label("Skip the task (s)")).to_have_value("w")
    assert_accessible("refused keys")
    bob.refresh_from_db()
    assert bob.shortcut_keys == {}
    page.get_by_label("No (n)").press("y")
    save(page)
    bob.refresh_from_db()
    assert bob.shortcut_keys == {"y": "n", "n": "y", "s": "w"}
    page.get_by_role("button", name="Back to the keys").click()
    expect(page.get_by_label("Yes (y)")).to_have_value("")


def test_a_key_field_lets_one_leave_and_correct(settings_page):
    field = settings_page.get_by_label("Yes (y)")
    field.press("k")
    field.press("Backspace")
    expect(field).to_have_value("")
    field.press("Tab")
    expect(field).not_to_be_focused()


def test_a_forged_map_does_nothing(page, log_in, alice, bob):
    bob.shortcut_keys = {"1": '"><img src=x onerror=alert(1)>', "g": "<b>", "2": "q"}
    bob.save()
    campaign = CampaignFactory(manager=alice, annotators=[bob], n_tasks=1, active=True)
    log_in(bob)
    start(page, campaign)
    assert page.locator("img[src=x]").count() == 0
    page.keyboard.press("1")
    expect(page.locator("input:checked")).to_have_count(1)
