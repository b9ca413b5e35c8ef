"""The script that made the demo's responses."""

import json

import pytest

pytest.importorskip("torch", reason="the train extra is not installed")
pytest.importorskip("transformers", reason="the train extra is not installed")

from examples.sample_demo import PARTS, Budget, Draft, Part, fill, read_drafts, write_tasks
from training.engine.sampling import Sample

TASK = {"external_id": "one", "prompt": "Say hi.", "responses": [], "criteria": [], "metadata": {}}


class Scripted:
    """A sampler that draws the given texts in turn, four tokens each."""

    max_new_tokens = 10

    def __init__(self, *texts):
        self.texts, self.seeds = list(texts), []

    def draw(self, prompts, seed):
        self.seeds.append(seed)
        drawn, self.texts = self.texts[: len(prompts)], self.texts[len(prompts) :]
        return [Sample(text, tokens=4, finished=text != "cut off") for text in drawn]


def test_empty_repeated_and_broken_responses_are_drawn_again():
    draft = Draft(TASK, wanted=3)
    sampler = Scripted("Hi", "", "hi ", "bad\ufffd", "bell\x07", "cut off", "Hello\nthere 👋")
    fill([draft], sampler, Budget(cap=1000, seed=1))
    task = draft.finished_task()
    assert [(one["id"], one["text"]) for one in task["responses"]] == [
        ("r1", "Hi"),
        ("r2", "cut off"),
        ("r3", "Hello\nthere 👋"),
    ]
    assert task["metadata"] == {"cut": ["r2"]}
    assert len(set(sampler.seeds)) == len(sampler.seeds)


def test_what_is_thrown_away_counts_and_the_cap_is_never_passed():
    draft, budget = Draft(TASK, wanted=2), Budget(cap=27, seed=1)
    fill([draft], Scripted("same", "same", "same", "new"), budget)
    assert (budget.spent, draft.missing) == (16, 0)
    draft, budget = Draft(TASK, wanted=2), Budget(cap=13, seed=1)
    fill([draft], Scripted("one", "two"), budget)  # after four tokens there is no room for ten more
    assert (budget.spent, draft.missing) == (4, 1)


def test_the_parts_together_draw_at_most_20_000_tokens():
    assert sum(part.cap for part in PARTS) == 20_000


def test_a_task_without_enough_responses_is_left_out_of_the_file(tmp_path):
    (tmp_path / "part.jsonl").write_text("".join(json.dumps({**TASK, "external_id": name}) + "\n" for name in "ab"))
    first, second = read_drafts(Part("part", 1, 8, 100), tmp_path)
    first.offer(Sample("é", 1, finished=True))
    write_tasks([first, second], tmp_path / "out.jsonl")
    (line,) = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert "é" in line
    assert json.loads(line)["external_id"] == "a"
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["out.jsonl", "part.jsonl"]
