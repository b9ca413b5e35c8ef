"""Every screen of an annotator for everybody: axe in both themes, keys, phone, and the switch that turns keys off."""

import pytest
from playwright.sync_api import expect

from feedback.services.campaigns import activate_campaign
from tests.factories import CHECKLIST, PAIRWISE, PASSWORD, CampaignFactory, TaskFactory

SEVEN = {**PAIRWISE, "help": "Think of the person who asked.", "settings": {"points": 7, "allow_both_bad": True}}


@pytest.fixture
def rich(alice, bob):
    """A checklist and a graded pair over one task with every kind of Markdown."""
    text = (
        "# Title\n\n1. one\n2. two\n\n> said\n\n"
        "```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | [c](https://c.org) |"
    )
    campaign = CampaignFactory(manager=alice, annotators=[bob], questions=[CHECKLIST, SEVEN], n_tasks=0)
    content = {
        "prompt": [{"role": role, "content": "Hello **there**."} for role in ("system", "user", "assistant", "user")],
        "responses": [{"id": "r1", "text": text}, {"id": "r2", "text": "plain"}],
    }
    for number in (1, 2):
        TaskFactory(campaign=campaign, content=content, external_id=str(number))
    activate_campaign(campaign, actor=alice)
    return campaign


def start(page):
    page.get_by_role("link", name="Start labelling").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 1")
    page.wait_for_load_state()


def test_login_and_first_page_are_accessible(page, alice, campaign, assert_accessible):
    page.goto("/login/")
    assert_accessible("login")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill("no")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert_accessible("login refused")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your campaigns")
    page.get_by_text("Alice", exact=True).click()
    assert_accessible("first page")
    page.goto("/account/")
    assert_accessible("settings")


def test_a_person_without_campaigns_is_told_what_to_do(page, log_in, dave, assert_accessible, expected_errors):
    log_in(dave)
    expect(page.get_by_role("main")).to_contain_text("yours is “dave”")
    assert_accessible("empty")
    expected_errors.append("404")
    page.goto("/nowhere/")
    assert_accessible("not found")


def test_the_task_screen_is_accessible_in_every_state(page, log_in, rich, bob, assert_accessible, expected_errors):
    expected_errors.append("422")
    log_in(bob)
    start(page)
    assert_accessible("task")
    page.keyboard.press("y")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert").filter(has_text="Not submitted")).to_be_visible()
    assert_accessible("refused")
    page.get_by_role("heading", level=1).focus()
    page.keyboard.press("r")
    expect(page.get_by_text("# Title")).to_be_visible()
    assert_accessible("source")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Guidelines")
    assert_accessible("shortcuts")


def test_the_screens_after_the_last_task_are_accessible(page, log_in, alice, bob, assert_accessible):
    CampaignFactory(manager=alice, annotators=[bob], n_tasks=1, active=True)
    log_in(bob)
    start(page)
    task_url = page.url
    assert_accessible("pair")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("All done here")
    assert_accessible("all done")
    page.goto(task_url)
    expect(page.get_by_role("heading", level=1)).to_have_text("You have answered this task")
    assert_accessible("answered")


@pytest.mark.parametrize("width", [390, 1024])
def test_nothing_hangs_over_the_edge_and_the_bar_hides_no_focus(page, log_in, rich, bob, width):
    page.set_viewport_size({"width": width, "height": 844})
    log_in(bob)
    start(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for _ in range(40):
        page.keyboard.press("Tab")
        covered = page.evaluate(
            """() => {
              const at = document.activeElement, bar = document.querySelector("[data-bar]");
              if (!at || at === document.body || bar.contains(at)) return false;
              if (getComputedStyle(bar).position !== "sticky") return false;
              const box = (at.closest(".segment, .verdict") ?? at).getBoundingClientRect();
              return box.height < 300 && box.bottom > bar.getBoundingClientRect().top + 1;
            }"""
        )
        assert not covered, page.evaluate("document.activeElement.outerHTML")


def test_targets_are_large_enough_for_a_finger(page, log_in, rich, bob):
    page.set_viewport_size({"width": 390, "height": 844})
    log_in(bob)
    start(page)
    sizes = page.evaluate(
        """() => [...document.querySelectorAll("main :is(button, summary, .segment, .verdict, .button)")]
          .filter((element) => element.checkVisibility() && !element.closest(".visually-hidden"))
          .map((element) => [element.textContent.trim(), element.getBoundingClientRect()])
          .filter(([, box]) => box.width < 24 || box.height < 24).map(([words]) => words)"""
    )
    assert sizes == []


def test_keys_do_nothing_for_whoever_switched_them_off(page, log_in, campaign, bob):
    log_in(bob, "/account/")
    page.get_by_label("Single-key shortcuts").uncheck()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text("Your settings are saved.")
    page.goto("/")
    start(page)
    page.keyboard.press("1")
    page.keyboard.press("s")
    expect(page.locator("input:checked")).to_have_count(0)
    expect(page.get_by_label("Why skip it?")).to_be_hidden()


def test_a_chosen_theme_wins_over_the_system(page, log_in, bob):
    log_in(bob, "/account/")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_label("dark").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text("Your settings are saved.")
    assert page.evaluate(ground) != light


def test_keys_typed_into_a_note_stay_there(page, log_in, checklist_campaign, bob):
    log_in(bob)
    start(page)
    page.get_by_text("Note", exact=True).first.click()
    page.get_by_role("textbox").first.focus()
    page.keyboard.type("yes, no, a skip?")
    expect(page.get_by_role("textbox").first).to_have_value("yes, no, a skip?")
    expect(page.locator("input:checked")).to_have_count(0)


def test_the_pages_of_the_api_show_under_our_policy(page, live_server):
    page.goto("/api/docs/")
    expect(page.get_by_role("heading", name="Touchstone API")).to_be_visible()
