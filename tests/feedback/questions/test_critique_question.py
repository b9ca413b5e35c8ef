"""Critiques: texts, marks on the text as stored, revisions; one answer through the browser, REST and a judge."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from feedback.questions.base import UNSTORABLE, Content, Message, Response
from feedback.questions.controls import Display
from feedback.questions.critique import KIND, CritiqueAnswer, CritiqueSettings
from feedback.questions.form import AnswersInvalid, parse_fields, read_answers, read_form
from feedback.questions.spans import locate_spans

TEXT = "Ein 😀 Satz.\r\n\r\nNoch einer, und e\u0301in Ende."
CONTENT = Content((Message("user", "?"),), (Response("r1", TEXT), Response("r2", "Anders.\n\nDoch.")))
CATEGORIES = [{"key": "wrong", "text": "Wrong"}, {"key": "odd", "text": "Odd"}]
SEVERITIES = [{"key": "minor", "text": "Minor"}]
SPANS = {"text": "off", "spans": "optional", "categories": CATEGORIES}
ALL = {**SPANS, "text": "optional", "revision": "optional"}
NOTHING = {"r2.nothing": ["1"]}


def form(required=True, **settings):
    return read_form([{"key": "q", "kind": "critique", "title": "T", "required": required, "settings": settings}])


def read(raw, content=CONTENT, **settings):
    return read_answers(form(**settings), content, {"q": raw})["q"]["value"]


def posted(fields, content=CONTENT, **settings):
    raw = parse_fields(form(**settings), content, {f"q.q.{name}": values for name, values in fields.items()})
    return read(raw["q"], content, **settings)


def refused(fields, **settings):
    with pytest.raises(AnswersInvalid) as caught:
        posted(fields, **settings)
    return {".".join(problem.path[1:]): problem.message for problem in caught.value.problems}


def span(quote, category="wrong", text=TEXT, **more):
    start = text.index(quote)
    return {"start": start, "end": start + len(quote), "quote": quote, "category": category, **more}


def marks(*spans):
    return {"r1.spans": [json.dumps(list(spans))], **NOTHING}


storable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)
written = storable.filter(str.strip)


@st.composite
def critiqued(draw):
    """(content, answer): any text, spans anywhere in it, overlapping and nested ones too."""
    responses = tuple(Response(f"r{n}", draw(written)) for n in (1, 2))
    told = {}
    for response in responses:
        n = len(response.text)
        ends = draw(st.lists(st.tuples(st.integers(0, n), st.integers(0, n)).map(sorted), max_size=4, unique_by=tuple))
        spans = [
            {"start": a, "end": b, "quote": response.text[a:b], "category": draw(st.sampled_from(["wrong", "odd"]))}
            for a, b in ends
            if response.text[a:b].strip()
        ]
        for one in spans:
            if note := draw(st.none() | written):
                one["note"] = note
        told[response.id] = {"spans": spans, "text": draw(written), **({"nothing": True} if not spans else {})}
    return Content((Message("user", "?"),), responses), CritiqueAnswer.model_validate({"responses": told})


@given(critiqued())
def test_what_the_form_holds_is_the_answer_that_was_given(case):
    content, answer = case
    settings = CritiqueSettings.model_validate(ALL)
    fields = {name: [value] for name, value in KIND.fields(answer, settings, content).items()}
    assert KIND.check(answer, settings, content) == []
    assert CritiqueAnswer.model_validate(KIND.parse(fields, settings, content)) == answer


@given(critiqued())
def test_a_stored_answer_sent_again_stays_as_it_is(case):
    content, answer = case
    once = read(answer.model_dump(mode="json", exclude_none=True), content, **ALL)
    assert read(once, content, **ALL) == once


@given(critiqued(), st.booleans())
def test_a_judge_that_quotes_ends_in_the_same_answer_wherever_it_saw_the_responses(case, swapped):
    content, answer = case
    slots = {"A": "r2", "B": "r1"} if swapped else {"A": "r1", "B": "r2"}
    reply = {}
    for slot, id in slots.items():
        told = answer.responses[id]
        text = content.response(id).text
        first = [one for one in told.spans if text.index(one.quote) == one.start]
        only = list({one.quote: one for one in first}.values())
        reply[slot] = {
            "text": told.text,
            "spans": [{"quote": one.quote, "category": one.category, "note": one.note or ""} for one in only],
        }
        told.spans[:] = only
    stored = read(KIND.from_slots(reply, slots), content, **ALL)
    for id, told in stored["responses"].items():
        assert told.pop("nothing") == (not told["spans"])
        assert told == {
            "text": answer.responses[id].text,
            "spans": [one.model_dump(exclude_none=True) for one in answer.responses[id].spans],
        }


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"quote": "ein"}, "its quote is not what stands there"),
        ({"end": 3, "start": 3}, "runs from 3 to 3, but the response has"),
        ({"end": 999}, "runs from 0 to 999"),
        ({"start": -1}, "greater than or equal to 0"),
        ({"start": "0"}, "valid integer"),
        ({"start": 0.0}, "valid integer"),
        ({"start": True}, "valid integer"),
        ({"category": "new"}, "its category is none that this question offers"),
        ({"category": "\ud800"}, "its category is none that this question offers"),
        ({"category": None}, "choose a category"),
        ({"severity": "minor"}, "its severity is none that this question offers"),
        ({"note": "a\x00b"}, "cannot be stored"),
        ({"note": "\udc00"}, "cannot be stored"),
        ({"note": "n" * 2001}, "Has 2,001 characters; at most 2,000"),
        ({"colour": "red"}, "Extra inputs"),
    ],
)
def test_a_mark_that_is_wrong_is_named_by_its_number_at_the_field_of_all_marks(change, words):
    told = refused(marks(span("Satz"), {**span("Ein"), **change}), **SPANS)
    assert list(told) == ["r1.spans"]
    assert words in told["r1.spans"]
    assert told["r1.spans"].startswith("Mark 2: ")
    assert not UNSTORABLE.search(told["r1.spans"])


@pytest.mark.parametrize("sent", ["{", "nonsense", "{}", "null", "0", '""', "false", "[" * 100_000, "[]]", "1e999"])
def test_marks_that_are_no_list_are_refused_and_never_dropped(sent):
    assert list(refused({"r1.spans": [sent], **NOTHING}, **SPANS)) == ["r1.spans"]


def test_no_marks_at_all_are_no_answer_and_nothing_to_mark_is_one():
    assert list(refused({"r1.spans": ["[]"], **NOTHING}, **SPANS)) == ["r1.spans"]
    value = posted({"r1.nothing": ["1"], **NOTHING}, **SPANS)
    assert value["responses"]["r1"] == {"spans": [], "nothing": True}
    assert list(refused({"r1.nothing": ["yes"], **NOTHING}, **SPANS)) == ["r1.nothing"]
    assert list(refused({**marks(span("Ein")), "r1.nothing": ["1"]}, **SPANS)) == ["r1.nothing"]


def test_marks_may_touch_overlap_and_lie_in_one_another():
    spans = [span("Ein 😀"), span("😀 Satz", "odd"), span("Satz")]
    assert posted(marks(*spans), **SPANS)["responses"]["r1"]["spans"] == spans


def test_a_question_that_marks_nothing_or_few_refuses_marks():
    plain = {"r1.spans": [json.dumps([span("Ein")])], "r1.text": ["x"], "r2.text": ["y"]}
    assert "its category is none" in refused(plain, spans="optional")["r1.spans"]
    assert "This question marks no places." in refused(plain, spans="off", categories=CATEGORIES).values()
    many = marks(span("Ein"), span("Satz"))
    assert "at most 1" in refused(many, **SPANS, max_spans=1)["r1.spans"]
    noted = marks(span("Ein", note="so"))
    assert "takes no note" in refused(noted, **SPANS, span_notes=False)["r1.spans"]


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Satz", "Satz"),
        ("Satz.\n\nNoch", "Satz.\r\n\r\nNoch"),
        ("e\u0301in", "e\u0301in"),
        ("éin", None),
        ("satz", None),
        ("", None),
        (7, None),
    ],
)
def test_a_quote_alone_is_found_letter_by_letter_however_its_lines_end(quote, found):
    (located,) = locate_spans([{"quote": quote}], TEXT)
    if found is None:
        assert located == {"quote": quote}
    else:
        assert located == {"quote": found, "start": TEXT.index(found), "end": TEXT.index(found) + len(found)}


def test_a_quote_marked_oftener_than_it_occurs_is_refused():
    reply = {"A": {"spans": [{"quote": "Ein", "category": "odd"}] * 2}, "B": {"spans": []}}
    with pytest.raises(AnswersInvalid) as caught:
        read(KIND.from_slots(reply, {"A": "r1", "B": "r2"}), **SPANS)
    (problem,) = set(caught.value.problems)
    assert (problem.path, problem.message.split(":")[0]) == (("q", "r1", "spans"), "Mark 2")


def test_a_judge_with_nothing_to_mark_says_so_also_where_a_text_is_required():
    reply = {"A": {"text": "Fine.", "spans": []}, "B": {"text": "Too.", "spans": []}}
    value = read(KIND.from_slots(reply, {"A": "r2", "B": "r1"}), **{**SPANS, "text": "required"})
    assert value["responses"]["r1"] == {"text": "Too.", "spans": [], "nothing": True}
    assert KIND.code(CritiqueAnswer.model_validate(value), CONTENT) == {"r1.marked": False, "r2.marked": False}


@pytest.mark.parametrize("reply", [{"A": "wrong"}, {"A": {"spans": "x"}}, {"A": {"spans": ["x"]}}, {"A": None}, {}])
def test_a_judge_whose_reply_is_no_critique_gives_no_answer(reply):
    with pytest.raises(AnswersInvalid):
        read(KIND.from_slots(reply, {"A": "r1", "B": "r2"}), **SPANS)


def test_the_schema_of_a_judge_asks_for_quotes_and_never_for_offsets():
    settings = CritiqueSettings.model_validate({**ALL, "severities": SEVERITIES})
    row = KIND.json_schema(settings, CONTENT, ["A", "B"])["properties"]["B"]["properties"]
    assert set(row) == {"text", "spans", "revision"}
    assert set(row["spans"]["items"]["properties"]) == {"quote", "note", "category", "severity"}


@pytest.mark.parametrize("text", ["Same.\r\nLine.", "Same.\nLine.", "Same.\rLine.", " Same.\nLine.\n"])
def test_a_response_sent_back_is_no_revision_however_its_lines_end(text):
    content = Content(CONTENT.prompt, (Response("r1", "Same.\r\nLine."),))
    asked = {"text": "off", "revision": "required"}
    with pytest.raises(AnswersInvalid, match="Is the response as it was"):
        posted({"r1.revision": [text]}, content, **asked)
    told = posted({"r1.revision": ["Same. Line."]}, content, **asked)
    assert told["responses"]["r1"]["revision"] == "Same. Line."


@pytest.mark.parametrize(
    ("fields", "where", "words"),
    [
        ({"r1.text": ["x" * 20_001]}, "r1.text", "Has 20,001 characters; at most 20,000"),
        ({"r1.text": ["a\x00"]}, "r1.text", "cannot be stored"),
        ({"r1.text": ["\ud800"]}, "r1.text", "cannot be stored"),
        ({"r1.text": [" \n"]}, "r1.text", "Write something here."),
        ({"r1.revision": ["x"]}, "r1.revision", "does not ask for it"),
        ({"r7.text": ["x"]}, "r7.text", "Extra inputs"),
        ({"text": ["x"]}, "text", "This question is about each response."),
    ],
)
def test_a_text_that_cannot_be_taken_says_why_at_its_field(fields, where, words):
    assert words in refused({"r1.text": ["Fine."], "r2.text": ["Fine."], **fields})[where]


def test_about_the_task_one_text_is_written():
    assert posted({"text": ["Because."]}, about="task") == {"text": "Because.", "responses": {}}
    both = refused({"text": [" "], "r1.text": ["x"]}, about="task")
    assert both == {"text": "Write something here.", "r1": "This question is about the task as a whole."}


@pytest.mark.parametrize(
    "asked",
    [
        {"text": "off"},
        {"about": "task", "spans": "optional"},
        {"about": "task", "text": "off", "revision": "required"},
        {**SPANS, "categories": [*CATEGORIES, CATEGORIES[0]]},
        {**SPANS, "severities": [*SEVERITIES, *SEVERITIES]},
        {**SPANS, "max_spans": 0},
    ],
)
def test_a_question_that_asks_for_nothing_or_contradicts_itself_is_refused(asked):
    with pytest.raises(ValidationError):
        CritiqueSettings.model_validate(asked)


@given(st.permutations(["r1", "r2"]))
def test_what_is_posted_names_responses_by_id_wherever_they_stand(shown):
    settings = CritiqueSettings.model_validate(ALL)
    controls = KIND.controls(settings, Display("q", CONTENT, tuple(shown)))
    for id, panel in controls.by_response.items():
        names = [panel.text.name, panel.spans.name, panel.nothing_name, panel.revision.name]
        assert names == [f"q.q.{id}.{part}" for part in ("text", "spans", "nothing", "revision")]
        assert panel.spans.text == CONTENT.response(id).text


def test_digits_mark_with_the_first_nine_categories_and_m_where_there_is_none():
    terms = [{"key": f"c{n}", "text": f"C{n}"} for n in range(12)]
    settings = CritiqueSettings.model_validate({**SPANS, "categories": terms})
    box = KIND.controls(settings, Display("q", CONTENT, CONTENT.ids)).by_response["r1"].spans
    assert [option.key for option in box.categories] == [*"123456789", "", "", ""]
    plain = CritiqueSettings.model_validate({"text": "off", "spans": "required"})
    (option,) = KIND.controls(plain, Display("q", CONTENT, CONTENT.ids)).by_response["r1"].spans.categories
    assert (option.value, option.key) == ("", "m")


def test_raters_agree_on_whether_anything_is_marked_and_words_are_left_out():
    answer = CritiqueAnswer.model_validate({"responses": {"r1": {"spans": [span("Ein")]}, "r2": {"text": "words"}}})
    assert KIND.code(answer, CONTENT) == {"r1.marked": True}
    assert KIND.consensus([answer], [1.0], CritiqueSettings(), CONTENT) is None
