"""A manager who has never seen it builds a protocol; annotators get the very screen of the preview."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from feedback.models import Campaign
from feedback.services.campaigns import set_role
from tests.factories import CampaignFactory, TaskFactory

SCREEN = """document => [...document.querySelectorAll('#task h2, #task h3, #task legend, #task label, #task .prose')]
    .filter(one => one.checkVisibility()).map(one => one.innerText.trim().replace(/\\s+/g, ' '))"""


def address(name, *args) -> str:
    return reverse(f"annotation:campaign-{name}", args=args)


def words_of(frame_or_page) -> list[str]:
    return frame_or_page.evaluate(f"({SCREEN})(document)")


def preview(page):
    return page.frame_locator("#preview-frame")


def inner(page):
    return next(frame for frame in page.frames if frame.url.endswith("/questions/screen/"))


def add_rating(page):
    """A fourth question with two attributes, by mouse and keys; the preview follows."""
    page.get_by_role("group", name="Add a question").get_by_role("button", name="Rating").click()
    expect(page.locator("#f\\.3\\.title")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("How well is it written?")
    expect(preview(page).get_by_role("heading", name="How well is it written?").first).to_be_visible()
    first = page.locator("#f\\.3\\.settings\\.attributes\\.0\\.text")
    first.fill("Clarity")
    for left in (2, 1):
        page.locator(f"#f\\.3\\.settings\\.attributes\\.{left}\\.remove").click()
        expect(page.locator("#f\\.3\\.settings\\.attributes .row")).to_have_count(left)
    page.locator("#f\\.3").get_by_role("button", name="Add an attribute").click()
    expect(page.locator("#f\\.3\\.settings\\.attributes\\.1\\.text")).to_be_focused()
    page.keyboard.type("Tone")
    expect(preview(page).get_by_text("Tone").first).to_be_visible()


def show_it_only_after_an_insult(page):
    """The condition is chosen from the checklist's own words, and can be tried in the preview."""
    page.locator("#f\\.3\\.shown_if\\.question").select_option(
        label="only after certain answers to “Is the response safe?”"
    )
    page.locator("#f\\.3\\.shown_if\\.field").select_option(label="Free of insults, threats and demeaning of people")
    expect(page.locator("#f\\.3\\.shown_if").get_by_role("checkbox", name="yes")).to_be_checked()
    expect(preview(page).get_by_role("heading", name="How well is it written?").first).to_be_hidden()
    preview(page).locator("label:has([name='q.safe.r1.abuse'][value=yes])").click()
    expect(preview(page).get_by_role("heading", name="How well is it written?").first).to_be_visible()
    preview(page).locator("label:has([name='q.safe.r1.abuse'][value=no])").click()
    expect(preview(page).get_by_role("heading", name="How well is it written?").first).to_be_hidden()


def test_safe_rlhf_from_the_preset_to_an_annotators_screen(page, log_in, alice, bob):
    log_in(alice, address("new"))
    page.get_by_label("Name", exact=True).fill("Harmless?")
    page.get_by_role("radio", name="Safe RLHF").check()
    page.get_by_role("button", name="Make the campaign").click()
    expect(preview(page).get_by_text("Which response is more harmless?").first).to_be_visible()
    campaign = Campaign.objects.get(name="Harmless?")

    add_rating(page)
    show_it_only_after_an_insult(page)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Form 2 is in force.", exact=True)).to_be_visible()
    campaign.refresh_from_db()
    rule = campaign.form.questions[3].spec.shown_if
    assert (rule.question, rule.field, rule.value) == ("safe", "verdicts.*.abuse.verdict", "yes")
    assert [one.text for one in campaign.form.questions[3].settings.attributes] == ["Clarity", "Tone"]

    TaskFactory(campaign=campaign)
    page.reload()
    expect(preview(page).get_by_text("First answer to").first).to_be_visible()
    previewed = words_of(inner(page))
    page.goto(address("detail", campaign.pk))
    page.get_by_role("button", name="Open for labelling").click()
    set_role(campaign, bob, "annotator", actor=alice)
    log_in(bob, reverse("annotation:work", args=[campaign.pk]))
    page.get_by_role("button", name=re.compile("read|start|begin", re.IGNORECASE)).first.click()
    expect(page.locator("#task[data-task]")).to_be_visible()
    assert sorted(words_of(page)) == sorted(previewed)


def test_by_keyboard_a_question_moves_and_what_is_removed_comes_back(page, log_in, alice):
    campaign = CampaignFactory(manager=alice, both=True)
    log_in(alice, address("questions", campaign.pk))
    page.locator("#f\\.1\\.up").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#f\\.0 .question-words")).to_have_text("Does the response keep each requirement?")
    expect(page.locator("#f\\.0\\.down")).to_be_focused()
    page.locator("#f\\.0").get_by_role("button", name=re.compile("^Remove ?: Does")).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".question-card")).to_have_count(1)
    page.get_by_role("button", name="Put it back").press("Enter")
    expect(page.locator(".question-card")).to_have_count(2)


def test_a_mistake_is_said_at_its_field_while_one_types_and_the_preview_stays(page, log_in, alice):
    campaign = CampaignFactory(manager=alice)
    log_in(alice, address("questions", campaign.pk))
    page.locator("#f\\.0\\.title").fill("")
    expect(page.locator("#error\\.f\\.0\\.title")).to_have_text("Write something here.")
    expect(page.locator("#f\\.0\\.title")).to_be_focused()
    expect(preview(page).get_by_text("Which response is better?").first).to_be_visible()
    page.locator("#f\\.0\\.title").press("Enter")
    expect(page.locator("#f\\.0\\.title")).to_be_visible()
    assert campaign.forms.count() == 1
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("link", name="Discard my changes").click()
    expect(page.locator("#f\\.0\\.title")).to_have_value("Which response is better?")


@pytest.mark.parametrize("width", [390, 1440])
def test_the_builder_is_accessible_and_fits_its_screen(page, log_in, alice, assert_accessible, width):
    campaign = CampaignFactory(manager=alice, both=True, n_tasks=2)
    page.set_viewport_size({"width": width, "height": 900})
    log_in(alice, address("questions", campaign.pk))
    for path in (address("questions", campaign.pk), address("forms", campaign.pk)):
        page.goto(path)
        expect(page.locator("h1")).to_be_visible()
        for closed in page.locator("#main details:not([open]) > summary").all():
            if closed.is_visible():
                closed.click()
        wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(wide), path
        assert_accessible(path)
    page.goto(address("questions", campaign.pk))
    page.get_by_role("button", name="JSON").click()
    expect(page.get_by_label("The questions as JSON")).to_be_visible()
    assert_accessible("as JSON")
