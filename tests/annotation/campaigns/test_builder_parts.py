"""The parts of the builder: what is wrong and where, what its buttons do, what a condition may ask, what differs."""

import json

import pytest

from annotation.campaigns.builder.board import cards_of
from annotation.campaigns.builder.checking import find_wrongs
from annotation.campaigns.builder.edits import edit_questions, new_question
from annotation.campaigns.builder.posted import read_posted
from annotation.campaigns.builder.versions import compare_forms
from annotation.campaigns.presets import PRESETS, questions_of
from feedback.models import FormVersion
from feedback.questions.form import read_form
from feedback.questions.registry import KINDS
from tests.factories import PAIRWISE


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_of_every_kind_can_be_added_and_is_valid(kind):
    question = new_question(kind, {kind, "better", "rules"})

    assert find_wrongs([question]) == []
    assert question["key"] not in {kind, "better", "rules"}


WRONGS = [
    ({"key": "Bad Key"}, "f.1.key"),
    ({"key": "better"}, "f.1.key"),
    ({"title": ""}, "f.1.title"),
    ({"settings": {"points": 4}}, "f.1.settings.points"),
    ({"settings": {"points": 5, "strength_labels": ["one"]}}, "f.1"),
    ({"settings": {"no_such": 1}}, "f.1.settings.no_such"),
    ({"shown_if": {"question": "later", "field": "verdict", "value": "tie"}}, "f.1.shown_if"),
    ({"shown_if": {"question": "better", "field": "verdict", "value": []}}, "f.1.shown_if"),
    ({"shown_if": {"question": "better", "field": "verdict", "value": "both_bad"}}, "f.1.shown_if"),
    ({"kind": "no_such"}, "f.1.kind"),
]


@pytest.mark.parametrize(("changed", "field"), WRONGS)
def test_what_is_wrong_is_said_at_its_field(changed, field):
    questions = [dict(PAIRWISE), {**PAIRWISE, "key": "again", **changed}]

    wrongs = find_wrongs(questions)

    assert [(wrong.field, wrong.question) for wrong in wrongs] == [(field, 1)]
    assert any(wrongs[0].message in card.errors.values() for card in cards_of(questions, wrongs, None))


def checklist(**criterion):
    criteria = [{"key": "short", "text": "Is short.", **criterion}]
    return {"key": "rules", "kind": "checklist", "title": "Rules", "settings": {"criteria": criteria}}


def test_wrong_params_of_a_verifier_are_refused_at_the_param():
    wrongs = find_wrongs([checklist(verifier="word_count", params={"min": "few"})])
    assert [wrong.field for wrong in wrongs] == ["f.0.settings.criteria.0.params.min"]

    unknown = find_wrongs([checklist(verifier="no_such")])
    assert [wrong.field for wrong in unknown] == ["f.0.settings.criteria.0.verifier"]


EDITS = [
    ("up:1", ["b", "a"], "f.0.up"),
    ("down:0", ["b", "a"], "f.1.down"),
    ("up:0", ["a", "b"], "f.0"),
    ("remove:0", ["b"], "f.0"),
    ("copy:0", ["a", "a_2", "b"], "f.1.title"),
    ("remove:7", ["a", "b"], ""),
    ("row-add:f.9.settings.criteria", ["a", "b"], ""),
    ("row-add:f.0.settings.points", ["a", "b"], ""),
    ("nonsense", ["a", "b"], ""),
]


@pytest.mark.parametrize(("command", "keys", "focus"), EDITS)
def test_buttons_move_copy_and_remove_questions(command, keys, focus):
    questions = [{**PAIRWISE, "key": "a"}, {**PAIRWISE, "key": "b"}]

    edited, where = edit_questions(questions, command)

    assert ([question["key"] for question in edited], where) == (keys, focus)


def test_buttons_add_move_and_remove_rows():
    texts = lambda questions: [row["text"] for row in questions[0]["settings"]["criteria"]]  # noqa: E731
    questions, focus = edit_questions([checklist()], "row-add:f.0.settings.criteria")
    assert (texts(questions), focus) == (["Is short.", ""], "f.0.settings.criteria.1")
    questions, focus = edit_questions(questions, "row-up:f.0.settings.criteria.1")
    assert (texts(questions), focus) == (["", "Is short."], "f.0.settings.criteria.0.up")
    questions, _ = edit_questions(questions, "row-remove:f.0.settings.criteria.0")
    assert texts(questions) == ["Is short."]
    rating = questions_of(PRESETS["rating-5"])
    edited, _ = edit_questions(rating, "row-add:f.0.settings.attributes.0.anchors")
    assert edited[0]["settings"]["attributes"][0]["anchors"] == {"1": ""}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_kind_offers_as_condition_is_reached_by_its_answers(kind):
    """The paths lead into the kind's own Answer, or nothing could ever be shown."""
    question = read_form([new_question(kind, set())])[0]
    schema = json.dumps(question.kind.Answer.model_json_schema())

    for condition in question.kind.conditions(question.settings, str):
        steps = [step for step in condition.field.split(".") if step != "*"]
        assert f'"{steps[0]}"' in schema
        assert condition.options


def test_versions_are_compared_in_words(campaign):
    before = campaign.form
    after = FormVersion(number=2, questions_raw=[{**PAIRWISE, "settings": {"points": 5}}], time_limit=60)

    added = "".join(piece.text for piece in compare_forms(before, after) if piece.kind == "added")

    assert "points" in added
    assert "60" in added


@pytest.mark.parametrize(
    "name", ["f", "f.0", "f.0.settings", "f.0.settings.criteria", "f.0.settings.criteria.0", "f.x.y"]
)
def test_names_that_no_browser_of_ours_sends_do_no_harm(name):
    fields = {"f.0.kind": ["checklist"], "f.0.title": ["Rules"], name: ["?"]}

    assert all(question["kind"] in ("checklist", "") for question in read_posted(fields))
