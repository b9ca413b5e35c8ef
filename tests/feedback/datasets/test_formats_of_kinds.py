"""What each kind of answer becomes in each training format."""

import json

import pyarrow as pa
import pytest

from feedback.datasets.formats.registry import FORMATS
from feedback.datasets.selection import Selection
from feedback.datasets.votes import EXPORTED, Group, TaskVotes, Told, weigh
from feedback.questions.content import read_content
from feedback.questions.form import read_form
from feedback.services.freezing import freeze_dataset
from feedback.services.importing import import_tasks
from tests.feedback.datasets.freezing import all_rows, dataset_of, open_campaign, reconciles

CONTENT = {"prompt": "Why?", "responses": ["one", {"text": "two\n\nsteps", "steps": ["two", "steps"]}]}
ASKED = [{"role": "user", "content": "Why?"}]


def says(text):
    return [{"role": "assistant", "content": text}]


def group(kind, *answers, content=CONTENT, **settings):
    """The group that these raters' answers to one question make."""
    form = read_form([{"key": "q", "kind": kind, "title": "?", "settings": settings}])
    told = [Told(f"rater-{n}", "annotator", 1.0, {"q": form[0].kind.Answer(**a)}) for n, a in enumerate(answers, 1)]
    votes = TaskVotes("t", "h", read_content(content), form, tuple(told))
    weighed = weigh(votes, Selection(campaigns=("6f9619ff-8b86-4d01-b42d-00c04fc964ff",)))
    parts = (tuple(part) for part in (weighed.comparisons, weighed.ratings, weighed.votes))
    return Group("t", "train", votes.content, *parts, votes.questions)


def rows(name, found):
    """The rows, as Parquet gives them back."""
    table = pa.Table.from_pylist(list(FORMATS[name].rows(found)), schema=FORMATS[name].schema)
    return table.to_pylist()


def thumbs(first, second=None):
    given = {"r1": first} if second is None else {"r1": first, "r2": second}
    return {"scores": {id: {"good": score} for id, score in given.items()}}


def test_thumbs_are_labels_and_an_even_split_is_none():
    found = group("rating", thumbs(1, 1), thumbs(1, 0), scale="thumbs", attributes=[{"key": "good", "text": "Good?"}])
    (row,) = rows("unpaired_preference", found)
    assert (row["prompt"], row["completion"], row["label"]) == (ASKED, says("one"), True)
    assert (row["question"], row["probability"], row["votes"]) == ("q.good", 1.0, 2)


def test_a_scale_of_five_is_a_rating_and_no_label():
    found = group("rating", thumbs(4, 1), thumbs(5, 1), attributes=[{"key": "good", "text": "Good?"}])
    first, second = rows("rating", found)
    assert (first["completion"], first["value"], first["low"], first["high"]) == (says("one"), 4.5, 1.0, 5.0)
    assert (second["question"], second["attribute"], second["value"], second["votes"]) == ("q", "good", 1.0, 2)
    assert rows("unpaired_preference", found) == []


def test_steps_are_rows_of_stepwise_supervision():
    """To the last labelled step; neutral counts as right, as its share says."""
    told = [{"labels": {"r2": ["correct", "wrong"]}}, {"labels": {"r2": ["neutral", "wrong"]}}]
    (row,) = rows("stepwise_supervision", group("steps", *told))
    assert (row["prompt"], row["completions"], row["labels"]) == ("Why?", ["two", "steps"], [True, False])
    assert (row["values"], row["votes"], row["response"]) == ([0.75, 0.0], 2, "r2")


def test_a_first_wrong_step_ends_the_row_and_makes_the_outcome():
    found = group("steps", {"labels": {"r1": ["correct"], "r2": ["wrong"]}}, mode="first_error")
    first, second = rows("stepwise_supervision", found)
    assert (first["completions"], first["labels"]) == (["one"], [True])
    assert (second["completions"], second["labels"]) == (["two"], [False])
    assert [(row["completion"], row["label"]) for row in rows("unpaired_preference", found)] == [
        (says("one"), True),
        (says("two\n\nsteps"), False),
    ]


def test_a_checklist_keeps_its_requirements_with_their_words():
    criteria = [{"key": "short", "text": "Is short", "weight": 3.0}, {"key": "kind", "text": "Is kind"}]
    yes, no = {"verdict": "yes"}, {"verdict": "no"}
    found = group(
        "checklist",
        {"verdicts": {"r1": {"short": yes, "kind": no}, "r2": {"short": no, "kind": no}}},
        {"verdicts": {"r1": {"short": no, "kind": no}, "r2": {"short": no, "kind": no}}},
        criteria=criteria,
    )
    first = rows("checklist", found)[0]
    assert (first["criterion"], first["text"], first["criterion_weight"]) == ("short", "Is short", 3.0)
    assert (first["completion"], first["probability"], first["votes"]) == (says("one"), 0.5, 2)
    assert len(rows("checklist", found)) == 4
    overall = {row["completion"][0]["content"]: row["value"] for row in rows("rating", found)}
    assert overall == {"one": 0.375, "two\n\nsteps": 0.0}


SPAN = {"start": 0, "end": 3, "quote": "one", "category": "odd", "note": "why?"}


def test_critiques_are_rows_of_their_own_and_revisions_are_completions():
    found = group(
        "critique",
        {"responses": {"r1": {"text": "Too short.", "spans": [SPAN], "revision": "one and more"}}},
        {"responses": {"r2": {"nothing": True}}},
        text="optional",
        spans="optional",
        revision="optional",
        categories=[{"key": "odd", "text": "Odd"}],
    )
    first, second = rows("critique", found)
    assert (first["rater"], first["completion"], first["critique"]) == ("rater-1", says("one"), "Too short.")
    assert first["spans"] == [{**SPAN, "severity": None}]
    assert (second["rater"], second["nothing"], second["critique"], second["spans"]) == ("rater-2", True, None, [])
    (row,) = rows("prompt_completion", found)
    assert (row["source"], row["prompt"], row["completion"]) == ("revision", ASKED, says("one and more"))
    assert [json.loads(row["answer"])["responses"] for row in rows("judgement", found)][1] == {
        "r2": {"nothing": True, "spans": []}
    }


def test_a_critique_of_the_task_names_all_responses():
    (row,) = rows("critique", group("critique", {"text": "The first is kinder."}, about="task"))
    assert (row["completion"], row["responses"]) == (None, ["one", "two\n\nsteps"])


def test_the_best_of_a_ranking_is_a_completion_unless_nothing_is_best():
    three = {"prompt": "Why?", "responses": ["a", "b", "c"]}
    won = group("ranking", {"groups": [["r2"], ["r1"], ["r3"]]}, content=three)
    assert [(r["source"], r["completion"]) for r in rows("prompt_completion", won)] == [("best", says("b"))]
    tied = group("ranking", {"groups": [["r1", "r2", "r3"]]}, content=three)
    assert rows("prompt_completion", tied) == []


@pytest.mark.parametrize("answer", [{"text": "  "}, {"responses": {"r1": {"text": ""}}}])
def test_an_empty_critique_is_no_row(answer):
    form = read_form([{"key": "q", "kind": "critique", "title": "?", "settings": {"text": "optional"}}])
    told = Told("rater-1", "annotator", 1.0, {"q": form[0].kind.Answer(**answer)})
    votes = TaskVotes("t", "h", read_content(CONTENT), form, (told,))
    weighed = weigh(votes, Selection(campaigns=("6f9619ff-8b86-4d01-b42d-00c04fc964ff",)))
    assert (weighed.fates, weighed.votes) == (["cannot_tell"], [])


@pytest.mark.django_db
def test_a_campaign_of_critiques_alone_is_frozen_and_reconciles(tmp_path, settings):
    question = {"key": "q", "kind": "critique", "title": "?", "settings": {"about": "task", "text": "optional"}}
    campaign = open_campaign("critiques", [question])
    answers = [{"q": {"text": "Good."}}, {"q": {"text": " "}}, {"q": {"text": "Bad."}}]
    given = [
        {"prompt": f"Why {n}?", "responses": ["a", "b"], "judgements": [{"rater": "ann", "answers": answer}]}
        for n, answer in enumerate(answers)
    ]
    import_tasks(campaign, given, actor=None)
    version = freeze_dataset(dataset_of(campaign), actor=None)
    assert reconciles(version.counts)
    assert version.counts[EXPORTED] == 2
    assert {row["critique"] for row in all_rows(version, "critique")} == {"Good.", "Bad."}
    assert all_rows(version, "group") == []
