"""The house's own format: a prompt, all its responses, their comparisons and ratings (what the engine trains on)."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from feedback.datasets.formats.base import MESSAGES, Format, prompt_of
from feedback.datasets.votes import Group


class GroupFormat(Format):
    name = "group"
    title = "Groups"
    about = "One row a task: the prompt, all its responses, their comparisons (soft, tied ones too) and ratings."
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("prompt", MESSAGES),
            ("responses", pa.list_(pa.string())),
            ("response_ids", pa.list_(pa.string())),
            (
                "comparisons",
                pa.list_(
                    pa.struct(
                        [
                            ("first", pa.int64()),
                            ("second", pa.int64()),
                            ("probability", pa.float64()),
                            ("margin", pa.float64()),
                            ("weight", pa.float64()),
                        ]
                    )
                ),
            ),
            (
                "ratings",
                pa.list_(
                    pa.struct(
                        [
                            ("response", pa.int64()),
                            ("attribute", pa.string()),
                            ("value", pa.float64()),
                            ("weight", pa.float64()),
                        ]
                    )
                ),
            ),
        ]
    )

    def rows(self, group: Group) -> Iterator[dict[str, Any]]:
        if not group.comparisons and not group.ratings:
            return
        yield {
            "id": group.id,
            "prompt": prompt_of(group.content),
            "responses": [response.text for response in group.content.responses],
            "response_ids": list(group.content.ids),
            "comparisons": [
                {
                    "first": c.first,
                    "second": c.second,
                    "probability": c.probability,
                    "margin": c.margin,
                    "weight": c.weight,
                }
                for c in group.comparisons
            ],
            "ratings": [
                {"response": r.response, "attribute": r.attribute, "value": r.value, "weight": r.weight}
                for r in group.ratings
            ],
        }
