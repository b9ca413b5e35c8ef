"""Scores: one row a response and aspect, with the ends of its scale.

Of checklists and steps only what they say of the response as a whole is here; their parts have formats of their own.
"""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from feedback.datasets.formats.base import MESSAGES, Format, completion_of, prompt_of, scored
from feedback.datasets.votes import Group


class RatingFormat(Format):
    name = "rating"
    title = "Ratings"
    about = "One row a response and attribute: the mean score with the ends of its scale, weight and votes."
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("question", pa.string()),
            ("attribute", pa.string()),
            ("prompt", MESSAGES),
            ("completion", MESSAGES),
            ("value", pa.float64()),
            ("low", pa.float64()),
            ("high", pa.float64()),
            ("weight", pa.float64()),
            ("votes", pa.int64()),
        ]
    )

    def rows(self, group: Group) -> Iterator[dict[str, Any]]:
        for rating, question, scale in scored(group):
            if rating.aspect and question.kind.name != "rating":
                continue
            yield {
                "id": group.id,
                "question": rating.question,
                "attribute": rating.aspect,
                "prompt": prompt_of(group.content),
                "completion": completion_of(group.content, rating.response),
                "value": rating.value,
                "low": scale.low,
                "high": scale.high,
                "weight": rating.weight,
                "votes": rating.votes,
            }
