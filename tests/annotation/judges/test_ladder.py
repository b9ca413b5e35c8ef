"""A judge's reply: each rung, what is refused, and that nothing planted is ever taken."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.judges.exceptions import Unparseable
from annotation.judges.ladder import Expected, read_reply
from annotation.judges.prompting import render
from feedback.questions.content import read_content
from feedback.questions.form import read_form
from tests.annotation.judges.hostile import HOSTILE

KEY = "f00dfacecafe"
PAIR = {"type": "object", "properties": {"verdict": {"type": "string", "enum": ["A", "B", "tie"]}}}
PAIR = {**PAIR, "required": ["verdict"], "additionalProperties": False}
GRADED = {
    **PAIR,
    "properties": {**PAIR["properties"], "strength": {"type": ["integer", "null"], "enum": [1, 2, None]}},
    "required": ["verdict", "strength"],
}
SCORES = {
    "type": "object",
    "properties": {"A": {"type": "object", "properties": {"good": {"enum": [1, 2, 3]}}, "required": ["good"]}},
    "required": ["A"],
    "additionalProperties": False,
}


def read(text, schema=PAIR, data=("Plain words.",)):
    return read_reply(text, Expected(schema, KEY, tuple(data)))


@pytest.mark.parametrize(
    ("text", "verdict", "rung"),
    [
        ('{"verdict": "A"}', "A", "json"),
        (f'{{"key": "{KEY}", "verdict": "tie"}}', "tie", "json"),
        (' \n{"verdict": "B"}\n', "B", "json"),
        ('```json\n{"verdict": "A"}\n```', "A", "stripped"),
        ('<think>B? {"verdict": "B"} No.</think>\n{"verdict": "A"}', "A", "stripped"),
        ('<think>Hm.</think>\n```\n{"verdict": "A"}\n```', "A", "stripped"),
        ('Let me see: {"verdict": "B"} or rather {"verdict": "A"}', "A", "object"),
        ('{"thought": {"a": 1}} so {"verdict": "A"}.', "A", "object"),
        ("I weighed both.\n\nVerdict: A", "A", "label"),
        ("**Final verdict: tie**", "tie", "label"),
        ("My answer is B.", "B", "label"),
        ("a", "A", "label"),
        ("Ｖｅｒｄｉｃｔ： Ａ", "A", "label"),
        ("Verdict: \u200bA\u200b", "A", "label"),
    ],
)
def test_a_verdict_is_read_on_the_first_rung_that_holds(text, verdict, rung):
    found = read(text)
    assert (found.value, found.rung) == ({"verdict": verdict}, rung)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "I cannot compare these.",
        '{"verdict": "C"}',
        '{"verdict": "a"}',  # the schema's field is taken as it stands
        '{"verdict": "A", "more": 1}',
        '{"verdict": "A", "verdict": "B"}',
        '{"verdict": ["A"]}',
        '{"key": "another", "verdict": "A"}',
        '["A"]',
        '"C"',
        "null",
        "GRADE: CI",  # no word that is offered
        "downgrade: A",
        "Verdict: A\n\nBut B is close.",  # the last line says no verdict
        "Verdict: A or B",
        "A B",
        "<think>I think A. Verdict: A",  # it never stopped thinking
        '{"verdict": "A"',
        "[" * 5000,
    ],
)
def test_what_is_no_verdict_is_unparseable_with_what_was_found(text):
    with pytest.raises(Unparseable) as caught:
        read(text)
    assert caught.value.reason


def test_a_property_that_may_be_null_is_null_on_the_label_rung_only():
    assert read('{"verdict": "A", "strength": 2}', GRADED).value == {"verdict": "A", "strength": 2}
    assert read("Verdict: A", GRADED).value == {"verdict": "A", "strength": None}
    with pytest.raises(Unparseable):
        read('{"verdict": "A"}', GRADED)


def test_scores_are_never_clamped_or_guessed():
    assert read('Well: {"A": {"good": 3}}', SCORES).value == {"A": {"good": 3}}
    for text in ('{"A": {"good": 4}}', '{"A": {"good": "3"}}', "Score: 3", "3"):
        with pytest.raises(Unparseable):
            read(text, SCORES)


QUOTES = [
    "{}",
    "The second response says: {}",
    "> {}",
    "I was asked to look at this:\n\n{}",
    "Response B reads\n\n```\n{}\n```",
    "<think>Let me look.</think>\nIt says {}",
    "A is fine. B is this:\n{}\nI cannot decide",
]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("quote", QUOTES[1:])
def test_a_reply_that_only_quotes_a_response_says_nothing(name, quote):
    with pytest.raises(Unparseable):
        read(quote.format(HOSTILE[name]), data=["Plain words.", HOSTILE[name]])


@pytest.mark.parametrize("name", HOSTILE)
def test_pieces_of_a_response_say_nothing_either(name):
    """Every line of it, and every tail of it, behind words of the judge's own."""
    text = HOSTILE[name]
    for piece in [*text.splitlines(), *(text[at:] for at in range(0, len(text), 3))]:
        with pytest.raises(Unparseable):
            read(f"I looked at both.\n{piece}", data=["Plain words.", text])


@pytest.mark.parametrize("name", HOSTILE)
def test_the_judge_s_own_verdict_is_read_beside_a_quotation(name):
    reply = f'B says: {HOSTILE[name]}\n\n{{"key": "{KEY}", "verdict": "A"}}'
    assert read(reply, data=["Plain words.", HOSTILE[name]]).value == {"verdict": "A"}
    whole = f'{{"key": "{KEY}", "verdict": "A"}}'
    assert read(whole, data=[HOSTILE[name]]).rung == "json"


def rendered(first, second):
    question = read_form([{"key": "better", "kind": "pairwise", "title": "Which is better?"}])[0]
    content = read_content({"prompt": "Why?", "responses": [first, {"text": second, "model": "secret-model"}]})
    return render(question, content, ("r2", "r1"), key=KEY)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_response_stays_inside_the_data(name):
    call = rendered(HOSTILE[name], "two")
    text = call.messages[1]["content"]
    before, rest = text.split(f"<<<data {KEY}\n")
    value, after = rest.split(f"\ndata {KEY}>>>")
    assert "\n" not in value
    assert json.loads(value)["responses"] == {"A": "two", "B": HOSTILE[name]}
    assert HOSTILE[name] not in before + after
    assert call.slots == {"A": "r2", "B": "r1"}
    assert "secret-model" not in json.dumps(call.messages)
    assert "r1" not in value


def test_every_call_has_a_word_of_its_own():
    question = read_form([{"key": "better", "kind": "pairwise", "title": "?"}])[0]
    content = read_content({"prompt": "Why?", "responses": ["one", "two"]})
    keys = {render(question, content, content.ids).expected.key for _ in range(50)}
    assert len(keys) == 50


@given(st.text(), st.text())
def test_any_reply_to_any_data_is_a_verdict_that_was_offered_or_unparseable(text, data):
    with suppress(Unparseable):
        assert read(text, data=[data]).value["verdict"] in ("A", "B", "tie")


@given(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1))
def test_any_response_stays_inside_the_data(text):
    call = rendered("one", text)
    _before, _, rest = call.messages[1]["content"].partition(f"<<<data {KEY}\n")
    value, _, _after = rest.partition("\n")
    assert json.loads(value)["responses"]["A"] == text
