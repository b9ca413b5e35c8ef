"""Critiques: marks by keyboard, mouse and touch on the text as stored; texts; revisions; nothing lost."""

import json

import pytest
from playwright.sync_api import expect

from feedback.models import Judgement
from tests.browser.labelling import fits, open_question, press, stored, submit

CRLF = "Ein 😀 Satz.\r\n\r\nNoch einer, und e\u0301in Ende."
BIDI = "One word.\r\n\r\nمرحبا بالعالم، نص مع English words وسط.\n\nThe end."
CATEGORIES = [{"key": "wrong", "text": "Wrong"}, {"key": "odd", "text": "Odd"}]
SEVERITIES = [{"key": "minor", "text": "Minor"}, {"key": "major", "text": "Major"}]
SPANS = {"text": "off", "spans": "optional", "categories": CATEGORIES}
ALL = {**SPANS, "text": "optional", "revision": "optional", "severities": SEVERITIES}


@pytest.fixture
def criticise(page, log_in, alice, bob):
    def start(*responses, **settings):
        return open_question(
            page, log_in, alice, bob, kind="critique", responses=list(responses or [CRLF]), **(settings or SPANS)
        )

    return start


def area(page, at=0):
    return page.locator("[data-span-text]").nth(at)


def mark(page, start, length, *keys):
    """Select by the keyboard in the source view and press keys: a mark's, then others that change it."""
    press(page, "Control+Home", *["ArrowRight"] * start, *["Shift+ArrowRight"] * length, *keys)


def quotes(page):
    return page.locator(".span-quote")


def spans_of(value, response="r1"):
    return [(span["quote"], span["category"]) for span in value["responses"][response]["spans"]]


def test_spans_are_marked_by_keyboard_in_code_points_of_the_stored_text(page, criticise):
    criticise(**ALL)
    area(page).focus()
    mark(page, 4, 1, "2", "v")  # the emoji: one step of the caret, two UTF-16 units
    mark(page, 13, 4, "1", "v", "v")  # after CRLF CRLF, which the caret passes in two steps
    mark(page, 29, 3, "1", "v")  # an e with a combining accent: one step of the caret, two code points
    page.get_by_label("In your own words").focus()
    page.keyboard.type("Not quite.")
    told = submit(page)["responses"]["r1"]
    start = CRLF.index("Noch")
    accent = CRLF.index("e\u0301in")
    assert told["spans"] == [
        {"start": 4, "end": 5, "quote": "😀", "category": "odd", "severity": "minor"},
        {"start": start, "end": start + 4, "quote": "Noch", "category": "wrong", "severity": "major"},
        {"start": accent, "end": accent + 4, "quote": "e\u0301in", "category": "wrong", "severity": "minor"},
    ]
    assert told["text"] == "Not quite."


def test_a_row_changes_its_mark_by_keyboard_and_keeps_the_focus(page, criticise):
    criticise(**ALL)
    area(page).focus()
    mark(page, 0, 3, "1")
    category = page.get_by_label("Category: Ein")
    category.focus()
    press(page, "ArrowDown")
    expect(category).to_have_value("odd")
    expect(category).to_be_focused()
    press(page, "Tab", "ArrowDown", "Tab")
    page.keyboard.type("too 1 short? x")
    assert submit(page)["responses"]["r1"]["spans"] == [
        {"start": 0, "end": 3, "quote": "Ein", "category": "odd", "severity": "minor", "note": "too 1 short? x"}
    ]


def test_without_a_selection_a_key_changes_the_mark_at_the_caret(page, criticise):
    criticise()
    area(page).focus()
    mark(page, 0, 3, "1", "2")
    expect(page.locator("#status")).to_contain_text("Changed: Odd, Ein")
    mark(page, 0, 3, "1")  # the same place again is the same mark
    expect(quotes(page)).to_have_count(1)
    press(page, "Control+End", "2")
    expect(page.locator("#status")).to_contain_text("Changed: Odd, Ein")
    assert spans_of(submit(page)) == [("Ein", "odd")]


def test_a_key_without_a_selection_or_a_mark_marks_nothing_and_says_so(page, criticise):
    criticise()
    area(page).focus()
    press(page, "1")
    expect(page.locator("#status")).to_have_text("Select some text first.")
    expect(quotes(page)).to_have_count(0)


def test_delete_removes_the_row_where_one_is_and_it_can_be_put_back(page, criticise):
    criticise()
    area(page).focus()
    mark(page, 0, 3, "1")
    mark(page, 6, 4, "2")
    quotes(page).first.focus()
    press(page, "Delete")
    expect(page.locator("#status")).to_contain_text("Mark removed: Ein")
    expect(page.get_by_role("button", name="Remove: Satz")).to_be_focused()
    press(page, "p")
    expect(page.locator("#status")).to_contain_text("Put back: Ein")
    expect(quotes(page)).to_have_text(["Ein", "Satz"])
    page.get_by_label("Category: Satz").focus()
    press(page, "Delete")  # from a select too
    area(page).focus()
    press(page, "Control+Home", "ArrowRight", "x")  # the mark at the caret
    expect(quotes(page)).to_have_count(0)
    press(page, "p", "p")
    assert spans_of(submit(page)) == [("Ein", "wrong"), ("Satz", "odd")]


def test_delete_in_a_note_deletes_letters(page, criticise):
    criticise()
    area(page).focus()
    mark(page, 0, 3, "1")
    page.get_by_label("Note: Ein").fill("abc")
    press(page, "Home", "Delete")
    expect(page.get_by_label("Note: Ein")).to_have_value("bc")
    expect(quotes(page)).to_have_count(1)


def test_the_source_is_read_only_even_for_an_input_method(page, criticise):
    criticise()
    area(page).focus()
    before = area(page).input_value()
    page.keyboard.type("abc")
    press(page, "Control+a", "Control+v", "Control+x", "Backspace")
    composer = page.context.new_cdp_session(page)
    composer.send("Input.imeSetComposition", {"text": "にほ", "selectionStart": 2, "selectionEnd": 2})
    composer.send("Input.insertText", {"text": "日本"})
    expect(area(page)).to_have_value(before)
    mark(page, 0, 3, "1")
    assert spans_of(submit(page)) == [("Ein", "wrong")]


def test_marks_are_drawn_where_the_letters_are_also_from_right_to_left(page, criticise):
    """The layer below breaks and turns its lines as the textarea does: a press on a mark's box is a caret in it."""
    criticise(BIDI, **SPANS)
    page.set_viewport_size({"width": 390, "height": 1600})
    area(page).focus()
    words = {"word": "1", "العالم": "2", "English": "1", "end": "2"}
    shown = area(page).input_value()
    for word, key in words.items():
        at = shown.index(word)
        area(page).evaluate("(area, [from, to]) => area.setSelectionRange(from, to)", [at, at + len(word)])
        press(page, key)
    for word in words:
        box = page.locator("[data-span-under] mark", has_text=word).bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        caret = area(page).evaluate("(area) => area.selectionStart")
        assert shown.index(word) <= caret <= shown.index(word) + len(word), word


def test_the_mouse_selects_and_a_button_marks(page, criticise):
    criticise()
    box = area(page).bounding_box()
    page.mouse.dblclick(box["x"] + 20, box["y"] + 22)
    page.get_by_role("button", name="Odd").click()
    expect(quotes(page)).to_have_text(["Ein"])
    page.get_by_role("button", name="Remove: Ein").click()
    expect(quotes(page)).to_have_count(0)
    page.get_by_role("button", name="Put it back").click()
    page.get_by_role("button", name="Show: Ein").click()
    assert area(page).evaluate("(area) => [area.selectionStart, area.selectionEnd]") == [0, 3]
    page.get_by_role("button", name="Submit").click()
    assert spans_of(stored(page)) == [("Ein", "odd")]


def test_marks_outlive_a_reload_and_a_copy_in_this_browser_alone(page, criticise, expected_errors):
    expected_errors.append("ERR_FAILED")
    criticise()
    area(page).focus()
    mark(page, 0, 3, "1")
    expect(page.locator("[data-draft-state]")).to_have_text("Draft saved")
    page.reload()
    expect(quotes(page)).to_have_text(["Ein"])
    page.wait_for_timeout(1100)  # drafts of one second: the server's wins
    page.route("**/draft/", lambda route: route.abort())
    area(page).focus()
    mark(page, 6, 4, "2")
    page.reload()
    expect(page.locator("#status")).to_contain_text("What you had typed before is back.")
    expect(quotes(page)).to_have_text(["Ein", "Satz"])
    expect(page.locator("[data-span-under] mark")).to_have_text(["Ein", "Satz"])
    assert spans_of(submit(page)) == [("Ein", "wrong"), ("Satz", "odd")]


def test_a_changed_critique_opens_as_it_was_given(page, criticise):
    criticise(**ALL)
    area(page).focus()
    mark(page, 0, 3, "1", "v")
    page.get_by_label("Note: Ein").fill("“so”")
    page.get_by_label("A better response").fill("Neu.")
    before = submit(page)
    page.get_by_role("link", name="Change last").click()
    expect(quotes(page)).to_have_text(["Ein"])
    expect(page.get_by_label("Severity: Ein")).to_have_value("minor")
    expect(page.get_by_label("Note: Ein")).to_have_value("“so”")
    expect(page.get_by_label("A better response")).to_have_value("Neu.")
    page.get_by_label("Severity: Ein").select_option("major")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("All done here")
    after = Judgement.objects.get(is_current=True).answers["q"]["value"]
    before["responses"]["r1"]["spans"][0]["severity"] = "major"
    assert json.dumps(after) == json.dumps(before)


def test_nothing_to_mark_is_said_of_the_response_where_one_is(page, criticise):
    first, second = criticise("Apple.", "Peach.").shown
    area(page).focus()
    mark(page, 0, 5, "1")
    area(page, 1).focus()
    press(page, "0")
    expect(quotes(page)).to_have_count(1)
    told = submit(page)["responses"]
    assert told[first]["spans"][0]["quote"] in ("Apple", "Peach")
    assert told[second] == {"spans": [], "nothing": True}


def test_nothing_to_mark_takes_the_marks_away_and_gives_them_back(page, criticise):
    criticise()
    area(page).focus()
    mark(page, 0, 3, "1")
    press(page, "0")
    expect(quotes(page)).to_have_count(0)
    press(page, "p")
    expect(page.get_by_label("Nothing to mark")).not_to_be_checked()
    assert spans_of(submit(page)) == [("Ein", "wrong")]


def test_a_revision_starts_from_the_response_and_must_change_it(page, criticise, expected_errors):
    expected_errors.append("422")
    criticise(text="off", revision="required")
    revision = page.get_by_label("A better response")
    expect(revision).to_have_value("")
    page.get_by_role("button", name="Start from the response").press("Enter")
    expect(revision).to_be_focused()
    press(page, "Control+Enter")
    expect(page.get_by_role("alert").first).to_contain_text("Is the response as it was")
    revision.press("Control+End")
    page.keyboard.type(" Neu.")
    page.get_by_role("button", name="Start from the response").press("Enter")  # never over what was written
    assert submit(page)["responses"]["r1"]["revision"] == CRLF.replace("\r\n", "\n") + " Neu."


def test_a_justification_is_written_about_the_task(page, criticise):
    criticise("One.", "Two.", about="task")
    page.get_by_label("In your own words").focus()
    page.keyboard.type("Because 1 is not 2.")
    assert submit(page) == {"text": "Because 1 is not 2.", "responses": {}}


def test_a_refused_mark_says_which_and_stays(page, criticise, expected_errors):
    expected_errors.append("422")
    criticise(**ALL)
    area(page).focus()
    mark(page, 0, 3, "1")
    press(page, "Control+Enter")
    expect(page.get_by_role("alert").first).to_contain_text("Mark 1: choose a severity.")
    expect(quotes(page)).to_have_text(["Ein"])
    page.get_by_role("alert").first.get_by_role("link").click()
    expect(area(page)).to_be_focused()
    press(page, "Control+Home", "v")
    assert submit(page)["responses"]["r1"]["spans"][0]["severity"] == "minor"


def test_the_keys_of_marks_are_listed(page, criticise):
    criticise(**ALL)
    press(page, "?")
    for words in ("Mark as Wrong", "Mark as Odd", "Next severity", "Remove mark", "Put it back", "Nothing to mark"):
        expect(page.locator("#shortcut-list")).to_contain_text(words)


@pytest.mark.parametrize("responses", [[CRLF], [CRLF, BIDI]])
def test_marking_is_accessible_and_fits_a_phone(page, criticise, assert_accessible, responses):
    criticise(*responses, **ALL)
    area(page).focus()
    mark(page, 0, 3, "1")
    mark(page, 4, 4, "2", "v")
    assert fits(page, 1280)  # all of it in sight: what lies half under the bar would count as too small
    assert_accessible("marks")
    assert fits(page)
    assert_accessible("marks on a phone")


def test_plain_text_stands_once_and_markdown_beside_its_source(page, criticise):
    criticise("Plain words.\n\nAnd more of them.", "Some *Markdown* words.")
    expect(page.locator("[data-span-text]")).to_have_count(2)
    expect(page.locator("[data-panel-text]")).to_have_count(1)
    expect(page.locator("[data-panel-text] em")).to_have_text("Markdown")
