"""One question about one task, on the screen of somebody who answers it by the keyboard."""

from playwright.sync_api import expect

from annotation.models import Assignment
from feedback.models import Judgement
from tests.factories import CampaignFactory, TaskFactory


def open_question(page, log_in, manager, annotator, *, kind, responses, **settings):
    """Begin the only task of a campaign that asks it; the assignment."""
    question = {"key": "q", "kind": kind, "title": "Well?", "settings": settings}
    campaign = CampaignFactory(questions=[question], manager=manager, annotators=[annotator])
    TaskFactory(campaign=campaign, content={"prompt": "Why?", "responses": responses})
    campaign.status = "active"
    campaign.save()
    log_in(annotator)
    page.get_by_role("link", name="Start labelling").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 1")
    page.wait_for_load_state()
    return Assignment.objects.get(pk=page.locator("#task").get_attribute("data-task"))


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def submit(page):
    """By the keyboard; the value that is stored then."""
    page.keyboard.press("Control+Enter")
    return stored(page)


def stored(page):
    expect(page.get_by_role("heading", level=1)).to_have_text("All done here")
    return Judgement.objects.get(is_current=True).answers["q"]["value"]


def fits(page, width=390):
    """Nothing is wider than the screen.  Tall, so that the bar at the foot covers nothing."""
    page.set_viewport_size({"width": width, "height": 6000})
    return page.evaluate("document.documentElement.scrollWidth") <= width
