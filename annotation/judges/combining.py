"""The answers of several calls to one question → one answer, and what is measured beside it.

Pairs are asked in both orders and averaged before anything is decided (Zheng et al. 2023, arXiv:2306.05685); the mean
is kept, not only the verdict.  Where the calls cancel out and the question offers no tie, there is no answer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from feedback.questions.base import Content
from feedback.questions.form import Question

JSON = Any
EVEN = 1e-9


@dataclass(frozen=True)
class Heard:
    """One call's answer.  order: response ids as it was shown them."""

    order: tuple[str, ...]
    answer: Any


@dataclass(frozen=True)
class Combined:
    """raw: the answer as `read_answers` takes it, None with a reason.  measures: numbers for the judge's report."""

    raw: JSON
    reason: str = ""
    measures: dict[str, JSON] = field(default_factory=dict)


def combine(question: Question, content: Content, heard: Sequence[Heard]) -> Combined:
    """heard: at least one."""
    return _COMBINE.get(question.kind.name, _first)(question, content, heard)


def orders_of(question: Question, content: Content) -> list[tuple[str, ...]]:
    """The orders in which the responses are shown: both ways where they are compared, else as they are stored."""
    compares = question.kind.name in ("pairwise", "ranking") and len(content.ids) > 1
    return [content.ids, content.ids[::-1]] if compares else [content.ids]


def _merged(question: Question, content: Content, heard: Sequence[Heard]) -> Any:
    answers = [one.answer for one in heard]
    return question.kind.consensus(answers, [1.0] * len(answers), question.settings, content)


def _pairwise(question: Question, content: Content, heard: Sequence[Heard]) -> Combined:
    settings: Any = question.settings
    told = [one for one in heard if question.kind.code(one.answer, content)]
    if not told:
        return Combined({"verdict": "cannot_tell"}) if settings.allow_cannot_tell else Combined(None, "could not tell")
    pair = _merged(question, content, told).pairs[0]
    verdicts = {_verdict(one) for one in told}
    measures = {
        "probability": pair.probability,
        "consistent": len(verdicts) == 1,
        "first_shown": _share_of_first_shown(told),
        "n": len(told),
    }
    if abs(pair.probability - 0.5) <= EVEN:
        both_bad = pair.n_both_bad > pair.n_ties
        offered = settings.allow_both_bad if both_bad else settings.has_tie
        if not offered:
            return Combined(None, "its answers in the two orders cancel out", measures)
        return Combined({"verdict": "both_bad" if both_bad else "tie"}, measures=measures)
    raw: dict[str, JSON] = {"verdict": "prefer", "preferred": pair.first if pair.probability > 0.5 else pair.second}
    if settings.levels > 1:
        raw["strength"] = min(settings.levels, max(1, math.floor(abs(pair.strength) + 0.5)))
    return Combined(raw, measures=measures)


def _verdict(one: Heard) -> tuple[str, str | None]:
    return one.answer.verdict, one.answer.preferred


def _share_of_first_shown(heard: Sequence[Heard]) -> float | None:
    """P(the response shown first is preferred); None when none is."""
    preferred = [one.answer.preferred == one.order[0] for one in heard if one.answer.preferred]
    return sum(preferred) / len(preferred) if preferred else None


def _ranking(question: Question, content: Content, heard: Sequence[Heard]) -> Combined:
    """By the sum of the probabilities with which each is preferred to the others (Borda over averaged pairs)."""
    settings: Any = question.settings
    told = [one for one in heard if question.kind.code(one.answer, content)]
    if not told:
        return (
            Combined({"groups": [], "cannot_tell": True})
            if settings.allow_cannot_tell
            else Combined(None, "could not tell")
        )
    points = dict.fromkeys(content.ids, 0.0)
    pairs = _merged(question, content, told).pairs
    for pair in pairs:
        points[pair.first] += pair.probability
        points[pair.second] += 1.0 - pair.probability
    rounded = {id: round(value, 9) for id, value in points.items()}
    groups = [
        [id for id in content.ids if rounded[id] == value] for value in sorted(set(rounded.values()), reverse=True)
    ]
    measures = {
        "points": rounded,
        "consistent": len({str(question.kind.code(one.answer, content)) for one in told}) == 1,
        "n": len(told),
    }
    if not settings.allow_ties and any(len(group) > 1 for group in groups):
        return Combined(None, "its answers in the two orders tie responses, which may not tie", measures)
    return Combined({"groups": groups}, measures=measures)


def _rating(question: Question, content: Content, heard: Sequence[Heard]) -> Combined:
    """The mean, to the nearest score that can be given; the mean itself is measured (arXiv:2503.03064)."""
    settings: Any = question.settings
    expected = {(mark.response, mark.aspect): mark.value for mark in _merged(question, content, heard).marks}
    scores: dict[str, dict[str, JSON]] = {}
    for id in content.ids:
        for attribute in settings.attributes:
            if (value := expected.get((id, attribute.key))) is not None:
                scores.setdefault(id, {})[attribute.key] = math.floor(value + 0.5)
            elif settings.allow_na:
                scores.setdefault(id, {})[attribute.key] = "na"
    told = {f"{id}.{aspect}": value for (id, aspect), value in expected.items()}
    return Combined({"scores": scores}, measures={"expected": told, "n": len(heard)})


def _checklist(question: Question, content: Content, heard: Sequence[Heard]) -> Combined:
    """The commonest verdict of each criterion; unsure where two are as common, if that is offered."""
    settings: Any = question.settings
    votes: dict[tuple[str, str], list[Any]] = {}
    for one in heard:
        for response, key, told in one.answer.each():
            votes.setdefault((response, key), []).append(told)
    verdicts: dict[str, dict[str, JSON]] = {}
    for (response, key), given in votes.items():
        verdict = _commonest(one.verdict for one in given) or "unsure"
        if verdict not in settings.verdicts:
            return Combined(None, f"its answers on {key} cancel out", {"n": len(heard)})
        note = next((one.note for one in given if one.verdict == verdict and one.note), None)
        verdicts.setdefault(response, {})[key] = {"verdict": verdict, **({"note": note} if note else {})}
    shares = {f"{r}.{k}": sum(one.verdict == "yes" for one in given) / len(given) for (r, k), given in votes.items()}
    return Combined({"verdicts": verdicts}, measures={"yes": shares, "n": len(heard)})


def _steps(question: Question, content: Content, heard: Sequence[Heard]) -> Combined:
    """The labels that the most calls gave to the response as a whole; where two are as common, the first of them."""
    labels: dict[str, JSON] = {}
    for id in content.ids:
        given = [tuple(one.answer.labels.get(id, ())) for one in heard]
        labels[id] = list(Counter(given).most_common(1)[0][0])
    return Combined({"labels": labels}, measures={"n": len(heard)})


def _first(question: Question, content: Content, heard: Sequence[Heard]) -> Combined:
    """Words cannot be averaged."""
    raw = heard[0].answer.model_dump(mode="json", exclude_none=True)
    return Combined(raw, measures={"n": len(heard)})


def _commonest(values: Iterable[Hashable]) -> Any:
    """The one value that occurs most often, or None when two do."""
    counts = Counter(values).most_common(2)
    return None if len(counts) > 1 and counts[0][1] == counts[1][1] else counts[0][0]


_COMBINE: dict[str, Callable[[Question, Content, Sequence[Heard]], Combined]] = {
    "pairwise": _pairwise,
    "ranking": _ranking,
    "rating": _rating,
    "checklist": _checklist,
    "steps": _steps,
}
