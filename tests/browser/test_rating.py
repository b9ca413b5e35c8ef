"""Ratings by the keyboard alone: scales of every size, sliders, n. a.; what is pressed is what is stored."""

import pytest
from playwright.sync_api import expect

from feedback.models import Judgement
from tests.browser.labelling import fits, open_question, press, stored, submit

HELPSTEER = [
    {"key": "helpfulness", "text": "Helpfulness", "help": "Overall helpfulness of the response to the prompt."},
    {"key": "correctness", "text": "Correctness", "help": "All pertinent facts, and no errors."},
    {"key": "coherence", "text": "Coherence"},
    {"key": "complexity", "text": "Complexity"},
    {"key": "verbosity", "text": "Verbosity"},
]
SEVEN = [{"key": f"a{n}", "text": f"Dimension {n}"} for n in range(1, 8)]
SLIDER = {"scale": "slider", "low": 0, "high": 100, "attributes": HELPSTEER[:2], "allow_na": True}
TEN = {
    "low": 1,
    "high": 10,
    "allow_na": True,
    "attributes": HELPSTEER[:2],
    "anchors": {"1": "useless", "10": "flawless"},
}


@pytest.fixture
def rate(log_in, alice, bob, page):
    """Open a rating of two responses; their ids in the order of the screen."""

    def start(**settings):
        responses = ["It is so.", "It is not."]
        return open_question(page, log_in, alice, bob, kind="rating", responses=responses, **settings).shown

    return start


def scored(ids, attributes, *rows):
    keys = [attribute["key"] for attribute in attributes]
    return {"scores": {id: dict(zip(keys, row, strict=True)) for id, row in zip(ids, rows, strict=True)}}


def test_five_attributes_from_0_to_4_are_ten_keys(page, rate):
    ids = rate(low=0, high=4, attributes=HELPSTEER, anchors={"0": "not at all", "4": "perfectly"})
    press(page, *"01234", *"43210")
    assert submit(page) == scored(ids, HELPSTEER, (0, 1, 2, 3, 4), (4, 3, 2, 1, 0))


def test_a_score_among_seven_is_corrected_by_going_back(page, rate):
    ids = rate(low=1, high=5, attributes=SEVEN)
    press(page, *"1234512", *"5432154", "k", "k", "3")
    assert submit(page) == scored(ids, SEVEN, (1, 2, 3, 4, 5, 1, 2), (5, 4, 3, 2, 3, 5, 4))


def test_the_tenth_point_has_the_key_0_and_shows_it(page, rate):
    page.set_viewport_size({"width": 1500, "height": 900})
    ids = rate(**TEN)
    tenth = page.locator("label", has=page.locator("input[value='10']")).first
    expect(tenth.locator("kbd")).to_have_text("0")
    press(page, "0", "1", "a", "9")
    assert submit(page) == scored(ids, TEN["attributes"], (10, 1), ("na", 9))


def test_an_anchor_is_part_of_the_name_of_its_button(page, rate):
    rate(**TEN)
    expect(page.get_by_role("radio", name="10 (flawless)").first).to_be_attached()
    expect(page.get_by_role("radio", name="1 (useless)", exact=True).first).to_be_attached()


def test_numbers_are_typed_into_sliders_and_the_last_enter_submits(page, rate):
    ids = rate(**SLIDER)
    press(page, *"75", "Enter", *"100", "Enter", "0", "Enter", "7", "Enter")
    assert stored(page) == scored(ids, SLIDER["attributes"], (75, 100), (0, 7))


def test_a_slider_moved_to_where_it_stands_is_an_answer(page, rate):
    ids = rate(**SLIDER)
    sliders = page.get_by_role("slider")
    expect(sliders.first).to_have_attribute("aria-valuetext", "no answer yet")
    sliders.first.press("Home")
    expect(page.get_by_role("spinbutton").first).to_have_value("0")
    assert sliders.first.get_attribute("aria-valuetext") is None
    sliders.nth(1).press("End")
    sliders.nth(2).press("ArrowRight")
    sliders.nth(3).click(position={"x": 1, "y": 10})
    assert submit(page) == scored(ids, SLIDER["attributes"], (0, 100), (1, 0))


def test_passing_over_a_slider_leaves_it_unanswered(page, rate, expected_errors):
    expected_errors.append("422")
    rate(**SLIDER)
    page.get_by_role("slider").first.focus()
    press(page, "Tab", "Tab", "Tab", "j", "k", "Control+Enter")
    expect(page.get_by_role("alert").first).to_contain_text("This question needs an answer.")
    for number in page.get_by_role("spinbutton").all():
        expect(number).to_have_value("")
    assert not Judgement.objects.exists()


def test_na_and_a_number_take_each_others_place(page, rate):
    ids = rate(**SLIDER)
    press(page, "5", "Enter", "a", "a", "a")
    number = page.get_by_role("spinbutton").last
    expect(number).to_have_value("")
    number.focus()
    page.keyboard.type("33")
    expect(page.locator("input[value=na]:checked")).to_have_count(2)
    page.locator("[data-row]").nth(1).focus()
    press(page, "8")
    assert submit(page) == scored(ids, SLIDER["attributes"], (5, 8), ("na", 33))


def test_a_changed_rating_opens_as_it_was_given(page, rate):
    ids = rate(**SLIDER)
    press(page, *"75", "Enter", "a", *"30", "Enter", "0")
    submit(page)
    page.get_by_role("link", name="Change last").click()
    expect(page.get_by_role("slider").first).to_have_value("75")
    expect(page.get_by_role("spinbutton").nth(1)).to_have_value("")
    expect(page.locator("input[value=na]:checked")).to_have_count(1)
    expect(page.get_by_role("spinbutton").last).to_have_value("0")
    page.get_by_role("spinbutton").last.fill("64")
    assert submit(page) == scored(ids, SLIDER["attributes"], (75, "na"), (30, 64))


def test_a_restored_draft_moves_its_sliders(page, rate):
    rate(**SLIDER)
    press(page, *"42", "Enter")
    page.reload()
    expect(page.get_by_role("slider").first).to_have_value("42")
    assert not page.get_by_role("slider").first.evaluate("range => range.hasAttribute('data-untouched')")
    expect(page.locator("[data-row]").nth(1)).to_have_attribute("data-current", "")


def test_a_refused_rating_says_where_and_leaves_everything(page, rate, expected_errors):
    expected_errors.append("422")
    ids = rate(**SLIDER)
    press(page, *"750", "Enter", "5", "Enter", "6", "Control+Enter")
    alert = page.get_by_role("alert").first
    expect(alert).to_contain_text("Response A, “Helpfulness”: Must be a whole number from 0 to 100.")
    expect(alert).to_contain_text("Response B, “Correctness”: Give a score.")
    expect(page.get_by_role("spinbutton").first).to_have_value("750")
    alert.get_by_role("link", name="Response A, “Helpfulness”").press("Enter")
    expect(page.get_by_role("spinbutton").first).to_be_focused()
    page.get_by_role("spinbutton").first.fill("75")
    page.get_by_role("spinbutton").last.fill("1")
    assert submit(page) == scored(ids, SLIDER["attributes"], (75, 5), (6, 1))


SCREENS = {
    "eleven points": {**TEN, "low": 0, "anchors": {"0": "useless", "10": "flawless"}},
    "seven attributes": {"attributes": SEVEN, "anchors": {"1": "very poor", "5": "excellent"}},
    "five attributes": {"low": 0, "high": 4, "attributes": HELPSTEER},
    "slider": {**SLIDER, "anchors": {"0": "not at all", "100": "perfectly"}},
    "thumbs": {"scale": "thumbs", "attributes": HELPSTEER[:1], "allow_na": True},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCREENS)
def test_every_scale_is_accessible_and_fits(page, rate, assert_accessible, name):
    rate(**SCREENS[name])
    press(page, "1", "Enter" if name == "slider" else "2")
    for width in (1440, 1024, 768, 390):
        assert fits(page, width), width
        assert_accessible(f"{name} at {width}")
