"""SummEval-OP (Siledar et al. 2024, arXiv:2402.11683): summaries of product reviews, rated on seven dimensions.

One product a row: `reviews`, `summaries`, and per dimension one list a summary with a rating (1 to 5) by each rater,
told apart by position.  Every summary becomes a task of its own.  The file with models' names holds means only; a
mean is nobody's judgement, so its tasks come without.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from feedback.importing.arranging import Rows, spread_rows
from feedback.importing.layouts.base import ImportedJudgement, ImportedTask, Layout, content_of, question_of
from feedback.importing.rows import Row, RowRefused
from feedback.questions.form import Question

JSON = Any
DIMENSIONS = {
    "fl": ("fluency", "Fluency"),
    "co": ("coherence", "Coherence"),
    "re": ("relevance", "Relevance"),
    "fa": ("faithfulness", "Faithfulness"),
    "ac": ("aspect_coverage", "Aspect coverage"),
    "sc": ("sentiment_consistency", "Sentiment consistency"),
    "sp": ("specificity", "Specificity"),
}
_TOLD = "how good each summary is"


class SummEvalOP(Layout):
    name = "summeval_op"
    title = "SummEval-OP"
    needs = "reviews, summaries, fl, co, re, fa, ac, sc, sp"
    form = (
        {
            "key": "quality",
            "kind": "rating",
            "title": "How good is this summary of the reviews?",
            "settings": {
                "scale": "likert",
                "low": 1,
                "high": 5,
                "attributes": [{"key": key, "text": text} for key, text in DIMENSIONS.values()],
            },
        },
    )

    def recognises(self, columns: Collection[str]) -> bool:
        return {"reviews", "summaries"} <= set(columns)

    def arrange(self, rows: Rows) -> Rows:
        return spread_rows(rows, _summaries)

    def check_form(self, questions: Sequence[Question]) -> None:
        question_of(questions, "rating", _TOLD)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        values = row.values
        response = {"id": "r1", "text": values["summary"], "model": values["model"]}
        return ImportedTask(
            external_id="",
            content=content_of({"prompt": _prompt(values["reviews"]), "responses": [response]}),
            judgements=_judgements(values, questions) if judged and values["ratings"] else (),
        )


def _summaries(row: Row) -> Iterator[Row]:
    values = row.values
    reviews, summaries = values.get("reviews"), values.get("summaries")
    if isinstance(reviews, Mapping):
        reviews = list(reviews.values())
    if isinstance(summaries, Mapping):
        named = [
            (model, told.get("summary") if isinstance(told, Mapping) else told) for model, told in summaries.items()
        ]
    else:
        named = [("", text) for text in _list(summaries, "summaries")]
    told = {name: _list(values[name], name) for name in DIMENSIONS if name in values}
    for name, ratings in told.items():
        if len(ratings) != len(named):
            raise RowRefused(name, f"Rates {len(ratings)} summaries; the row has {len(named)}.")
    for index, (model, text) in enumerate(named):
        scored = {name: (f"{name}.{index}", ratings[index]) for name, ratings in told.items()}
        one = {"reviews": _list(reviews, "reviews"), "summary": text, "model": model, "ratings": scored}
        yield Row(row.number, one)


def _list(value: JSON, column: str) -> list[JSON]:
    if not isinstance(value, list) or not value:
        raise RowRefused(column, "Expected a list.", value)
    return value


def _prompt(reviews: Sequence[JSON]) -> str:
    if not all(isinstance(review, str) for review in reviews):
        raise RowRefused("reviews", "Expected texts.", list(reviews))
    numbered = [f"Review {number}: {review}" for number, review in enumerate(reviews, start=1)]
    return "\n\n".join(["Summarise these reviews of one product.", *numbered])


def _judgements(values: Mapping[str, JSON], questions: Sequence[Question]) -> tuple[ImportedJudgement, ...]:
    key = question_of(questions, "rating", _TOLD).key
    scores: dict[int, dict[str, JSON]] = {}
    for name, (column, ratings) in values["ratings"].items():
        for rater, score in enumerate(_list(ratings, column), start=1):
            scores.setdefault(rater, {})[DIMENSIONS[name][0]] = score
    return tuple(
        ImportedJudgement(f"rater {rater}", {key: {"scores": {"r1": given}}}) for rater, given in sorted(scores.items())
    )
