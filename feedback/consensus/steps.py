"""Labels of steps by several raters → a mark per step, and per response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from feedback.questions.base import Consensus, Mark

VALUE = {"correct": 1.0, "neutral": 0.5, "wrong": 0.0}


def merge_steps(
    answers: Sequence[Mapping[str, Sequence[str]]], weights: Sequence[float], responses: Sequence[str]
) -> Consensus:
    """answers: {response id: labels}.  Aspect: the step's index from 0, value: weighted share of correct (neutral ½).

    The mark without an aspect is the response's own, as an outcome label: the share of raters who called no step wrong;
    its agreement is the share of those who name the commonest first wrong step, or none.  Rows for stepwise supervision
    are the marks of the steps in order; a step that nobody labelled has none, and after a first error nobody labels.
    """
    counted = [(answer, weight) for answer, weight in zip(answers, weights, strict=True) if weight > 0]
    marks: list[Mark] = []
    for response in responses:
        told = [(answer[response], weight) for answer, weight in counted if answer.get(response)]
        if not told:
            continue
        firsts = [(labels.index("wrong") if "wrong" in labels else None, weight) for labels, weight in told]
        whole = _mark(response, "", [(float(first is None), weight) for first, weight in firsts])
        marks.append(replace(whole, agreement=_agreement(firsts)))
        for at in range(max(len(labels) for labels, _ in told)):
            values = [(VALUE[labels[at]], w) for labels, w in told if at < len(labels) and labels[at] in VALUE]
            if values:
                marks.append(_mark(response, str(at), values))
    return Consensus(marks=tuple(marks))


def _mark(response: str, aspect: str, values: Sequence[tuple[float, float]]) -> Mark:
    total = sum(weight for _, weight in values)
    mean = sum(value * weight for value, weight in values) / total
    return Mark(response, min(1.0, mean), _agreement(values), len(values), aspect=aspect)


def _agreement(values: Sequence[tuple[float | None, float]]) -> float:
    """The weighted share of the commonest value."""
    total = sum(weight for _, weight in values)
    shares = [sum(weight for other, weight in values if other == value) / total for value, _ in values]
    return min(1.0, max(shares))
