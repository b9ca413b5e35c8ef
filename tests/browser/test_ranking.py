"""Rankings by keys, buttons, mouse and finger: what is pressed is what is stored, and nothing is ranked by itself."""

import pytest
from playwright.sync_api import expect

from feedback.models import Judgement
from tests.browser.labelling import fits, open_question, press, submit

FRUIT = ["Apple", "Banana", "Cherry", "Damson"]


@pytest.fixture
def rank(log_in, alice, bob, page):
    """Open a ranking; letter → response id."""

    def start(responses=FRUIT, **settings):
        assignment = open_question(page, log_in, alice, bob, kind="ranking", responses=responses, **settings)
        return dict(zip("ABCDEFGHIJKLMNOP", assignment.shown, strict=False))

    return start


def letters(page):
    return page.locator("[data-rank-row]").evaluate_all("rows => rows.map((row) => row.dataset.letter).join('')")


def row(page, letter):
    return page.locator(f"[data-rank-row][data-letter={letter}]")


def groups(ids, *told):
    """groups(ids, "A", "BC"): the stored answer, those of one place in the order of the task."""
    return [sorted((ids[letter] for letter in group), key=lambda id: int(id[1:])) for group in told]


def test_a_key_ties_a_row_with_the_one_above_and_parts_them_again(page, rank):
    ids = rank()
    press(page, "1", "2", "3", "4", "=")
    expect(page.locator("#status")).to_have_text("D is on place 3 with C")
    press(page, "k", "=")  # C, which brings D along
    expect(page.locator("#status")).to_have_text("C is on place 2 with B, D")
    press(page, "=")
    expect(row(page, "C").get_by_role("button", name="C ties with the one above")).to_have_attribute(
        "aria-pressed", "false"
    )
    expect(row(page, "D").get_by_role("button", name="D ties with the one above")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert submit(page) == {"groups": groups(ids, "A", "B", "CD"), "cannot_tell": False}


def test_above_the_first_row_there_is_none_to_tie_with(page, rank):
    rank()
    press(page, "=")
    expect(page.locator("#status")).to_have_text("Above A there is none to tie with")
    expect(page.locator("[data-rank-row] input:checked")).to_have_count(0)


def test_buttons_alone_give_an_order(page, rank):
    ids = rank()
    for name in ("Move C up", "Move A up", "B ties with the one above", "Move D down", "Move D up"):
        page.get_by_role("button", name=name).click()
    assert letters(page) == "CDAB"  # D went past both of the tie
    assert submit(page)["groups"] == groups(ids, "C", "D", "AB")


def test_keys_move_a_row_and_stay_with_it(page, rank):
    ids = rank([f"Text {n}" for n in range(12)])
    press(page, *"123456789")
    press(page, "+", "j", "+", "j", "+")  # no digit for the tenth: + places what has no place, at the end
    assert letters(page) == "ABCDEFGHIJKL"
    press(page, "+", "+")
    assert letters(page) == "ABCDEFGHILJK"
    press(page, "-")
    assert submit(page)["groups"] == groups(ids, *"ABCDEFGHIJLK")


def test_without_ties_an_equal_number_goes_before_who_had_it(page, rank):
    ids = rank(FRUIT[:3], allow_ties=False)
    expect(page.locator("[data-rank-tie]")).to_have_count(0)
    press(page, "1", "1", "1")
    assert letters(page) == "CBA"
    assert submit(page)["groups"] == groups(ids, *"CBA")


def test_a_finger_drags_a_row(page, rank):
    ids = rank()
    press(page, "1", "2", "3", "4")
    page.set_viewport_size({"width": 390, "height": 2000})
    start, end = (row(page, "D").locator("[data-rank-grip]").bounding_box(), row(page, "B").bounding_box())
    chrome = page.context.new_cdp_session(page)
    chrome.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    x, y, target = start["x"] + 10, start["y"] + 10, end["y"] + 2

    def touch(kind, *points):
        chrome.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": at} for at in points]})

    touch("touchStart", y)
    for at in range(1, 9):
        touch("touchMove", y + (target - y) * at / 8)
    touch("touchEnd")
    expect(page.locator("#status")).to_have_text("D is on place 2")
    assert submit(page)["groups"] == groups(ids, *"ADBC")


def test_a_restored_draft_shows_its_order(page, rank):
    ids = rank()
    press(page, "2", "1", "1")  # D has no place yet
    page.reload()  # at once: only this browser knows
    expect(page.locator("#status")).not_to_be_empty()
    assert letters(page) == "BCAD"
    expect(row(page, "C")).to_have_attribute("data-tied", "")
    expect(row(page, "D")).not_to_have_attribute("data-placed", "")
    expect(row(page, "D")).to_have_attribute("data-current", "")
    press(page, "4")
    assert submit(page)["groups"] == groups(ids, "BC", "A", "D")


def test_a_changed_ranking_opens_as_it_was_given(page, rank):
    ids = rank()
    press(page, "4", "1", "2", "2")
    submit(page)
    page.get_by_role("link", name="Change last").click()
    expect(page.locator("[data-rank-row] input:checked")).to_have_count(4)
    assert letters(page) == "BCDA"
    page.get_by_role("button", name="Move A up").click()
    assert submit(page)["groups"] == groups(ids, "B", "A", "CD")
    assert Judgement.objects.count() == 2


def test_a_refused_ranking_says_where_and_leaves_everything(page, rank, assert_accessible, expected_errors):
    expected_errors.append("422")
    ids = rank()
    press(page, "2", "1", "=", "3", "Control+Enter")
    alert = page.get_by_role("alert").first
    expect(alert).to_contain_text("place of response D: Give it a place.")
    assert letters(page) == "BACD"
    assert fits(page)
    assert_accessible("a refused ranking")
    alert.get_by_role("link", name="place of response D").press("Enter")
    expect(row(page, "D").locator("input").first).to_be_focused()
    press(page, "4")
    expect(row(page, "D")).not_to_have_attribute("aria-invalid", "true")
    assert submit(page)["groups"] == groups(ids, *"BACD")


@pytest.mark.slow
def test_sixteen_responses_fit_a_phone(page, rank, assert_accessible):
    rank([f"Response number {n} is a little longer than the row has room for on any phone." for n in range(16)])
    press(page, "1", "1")
    for width in (390, 1024, 1440):
        assert fits(page, width)
    assert fits(page)
    assert_accessible("sixteen responses")
