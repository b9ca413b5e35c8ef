"""Critiques in the words of their raters: a text, marked spans, a rewritten response (ILF, Fine-Grained RLHF, MQM).

About the task as a whole `completion` is null and `responses` holds them all.  Offsets of spans count Unicode code
points of the completion.
"""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from feedback.datasets.formats.base import MESSAGES, Format, completion_of, prompt_of
from feedback.datasets.votes import Group, Vote
from feedback.questions.critique import CritiqueAnswer

SPANS = pa.list_(
    pa.struct(
        [
            ("start", pa.int64()),
            ("end", pa.int64()),
            ("quote", pa.string()),
            ("category", pa.string()),
            ("severity", pa.string()),
            ("note", pa.string()),
        ]
    )
)


class CritiqueFormat(Format):
    name = "critique"
    title = "Critiques"
    about = "One row a rater and response: the critique in words, its marked spans, and the response as rewritten."
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("question", pa.string()),
            ("rater", pa.string()),
            ("rater_kind", pa.string()),
            ("weight", pa.float64()),
            ("prompt", MESSAGES),
            ("completion", MESSAGES),
            ("responses", pa.list_(pa.string())),
            ("critique", pa.string()),
            ("spans", SPANS),
            ("nothing", pa.bool_()),
            ("revision", pa.string()),
        ]
    )

    def rows(self, group: Group) -> Iterator[dict[str, Any]]:
        for vote in group.votes:
            answer = vote.told.answers[vote.question]
            if not isinstance(answer, CritiqueAnswer):
                continue
            if (answer.text or "").strip():
                yield _row(group, vote, responses=[r.text for r in group.content.responses], critique=answer.text)
            for place, id in enumerate(group.content.ids):
                if told := answer.responses.get(id):
                    yield _row(
                        group,
                        vote,
                        completion=completion_of(group.content, place),
                        critique=told.text,
                        spans=[span.model_dump() for span in told.spans],
                        nothing=told.nothing,
                        revision=told.revision,
                    )


def _row(group: Group, vote: Vote, **said: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"completion": None, "responses": [], "critique": None, "spans": [], "nothing": False}
    return {
        "id": group.id,
        "question": vote.question,
        "rater": vote.told.rater,
        "rater_kind": vote.told.kind,
        "weight": vote.told.weight,
        "prompt": prompt_of(group.content),
        **empty,
        "revision": None,
        **said,
    }
