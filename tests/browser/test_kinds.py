"""Ranking and rating by the keyboard alone: what is pressed is what is stored; every kind is accessible."""

import pytest
from playwright.sync_api import expect

from annotation.models import Assignment
from feedback.models import Judgement
from tests.factories import CampaignFactory, TaskFactory

ATTRIBUTES = [{"key": key, "text": key.capitalize()} for key in ("fluency", "coherence", "relevance")]
MARKS = [{"key": "wrong", "text": "Wrong"}, {"key": "odd", "text": "Odd"}]
SEVERITIES = [{"key": "minor", "text": "Minor"}, {"key": "major", "text": "Major"}]
CRLF = "Ein 😀 Satz.\r\n\r\nNoch einer, und e\u0301in Ende."
STEPS = [{"id": "r1", "text": "a\n\nb\n\nc", "steps": ["First 2 + 2 = 4.", "Then 4 + 1 = 6.", "So **6**."]}]


def question(kind, title, **settings):
    return {"key": "q", "kind": kind, "title": title, "settings": settings}


FORMS = {
    "ranking": question("ranking", "Rank the responses"),
    "rating": question(
        "rating", "How good is it?", low=0, high=4, attributes=ATTRIBUTES, anchors={"0": "not", "4": "very"}
    ),
    "thumbs": question("rating", "Good?", scale="thumbs", attributes=ATTRIBUTES[:1], allow_na=True),
    "slider": question(
        "rating", "How much?", scale="slider", low=0, high=100, attributes=ATTRIBUTES[:1], allow_na=True
    ),
    "critique": question(
        "critique",
        "What is wrong?",
        text="optional",
        spans="optional",
        revision="optional",
        categories=MARKS,
        severities=SEVERITIES,
    ),
    "justification": question("critique", "Why?", about="task"),
    "steps": question("steps", "Is each step right?"),
    "first_error": question("steps", "Where is the first error?", mode="first_error"),
}
RESPONSES = {
    "ranking": ["Apple", "Banana", "Cherry", "Damson"],
    "critique": [CRLF],
    "steps": STEPS,
    "first_error": STEPS,
}


@pytest.fixture
def open_task(log_in, alice, bob, page):
    """The first task of a campaign that asks one question of this kind, on Bob's screen."""

    def start(name):
        campaign = CampaignFactory(questions=[FORMS[name]], manager=alice, annotators=[bob])
        content = {"prompt": "Why?", "responses": RESPONSES.get(name, ["It is so.", "It is not."])}
        TaskFactory(campaign=campaign, content=content)
        campaign.status = "active"
        campaign.save()
        log_in(bob)
        page.get_by_role("link", name="Start labelling").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Task 1")
        page.wait_for_load_state()
        return Assignment.objects.get(pk=page.locator("#task").get_attribute("data-task"))

    return start


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def stored(page):
    """Submit by the keyboard; the value of the judgement that is stored then."""
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("All done here")
    return Judgement.objects.get().answers["q"]["value"]


def test_a_ranking_is_given_by_number_keys_and_rows_follow_their_places(page, open_task):
    first, second, third, fourth = open_task("ranking").shown
    press(page, "3", "1", "1", "2")  # each key moves on to the next response without a place
    rows = page.locator("[data-rank-row]")
    expect(rows.first).to_have_attribute("data-letter", "B")
    expect(rows.last).to_have_attribute("data-letter", "A")
    assert stored(page) == {"groups": [sorted([second, third]), [fourth], [first]], "cannot_tell": False}


def test_rows_of_a_ranking_move_by_keys(page, open_task):
    first, second, third, fourth = open_task("ranking").shown
    press(page, "1", "2", "3", "4")
    press(page, "k", "+", "+")  # the row before the last: two places up
    row = page.locator("[data-rank-row]").first
    moved = row.get_attribute("data-letter")
    expect(page.locator("#status")).to_contain_text(f"{moved} is on place 1")
    by_letter = dict(zip("ABCD", (first, second, third, fourth), strict=True))
    rest = [by_letter[letter] for letter in "ABCD" if letter != moved]
    assert stored(page)["groups"] == [[by_letter[moved]], *([id] for id in rest)]


def test_a_row_of_a_ranking_is_dragged_to_its_place(page, open_task):
    first, second, third, fourth = open_task("ranking").shown
    press(page, "1", "2", "3", "4")
    grip = page.locator("[data-rank-row][data-letter=D] [data-rank-grip]")
    target = page.locator("[data-rank-row][data-letter=A]").bounding_box()
    grip.scroll_into_view_if_needed()
    grip.hover()
    page.mouse.down()
    target = page.locator("[data-rank-row][data-letter=A]").bounding_box()
    page.mouse.move(target["x"] + 20, target["y"] + 2, steps=8)
    page.mouse.up()
    assert stored(page)["groups"] == [[fourth], [first], [second], [third]]


def test_an_untouched_ranking_is_no_answer(page, open_task, expected_errors):
    expected_errors.append("422")
    open_task("ranking")
    press(page, "2", "Control+Enter")
    expect(page.get_by_role("alert").first).to_contain_text("Give it a place.")
    expect(page.locator("[data-rank-row] input:checked")).to_have_value("2")
    assert not Judgement.objects.exists()


def test_who_cannot_tell_says_so_and_the_places_go(page, open_task):
    open_task("ranking")
    press(page, "1", "2", "c")
    expect(page.locator("[data-rank-row] input:checked")).to_have_count(0)
    assert stored(page) == {"groups": [], "cannot_tell": True}


def test_scores_are_given_by_the_numbers_on_the_buttons(page, open_task):
    first, second = open_task("rating").shown
    press(page, *"041", *"324")
    keys = [attribute["key"] for attribute in ATTRIBUTES]
    assert stored(page) == {
        "scores": {first: dict(zip(keys, (0, 4, 1), strict=True)), second: dict(zip(keys, (3, 2, 4), strict=True))}
    }


def test_thumbs_are_two_keys(page, open_task):
    first, second = open_task("thumbs").shown
    press(page, "1", "2")
    assert stored(page) == {"scores": {first: {"fluency": 1}, second: {"fluency": 0}}}


def test_a_slider_is_no_answer_before_it_is_moved(page, open_task, expected_errors):
    expected_errors.append("422")
    first, second = open_task("slider").shown
    sliders = page.get_by_role("slider")
    sliders.first.focus()
    press(page, "End", "ArrowLeft")
    press(page, "Control+Enter")
    expect(page.get_by_role("alert").first).to_contain_text("Give a score.")
    page.get_by_role("spinbutton").last.focus()
    page.keyboard.type("42")
    assert stored(page) == {"scores": {first: {"fluency": 99}, second: {"fluency": 42}}}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_every_kind_is_accessible_and_fits_a_phone(page, open_task, assert_accessible, name):
    open_task(name)
    assert_accessible(name)
    page.set_viewport_size({"width": 390, "height": 3000})  # tall: what the bar covers in part counts as too small
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert_accessible(f"{name} on a phone")
