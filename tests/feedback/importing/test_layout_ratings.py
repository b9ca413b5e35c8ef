"""SummEval-OP (MIT), XSum factuality (CC-BY-4.0), BiGGen (Apache-2.0), HelpSteer: rows like the real ones."""

import pytest

from tests.feedback.importing.layouts import answer_of, changed, read_all, read_one, refusal

DIMENSIONS = ("fl", "co", "re", "fa", "ac", "sc", "sp")
PRODUCT = {
    "reviews": ["Great boots.", "Run narrow."],
    "summaries": ["Fine but narrow.", "Boots."],
    **{name: [[5, 4, 4], [1, 2, n % 5 + 1]] for n, name in enumerate(DIMENSIONS)},
}


def test_every_summary_is_a_task_that_three_raters_scored_on_seven_dimensions():
    (first, second), errors = read_all("summeval_op", [PRODUCT], "rating")
    assert not errors
    assert [judgement.rater for judgement in second.judgements] == ["rater 1", "rater 2", "rater 3"]
    scores = second.judgements[2].answers["rating"]["scores"]["r1"]
    assert list(scores.values()) == [1, 2, 3, 4, 5, 1, 2]
    assert scores["faithfulness"] == 4
    assert "Review 2: Run narrow." in first.content.prompt[0].content
    assert first.content.responses[0].text == "Fine but narrow."


def test_a_file_of_means_gives_tasks_with_models_and_no_judgement():
    means = {
        "reviews": {"rev1": "Great boots."},
        "summaries": {"gpt-4": {"summary": "Boots.", "dimensions": {"Fluency": 4.33}}},
    }
    task = read_one("summeval_op", means, "rating")
    assert (task.content.responses[0].model, task.judgements) == ("gpt-4", ())


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ({"fl": [[1, 2, 3]]}, "fl"),
        ({"fl": 5}, "fl"),
        ({"reviews": "text"}, "reviews"),
        ({"summaries": []}, "summaries"),
    ],
)
def test_a_product_with_a_wrong_value_is_refused_at_its_column(change, column):
    assert refusal("summeval_op", changed(PRODUCT, **change), "rating").column == column


def factual(worker, told, **fields):
    return {"bbcid": "1", "system": "S", "summary": "a b c", "is_factual": told, "worker_id": worker, **fields}


def test_the_workers_of_one_summary_judge_one_task_and_null_is_no_answer():
    rows = [factual("w0", "yes"), factual("w1", "no"), factual("w2", "NULL"), factual("w0", "yes", bbcid="2")]
    (first, second), errors = read_all("xsum_factuality", rows, "rating")
    assert not errors
    assert {j.rater: j.answers["rating"]["scores"]["r1"]["factual"] for j in first.judgements} == {"w0": 1, "w1": 0}
    assert (first.external_id, second.external_id) == ("1/S", "2/S")


def test_rows_of_one_summary_that_stand_apart_are_refused():
    rows = [factual("w0", "yes"), factual("w0", "yes", bbcid="2"), factual("w1", "no")]
    tasks, errors = read_all("xsum_factuality", rows, "rating")
    assert len(tasks) == 2
    assert (errors[0].number, errors[0].column) == (3, "bbcid")
    assert "do not stand together" in errors[0].reason


@pytest.mark.parametrize(
    ("change", "column"),
    [({"is_factual": "perhaps"}, "is_factual"), ({"worker_id": ""}, "worker_id"), ({"summary": 5}, "summary.text")],
)
def test_a_factuality_row_with_a_wrong_value_is_refused_at_its_column(change, column):
    assert refusal("xsum_factuality", factual("w0", "yes", **change), "rating").column.startswith(column.split(".")[0])


HELPSTEER = {
    "prompt": "Why?",
    "response": "Because.",
    "helpfulness": 3,
    "correctness": "4",
    "coherence": 4.0,
    "complexity": 1,
    "verbosity": 0,
}


def test_helpsteer_is_one_response_with_five_scores():
    task = read_one("helpsteer", HELPSTEER, "rating")
    assert list(answer_of(task, "rating")["scores"]["r1"].values()) == [3, 4, 4, 1, 0]


@pytest.mark.parametrize("value", [True, "much", 2.5, None])
def test_a_helpsteer_score_that_is_no_number_is_refused(value):
    assert refusal("helpsteer", changed(HELPSTEER, verbosity=value), "rating").column == "verbosity"


@pytest.mark.parametrize(
    ("told", "answers"),
    [
        ({"preference_strength": -3}, [{"verdict": "prefer", "preferred": "r1", "strength": 3}]),
        ({"preference_strength": 0}, [{"verdict": "tie"}]),
        (
            {"overall_preference": 1, "individual_preference": [{"score": 2}, {"score": 0}]},
            [{"verdict": "prefer", "preferred": "r2", "strength": 2}, {"verdict": "tie"}],
        ),
    ],
)
def test_a_helpsteer_preference_keeps_its_strength_and_its_people(told, answers):
    values = {"prompt": "Why?", "response_1": "a", "response_2": "b", **told}
    task = read_one("helpsteer_preference", values, "pairwise")
    assert [judgement.answers["pairwise"] for judgement in task.judgements] == answers


def test_a_helpsteer_strength_beyond_three_is_refused():
    values = {"prompt": "Why?", "response1": "a", "response2": "b", "overall_preference": 4}
    assert refusal("helpsteer_preference", values, "pairwise").column == "overall_preference"


RUBRIC = {"criteria": "Is it right?", **{f"score{n}_description": f"worth {n}" for n in range(1, 6)}}
BIGGEN = {"id": "x_0", "system_prompt": "Be kind.", "input": "Why?", "reference_answer": "So.", "score_rubric": RUBRIC}


def test_a_rubric_is_the_tasks_criterion_and_without_responses_the_reference_is_rated():
    task = read_one("biggen", BIGGEN, "rating")
    assert [message.role for message in task.content.prompt] == ["system", "user"]
    assert (task.content.responses[0].text, task.content.responses[0].model) == ("So.", "reference answer")
    assert task.content.criteria[0].text.splitlines() == [
        "Is it right?",
        *(f"{n}: worth {n}" for n in (5, 4, 3, 2, 1)),
    ]


def test_responses_beside_a_rubric_are_rated_and_the_reference_stays_one():
    task = read_one("biggen", changed(BIGGEN, response="Maybe.", model="m"), "rating")
    assert (task.content.responses[0].text, task.content.responses[0].model) == ("Maybe.", "m")
    assert (task.content.reference, dict(task.metadata)) == ("So.", {})


def test_half_a_rubric_is_refused():
    values = changed(BIGGEN, score_rubric={"criteria": "Is it right?"})
    assert refusal("biggen", values, "rating").column == "score_rubric"
