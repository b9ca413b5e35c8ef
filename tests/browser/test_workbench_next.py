"""From one task to the next: fetched ahead, flagged, timed, and guidelines in between, whatever the network does."""

import re
import time
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from annotation.models import Assignment, Draft, Flag
from feedback.models import FormVersion, GuidelineReading, Judgement
from feedback.services.campaigns import publish_guidelines
from tests.factories import PASSWORD, CampaignFactory

NOTE = "The second answer is cut off."


@pytest.fixture
def wide(alice, bob):
    """Enough tasks that one may be leased ahead."""
    return CampaignFactory(manager=alice, annotators=[bob], n_tasks=9, active=True)


def start(page):
    page.get_by_role("link", name="Start labelling").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 1")
    page.wait_for_load_state()


def start_with_next(page):
    """Bob on his first task, the next one fetched."""
    with page.expect_response(re.compile("/ahead/")) as reply:
        start(page)
    assert reply.value.status == 200
    page.wait_for_timeout(100)


def answer(page):
    page.keyboard.press("1")
    page.keyboard.press("Enter")


def test_twelve_keys_lead_through_what_was_fetched_ahead(page, log_in, wide, bob):
    log_in(bob)
    start_with_next(page)
    for n in range(2, 7):
        later = Assignment.objects.get(is_ahead=True)
        answer(page)
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Task {n}")
        expect(page.get_by_role("heading", level=1)).to_be_focused()
        expect(page.locator("#task")).to_have_attribute("data-task", str(later.pk))
        expect(page).to_have_url(re.compile(f"/assignments/{later.pk}/"))
        expect(page.get_by_role("link", name="Change last")).to_be_visible()
        page.wait_for_timeout(900)  # the one after it is fetched, and the second half of a double Enter is over
    assert Judgement.objects.filter(is_counted=True).count() == 5
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('draft'))") == []


def test_the_layout_does_not_jump_when_the_next_task_comes(page, log_in, wide, bob):
    log_in(bob)
    start_with_next(page)
    page.evaluate("""() => {
      window.shifts = 0;
      new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shifts += one.value; })
        .observe({ type: "layout-shift", buffered: false });
    }""")
    answer(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
    page.wait_for_timeout(300)
    assert page.evaluate("window.shifts") < 0.05


def test_leaving_gives_the_next_task_back(page, log_in, wide, bob):
    log_in(bob)
    start_with_next(page)
    later = Assignment.objects.get(is_ahead=True)
    page.goto("/")
    until = time.monotonic() + 10
    while later.status != "released" and time.monotonic() < until:
        page.wait_for_timeout(50)
        later.refresh_from_db()
    assert later.status == "released"


def test_a_next_task_that_was_lost_meanwhile_is_replaced_by_another(page, log_in, wide, bob):
    log_in(bob)
    start_with_next(page)
    lost = Assignment.objects.get(is_ahead=True)
    Assignment.objects.filter(pk=lost.pk).update(status="expired", is_ahead=False)
    answer(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
    expect(page.locator("#task")).not_to_have_attribute("data-task", str(lost.pk))


def test_a_submit_whose_reply_was_lost_is_stored_once_and_shows_the_next_task(page, log_in, wide, bob, expected_errors):
    expected_errors.extend(["ERR_FAILED", "htmx:"])
    log_in(bob)
    start_with_next(page)
    later = Assignment.objects.get(is_ahead=True)

    def lose_reply(route):
        route.fetch()
        route.abort()

    page.route("**/judgement/", lose_reply)
    answer(page)
    alert = page.get_by_role("alert").filter(has_text="could not be reached")
    expect(alert).to_be_visible()
    page.unroute("**/judgement/")
    alert.get_by_role("button", name="Try again").click()
    expect(page.locator("#task")).to_have_attribute("data-task", str(later.pk))
    assert Judgement.objects.count() == 1


def test_a_task_is_flagged_by_key_and_the_work_goes_on(page, log_in, wide, bob, assert_accessible):
    log_in(bob)
    start(page)
    page.keyboard.press("1")
    page.keyboard.press("f")
    dialog = page.get_by_role("dialog", name="Flag this task")
    expect(dialog).to_be_visible()
    assert_accessible("flag")
    dialog.get_by_label("What is wrong with it?").fill(NOTE)
    dialog.get_by_label("What is wrong with it?").press("Control+Enter")
    expect(dialog).to_be_visible()  # which submits the answer elsewhere, and not from here
    dialog.get_by_role("button", name="Send").dblclick()
    expect(dialog).to_be_hidden()
    expect(page.get_by_text("Flagged: the manager will see it.")).to_be_visible()
    expect(page.locator("input:checked")).to_have_count(1)
    assert [flag.note for flag in Flag.objects.all()] == [NOTE]
    assert not Judgement.objects.exists()


@pytest.mark.parametrize("failure", ["500", "offline"])
def test_a_flag_that_fails_stays_with_its_text(page, log_in, wide, bob, failure, expected_errors):
    expected_errors.extend(["500", "ERR_FAILED", "htmx:"])
    log_in(bob)
    start(page)
    broken = (lambda route: route.fulfill(status=500)) if failure == "500" else (lambda route: route.abort())
    page.route("**/flag/", broken)
    page.keyboard.press("f")
    note = page.get_by_label("What is wrong with it?")
    note.fill(NOTE)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Not sent:")).to_be_visible()
    expect(note).to_have_value(NOTE)
    page.unroute("**/flag/")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Flagged: the manager will see it.")).to_be_visible()
    assert Flag.objects.get().note == NOTE


def test_a_flag_after_the_login_ran_out_is_sent_once_it_is_mended(page, log_in, wide, bob, expected_errors):
    expected_errors.append("401")
    log_in(bob)
    start(page)
    page.keyboard.press("f")
    page.get_by_label("What is wrong with it?").fill(NOTE)
    Session.objects.all().delete()
    page.get_by_role("button", name="Send").click()
    beside = page.get_by_role("region", name="Please log in again")
    beside.get_by_label("Username").fill(bob.username)
    beside.get_by_label("Password").fill(PASSWORD)
    beside.get_by_role("button").click()
    expect(page.get_by_text("Flagged: the manager will see it.")).to_be_visible()
    assert Flag.objects.get().note == NOTE


def test_guidelines_are_acknowledged_by_enter_and_shown_again_when_they_change(
    page, log_in, alice, bob, assert_accessible
):
    campaign = CampaignFactory(manager=alice, annotators=[bob], n_tasks=9, active=True, unread=True)
    log_in(bob)
    page.get_by_role("link", name="Start labelling").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Before you start: the guidelines")
    page.wait_for_load_state()
    assert_accessible("first")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 1")
    publish_guidelines(campaign, "Prefer the **shorter** answer.\n\n* Read both.\n* Then decide.", actor=alice)
    page.wait_for_timeout(900)
    answer(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("The guidelines have changed")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    assert_accessible("changed")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
    assert GuidelineReading.objects.filter(user=bob).count() == 2


def test_an_acknowledgement_that_fails_can_be_sent_again(page, log_in, alice, bob, expected_errors):
    expected_errors.extend(["ERR_FAILED", "htmx:"])
    CampaignFactory(manager=alice, annotators=[bob], n_tasks=9, active=True, unread=True)
    log_in(bob)
    page.get_by_role("link", name="Start labelling").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("guidelines")
    page.wait_for_load_state()
    page.route("**/guidelines/", lambda route: route.abort())
    page.keyboard.press("Enter")
    expect(page.get_by_text("could not be reached")).to_be_visible()
    page.unroute("**/guidelines/")
    page.get_by_role("button", name="I have read them").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 1")


def test_a_countdown_is_said_at_half_at_a_minute_and_at_the_end_and_takes_nothing_away(
    page, log_in, campaign, bob, assert_accessible
):
    campaign.form = FormVersion.objects.create(
        campaign=campaign, number=2, questions_raw=campaign.form.questions_raw, time_limit=180
    )
    campaign.save(update_fields=["form"])
    page.clock.install()
    log_in(bob)
    start(page)
    timer = page.get_by_role("timer")
    expect(timer).to_contain_text(re.compile("(3:00|2:5).* left"))
    assert_accessible("timed")
    status = page.locator("#status")
    for seconds, said in ((91, "Half of the time is over"), (30, "One minute left."), (61, "The time is over.")):
        page.clock.run_for(seconds * 1000)
        expect(status).to_contain_text(said)
    expect(timer).to_contain_text("late by")
    begun = Assignment.objects.get(status="leased", is_ahead=False)
    Assignment.objects.filter(pk=begun.pk).update(started_at=begun.started_at - timedelta(seconds=182))
    answer(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
    expect(status).to_contain_text("Saved, after the time limit")
    assert Judgement.objects.get().seconds > 180


def test_words_typed_last_do_not_turn_into_a_draft_of_the_next_task(page, log_in, alice, bob):
    """A field that leaves the page with the focus says `change` on its way, when the next task is already there."""
    questions = [
        {"key": "better", "kind": "pairwise", "title": "Better?"},
        {"key": "why", "kind": "critique", "title": "Why?", "settings": {"about": "task", "text": "optional"}},
    ]
    CampaignFactory(questions=questions, manager=alice, annotators=[bob], n_tasks=4, active=True)
    log_in(bob)
    start_with_next(page)
    for n in (2, 3):
        page.keyboard.press("1")
        page.get_by_label("In your own words").focus()
        page.keyboard.type("The first is kinder.")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Task {n}")
        expect(page.get_by_role("heading", level=1)).to_be_focused()
        assert page.locator("#task input:checked").count() == 0
        expect(page.get_by_label("In your own words")).to_have_value("")
        assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('draft'))") == []
        page.wait_for_timeout(900)
    assert not Draft.objects.filter(assignment__status="leased").exists()
