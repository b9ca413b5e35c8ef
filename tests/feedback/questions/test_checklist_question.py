import pytest
from pydantic import ValidationError

from feedback.questions.base import Content, Criterion, Message, Response
from feedback.questions.checklist import (
    Checklist,
    ChecklistAnswer,
    ChecklistSettings,
    asked_of_people,
    criteria_of,
)
from feedback.questions.form import AnswersInvalid, parse_fields, read_answers, read_form

KIND = Checklist()
CONTENT = Content((Message("user", "Write."),), (Response("r1", "one"), Response("r2", "two")))
TASK_CRITERIA = (Criterion("t1", "Is short."), Criterion("t2", "Has a list.", 2.0, "bullet_count", {"min": 1}))
WITH_CRITERIA = Content(CONTENT.prompt, CONTENT.responses, criteria=TASK_CRITERIA)
TWO = {"criteria": [{"key": "c1", "text": "Is polite."}, {"key": "c2", "text": "Is right.", "weight": 3}]}


def answer(**by_response):
    """answer(r1={"c1": "yes"})"""
    return ChecklistAnswer.model_validate(
        {"verdicts": {r: {k: {"verdict": v} for k, v in row.items()} for r, row in by_response.items()}}
    )


FULL = answer(r1={"c1": "yes", "c2": "no"}, r2={"c1": "na", "c2": "unsure"})


def paths(given, *, partial=False, content=CONTENT, **settings):
    checked = KIND.check(given, ChecklistSettings(**{**TWO, **settings}), content, partial=partial)
    return [problem.path for problem in checked]


def test_criteria_come_from_the_campaign_the_task_or_both():
    both = ChecklistSettings(**TWO, from_task=True)
    assert [c.key for c in criteria_of(ChecklistSettings(**TWO), WITH_CRITERIA)] == ["c1", "c2"]
    assert [c.key for c in criteria_of(ChecklistSettings(from_task=True), WITH_CRITERIA)] == ["t1", "t2"]
    assert [c.key for c in criteria_of(both, WITH_CRITERIA)] == ["c1", "c2", "t1", "t2"]
    assert criteria_of(both, WITH_CRITERIA)[1].weight == 3.0


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"criteria": [{"key": "c1", "text": "a"}, {"key": "c1", "text": "b"}]},
        {"criteria": [{"key": "a.b", "text": "a"}]},
        {"criteria": [{"key": "c1\n", "text": "a"}]},
        {"criteria": [{"key": "c1", "text": ""}]},
        {"criteria": [{"key": "c1", "text": "a", "weight": 0}]},
        {"criteria": [{"key": "c1", "text": "a", "weight": float("nan")}]},
    ],
)
def test_settings_without_usable_criteria_are_refused(chosen):
    with pytest.raises(ValidationError):
        ChecklistSettings.model_validate(chosen)


def test_a_task_without_criteria_or_with_the_campaigns_keys_cannot_be_asked():
    task_only, both = ChecklistSettings(from_task=True), ChecklistSettings(**TWO, from_task=True)
    clash = Content(CONTENT.prompt, CONTENT.responses, criteria=(Criterion("c1", "Again."),))
    assert KIND.check_content(task_only, WITH_CRITERIA) == []
    assert [p.path for p in KIND.check_content(task_only, CONTENT)] == [("criteria",)]
    assert [p.path for p in KIND.check_content(both, clash)] == [("criteria",)]
    assert [p.path for p in KIND.check_content(both, Content(CONTENT.prompt, ()))] == [("responses",)]


def test_every_criterion_of_every_response_is_answered_or_named():
    assert paths(FULL) == []
    assert paths(answer(r1={"c1": "yes"}, r2={"c1": "no", "c2": "no"})) == [("r1", "c2")]
    assert paths(answer()) == [("r1", "c1"), ("r1", "c2"), ("r2", "c1"), ("r2", "c2")]


def test_a_program_may_answer_only_its_own_criteria_but_not_none():
    assert paths(answer(r1={"c1": "yes"}), partial=True) == []
    assert paths(answer(), partial=True) == [()]
    assert paths(answer(r1={}), partial=True) == [()]
    assert paths(answer(r1={"c9": "yes"}), partial=True) == [("r1", "c9")]


def test_unknown_responses_criteria_and_verdicts_are_refused_at_their_fields():
    full = {"c1": "yes", "c2": "yes"}
    assert paths(answer(r1=full, r2=full, r3=full)) == [("r3",)]
    assert paths(answer(r1={**full, "c9": "yes"}, r2=full)) == [("r1", "c9")]
    assert paths(FULL, allow_na=False) == [("r2", "c1")]
    assert paths(FULL, allow_unsure=False) == [("r2", "c2")]


@pytest.mark.parametrize(
    ("note", "notes", "path"), [("why", False, ("r1", "c1", "note")), ("a\x00b", True, ("r1", "c1", "note"))]
)
def test_a_note_that_is_not_wanted_or_cannot_be_stored_is_refused(note, notes, path):
    given = ChecklistAnswer.model_validate({"verdicts": {"r1": {"c1": {"verdict": "yes", "note": note}}}})
    assert paths(given, partial=True, notes=notes) == [path]


def test_people_need_not_answer_what_a_verifier_answers_when_so_set():
    settings = ChecklistSettings(from_task=True, ask_verified=False)
    assert [c.key for c in asked_of_people(settings, WITH_CRITERIA)] == ["t1"]
    assert KIND.check(answer(r1={"t1": "yes"}, r2={"t1": "no"}), settings, WITH_CRITERIA) == []
    assert list(KIND.json_schema(settings, WITH_CRITERIA, ["A"])["properties"]["A"]["properties"]) == ["t1"]


def form(**settings):
    return read_form([{"key": "rules", "kind": "checklist", "title": "Kept?", "settings": {**TWO, **settings}}])


def posted(fields, required=True, **settings):
    spec = {
        "key": "rules",
        "kind": "checklist",
        "title": "Kept?",
        "required": required,
        "settings": {**TWO, **settings},
    }
    questions = read_form([spec])
    return read_answers(questions, CONTENT, parse_fields(questions, CONTENT, fields))["rules"]


POST = {
    "q.rules.r1.c1": ["yes"],
    "q.rules.r1.c1.note": ["Very."],
    "q.rules.r1.c2": ["no"],
    "q.rules.r1.c2.note": ["  "],
    "q.rules.r2.c1": ["na"],
    "q.rules.r2.c2": ["unsure"],
    "q.rules.r2.c2.note": [""],
}


def test_a_post_is_stored_by_response_and_criterion_without_blank_notes():
    assert posted(POST) == {
        "state": "answered",
        "value": {
            "verdicts": {
                "r1": {"c1": {"verdict": "yes", "note": "Very."}, "c2": {"verdict": "no"}},
                "r2": {"c1": {"verdict": "na"}, "c2": {"verdict": "unsure"}},
            }
        },
    }


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"q.rules.r1.c1": []}, ("rules", "r1", "c1")),  # the note is there, so it is not lost in silence
        ({"q.rules.r2.c1": [""]}, ("rules", "r2", "c1")),
        ({"q.rules.r2.c1": ["maybe"]}, ("rules", "r2", "c1")),
        ({"q.rules.r2.c1": ["yes", "no"]}, ("rules", "r2", "c1")),
        ({"q.rules.r1.c1.note": ["x" * 10_001]}, ("rules", "r1", "c1", "note")),
        ({"q.rules.r3.c1": ["yes"]}, ("rules", "r3.c1")),
    ],
)
def test_a_post_that_is_wrong_somewhere_says_where_by_field_name(change, path):
    with pytest.raises(AnswersInvalid) as caught:
        posted({**POST, **change})
    assert [problem.path for problem in caught.value.problems] == [path]


def test_an_optional_checklist_may_be_left_alone_but_a_note_alone_is_not_dropped():
    assert posted({"q.rules.r1.c1.note": [" "]}, required=False) == {"state": "skipped"}
    with pytest.raises(AnswersInvalid):
        posted({"q.rules.r1.c1.note": ["Why?"]}, required=False)


def test_a_judge_gets_one_object_per_slot_and_gives_blank_notes_back_as_none():
    schema = KIND.json_schema(ChecklistSettings(**TWO, allow_na=False), CONTENT, ["A", "B"])
    row = schema["properties"]["A"]
    assert schema["required"] == ["A", "B"]
    assert row["properties"]["c2"]["description"] == "Is right."
    assert list(row["properties"]["c1"]["properties"]) == ["note", "verdict"]
    assert row["properties"]["c1"]["properties"]["verdict"]["enum"] == ["yes", "no", "unsure"]
    told = {"c1": {"note": "", "verdict": "yes"}, "c2": {"note": "Wrong year.", "verdict": "no"}}
    raw = KIND.from_slots({"A": told, "B": told}, {"A": "r2", "B": "r1"})
    stored = read_answers(form(), CONTENT, {"rules": raw})["rules"]["value"]["verdicts"]
    assert stored["r2"] == {"c1": {"verdict": "yes"}, "c2": {"verdict": "no", "note": "Wrong year."}}


@pytest.mark.parametrize("reply", [{"r1": {}}, {"A": "yes"}, {"A": {"c1": "yes"}}, {"verdicts": {"r1": {}}}, {"C": {}}])
def test_a_judge_who_names_ids_or_another_shape_gives_no_valid_answer(reply):
    whole = {name: {k: {"verdict": "yes"} for k in ("c1", "c2")} for name in ("A", "B")}
    raw = KIND.from_slots({**whole, **reply}, {"A": "r1", "B": "r2"})
    with pytest.raises(AnswersInvalid):
        read_answers(form(), CONTENT, {"rules": raw})


def test_code_keeps_na_as_a_value_and_leaves_unsure_out():
    assert KIND.code(FULL, CONTENT) == {"r1.c1": "yes", "r1.c2": "no", "r2.c1": "na"}
    assert KIND.distance("yes", "na") == 1.0
    assert KIND.distance("yes", "yes") == 0.0
