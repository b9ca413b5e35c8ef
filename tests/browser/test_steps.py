"""Steps by the keyboard alone: every one labelled, or the first wrong one named; long solutions stay usable."""

import pytest
from playwright.sync_api import expect

from tests.browser.labelling import fits, open_question, press, submit

THREE = [{"id": "r1", "text": "a\n\nb\n\nc", "steps": ["First 2 + 2 = 4.", "Then 4 + 1 = 6.", "So **6**."]}]
FORTY = "\n\n".join(f"Adding {n} gives $x_{{{n}}} = {n}$, so **{n}** it is." for n in range(1, 41))


@pytest.fixture
def check(page, log_in, alice, bob):
    def start(responses, **settings):
        return open_question(page, log_in, alice, bob, kind="steps", responses=responses, **settings)

    return start


def test_steps_are_labelled_one_after_the_other(page, check):
    check(THREE)
    press(page, "1", "3", "2")
    assert submit(page) == {"labels": {"r1": ["correct", "wrong", "neutral"]}}


def test_a_key_changes_the_step_where_one_is(page, check):
    check(THREE, allow_unsure=True)
    press(page, "1", "3", "2", "k", "u")
    assert submit(page) == {"labels": {"r1": ["correct", "unsure", "neutral"]}}


def test_an_unlabelled_step_is_named_and_nothing_is_lost(page, check, expected_errors):
    expected_errors.append("422")
    check(THREE)
    press(page, "1", "j", "3", "Control+Enter")
    expect(page.get_by_role("alert").first).to_contain_text("step 2")
    expect(page.locator(".step input:checked")).to_have_count(2)
    page.get_by_role("alert").first.get_by_role("link").click()
    press(page, "3")
    assert submit(page) == {"labels": {"r1": ["correct", "wrong", "wrong"]}}


def test_the_first_wrong_step_is_named_by_one_key_on_its_row(page, check):
    check(THREE, mode="first_error")
    press(page, "j", "j", "x")  # the first j shows where one is
    row = page.locator(".step").nth(1)
    expect(row).to_be_focused()  # the answer is given: nothing to go on to
    expect(row.get_by_role("radio")).to_be_checked()
    assert submit(page) == {"labels": {"r1": ["correct", "wrong"]}}


def test_no_wrong_step_is_said_by_one_key(page, check):
    check(THREE, mode="first_error")
    press(page, "j", "x", "0")
    assert submit(page) == {"labels": {"r1": ["correct"] * 3}}


def test_keys_answer_for_the_response_where_one_is_and_go_on_to_the_next(page, check):
    first, second = check(["a\n\nb\n\nc", "d\n\ne\n\nf"], mode="first_error").shown
    press(page, "j", "j", "x")  # the second step of the first response; then its neighbour's first step has the focus
    expect(page.locator(".steps").nth(1).locator(".step").first).to_be_focused()
    press(page, "0")
    assert submit(page) == {"labels": {first: ["correct", "wrong"], second: ["correct"] * 3}}


def test_steps_after_the_first_wrong_one_step_back(page, check):
    check([FORTY], mode="first_error")
    press(page, "j", *["j"] * 4, "x")
    colours = page.locator(".step-text").evaluate_all("(all) => all.map((one) => getComputedStyle(one).color)")
    assert len(colours) == 40
    assert len(set(colours[:5])) == len(set(colours[5:])) == 1
    assert colours[4] != colours[5]


def test_forty_steps_are_labelled_without_reaching_for_anything(page, check):
    check([FORTY])
    expect(page.locator(".step .katex").first).to_be_visible()
    labels = ["correct", "neutral", "wrong", "correct"] * 10
    for label in labels:
        press(page, {"correct": "1", "neutral": "2", "wrong": "3"}[label])
        current = page.locator(".step[data-current]")
        bar = page.locator(".bar").bounding_box()
        assert current.bounding_box()["y"] < bar["y"], "the step is hidden behind the bar"
    assert submit(page) == {"labels": {"r1": labels}}


def test_a_draft_and_a_revision_open_with_their_labels(page, check):
    check(THREE)
    press(page, "1", "3")
    expect(page.locator("[data-draft-state]")).to_have_text("Draft saved")
    page.reload()
    expect(page.locator(".step input:checked")).to_have_count(2)
    press(page, "2")
    before = submit(page)
    page.get_by_role("link", name="Change last").click()
    expect(page.locator(".step input:checked")).to_have_count(3)
    assert before == {"labels": {"r1": ["correct", "wrong", "neutral"]}}


def test_a_steps_text_is_shown_once_beside_its_labels(page, check):
    check(THREE)
    expect(page.get_by_text("Then 4 + 1 = 6.")).to_have_count(1)
    expect(page.get_by_role("radiogroup", name="Step 2")).to_contain_text("Then 4 + 1 = 6.")


@pytest.mark.parametrize("mode", ["each", "first_error"])
@pytest.mark.parametrize("responses", [[FORTY], ["a\n\nb", "c\n\nd"]])
def test_steps_are_accessible_and_fit_a_phone(page, check, assert_accessible, mode, responses):
    check(responses, mode=mode)
    press(page, "j", "1" if mode == "each" else "x")
    assert_accessible("steps")
    assert fits(page)
    assert_accessible("steps on a phone")
