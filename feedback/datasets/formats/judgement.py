"""What each rater said, so that the votes can be merged in another way: one row an answer that counted.

Raters have pseudonyms, numbered within the version.
"""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from feedback.datasets.formats.base import Format
from feedback.datasets.votes import Group
from feedback.questions.content import canonical


class JudgementFormat(Format):
    name = "judgement"
    title = "Judgements"
    about = "One row an answer that counted: task, question, rater (a pseudonym), weight, and the answer as JSON."
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("question", pa.string()),
            ("rater", pa.string()),
            ("rater_kind", pa.string()),
            ("weight", pa.float64()),
            ("answer", pa.string()),
        ]
    )

    def rows(self, group: Group) -> Iterator[dict[str, Any]]:
        for vote in group.votes:
            answer = vote.told.answers[vote.question].model_dump(mode="json", exclude_none=True)
            yield {
                "id": group.id,
                "question": vote.question,
                "rater": vote.told.rater,
                "rater_kind": vote.told.kind,
                "weight": vote.told.weight,
                "answer": canonical(answer),
            }
