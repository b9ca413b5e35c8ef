"""Nothing typed is lost: refused, failed, offline, twice, logged out, reloaded, out of time."""

import re

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from annotation.models import Assignment, Draft
from feedback.models import Judgement
from tests.factories import PASSWORD, CampaignFactory

NOTE = "It says three, and gives three."


@pytest.fixture
def started(page, log_in, checklist_campaign, bob):
    """Bob on his first checklist, everything answered and one note typed, nothing submitted."""
    log_in(bob)
    page.get_by_role("link", name="Start labelling").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 1")
    page.wait_for_load_state()
    for _ in range(6):
        page.keyboard.press("y")
    page.get_by_text("Note", exact=True).first.click()
    page.get_by_role("textbox").first.fill(NOTE)
    return page


def submit(page):
    page.get_by_role("button", name="Submit").click()


def expect_text_kept(page):
    expect(page.get_by_role("textbox").first).to_have_value(NOTE)
    expect(page.locator("input:checked")).to_have_count(6)


def expect_submitted(page):
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
    (judgement,) = Judgement.objects.all()
    verdicts = judgement.answers["rules"]["value"]["verdicts"]
    notes = [told["note"] for row in verdicts.values() for told in row.values() if "note" in told]
    assert notes == [NOTE]


def test_a_refused_answer_says_where_and_touches_nothing(page, log_in, checklist_campaign, bob, expected_errors):
    expected_errors.append("422")
    log_in(bob)
    page.get_by_role("link", name="Start labelling").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 1")
    page.wait_for_load_state()
    page.keyboard.press("y")
    page.get_by_text("Note", exact=True).first.click()
    page.get_by_role("textbox").first.fill(NOTE)
    submit(page)
    summary = page.get_by_role("alert").filter(has_text="Not submitted yet")
    expect(summary).to_be_focused()
    expect(summary.get_by_role("listitem")).to_have_count(5)
    expect(page.get_by_role("textbox").first).to_have_value(NOTE)
    unanswered = page.locator("fieldset[aria-invalid=true]")
    expect(unanswered).to_have_count(5)
    summary.get_by_role("link").first.click()
    expect(unanswered.first.get_by_role("radio").first).to_be_focused()
    page.keyboard.press("n")
    expect(unanswered).to_have_count(4)


@pytest.mark.parametrize("failure", ["500", "offline"])
def test_a_failed_submit_keeps_the_text_and_can_be_sent_again(started, failure, expected_errors):
    page = started
    expected_errors.extend(["500", "ERR_FAILED", "htmx:"])
    broken = (lambda route: route.fulfill(status=500)) if failure == "500" else (lambda route: route.abort())
    page.route("**/judgement/", broken)
    submit(page)
    said = {"500": "The server met an error.", "offline": "The server could not be reached."}[failure]
    alert = page.get_by_role("alert").filter(has_text=said)
    expect(alert).to_be_visible()
    expect_text_kept(page)
    page.unroute("**/judgement/")
    alert.get_by_role("button", name="Try again").click()
    expect_submitted(page)


def test_a_submit_whose_reply_was_lost_is_stored_once(started, expected_errors):
    page = started
    expected_errors.extend(["ERR_FAILED", "htmx:"])

    def lose_reply(route):
        route.fetch()
        route.abort()

    page.route("**/judgement/", lose_reply)
    submit(page)
    expect(page.get_by_role("alert").filter(has_text="could not be reached")).to_be_visible()
    page.unroute("**/judgement/")
    page.get_by_role("button", name="Try again").click()
    expect_submitted(page)


def test_a_double_click_submits_once(started):
    started.get_by_role("button", name="Submit").dblclick()
    expect_submitted(started)
    expect(started.get_by_role("alert").filter(has_text="Not submitted yet")).to_have_count(0)


def test_a_login_that_ran_out_is_mended_beside_the_work(started, bob, expected_errors):
    page = started
    expected_errors.append("401")
    Session.objects.all().delete()
    submit(page)
    beside = page.get_by_role("region", name="Please log in again")
    expect(beside).to_be_visible()
    expect_text_kept(page)
    beside.get_by_label("Username").fill(bob.username)
    beside.get_by_label("Password").fill("wrong")
    expected_errors.append("422")
    beside.get_by_role("button").click()
    expect(beside.get_by_role("alert")).to_be_visible()
    beside.get_by_label("Password").fill(PASSWORD)
    beside.get_by_role("button").click()
    expect_submitted(page)
    expect(beside).to_have_count(0)


def test_a_token_gone_stale_is_read_again(started, bob, expected_errors):
    """Bob logs in again in another tab: the token of this page's form is no longer the cookie's."""
    page = started
    expected_errors.append("403")
    other = page.context.new_page()
    other.goto("/login/")
    other.get_by_label("Username").fill(bob.username)
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Log in").click()
    expect(other.get_by_role("heading", level=1)).to_have_text("Your campaigns")
    submit(page)
    expect_submitted(page)


@pytest.mark.parametrize("kept_by", ["server", "browser"])
def test_a_draft_is_there_after_a_reload(started, kept_by, expected_errors):
    page = started
    if kept_by == "server":
        expect(page.get_by_text("Draft saved")).to_be_visible()
        page.evaluate("localStorage.clear()")
    else:
        Draft.objects.all().delete()
        expected_errors.append("ERR_FAILED")
        page.route("**/draft/", lambda route: route.abort())
        page.get_by_role("textbox").first.fill(NOTE)
        expect(page.get_by_text("kept in this browser")).to_be_visible()
        Draft.objects.all().delete()
    page.reload()
    page.wait_for_load_state()
    expect_text_kept(page)
    page.unroute("**/draft/")
    submit(page)
    expect_submitted(page)
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('draft'))") == []


def test_a_lease_warns_before_it_ends_and_can_be_kept(page, log_in, alice, bob):
    page.clock.install()
    CampaignFactory(manager=alice, annotators=[bob], n_tasks=2, active=True, lease_seconds=300)
    log_in(bob)
    page.get_by_role("link", name="Start labelling").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 1")
    page.wait_for_load_state()
    expect(page.get_by_text(re.compile("runs out in"))).to_be_hidden()
    page.clock.fast_forward(210_000)
    expect(page.get_by_text(re.compile("runs out in 1:"))).to_be_visible()
    worked_on = Assignment.objects.get(is_ahead=False)
    before = worked_on.expires_at
    page.get_by_role("button", name="Keep working").click()
    expect(page.get_by_text("The task is yours again.")).to_be_visible()
    expect(page.get_by_text(re.compile("runs out in"))).to_be_hidden()
    worked_on.refresh_from_db()
    assert worked_on.expires_at > before


def test_active_seconds_stop_when_nobody_is_there(page, log_in, campaign, bob):
    page.clock.install()
    log_in(bob)
    page.get_by_role("link", name="Start labelling").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 1")
    page.wait_for_load_state()
    page.clock.fast_forward(10_000)
    page.keyboard.press("1")
    page.clock.fast_forward(600_000)
    begun = Assignment.objects.get(is_ahead=False)
    Assignment.objects.filter(pk=begun.pk).update(started_at=begun.started_at.replace(year=2020))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
    assert 35 <= Judgement.objects.get().seconds <= 50


def test_who_thinks_better_of_a_skip_goes_on_where_they_were(started):
    """Enter then submits; it does not open the skip again."""
    page = started
    page.get_by_role("heading", level=1).focus()
    page.keyboard.press("s")
    expect(page.locator("#skip-reason")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#skip-reason")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
    assert Judgement.objects.count() == 1
