"""IFEval and FollowBench (Apache-2.0), LLMBar (MIT): rows in the shape of the real ones."""

import pytest

from feedback.importing.layouts.given_responses import given_responses
from tests.feedback.importing.layouts import asked, changed, read_all, read_one, refusal

IFEVAL = {
    "key": 1000,
    "prompt": "Write 300 words without commas.",
    "instruction_id_list": ["punctuation:no_comma", "length_constraints:number_words", "detectable_format:title"],
    "kwargs": [{}, {"relation": "less than", "num_words": 300}, {}],
    "response": "No.",
}


def test_instructions_become_criteria_with_our_verifier():
    task = read_one("ifeval", IFEVAL)
    assert [(c.key, c.verifier, dict(c.params)) for c in task.content.criteria] == [
        ("c1", "no_comma", {"ascii_only": True}),
        ("c2", "word_count", {"max": 299}),
        ("c3", "title", {}),
    ]
    assert task.content.criteria[1].text == "Has less than 300 words."
    assert (task.external_id, task.content.responses[0].text, dict(task.metadata)) == ("1000", "No.", {})


def test_a_prompt_without_a_response_says_what_to_do():
    error = refusal("ifeval", {name: value for name, value in IFEVAL.items() if name != "response"})
    assert error.column == "response"
    assert "Sample some" in error.reason


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ({"instruction_id_list": []}, "instruction_id_list"),
        ({"instruction_id_list": ["made:up"], "kwargs": [{}]}, "instruction_id_list"),
        ({"instruction_id_list": ["keywords:existence"], "kwargs": [{}]}, "instruction_id_list"),
        ({"instruction_id_list": ["keywords:existence"], "kwargs": [{"keywords": []}]}, "kwargs"),
        ({"kwargs": [{}]}, "kwargs"),
        ({"kwargs": [{}, 5, {}]}, "kwargs"),
        ({"responses": "text"}, "responses"),
    ],
)
def test_an_instruction_that_cannot_be_checked_is_refused_at_its_column(change, column):
    assert refusal("ifeval", changed(IFEVAL, **change)).column == column


def test_responses_stand_in_one_column_or_in_numbered_ones_with_their_models():
    assert given_responses({"response2": "b", "response_1": "a", "model2": "m", "response3": ""}) == [
        {"id": "r1", "text": "a"},
        {"id": "r2", "text": "b", "model": "m"},
    ]
    assert given_responses({"responses": '["a", "b"]'}) == ["a", "b"]
    assert given_responses({"prompt": "p", "model": "m"}) == []


def level(n, **fields):
    row = {"example_id": 1, "category": "content", "source": "quora", "level": n, "target": ""}
    return {**row, "instruction": f"Instruction {n}.", "response": f"Response {n}.", **fields}


def test_each_level_above_the_plain_one_has_the_constraints_gathered_so_far():
    tasks, errors = read_all("followbench", [level(0), level(1), level(2)])
    assert not errors
    assert [[criterion.key for criterion in task.content.criteria] for task in tasks] == [
        ["level1"],
        ["level1", "level2"],
    ]
    second = tasks[1].content.criteria[1].text
    assert "Instruction 2." in second
    assert "Instruction 1." in second
    assert tasks[1].content.prompt[0].content == "Instruction 2."


def test_a_level_without_a_response_is_refused_at_its_own_row():
    tasks, errors = read_all("followbench", [level(0), level(1), level(2, response="")])
    assert len(tasks) == 1
    assert [(error.number, error.column) for error in errors] == [(3, "response")]


def test_levels_that_do_not_rise_by_one_refuse_the_example():
    tasks, errors = read_all("followbench", [level(0), level(2)])
    assert not tasks
    assert [error.column for error in errors] == ["level"]


BAR = {"input": "Say hi.", "output_1": "hi", "output_2": "no", "label": 2}


def test_the_authors_label_is_the_tasks_known_answer_and_nobodys_judgement():
    task = read_one("llmbar", BAR, "pairwise")
    assert task.gold == {"pairwise": {"verdict": "prefer", "preferred": "r2"}}
    assert task.judgements == ()
    assert read_one("llmbar", BAR, "rating").gold is None
    assert asked("pairwise")[0].key == "pairwise"


@pytest.mark.parametrize(
    ("change", "column"),
    [({"label": 3}, "label"), ({"label": True}, "label"), ({"label": []}, "label"), ({"output_2": 5}, "output_2")],
)
def test_a_label_that_names_no_output_is_refused(change, column):
    assert refusal("llmbar", changed(BAR, **change), "pairwise").column == column
