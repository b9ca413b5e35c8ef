"""HelpSteer's layouts (Wang et al. 2024, arXiv:2311.09528, 2406.08673, 2410.01257; HelpSteer3, 2503.04378).

`helpsteer`: one response a row, five attributes from 0 to 4.  `helpsteer_preference`: two responses and a strength from
-3 (the first is much better) to 3; HelpSteer3's `individual_preference` has one score a person, else the one number is
one imported rater.  Written from the published schema; not tried on the originals.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from feedback.importing.layouts.base import (
    ImportedJudgement,
    ImportedTask,
    Layout,
    LayoutUnfit,
    content_of,
    other_columns,
    question_of,
    structured,
)
from feedback.importing.rows import Row, RowRefused
from feedback.questions.form import Question

JSON = Any
RATER = "annotators"
ATTRIBUTES = ("helpfulness", "correctness", "coherence", "complexity", "verbosity")
STRENGTHS = ("slightly better", "better", "much better")
_RATED, _PREFERRED = "how good each response is", "which response is better, and how much"
_PAIR = {"prompt", "context", "response1", "response2", "response_1", "response_2"}
_TOLD = ("preference_strength", "overall_preference", "individual_preference")


class HelpSteer(Layout):
    name = "helpsteer"
    title = "HelpSteer ratings"
    needs = f"prompt, response, {', '.join(ATTRIBUTES)}"
    form = (
        {
            "key": "quality",
            "kind": "rating",
            "title": "How good is the response?",
            "settings": {
                "scale": "likert",
                "low": 0,
                "high": 4,
                "attributes": [{"key": name, "text": name.capitalize()} for name in ATTRIBUTES],
            },
        },
    )

    def recognises(self, columns: Collection[str]) -> bool:
        return {"prompt", "response", *ATTRIBUTES} <= set(columns)

    def check_form(self, questions: Sequence[Question]) -> None:
        question_of(questions, "rating", _RATED)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        values = row.values
        judgements: tuple[ImportedJudgement, ...] = ()
        if judged:
            scores = {name: _whole(values, name) for name in ATTRIBUTES}
            key = question_of(questions, "rating", _RATED).key
            judgements = (ImportedJudgement(RATER, {key: {"scores": {"r1": scores}}}),)
        return ImportedTask(
            external_id="",
            content=content_of({"prompt": values.get("prompt"), "responses": [values.get("response")]}),
            metadata=other_columns(values, {"prompt", "response", *ATTRIBUTES}),
            judgements=judgements,
        )


class HelpSteerPreference(Layout):
    name = "helpsteer_preference"
    title = "HelpSteer preferences"
    needs = "prompt or context, two responses, preference_strength or overall_preference"
    form = (
        {
            "key": "better",
            "kind": "pairwise",
            "title": "Which response is better, and how much?",
            "settings": {"points": 7, "strength_labels": list(STRENGTHS)},
        },
    )

    def recognises(self, columns: Collection[str]) -> bool:
        found = set(columns)
        told = found & {"preference_strength", "overall_preference"}
        return bool(told) and ({"response_1", "response_2"} <= found or {"response1", "response2"} <= found)

    def check_form(self, questions: Sequence[Question]) -> None:
        question = question_of(questions, "pairwise", _PREFERRED)
        if question.settings.levels != len(STRENGTHS):  # type: ignore[attr-defined]  # PairwiseSettings
            message = f"The file grades 3 strengths, “{question.spec.title}” does not: use a 7-point scale."
            raise LayoutUnfit(message)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        values = row.values
        names = ("response_1", "response_2") if "response_1" in values else ("response1", "response2")
        asked = "context" if "context" in values else "prompt"
        raw = {"prompt": structured(values.get(asked)), "responses": [values.get(name) for name in names]}
        fields = {"prompt": asked, "responses.0": names[0], "responses.1": names[1]}
        return ImportedTask(
            external_id="",
            content=content_of(raw, fields),
            metadata=other_columns(values, {*_PAIR, *_TOLD}),
            judgements=_preferences(values, questions) if judged else (),
        )


def _whole(values: Mapping[str, JSON], column: str) -> int:
    value = values.get(column)
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise RowRefused(column, "Expected a whole number.", value)
    return value


def _preferences(values: Mapping[str, JSON], questions: Sequence[Question]) -> tuple[ImportedJudgement, ...]:
    key = question_of(questions, "pairwise", _PREFERRED).key
    people = structured(values.get("individual_preference"))
    if isinstance(people, list) and people:
        told = {f"annotator {n}": _score(person, n) for n, person in enumerate(people, start=1)}
    else:
        column = "preference_strength" if "preference_strength" in values else "overall_preference"
        told = {RATER: _strength(_whole(values, column), column)}
    return tuple(ImportedJudgement(rater, {key: answer}) for rater, answer in told.items())


def _score(person: JSON, number: int) -> dict[str, JSON]:
    column = f"individual_preference.{number - 1}.score"
    if not isinstance(person, Mapping):
        raise RowRefused(column, "Expected an object with a score.", person)
    return _strength(_whole({column: person.get("score")}, column), column)


def _strength(value: int, column: str) -> dict[str, JSON]:
    if not -len(STRENGTHS) <= value <= len(STRENGTHS):
        raise RowRefused(column, "Expected -3 to 3.", value)
    if value == 0:
        return {"verdict": "tie"}
    return {"verdict": "prefer", "preferred": "r1" if value < 0 else "r2", "strength": abs(value)}
