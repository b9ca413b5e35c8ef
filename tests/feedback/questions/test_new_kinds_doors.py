"""Ranking, rating, critique and steps: browser, REST and judge end in one answer, whatever the order of display."""

import itertools
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedback.questions.base import Content, Message, Response
from feedback.questions.controls import Display
from feedback.questions.form import read_answers, read_form
from feedback.questions.registry import KINDS
from feedback.questions.steps import steps_of

TEXTS = ("One.\r\n\r\nTwo 😀 is e\u0301 here.\n\nThree.", "Un.\n\nDeux.", "A.\n\n```\nb\n\nc\n```\n\nD.")
CONTENT = Content((Message("user", "Why?"),), tuple(Response(f"r{n}", text) for n, text in enumerate(TEXTS, 1)))
IDS = CONTENT.ids
TERMS = [{"key": "wrong", "text": "Wrong"}, {"key": "odd", "text": "Odd"}]

FORMS = {
    "ranking": {},
    "rating": {"attributes": [{"key": "good", "text": "Good"}, {"key": "true", "text": "True"}], "low": 0, "high": 9},
    "critique": {"text": "optional", "spans": "optional", "revision": "optional", "categories": TERMS},
    "steps": {},
    "first_error": {"mode": "first_error"},
}


def question_of(name):
    kind = "steps" if name == "first_error" else name
    (question,) = read_form([{"key": "q", "kind": kind, "title": "T", "settings": FORMS[name]}])
    return question


def orders():
    return st.permutations(IDS).flatmap(
        lambda ids: st.lists(st.booleans(), min_size=len(ids), max_size=len(ids)).map(lambda ties: grouped(ids, ties))
    )


def grouped(ids, ties):
    groups = [[ids[0]]]
    for id, tie in zip(ids[1:], ties[1:], strict=True):
        groups[-1].append(id) if tie else groups.append([id])
    return {"groups": [sorted(group) for group in groups]}


@st.composite
def critiques(draw):
    responses = {}
    for response in CONTENT.responses:
        n = len(response.text)
        ends = [sorted(pair) for pair in draw(st.lists(st.tuples(st.integers(0, n), st.integers(0, n)), max_size=3))]
        spans = [
            {"start": a, "end": b, "quote": response.text[a:b], "category": draw(st.sampled_from(["wrong", "odd"]))}
            for a, b in ends
            if response.text[a:b].strip()
        ]
        responses[response.id] = {"spans": spans, "text": draw(st.text("aé\n ", min_size=1).filter(str.strip))}
    return {"responses": responses}


def labels(name):
    def of(response):
        n = len(steps_of(response))
        if name == "first_error":
            upto = st.integers(0, n)
            return upto.map(lambda at: ["correct"] * n if at == n else ["correct"] * at + ["wrong"])
        return st.lists(st.sampled_from(["correct", "neutral", "wrong"]), min_size=n, max_size=n)

    return st.fixed_dictionaries({r.id: of(r) for r in CONTENT.responses}).map(lambda told: {"labels": told})


SCORES = st.fixed_dictionaries(
    {id: st.fixed_dictionaries({"good": st.integers(0, 9), "true": st.integers(0, 9)}) for id in IDS}
)
ANSWERS = {
    "ranking": orders(),
    "rating": SCORES.map(lambda scores: {"scores": scores}),
    "critique": critiques(),
    "steps": labels("steps"),
    "first_error": labels("first_error"),
}


def stored(question, raw):
    return read_answers([question], CONTENT, {"q": raw})["q"]["value"]


@pytest.mark.parametrize("name", FORMS)
@given(data=st.data())
@settings(deadline=None, max_examples=40)
def test_what_the_form_holds_reads_back_as_the_same_answer(name, data):
    question = question_of(name)
    value = stored(question, data.draw(ANSWERS[name]))
    answer = question.kind.Answer.model_validate(value)
    fields = {field: [text] for field, text in question.kind.fields(answer, question.settings, CONTENT).items()}
    assert stored(question, question.kind.parse(fields, question.settings, CONTENT)) == value


@pytest.mark.parametrize("name", FORMS)
@given(shown=st.permutations(IDS))
@settings(deadline=None, max_examples=10)
def test_every_control_names_its_response_by_id_in_any_order_of_display(name, shown):
    question = question_of(name)
    controls = question.kind.controls(question.settings, Display("q", CONTENT, tuple(shown)))
    straight = question.kind.controls(question.settings, Display("q", CONTENT, IDS))
    assert {slot.name for slot in controls.slots} == {slot.name for slot in straight.slots}
    for id in controls.by_response:
        assert controls.by_response[id] == straight.by_response[id]


@pytest.mark.parametrize("slots", list(itertools.permutations(IDS)))
def test_a_judge_that_saw_another_order_gives_the_same_answer(slots):
    by_slot = dict(zip("ABC", slots, strict=True))
    letter = {id: name for name, id in by_slot.items()}
    replies = {
        "ranking": {"groups": [[letter["r2"]], [letter["r1"], letter["r3"]]]},
        "rating": {letter[id]: {"good": n, "true": 9 - n} for n, id in enumerate(IDS)},
        "steps": {letter[r.id]: ["correct"] * len(steps_of(r)) for r in CONTENT.responses},
        "first_error": {letter["r1"]: 2, letter["r2"]: None, letter["r3"]: 1},
        "critique": {
            letter["r1"]: {"text": "t", "spans": [{"quote": "😀 is", "category": "odd"}], "revision": ""},
            letter["r2"]: {"text": "", "spans": [], "revision": ""},
            letter["r3"]: {"text": "x", "spans": [], "revision": "B."},
        },
    }
    wanted = {
        "ranking": {"groups": [["r2"], ["r1", "r3"]], "cannot_tell": False},
        "rating": {"scores": {id: {"good": n, "true": 9 - n} for n, id in enumerate(IDS)}},
        "steps": {"labels": {r.id: ["correct"] * len(steps_of(r)) for r in CONTENT.responses}},
        "first_error": {"labels": {"r1": ["correct", "wrong"], "r2": ["correct"] * 2, "r3": ["wrong"]}},
    }
    for name, reply in replies.items():
        question = question_of(name)
        value = stored(question, question.kind.from_slots(reply, by_slot))
        if name != "critique":
            assert _sorted(value) == _sorted(wanted[name])
            continue
        (span,) = value["responses"]["r1"]["spans"]
        assert TEXTS[0][span["start"] : span["end"]] == "😀 is" == span["quote"]
        assert value["responses"]["r2"]["nothing"] is True
        assert value["responses"]["r3"] == {"text": "x", "spans": [], "revision": "B.", "nothing": True}


def _sorted(value):
    return (
        json.loads(json.dumps(value, sort_keys=True))
        if "groups" not in value
        else {**value, "groups": [sorted(g) for g in value["groups"]]}
    )


@pytest.mark.parametrize("name", FORMS)
def test_the_schema_of_a_judge_names_slots_and_no_ids(name):
    question = question_of(name)
    schema = json.dumps(question.kind.json_schema(question.settings, CONTENT, ["A", "B", "C"]))
    assert not any(f'"{id}"' in schema for id in IDS)
    assert '"additionalProperties": false' in schema


@pytest.mark.parametrize("name", FORMS)
def test_every_problem_has_a_slot_of_the_screen(name):
    question = question_of(name)
    controls = question.kind.controls(question.settings, Display("q", CONTENT, IDS))
    slots = {slot.name for slot in controls.slots}
    empty = question.kind.Answer.model_validate(
        {"ranking": {"groups": []}, "rating": {"scores": {}}, "critique": {}}.get(question.kind.name, {"labels": {}})
    )
    problems = question.kind.check(empty, question.settings, CONTENT)
    assert problems
    for problem in problems:
        assert ".".join(("q", "q", *problem.path)) in slots, problem


@pytest.mark.parametrize("name", FORMS)
def test_what_nobody_asked_for_is_refused_and_not_dropped(name):
    question = question_of(name)
    raw = question.kind.parse({"r9.rank": ["1"], "zzz": ["1"]}, question.settings, CONTENT)
    with pytest.raises(ValueError, match="q"):
        read_answers([question], CONTENT, {"q": raw})


def test_every_kind_has_words_for_all_it_counts():
    rng = random.Random(0)
    for name in FORMS:
        question = question_of(name)
        words = question.kind.tally_words(question.settings, str)
        sample = {
            "ranking": {"groups": [["r2"], ["r1", "r3"]]},
            "rating": {"scores": {"r1": {"good": rng.randint(0, 9)}}},
            "critique": {"responses": {"r1": {"spans": [{"category": "odd"}]}, "r2": {"nothing": True}}},
        }.get(question.kind.name, {"labels": {"r1": ["wrong", "neutral"] if name == "steps" else ["wrong"]}})
        counted = list(question.kind.tally(sample, IDS))
        assert counted
        assert all(label in words[group] for group, label in counted)
    assert set(KINDS) >= {"pairwise", "ranking", "rating", "critique", "checklist", "steps"}
