"""OpenAssistant trees.  The rows are made by hand in the shape of the real ones (Apache-2.0)."""

import copy

import pytest

from tests.feedback.importing.layouts import answer_of, read_all, read_one, refusal


def reply(id, rank=None, *, role="assistant", replies=(), **fields):
    return {"message_id": id, "text": f"text {id}", "role": role, "rank": rank, "replies": list(replies), **fields}


LATER = reply("u2", role="prompter", replies=[reply("b", 1), reply("a", 0), reply("c", None)])
TREE = {
    "message_tree_id": "t",
    "prompt": reply(
        "u1",
        role="prompter",
        replies=[reply("z", 0, replies=[LATER], lang="en"), reply("y", 1, model_name="chip20b", emojis={"+1": 2})],
    ),
}


def test_every_prompt_with_two_replies_is_a_task_with_the_conversation_before_it():
    (first, second), errors = read_all("oasst", [TREE], "ranking")
    assert not errors
    assert [task.external_id for task in (first, second)] == ["u1", "u2"]
    assert [(message.role, message.content) for message in second.content.prompt] == [
        ("user", "text u1"),
        ("assistant", "text z"),
        ("user", "text u2"),
    ]
    assert [response.model for response in first.content.responses] == ["chip20b", ""]
    assert first.metadata["replies"][0] == {"message_id": "y", "emojis": {"+1": 2}}


def test_the_ranks_are_one_judgement_and_the_order_of_responses_does_not_tell_them():
    (first, second), _errors = read_all("oasst", [TREE], "ranking")
    assert [response.text for response in first.content.responses] == ["text y", "text z"]
    assert answer_of(first, "ranking") == {"groups": [["r2"], ["r1"]]}
    assert answer_of(second, "ranking") == {"groups": [["r1"], ["r2"]]}


def test_a_reply_without_a_rank_is_left_out_where_two_others_have_one():
    _first, second = read_all("oasst", [TREE], "ranking")[0]
    assert [response.text for response in second.content.responses] == ["text a", "text b"]


def test_equal_ranks_tie():
    tree = {"message_tree_id": "t", "prompt": reply("u", role="prompter", replies=[reply("a", 0), reply("b", 0)])}
    assert answer_of(read_one("oasst", tree, "ranking"), "ranking") == {"groups": [["r1", "r2"]]}


def test_replies_that_nobody_ranked_are_a_task_without_judgement():
    tree = {"message_tree_id": "t", "prompt": reply("u", role="prompter", replies=[reply("a"), reply("b", 0)])}
    task = read_one("oasst", tree, "ranking")
    assert task.content.ids == ("r1", "r2")
    assert not task.judgements


def test_the_task_is_the_same_with_and_without_its_judgement():
    told, _ = read_all("oasst", [TREE], "ranking")
    bare, _ = read_all("oasst", [TREE], judged=False)
    assert [task.content for task in told] == [task.content for task in bare]
    assert not any(task.judgements for task in bare)


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ({"role": "wizard"}, "prompt"),
        ({"replies": "none"}, "prompt.replies"),
        ({"text": 5}, "prompt.0.content"),
    ],
)
def test_a_message_that_is_none_refuses_its_tree(change, column):
    tree = {
        "message_tree_id": "t",
        "prompt": {**reply("u", role="prompter", replies=[reply("a", 0), reply("b", 1)]), **change},
    }
    assert refusal("oasst", tree, "ranking").column == column


def test_a_rank_that_is_no_number_is_refused():
    tree = copy.deepcopy(TREE)
    tree["prompt"]["replies"][1]["rank"] = "first"
    assert [error.column for error in read_all("oasst", [tree], "ranking")[1]] == ["rank"]
