"""TRL's stepwise supervision (PRM800K, arXiv:2305.20050): the steps of a response with a label each.

The row ends with the last step that was labelled: after a first wrong step nobody is asked.  A step is good when at
least half of its raters' weight says so, neutral counting one half, as its authors read neutral at test time; `values`
keeps the share, for whoever reads it otherwise.
"""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from feedback.datasets.formats.base import Format, prompt_text, scored
from feedback.datasets.votes import Group
from feedback.questions.steps import steps_of


class StepwiseSupervisionFormat(Format):
    name = "stepwise_supervision"
    title = "Steps"
    about = "One row a response: its steps and whether each is right, as TRL's process reward models read it."
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("question", pa.string()),
            ("response", pa.string()),
            ("prompt", pa.string()),
            ("completions", pa.list_(pa.string())),
            ("labels", pa.list_(pa.bool_())),
            ("values", pa.list_(pa.float64())),
            ("weight", pa.float64()),
            ("votes", pa.int64()),
        ]
    )

    def rows(self, group: Group) -> Iterator[dict[str, Any]]:
        labelled: dict[tuple[str, int], dict[int, Any]] = {}
        for rating, question, _scale in scored(group):
            if question.kind.name == "steps" and rating.aspect:
                labelled.setdefault((rating.question, rating.response), {})[int(rating.aspect)] = rating
        for (question_key, place), ratings in labelled.items():
            n = next((at for at in range(len(ratings)) if at not in ratings), len(ratings))
            if not n:
                continue
            response = group.content.responses[place]
            yield {
                "id": group.id,
                "question": question_key,
                "response": response.id,
                "prompt": prompt_text(group.content),
                "completions": list(steps_of(response)[:n]),
                "labels": [ratings[at].value >= 0.5 - 1e-9 for at in range(n)],
                "values": [ratings[at].value for at in range(n)],
                "weight": min(ratings[at].weight for at in range(n)),
                "votes": min(ratings[at].votes for at in range(n)),
            }
