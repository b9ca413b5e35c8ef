"""The demo's committed tasks: whole, distinct, and of use to a reward model."""

import json
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import pytest

from feedback.verifiers.registry import run_verifier

ROOT = Path(__file__).resolve().parents[3]
DEMO, PROMPTS = ROOT / "feedback" / "demo", ROOT / "examples" / "demo_prompts"
RESPONSES = {"pairwise": 2, "checklist": 4, "fresh": 4}


def tasks(name: str) -> list[dict]:
    return [json.loads(line) for line in (DEMO / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def verdicts(task: dict, criterion: dict) -> list[bool]:
    verifier = criterion["verifier"]
    return [
        run_verifier(verifier["name"], verifier["params"], task["prompt"], response["text"]).passed
        for response in task["responses"]
    ]


def scores(task: dict) -> list[float]:
    weighted = [[c["weight"] * passed for passed in verdicts(task, c)] for c in task["criteria"]]
    return [sum(column) for column in zip(*weighted, strict=True)]


@pytest.mark.parametrize("name", sorted(RESPONSES))
def test_every_task_has_its_distinct_responses(name):
    assert len(tasks(name)) >= 20
    assert len({task["external_id"] for task in tasks(name)}) == len(tasks(name))
    assert len({task["prompt"] for task in tasks(name)}) == len(tasks(name))
    for task in tasks(name):
        assert [response["id"] for response in task["responses"]] == [f"r{n + 1}" for n in range(RESPONSES[name])]
        texts = [response["text"].casefold().split() for response in task["responses"]]
        assert all(texts)
        assert all(first != second for first, second in combinations(texts, 2))
        assert set(task["metadata"]["cut"]) <= {response["id"] for response in task["responses"]}


@pytest.mark.parametrize("name", sorted(RESPONSES))
def test_the_responses_were_drawn_for_the_prompts_that_are_kept(name):
    lines = (PROMPTS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    asked = {task["external_id"]: (task["prompt"], task["criteria"]) for task in map(json.loads, lines)}
    for task in tasks(name):
        assert asked[task["external_id"]] == (task["prompt"], task["criteria"])


def test_every_checklist_task_has_three_or_four_criteria_of_distinct_keys():
    for task in tasks("checklist"):
        keys = [criterion["key"] for criterion in task["criteria"]]
        assert len(set(keys)) == len(keys)
        assert 3 <= len(keys) <= 4


def test_no_criterion_is_always_met_or_never():
    by_key = defaultdict(list)
    for task in tasks("checklist"):
        for criterion in task["criteria"]:
            by_key[criterion["key"]] += verdicts(task, criterion)
    assert {key: set(found) for key, found in by_key.items()} == {key: {True, False} for key in by_key}


def test_enough_pairs_differ_for_a_reward_model_to_learn_from():
    differing = sum(a != b for task in tasks("checklist") for a, b in combinations(scores(task), 2))
    assert differing >= 100
