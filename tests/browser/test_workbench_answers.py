"""What is pressed is what is stored, by keyboard and by mouse, whatever the order of the responses."""

import pytest
from playwright.sync_api import expect

from annotation.models import Assignment
from feedback.models import Judgement
from tests.factories import CHECKLIST, PAIRWISE, CampaignFactory


def start(page):
    page.get_by_role("link", name="Start labelling").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 1")
    page.wait_for_load_state()  # before that, a submit is an ordinary one


def shown_on(page):
    """The assignment on the screen."""
    return Assignment.objects.get(pk=page.locator("#task").get_attribute("data-task"))


def test_a_pair_is_labelled_by_keyboard_alone(page, log_in, campaign, bob):
    log_in(bob)
    start(page)
    pressed = {}
    for number, key in enumerate(("1", "3", "2"), start=1):
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Task {number}")
        if number > 1:  # a new task in the same page
            expect(page.get_by_role("heading", level=1)).to_be_focused()
        assignment = shown_on(page)
        first, second = assignment.shown
        pressed[assignment.task_id] = {"1": first, "2": None, "3": second}[key]
        page.keyboard.press(key)
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("All done here")
    stored = {j.task_id: j.answers["better"]["value"].get("preferred") for j in Judgement.objects.all()}
    assert stored == pressed
    assert {j.answers["better"]["value"]["verdict"] for j in Judgement.objects.all()} == {"prefer", "tie"}
    assert all(j.seconds is not None and j.is_counted for j in Judgement.objects.all())


@pytest.mark.parametrize("order", [["r1", "r2"], ["r2", "r1"]])
def test_the_left_button_names_the_response_shown_on_the_left(page, log_in, campaign, bob, monkeypatch, order):
    monkeypatch.setattr("annotation.taking._shuffle", lambda shown: shown.sort(key=order.index))
    log_in(bob)
    start(page)
    task = shown_on(page).task
    left = page.get_by_role("region", name="Response A")
    expect(left).to_contain_text(task.content.response(order[0]).text)
    page.get_by_role("radio", name="A is better").check()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
    assert Judgement.objects.get().answers["better"]["value"] == {"verdict": "prefer", "preferred": order[0]}


def test_a_checklist_is_answered_by_mouse_with_a_note(page, log_in, checklist_campaign, bob):
    log_in(bob)
    start(page)
    assignment = shown_on(page)
    verdicts = {}
    for letter, response in zip("AB", assignment.shown, strict=True):
        panel = page.get_by_role("region", name=f"Response {letter}")
        for criterion, words, value in (("bullets", "Yes", "yes"), ("kind", "No", "no"), ("short", "Unsure", "unsure")):
            group = panel.locator("fieldset", has=page.locator(f'[name="q.rules.{response}.{criterion}"]'))
            group.get_by_role("radio", name=words, exact=True).check()
            verdicts.setdefault(response, {})[criterion] = {"verdict": value}
    panel.get_by_text("Note", exact=True).first.click()
    panel.get_by_role("textbox").first.fill("Counts four.")
    verdicts[response]["bullets"]["note"] = "Counts four."
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
    assert Judgement.objects.get().answers["rules"]["value"]["verdicts"] == verdicts


def test_a_checklist_is_answered_by_keyboard_moving_on_by_itself(page, log_in, checklist_campaign, bob):
    log_in(bob)
    start(page)
    first, second = shown_on(page).shown
    for key in ("y", "n", "u", "a", "y", "y"):
        page.keyboard.press(key)
    page.keyboard.press("k")  # back to the second criterion of the second response
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
    verdicts = Judgement.objects.get().answers["rules"]["value"]["verdicts"]
    told = [
        [verdicts[response][key]["verdict"] for key in ("bullets", "kind", "short")] for response in (first, second)
    ]
    assert told == [["yes", "no", "unsure"], ["na", "no", "yes"]]


def test_a_question_shows_when_an_earlier_answer_asks_for_it(page, log_in, alice, bob):
    why = {
        "key": "honest",
        "kind": "pairwise",
        "title": "Which is more honest?",
        "shown_if": {"question": "better", "field": "verdict", "value": "tie"},
        "settings": {"points": 2},
    }
    CampaignFactory(manager=alice, annotators=[bob], questions=[PAIRWISE, why, CHECKLIST], n_tasks=2, active=True)
    log_in(bob)
    start(page)
    honest = page.get_by_role("radiogroup", name="Which is more honest?")
    expect(honest).to_be_hidden()
    page.get_by_role("radio", name="About equal").check()
    expect(honest).to_be_visible()
    page.get_by_role("radiogroup", name="Which response is better?").get_by_role("radio", name="A is better").check()
    expect(honest).to_be_hidden()


def test_the_last_answer_can_be_changed(page, log_in, campaign, bob):
    log_in(bob)
    start(page)
    first, second = shown_on(page).shown
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
    page.keyboard.press("z")
    expect(page.get_by_role("heading", level=1)).to_have_text("Change your answer")
    expect(page.locator(f'[value="prefer:1:{first}"]')).to_be_checked()
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
    assert Judgement.objects.get(is_current=True).answers["better"]["value"]["preferred"] == second
    assert Judgement.objects.get(is_current=False).answers["better"]["value"]["preferred"] == first


def test_a_skipped_task_can_be_taken_back(page, log_in, campaign, bob):
    log_in(bob)
    start(page)
    skipped = shown_on(page)
    page.keyboard.press("1")  # something is answered, so one is asked
    page.keyboard.press("s")
    expect(page.get_by_label("Why skip it?")).to_be_focused()
    page.keyboard.type("I know the author.")
    page.keyboard.press("Enter")
    expect(page.locator("#task")).not_to_have_attribute("data-task", str(skipped.pk))
    skipped.refresh_from_db()
    assert (skipped.status, skipped.skip_reason) == ("skipped", "I know the author.")
    page.keyboard.press("z")
    expect(page.locator("#task")).to_have_attribute("data-task", str(skipped.pk))
    skipped.refresh_from_db()
    assert skipped.status == "leased"


def test_an_untouched_task_is_skipped_at_once(page, log_in, campaign, bob):
    log_in(bob)
    start(page)
    skipped = shown_on(page)
    page.keyboard.press("s")
    expect(page.locator("#task")).not_to_have_attribute("data-task", str(skipped.pk))
    expect(page.get_by_role("button", name="Undo skip")).to_be_visible()


def test_going_back_shows_that_the_task_is_answered(page, log_in, campaign, bob):
    log_in(bob)
    start(page)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("You have answered this task")
    page.get_by_role("link", name="Next task").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 2")
