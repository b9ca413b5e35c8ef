import json
from pathlib import Path

import pytest
from django.conf import settings

from feedback.importing.layouts.base import PAIRWISE_FORM, LayoutUnfit
from feedback.importing.layouts.registry import LAYOUTS, LayoutUnknown, detect_layout, get_layout
from feedback.importing.rows import Row, RowRefused
from feedback.questions.form import read_form

FORM = read_form(PAIRWISE_FORM)
ASKED = {"role": "user", "content": "Why?"}


def said(text):
    return {"role": "assistant", "content": text}


def task_of(layout, form=FORM, judged=True, **values):
    return get_layout(layout).read(Row(1, values), form, judged=judged)


def refusal(layout, **values):
    with pytest.raises(RowRefused) as caught:
        task_of(layout, **values)
    return caught.value


def texts(task):
    return {response.text for response in task.content.responses}


def chosen_of(task):
    (judgement,) = task.judgements
    return task.content.response(judgement.answers["better"]["preferred"]).text


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        ({"prompt", "chosen", "rejected"}, "trl_preference"),
        ({"chosen", "rejected"}, "trl_preference"),
        ({"idx", "cmp_key", "instruction", "input", "response1", "response2", "annotator1"}, "pandalm"),
        ({"prompt", "responses"}, "touchstone"),
        ({"prompt", "response1", "response2"}, "touchstone"),
    ],
)
def test_a_layout_is_recognised_by_its_columns(columns, name):
    assert detect_layout(columns).name == name


def test_unknown_columns_are_refused_with_what_each_layout_needs():
    with pytest.raises(LayoutUnknown) as caught:
        detect_layout({"question", "answer"})
    assert all(layout.needs in str(caught.value) for layout in LAYOUTS.values())


PROMPTS = {
    "explicit text": {"prompt": "Why?", "chosen": "Because.", "rejected": "Dunno."},
    "conversational": {"prompt": [ASKED], "chosen": [said("Because.")], "rejected": [said("Dunno.")]},
    "implicit conversation": {"chosen": [ASKED, said("Because.")], "rejected": [ASKED, said("Dunno.")]},
    "text prompt, sides repeat it": {
        "prompt": "Why?",
        "chosen": [ASKED, said("Because.")],
        "rejected": [ASKED, said("Dunno.")],
    },
    "transcript": {
        "chosen": "\n\nHuman: Why?\n\nAssistant: Because.",
        "rejected": "\n\nHuman: Why?\n\nAssistant: Dunno.",
    },
    "CSV cells": {
        "prompt": json.dumps([ASKED]),
        "chosen": json.dumps([said("Because.")]),
        "rejected": json.dumps([said("Dunno.")]),
    },
}


@pytest.mark.parametrize("values", PROMPTS.values(), ids=PROMPTS)
def test_every_spelling_of_a_trl_preference_is_the_same_task(values):
    task = task_of("trl_preference", **values)
    assert [(m.role, m.content) for m in task.content.prompt] == [("user", "Why?")]
    assert task.content == task_of("trl_preference", **PROMPTS["explicit text"]).content
    assert texts(task) == {"Because.", "Dunno."}
    assert chosen_of(task) == "Because."


def test_an_implicit_text_prompt_is_what_both_sides_begin_with():
    task = task_of("trl_preference", chosen="The sky is blue.", rejected="The sky is black.")
    assert task.content.prompt[0].content == "The sky is"
    assert texts(task) == {" blue.", " black."}


def test_the_stored_order_does_not_tell_which_side_was_chosen():
    firsts = 0
    for n in range(200):
        one = task_of("trl_preference", prompt=f"{n}", chosen="good", rejected="bad")
        other = task_of("trl_preference", prompt=f"{n}", chosen="bad", rejected="good")
        assert one.content == other.content
        assert (chosen_of(one), chosen_of(other)) == ("good", "bad")
        firsts += one.content.responses[0].text == "good"
    assert 70 < firsts < 130


def test_models_of_the_two_sides_follow_their_texts_and_other_columns_become_metadata():
    task = task_of(
        "trl_preference",
        id=7,
        prompt="p",
        chosen="a",
        rejected="b",
        chosen_model="m1",
        rejected_model="m2",
        score=3,
        n="",
    )
    assert {response.text: response.model for response in task.content.responses} == {"a": "m1", "b": "m2"}
    assert task.external_id == "7"
    assert task.metadata == {"score": 3}


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ({"chosen": "a b", "rejected": "c d"}, "prompt"),
        ({"prompt": "p", "chosen": 5, "rejected": "c"}, "chosen"),
        ({"prompt": "p", "chosen": "c"}, "rejected"),
        ({"prompt": "p", "chosen": "c", "rejected": [said("a")]}, "rejected"),
        ({"prompt": [1, 2], "chosen": "c", "rejected": "d"}, "prompt"),
        ({"prompt": [1, 2], "chosen": [said("c")], "rejected": [said("d")]}, "prompt"),
        ({"prompt": "p", "chosen": [said("c"), ASKED, said("e")], "rejected": [said("d")]}, "chosen"),
        ({"prompt": "p", "chosen": [said("c")], "rejected": [ASKED]}, "rejected"),
        ({"chosen": [said("c")], "rejected": [said("d")]}, "prompt"),
        ({"prompt": [{"role": "wizard", "content": "p"}], "chosen": "c", "rejected": "d"}, "prompt.0.role"),
        (
            {"chosen": "\n\nHuman: a\n\nAssistant: x", "rejected": "\n\nHuman: b\n\nAssistant: y"},
            "rejected",
        ),
    ],
)
def test_a_trl_row_that_is_no_preference_is_refused_at_its_column(values, column):
    assert refusal("trl_preference", **values).column == column


PANDALM = {
    "idx": 0,
    "motivation_app": "Grammarly",
    "cmp_key": "bloom-7b_llama-7b",
    "instruction": "Shorten.",
    "input": "A long text.",
    "response1": "Long.",
    "response2": True,
    "annotator1": 2,
    "annotator2": 0,
    "annotator3": "1",
}


def test_a_pandalm_row_is_a_task_with_three_raters():
    task = task_of("pandalm", **PANDALM)
    assert task.external_id == "0"
    assert task.content.prompt[0].content == "Shorten.\n\nA long text."
    assert [(r.id, r.text, r.model) for r in task.content.responses] == [
        ("r1", "Long.", "bloom-7b"),
        ("r2", "True", "llama-7b"),
    ]
    assert {j.rater: j.answers["better"] for j in task.judgements} == {
        "annotator1": {"verdict": "prefer", "preferred": "r2"},
        "annotator2": {"verdict": "tie"},
        "annotator3": {"verdict": "prefer", "preferred": "r1"},
    }
    assert task.metadata == {"motivation_app": "Grammarly"}
    assert task.mended == ("response2 was a boolean",)


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ({"annotator2": 3}, "annotator2"),
        ({"annotator2": -1}, "annotator2"),
        ({"annotator2": True}, "annotator2"),
        ({"annotator2": 1.0}, "annotator2"),
        ({"annotator2": "first"}, "annotator2"),
        ({"idx": None}, "idx"),
        ({"idx": True}, "idx"),
        ({"idx": "x" * 201}, "idx"),
        ({"cmp_key": "one-model"}, "cmp_key"),
        ({"cmp_key": "a_b_c"}, "cmp_key"),
        ({"instruction": "", "input": ""}, "instruction"),
        ({"response1": None}, "response1"),
        ({"response2": 5}, "response2"),
        ({"input": 5}, "input"),
    ],
)
def test_a_pandalm_row_with_a_wrong_value_is_refused_at_its_column(change, column):
    error = refusal("pandalm", **{**PANDALM, **change})
    assert error.column.split(".")[0] == column


def test_an_annotator_who_did_not_answer_gives_no_judgement():
    task = task_of("pandalm", **{**PANDALM, "annotator1": None, "annotator3": ""})
    assert [judgement.rater for judgement in task.judgements] == ["annotator2"]


def test_our_layout_takes_everything_a_task_may_have():
    task = task_of(
        "touchstone",
        external_id="t1",
        prompt=[ASKED],
        responses=["plain", {"id": "best", "text": "full", "model": "m"}],
        reference="ref",
        criteria=[
            {"key": "short", "text": "Is short.", "weight": 2, "verifier": {"name": "words", "params": {"most": 9}}}
        ],
        metadata={"topic": "sky"},
        gold={"better": {"verdict": "tie"}},
        judgements=[{"rater": "ann", "answers": {"better": {"verdict": "tie"}}, "seconds": 3, "shown": ["best", "r1"]}],
        source="elsewhere",
    )
    assert task.content.ids == ("r1", "best")
    assert task.content.criteria[0].params == {"most": 9}
    assert task.metadata == {"topic": "sky", "source": "elsewhere"}
    assert task.gold == {"better": {"verdict": "tie"}}
    assert (task.judgements[0].rater, task.judgements[0].seconds) == ("ann", 3.0)


def test_our_layout_in_a_spreadsheet_has_a_column_per_response():
    task = task_of("touchstone", prompt="[Why?", response2="b", response1="a", model1="m", response3=None)
    assert task.content.prompt[0].content == "[Why?"
    assert [(r.id, r.text, r.model) for r in task.content.responses] == [("r1", "a", "m"), ("r2", "b", "")]


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ({"responses": "text"}, "responses"),
        ({"responses": ["a", {"id": "r1", "text": "b"}]}, "responses"),
        ({"responses": ["a", 5]}, "responses.1"),
        ({"responses": ["a", "b"], "criteria": {"key": "x"}}, "criteria"),
        ({"responses": ["a", "b"], "metadata": [1]}, "metadata"),
        ({"responses": ["a", "b"], "judgements": [{"rater": "", "answers": {}}]}, "judgements.0.rater"),
        (
            {"responses": ["a", "b"], "judgements": [{"rater": "a", "answers": {}, "seconds": -1}]},
            "judgements.0.seconds",
        ),
        ({"responses": ["a", "b"], "judgements": [{"rater": "a"}]}, "judgements.0"),
        ({"responses": ["a", "b"], "judgements": [{"rater": "a", "answers": {}, "votes": 1}]}, "judgements.0"),
        ({"responses": ["a", "b"], "judgements": [{"rater": "a", "answers": {}}] * 2}, "judgements"),
        ({"responses": ["a", "b"], "external_id": 1.5}, "external_id"),
    ],
)
def test_a_row_of_our_layout_is_refused_at_its_column(values, column):
    assert refusal("touchstone", prompt="p", **values).column == column


def test_a_graded_scale_or_a_form_without_a_pair_cannot_take_plain_verdicts():
    graded = read_form([{"key": "q", "kind": "pairwise", "title": "?", "settings": {"points": 5}}])
    checklist = read_form([{"key": "q", "kind": "checklist", "title": "?", "settings": {"from_task": True}}])
    for form in (graded, checklist):
        with pytest.raises(LayoutUnfit):
            get_layout("pandalm").check_form(form)


def test_the_page_on_importing_describes_every_layout():
    page = (Path(settings.BASE_DIR) / "docs" / "importing.md").read_text(encoding="utf-8")
    assert not [name for name in LAYOUTS if f"| `{name}` |" not in page]


def test_a_file_of_the_development_rows_with_both_kinds_of_feedback_is_read_as_critiques():
    columns = {"question", "passages", *(f"prediction {n}" for n in (1, 2, 3, 4)), "feedback", "preference"}
    assert detect_layout(columns).name == "fine_grained"
    assert detect_layout(columns - {"feedback"}).name == "fine_grained_pairs"
    with pytest.raises(LayoutUnfit, match="no critique question"):
        get_layout("fine_grained").check_form(FORM)
