"""OpenAssistant's message trees (Köpf et al. 2023, arXiv:2304.07327): conversations whose replies people ranked.

One tree a row.  Every prompt with two or more assistant replies becomes a ranking task, with the conversation before
it; `rank` (0 is best) becomes the judgement of one imported rater, since the file keeps only what several rankers
agreed on.  Replies without a rank are left out where two others have one; where fewer have, all are kept and the task
has no judgement.  The responses stand in the order of their message ids, which tell nothing of the rank.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from feedback.importing.arranging import Rows, spread_rows
from feedback.importing.layouts.base import (
    ImportedJudgement,
    ImportedTask,
    Layout,
    content_of,
    external_id_of,
    question_of,
)
from feedback.importing.rows import Row, RowRefused
from feedback.questions.form import Question

JSON = Any
RATER = "rankers"
_ROLES = {"prompter": "user", "assistant": "assistant"}
_TOLD = "how the replies rank"
_KEPT = ("lang", "review_count", "emojis")


class OASST(Layout):
    name = "oasst"
    title = "OpenAssistant trees"
    needs = "message_tree_id, prompt with replies"
    form = ({"key": "order", "kind": "ranking", "title": "Order the replies from best to worst."},)

    def recognises(self, columns: Collection[str]) -> bool:
        return {"message_tree_id", "prompt"} <= set(columns)

    def arrange(self, rows: Rows) -> Rows:
        return spread_rows(rows, _prompts)

    def check_form(self, questions: Sequence[Question]) -> None:
        question_of(questions, "ranking", _TOLD)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        path, replies = row.values["path"], row.values["replies"]
        ranked = [reply for reply in replies if reply.get("rank") is not None]
        kept = ranked if len(ranked) > 1 else replies
        responses = [
            {"id": f"r{number}", "text": reply.get("text"), "model": reply.get("model_name") or ""}
            for number, reply in enumerate(kept, start=1)
        ]
        prompt = [{"role": _ROLES[message["role"]], "content": message.get("text")} for message in path]
        judgements: tuple[ImportedJudgement, ...] = ()
        if judged and len(ranked) > 1:
            key = question_of(questions, "ranking", _TOLD).key
            judgements = (ImportedJudgement(RATER, {key: {"groups": _groups(ranked)}}),)
        return ImportedTask(
            external_id=external_id_of(path[-1], "message_id"),
            content=content_of({"prompt": prompt, "responses": responses}),
            metadata={"message_tree_id": row.values["message_tree_id"], "replies": [_about(reply) for reply in kept]},
            judgements=judgements,
        )


def _prompts(row: Row) -> Iterator[Row]:
    """Every prompt of the tree with two or more replies of the assistant, and the messages that lead to it."""
    tree = row.values
    pending: list[list[Mapping[str, JSON]]] = [[_message(tree.get("prompt"))]]
    while pending:
        path = pending.pop()
        replies = [_message(reply) for reply in path[-1].get("replies") or ()]
        answers = [reply for reply in replies if reply["role"] == "assistant"]
        if len(answers) > 1:
            ordered = sorted(answers, key=lambda reply: str(reply.get("message_id")))
            values = {"message_tree_id": tree.get("message_tree_id"), "path": path, "replies": ordered}
            yield Row(row.number, values)
        pending += [[*path, reply] for reply in reversed(replies)]


def _message(raw: JSON) -> Mapping[str, JSON]:
    if not isinstance(raw, Mapping) or str(raw.get("role")) not in _ROLES:
        raise RowRefused("prompt", "Expected messages with text, role (prompter or assistant) and replies.", raw)
    if not isinstance(raw.get("replies") or [], list):
        raise RowRefused("prompt.replies", "Expected a list of messages.", raw["replies"])
    return raw


def _groups(ranked: Sequence[Mapping[str, JSON]]) -> list[list[str]]:
    """Best first; replies of one rank tie."""
    by_rank: dict[int, list[str]] = {}
    for number, reply in enumerate(ranked, start=1):
        rank = reply["rank"]
        if isinstance(rank, bool) or not isinstance(rank, int):
            raise RowRefused("rank", "Expected a whole number; 0 is best.", rank)
        by_rank.setdefault(rank, []).append(f"r{number}")
    return [by_rank[rank] for rank in sorted(by_rank)]


def _about(reply: Mapping[str, JSON]) -> dict[str, JSON]:
    about = {name: reply[name] for name in _KEPT if reply.get(name)}
    return {"message_id": reply.get("message_id"), **about}
