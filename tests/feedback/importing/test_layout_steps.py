"""BIG-Bench-Mistake (Apache-2.0), PRMBench (Apache-2.0), Mr-Ben (MIT): rows in the shape of the real ones."""

import pytest

from tests.feedback.importing.layouts import answer_of, changed, read_all, read_one, refusal

UUID = "855fe031-17d9-482d-b10f-a2646a14786f"
MISTAKE = {"input": "1 + 1 =", "steps": ["one", "two", "three"], "target": "2", "answer": "3", "mistake_index": 1}


def labels(task):
    return task.judgements[0].answers["steps"]["labels"]["r1"]


def test_a_mistake_index_counts_from_zero():
    task = read_one("bigbench_mistake", MISTAKE, "steps")
    assert answer_of(task, "steps") == {"labels": {"r1": ["correct", "wrong"]}}
    assert task.content.responses[0].steps == ("one", "two", "three")
    assert (task.content.reference, task.metadata) == ("2", {"answer": "3"})


def test_no_mistake_means_that_every_step_is_right():
    assert labels(read_one("bigbench_mistake", changed(MISTAKE, mistake_index=None), "steps")) == ["correct"] * 3


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ({"mistake_index": 3}, "mistake_index"),
        ({"mistake_index": -1}, "mistake_index"),
        ({"mistake_index": True}, "mistake_index"),
        ({"mistake_index": "1"}, "mistake_index"),
        ({"steps": []}, "steps"),
        ({"steps": "one"}, "steps"),
        ({"steps": ["one", " "]}, "steps"),
        ({"input": ""}, "input"),
    ],
)
def test_a_mistake_that_names_no_step_is_refused(change, column):
    assert refusal("bigbench_mistake", changed(MISTAKE, **change), "steps").column == column


PRM = {
    "idx": "p1",
    "classification": "confidence",
    "modified_question": "1 + 1?",
    "modified_process": ["one", "two", "three"],
    "error_steps": [1, 3],
    "reason": "Steps 1 and 3 hallucinate.",
    "original_process": ["one", "two"],
}


def test_error_steps_count_from_one_and_every_step_gets_a_label():
    task = read_one("prmbench", PRM, "steps", "critique")
    assert labels(task) == ["wrong", "correct", "wrong"]
    assert task.judgements[0].answers["critique"] == {"text": "Steps 1 and 3 hallucinate."}
    assert task.external_id == "p1/confidence"
    assert task.metadata == {"classification": "confidence", "original_process": ["one", "two"]}


def test_the_reason_is_left_out_where_no_critique_is_asked():
    assert list(read_one("prmbench", PRM, "steps").judgements[0].answers) == ["steps"]


@pytest.mark.parametrize("wrong", [[1, 4], [0], ["1"], [True], None, "1"])
def test_error_steps_that_name_no_step_are_refused(wrong):
    assert refusal("prmbench", changed(PRM, error_steps=wrong), "steps").column == "error_steps"


SOLUTION = {
    "Question": "1 + 1?",
    "Options": "A: 2",
    "Subject": "math",
    "Ground_Truth_Answer": "A",
    "Sampled_Model": "m",
    "Model_Solution_Steps": ["one", "two", "three"],
    "Model_Solution_Correctness": "incorrect",
    "Model_Solution_First_Error_Step": "2",
    "Model_Solution_Error_Reason": ["Wrong sum.\n", "Off by one."],
    "Model_Solution_Rectified_First_Error_Step": ["two!"],
}
CODE = changed(
    SOLUTION,
    Model_Solution_Steps="def f():\n\n    return 1\n    return 1",
    Model_Solution_First_Error_Step="def f():",
)


def solved(**change):
    return {UUID: [changed(SOLUTION, **change)]}


def test_the_first_wrong_step_counts_from_one_and_has_its_reasons_and_correction():
    task = read_one("mr_ben", solved(), "steps", "critique")
    assert labels(task) == ["correct", "wrong"]
    assert task.judgements[0].answers["critique"]["text"] == "Wrong sum.\n\nOff by one.\n\nCorrected step: two!"
    assert task.external_id == f"{UUID}/1"
    assert (task.content.prompt[0].content, task.content.reference) == ("1 + 1?\n\nA: 2", "A")


def test_a_correct_solution_has_only_right_steps_and_no_critique():
    verdict = {"Model_Solution_Correctness": "correct", "Model_Solution_First_Error_Step": "N/A"}
    task = read_one("mr_ben", solved(**verdict), "steps", "critique")
    assert labels(task) == ["correct"] * 3
    assert list(task.judgements[0].answers) == ["steps"]


def test_a_blank_step_is_no_step_and_the_others_keep_their_labels():
    task = read_one(
        "mr_ben", solved(Model_Solution_Steps=["one", "", "three"], Model_Solution_First_Error_Step="3"), "steps"
    )
    assert task.content.responses[0].steps == ("one", "three")
    assert labels(task) == ["correct", "wrong"]


def test_a_wrong_line_of_code_is_named_by_its_text():
    task = read_one("mr_ben", {UUID: [CODE]}, "steps")
    assert labels(task) == ["wrong"]
    assert task.content.responses[0].steps == ("def f():", "    return 1", "    return 1")
    assert task.content.responses[0].text == CODE["Model_Solution_Steps"]


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ({"Model_Solution_First_Error_Step": "4"}, "Model_Solution_First_Error_Step"),
        ({"Model_Solution_First_Error_Step": "0"}, "Model_Solution_First_Error_Step"),
        ({"Model_Solution_First_Error_Step": None}, "Model_Solution_First_Error_Step"),
        ({"Model_Solution_Correctness": "maybe"}, "Model_Solution_Correctness"),
        ({"Model_Solution_Steps": 5}, "Model_Solution_Steps"),
        (changed(CODE, Model_Solution_First_Error_Step="    return 1"), "Model_Solution_First_Error_Step"),
        (changed(CODE, Model_Solution_First_Error_Step=""), "Model_Solution_First_Error_Step"),
        (changed(CODE, Model_Solution_First_Error_Step="pass"), "Model_Solution_First_Error_Step"),
    ],
)
def test_a_refused_solution_is_named_with_its_column(change, column):
    assert refusal("mr_ben", solved(**change), "steps").column == f"{UUID}/1.{column}"


def test_a_file_that_holds_no_solutions_is_refused_as_a_whole():
    tasks, errors = read_all("mr_ben", [{UUID: "text"}], "steps")
    assert not tasks
    assert errors[0].column == UUID
