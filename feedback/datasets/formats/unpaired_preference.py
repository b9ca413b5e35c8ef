"""TRL's unpaired preferences (KTO, arXiv:2402.01306; BCO; DRO): a completion that is good or not.

From yes-or-no questions on a response as a whole: thumbs, and steps none of which is wrong.  An even split of the
raters is neither and is left out.  Pairs are not torn apart here: TRL's `unpair_preference_dataset` does that.
"""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from feedback.datasets.formats.base import MESSAGES, Format, completion_of, prompt_of, scored
from feedback.datasets.votes import Group


class UnpairedPreferenceFormat(Format):
    name = "unpaired_preference"
    title = "Unpaired preferences"
    about = "One row a response that was found good or not, as TRL's KTO reads it: prompt, completion, label."
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("question", pa.string()),
            ("prompt", MESSAGES),
            ("completion", MESSAGES),
            ("label", pa.bool_()),
            ("probability", pa.float64()),
            ("weight", pa.float64()),
            ("votes", pa.int64()),
        ]
    )

    def rows(self, group: Group) -> Iterator[dict[str, Any]]:
        for rating, _question, scale in scored(group):
            good = (rating.value - scale.low) / (scale.high - scale.low)
            if not scale.is_verdict or abs(good - 0.5) < 1e-9:
                continue
            yield {
                "id": group.id,
                "question": rating.attribute,
                "prompt": prompt_of(group.content),
                "completion": completion_of(group.content, rating.response),
                "label": good > 0.5,
                "probability": good,
                "weight": rating.weight,
                "votes": rating.votes,
            }
