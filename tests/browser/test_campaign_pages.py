"""The manager's pages in a real browser: what is pressed happens, figures move by themselves, axe finds nothing."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.flags import flag_task
from annotation.reserving import reserve_tasks
from feedback.access import rater_of
from feedback.models import Campaign
from feedback.services.invitations import invite
from tests.annotation.queueing import claim, submit
from tests.factories import CampaignFactory

PAGES = (
    "detail",
    "tasks",
    "guidelines",
    "members",
    "invitations",
    "assign",
    "flags",
    "settings",
    "imports",
    "forms",
)


def address(name, *args) -> str:
    return reverse(f"annotation:campaign-{name}", args=args)


@pytest.mark.parametrize("width", [390, 1440])
def test_every_page_is_accessible_and_fits_its_screen(page, log_in, alice, bob, campaign, assert_accessible, width):
    held = claim(rater_of(bob), campaign)
    flag_task(assignment_id=held.pk, rater=held.rater, note="The prompt ends here.")
    submit(held)
    reserve_tasks([held.task], rater_of(bob), actor=alice)
    invite(campaign, role="annotator", n_uses=9, days=1, note="for Bob", actor=alice)
    draft = CampaignFactory(manager=alice, n_tasks=1, name="A draft")
    page.set_viewport_size({"width": width, "height": 900})
    log_in(alice, "/account/")
    one = [address(name, campaign.pk) for name in PAGES]
    for path in (
        address("list"),
        address("new"),
        address("detail", draft.pk),
        *one,
        "/my-work/",
        address("task", campaign.pk, held.task_id),
    ):
        page.goto(path)
        expect(page.locator("h1")).to_be_visible()
        wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(wide), path
        assert_accessible(path)


def test_a_campaign_is_made_opened_and_closed_by_mouse(page, log_in, alice):
    log_in(alice, address("new"))
    page.get_by_label("Name", exact=True).fill("By mouse")
    page.get_by_role("radio", name="Checklist of your own").check()
    page.get_by_role("button", name="Make the campaign").click()
    expect(page.get_by_role("heading", name="By mouse")).to_be_visible()
    assert Campaign.objects.get(name="By mouse").form.questions[0].settings.criteria[0].text == "Does what was asked"

    ready = CampaignFactory(manager=alice, n_tasks=1, name="Ready")
    page.goto(address("detail", ready.pk))
    page.get_by_role("button", name="Open for labelling").click()
    expect(page.get_by_text("Open: people can label now.")).to_be_visible()
    page.get_by_role("button", name="Close", exact=True).click()
    page.get_by_role("button", name="Keep it open").click()
    page.get_by_role("button", name="Close", exact=True).click()
    page.get_by_role("button", name="Close it").click()
    expect(page.get_by_role("button", name="Reopen")).to_be_visible()
    ready.refresh_from_db()
    assert ready.status == "closed"


def test_figures_move_while_people_work(page, log_in, alice, bob, campaign):
    log_in(alice, address("detail", campaign.pk))
    expect(page.locator("#figures")).to_contain_text("of 3 · 0 %")

    submit(claim(rater_of(bob), campaign))

    expect(page.locator("#figures")).to_contain_text("of 3 · 33 %")
    expect(page.locator("#raters")).to_contain_text("bob")
