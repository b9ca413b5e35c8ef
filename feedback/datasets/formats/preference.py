"""TRL's conversational preference format with explicit prompt, plus what is known about the preference.

A pair whose two sides are even has no chosen side: it is in `group` only.  probability: that `chosen` is preferred
(> .5).  margin: mean strength on the question's scale.  votes: raters who counted.
"""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from feedback.datasets.formats.base import MESSAGES, Format, prompt_of
from feedback.datasets.votes import Group


class PreferenceFormat(Format):
    name = "preference"
    title = "Preferences"
    about = "One row a pair, as TRL reads it: prompt, chosen, rejected; with margin, probability, weight and votes."
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("question", pa.string()),
            ("prompt", MESSAGES),
            ("chosen", MESSAGES),
            ("rejected", MESSAGES),
            ("margin", pa.float64()),
            ("probability", pa.float64()),
            ("weight", pa.float64()),
            ("votes", pa.int64()),
        ]
    )

    def rows(self, group: Group) -> Iterator[dict[str, Any]]:
        prompt = prompt_of(group.content)
        texts = [response.text for response in group.content.responses]
        for c in group.comparisons:
            if abs(c.probability - 0.5) < 1e-9:
                continue
            chosen, rejected = (c.first, c.second) if c.probability > 0.5 else (c.second, c.first)
            yield {
                "id": group.id,
                "question": c.question,
                "prompt": prompt,
                "chosen": [{"role": "assistant", "content": texts[chosen]}],
                "rejected": [{"role": "assistant", "content": texts[rejected]}],
                "margin": c.margin,
                "probability": max(c.probability, 1.0 - c.probability),
                "weight": c.weight,
                "votes": c.votes,
            }
