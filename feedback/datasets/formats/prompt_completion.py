"""TRL's prompt-completion rows for supervised fine-tuning: what people prefer, and what they wrote themselves.

best: a response that is preferred to another one and to which none is preferred.  revision: a response as a rater
rewrote it (ILF, arXiv:2303.16755).
"""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from feedback.datasets.formats.base import MESSAGES, Format, completion_of, prompt_of
from feedback.datasets.votes import Group


class PromptCompletionFormat(Format):
    name = "prompt_completion"
    title = "Prompts with completions"
    about = "One row a completion to imitate: the preferred response (best) or one that a rater rewrote (revision)."
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("question", pa.string()),
            ("source", pa.string()),
            ("prompt", MESSAGES),
            ("completion", MESSAGES),
        ]
    )

    def rows(self, group: Group) -> Iterator[dict[str, Any]]:
        for question, response in _best(group):
            yield _row(group, question, "best", completion_of(group.content, response))
        for vote in group.votes:
            for told in getattr(vote.told.answers[vote.question], "responses", {}).values():
                if (told.revision or "").strip():
                    completion = [{"role": "assistant", "content": told.revision}]
                    yield _row(group, vote.question, "revision", completion)


def _best(group: Group) -> Iterator[tuple[str, int]]:
    for question in dict.fromkeys(comparison.question for comparison in group.comparisons):
        won: set[int] = set()
        lost: set[int] = set()
        for c in group.comparisons:
            if c.question == question and abs(c.probability - 0.5) >= 1e-9:
                winner, loser = (c.first, c.second) if c.probability > 0.5 else (c.second, c.first)
                won.add(winner)
                lost.add(loser)
        yield from ((question, response) for response in sorted(won - lost))


def _row(group: Group, question: str, source: str, completion: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "id": group.id,
        "question": question,
        "source": source,
        "prompt": prompt_of(group.content),
        "completion": completion,
    }
