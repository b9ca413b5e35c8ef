"""A critique that is refused while its writer goes on."""

from playwright.sync_api import expect

from tests.browser.labelling import open_question, press
from tests.browser.test_critique import CRLF


def test_who_goes_on_writing_while_an_answer_is_refused_loses_no_letter(page, log_in, alice, bob, expected_errors):
    """The refusal says so above, and takes the focus only from who has stopped."""
    expected_errors.append("422")
    asked = {"text": "off", "revision": "required"}
    open_question(page, log_in, alice, bob, kind="critique", responses=[CRLF], **asked)
    page.get_by_role("button", name="Start from the response").press("Enter")
    page.route("**/judgement/", lambda route: (page.wait_for_timeout(300), route.continue_()))
    press(page, "Control+Enter", "Control+End")
    page.keyboard.type(" Un", delay=20)
    expect(page.get_by_role("alert").first).to_contain_text("Is the response as it was")
    page.wait_for_timeout(100)
    page.keyboard.type("d so.")
    expect(page.get_by_label("A better response")).to_have_value(CRLF.replace("\r\n", "\n") + " Und so.")
