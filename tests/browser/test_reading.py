"""How a task is read: chats, tools, code, formulas, tables, pictures; differences; long texts; in both themes."""

import pytest
from playwright.sync_api import expect

from feedback.services.campaigns import activate_campaign
from tests.factories import PAIRWISE, CampaignFactory, TaskFactory
from tests.feedback.test_rendering import PIXEL

TABLE = "| " + " | ".join(f"column {n}" for n in range(14)) + " |\n|" + "---|" * 14 + "\n|" + " value |" * 14
CHAT = [
    {"role": "system", "content": "You are a **careful** tutor.\n\nNever give the answer away at once."},
    {"role": "user", "content": "What is the weather in Paris?"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris", "html": "<img src=x onerror=alert(1)>"}}],
    },
    {"role": "tool", "name": "get_weather", "content": '{"celsius": 21, "sky": "clear"}'},
    {"role": "assistant", "content": "21 degrees. " * 200},
    {"role": "user", "content": "Now solve $x^2 = 9$ for $5 and $6, and show code."},
]
FIRST = f"""The roots are $x = \\pm 3$, so $$\\boxed{{x \\in \\{{-3, 3\\}}}} \\quad \\cancel{{y}}$$

\\[
\\begin{{pmatrix}} a & b \\\\ c & d \\end{{pmatrix}} = \\frac{{1}}{{2}}
\\]

```python
def root(n: int) -> float:  # the code
    return n ** 0.5 if n > 0 else "none"
```

{TABLE}

![A red dot]({PIXEL}) and ![a tracker](https://tracker.example/p.png)
"""
SECOND = "The roots are three and minus three.\n\nשלום עולם, זה טקסט.\n\n* one\n* two"


@pytest.fixture
def open_task(page, log_in, alice, bob):
    """Bob's screen with a task of this content."""

    def open_one(*responses, prompt=None, questions=(PAIRWISE,), path=""):
        campaign = CampaignFactory(manager=alice, annotators=[bob], questions=list(questions), n_tasks=0)
        given = [{"id": f"r{n}", "text": text} for n, text in enumerate(responses, 1)]
        content = {"prompt": prompt or [{"role": "user", "content": "Why?"}], "responses": given}
        TaskFactory(campaign=campaign, content=content, external_id="one")
        activate_campaign(campaign, actor=alice)
        log_in(bob, path or f"/work/{campaign.pk}/")
        page.wait_for_load_state()
        return page

    return open_one


def panel_of(page, words):
    return page.locator("[data-panel]").filter(has_text=words)


def test_a_chat_folds_what_is_long_and_names_who_speaks(page, open_task):
    open_task(FIRST, SECOND, prompt=CHAT)
    prompt = page.get_by_role("region", name="Prompt")
    system = prompt.locator(".turn-system")
    expect(system.locator(".prose")).to_be_hidden()
    expect(system.locator("summary")).to_contain_text("You are a **careful** tutor.")
    expect(prompt.get_by_text("Tool call get_weather")).to_be_visible()
    expect(prompt.get_by_text("Tool reply get_weather")).to_be_visible()
    expect(prompt.locator(".turn-tool pre")).to_contain_text('"celsius": 21')
    expect(prompt.locator(".prose").get_by_text("and show code.")).to_be_visible()
    expect(prompt.locator(".turn-assistant .prose").last).to_be_hidden()
    page.keyboard.press("o")
    expect(system.locator(".prose")).to_contain_text("Never give the answer away")
    expect(system.locator(".prose")).to_be_visible()
    call = prompt.locator(".fold-call pre")
    expect(call).to_contain_text('"html": "<img src=x onerror=alert(1)>"')
    page.keyboard.press("o")
    expect(call).to_be_hidden()
    assert prompt.locator("img").count() == 0


def test_formulas_are_set_and_money_and_code_are_not(page, open_task):
    open_task(FIRST, SECOND, prompt=CHAT)
    expect(page.locator("[data-math-set]")).to_have_count(4)
    expect(page.locator("[data-math-set=failed]")).to_have_count(0)
    assert page.locator("[data-math] math").count() == 4
    framed = page.locator(".katex-html .fbox, .katex-html .boxpad").first
    expect(framed).to_be_visible()
    expect(page.locator(".prose").get_by_text("for $5 and $6, and show code.")).to_be_visible()
    loaded = "[...document.fonts].some((font) => /KaTeX_Main/.test(font.family) && font.status === 'loaded')"
    assert page.evaluate(f"document.fonts.ready.then(() => {loaded})")


def test_a_page_without_formulas_fetches_no_katex(page, open_task):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    open_task("plain", "text for $5 and $6")
    assert not [url for url in asked if "katex" in url]


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{javascript:document.title='no'}{x}",
        r"\url{javascript:document.title='no'}",
        r"\htmlClass{bar}{x}",
        r"\htmlStyle{position: fixed; inset: 0}{x}",
        r"\htmlData{submit=1}{x}",
        r"\includegraphics{https://tracker.example/p.png}",
        r"<img src=x onerror=document.title='no'>",
        r"\text{</span><script>document.title='no'</script>}",
    ],
)
def test_a_formula_can_do_no_harm(page, open_task, tex):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    open_task(f"a $$ {tex} $$ b", "c")
    expect(page.locator("[data-math-set]")).to_have_count(1)
    inside = page.locator("[data-math]")
    assert inside.locator("a, img, script, .bar, [data-submit]").count() == 0
    assert not [url for url in asked if "tracker" in url]
    assert page.title() != "no"
    placed = "[...document.querySelectorAll('[data-math] *')].map((element) => getComputedStyle(element).position)"
    assert "fixed" not in page.evaluate(placed)


def test_a_formula_that_is_none_stays_as_its_source(page, open_task):
    open_task(r"a $\frac{1$ b $\def\a{\a\a}\a$ c", "d")
    expect(page.locator("[data-math-set=failed]")).to_have_count(2)
    expect(page.locator(".prose").get_by_text(r"$\frac{1$", exact=True)).to_be_visible()


def test_a_formula_cannot_lie_over_the_page(page, open_task):
    open_task(r"$$\kern-20em\raisebox{-20em}{\rule{500em}{500em}}$$", "d")
    expect(page.locator("[data-math-set]")).to_have_count(1)
    submit = page.get_by_role("button", name="Submit")
    assert submit.evaluate("""(element) => {
      const box = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
    }""")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_picture_is_shown_enlarged_and_a_strangers_is_only_a_link(page, open_task):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    open_task(FIRST, SECOND)
    page.get_by_role("button", name="A red dot").press("Enter")
    expect(page.get_by_role("dialog", name="A red dot")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Task 1")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="A red dot")).to_have_count(0)
    expect(page.get_by_role("button", name="A red dot")).to_be_focused()
    expect(page.get_by_role("link", name="Image: a tracker (tracker.example)")).to_be_visible()
    assert not [url for url in asked if "tracker" in url]


def test_a_wide_table_scrolls_in_itself_and_right_to_left_text_reads_so(page, open_task):
    page.set_viewport_size({"width": 390, "height": 844})
    open_task(FIRST, SECOND, prompt=CHAT)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    table = page.get_by_role("group", name="Table")
    assert table.evaluate("(element) => element.scrollWidth > element.clientWidth")
    hebrew = page.locator(".prose").get_by_text("שלום עולם")
    assert hebrew.evaluate("(element) => getComputedStyle(element).direction") == "rtl"


def test_every_part_is_accessible_in_both_themes(page, open_task, assert_accessible):
    open_task(FIRST, SECOND, prompt=CHAT)
    expect(page.locator("[data-math-set]")).to_have_count(4)
    page.keyboard.press("o")
    assert_accessible("open")
    page.keyboard.press("d")
    assert_accessible("differences")


OLD = "The quick brown fox jumps over the lazy dog.\nIt is done."
NEW = "The quick red fox leaps over the lazy dog.\nIt is done well."


def test_one_key_shows_what_differs_and_takes_it_away(page, open_task):
    open_task(OLD, NEW)
    page.keyboard.press("d")
    first, second = page.locator("[data-panel=A]"), page.locator("[data-panel=B]")
    gone = [text.strip() for text in first.locator("del").all_inner_texts()]
    new = [text.strip() for text in second.locator("ins").all_inner_texts()]
    assert sorted([gone, new]) == [["brown", "jumps"], ["red", "leaps", "well"]]
    assert first.locator("del").first.evaluate("(e) => getComputedStyle(e).textDecorationLine") == "line-through"
    assert second.locator("ins").first.evaluate("(e) => getComputedStyle(e).textDecorationLine") == "underline"
    page.keyboard.press("d")
    expect(page.locator("del, ins").locator("visible=true")).to_have_count(0)
    expect(first.locator("[data-rendered]")).to_be_visible()


def test_with_more_than_two_one_picks_which(page, open_task):
    ranking = {"key": "order", "kind": "ranking", "title": "Which order?"}
    open_task("same words here", "same words there", "quite another text", questions=[ranking])
    page.keyboard.press("d")
    expect(page.locator("[data-panel] del")).not_to_have_count(0)
    expect(page.locator("[data-panel=C] [data-diff-view]")).to_have_count(0)
    page.get_by_label("with", exact=True).select_option("C")
    expect(page.locator("[data-panel=C] [data-diff-view]")).to_have_count(1)
    expect(page.locator("[data-panel=B] [data-diff-view]")).to_have_count(0)


def test_texts_too_long_to_compare_are_refused_in_words(page, open_task):
    open_task("a " * 30_000, "b")
    page.keyboard.press("d")
    expect(page.get_by_text("Too long to be compared")).to_be_visible()
    expect(page.locator("[data-diff-view]")).to_have_count(0)
    page.keyboard.press("d")
    expect(page.get_by_text("Too long to be compared")).to_be_hidden()


def test_long_panels_scroll_together_when_asked_and_it_is_remembered(page, open_task):
    open_task("\n\n".join(f"first {n}" for n in range(90)), "\n\n".join(f"second {n}" for n in range(180)))
    texts = page.locator("[data-panel-text]")
    assert texts.first.evaluate("(element) => element.scrollHeight - element.clientHeight") <= 1
    page.keyboard.press("l")
    way = "(element) => element.scrollTop / (element.scrollHeight - element.clientHeight)"
    texts.first.evaluate("(element) => { element.scrollTop = (element.scrollHeight - element.clientHeight) / 2; }")
    expect(texts.first).to_have_attribute("tabindex", "0")
    page.wait_for_timeout(200)
    assert abs(texts.last.evaluate(way) - 0.5) < 0.02
    page.reload()
    expect(page.get_by_role("button", name="Scroll together")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("l")
    assert texts.first.evaluate("(element) => element.scrollHeight - element.clientHeight") <= 1


def test_a_megabyte_opens_as_source_in_a_box(page, open_task):
    text = "".join(f"line {n}: <b>{'word ' * 15}</b>\n" for n in range(11_000))
    open_task(text, "short")
    box = page.get_by_role("group", name="Text as it was written")
    expect(box).to_contain_text("line 10999: <b>")
    assert box.evaluate("(element) => element.textContent") == text
    assert box.evaluate("(element) => element.clientHeight") < 800
    page.keyboard.press("1")
    expect(page.get_by_role("radio").first).to_be_checked()


def test_a_long_prompt_leaves_the_responses_in_sight(page, open_task, assert_accessible):
    """It scrolls in itself; the key that opens folds shows all of it, which is remembered for the next task."""
    open_task("Yes.", "No.", prompt=[{"role": "user", "content": "A long story. " * 400}])
    prompt, more = page.locator("[data-prompt]"), page.get_by_role("button", name="Show all of it")
    whole = prompt.evaluate("element => element.scrollHeight")
    assert prompt.bounding_box()["height"] < 0.4 * 800 < whole
    expect(page.locator("[data-rendered]").get_by_text("No.", exact=True)).to_be_in_viewport()
    prompt.focus()
    page.keyboard.press("End")
    expect(prompt).to_be_focused()
    assert_accessible("a long prompt")
    page.keyboard.press("o")
    assert prompt.bounding_box()["height"] > whole - 16
    expect(page.get_by_role("button", name="Show less")).to_have_attribute("aria-expanded", "true")
    page.reload()
    assert prompt.bounding_box()["height"] > whole - 16
    page.get_by_role("button", name="Show less").click()
    expect(more).to_be_visible()
    assert prompt.bounding_box()["height"] < 0.4 * 800


def test_a_short_prompt_has_no_button(page, open_task):
    open_task("Yes.", "No.")
    expect(page.locator("[data-toggle-prompt]")).to_be_hidden()
    expect(page.locator("[data-toggle-folds]")).to_be_hidden()
    assert page.locator("[data-prompt]").get_attribute("tabindex") is None
