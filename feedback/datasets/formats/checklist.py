"""Requirements and whether each response keeps them: what a checklist reward (RLCF, arXiv:2507.18624) is made of."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from feedback.datasets.formats.base import MESSAGES, Format, completion_of, prompt_of, scored
from feedback.datasets.votes import Group
from feedback.questions.checklist import criteria_of


class ChecklistFormat(Format):
    name = "checklist"
    title = "Checklists"
    about = "One row a response and requirement: its text and weight, and the share of raters who found it kept."
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("question", pa.string()),
            ("criterion", pa.string()),
            ("text", pa.string()),
            ("criterion_weight", pa.float64()),
            ("prompt", MESSAGES),
            ("completion", MESSAGES),
            ("probability", pa.float64()),
            ("weight", pa.float64()),
            ("votes", pa.int64()),
        ]
    )

    def rows(self, group: Group) -> Iterator[dict[str, Any]]:
        for rating, question, _scale in scored(group):
            if question.kind.name != "checklist" or not rating.aspect:
                continue
            settings: Any = question.settings
            criterion = next(one for one in criteria_of(settings, group.content) if one.key == rating.aspect)
            yield {
                "id": group.id,
                "question": rating.question,
                "criterion": criterion.key,
                "text": criterion.text,
                "criterion_weight": criterion.weight,
                "prompt": prompt_of(group.content),
                "completion": completion_of(group.content, rating.response),
                "probability": rating.value,
                "weight": rating.weight,
                "votes": rating.votes,
            }
