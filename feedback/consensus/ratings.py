"""Scores of several raters → a mark per response and attribute, and preferences per attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from feedback.consensus.pairs import Vote, merge_votes, side_of
from feedback.questions.base import Consensus, Mark, Pair


@dataclass(frozen=True)
class Told:
    """One rater's scores: {(response id, attribute key): score}, their weight and position."""

    scores: Mapping[tuple[str, str], float]
    weight: float = 1.0
    voter: int = 0


def merge_ratings(raters: Sequence[Told], attributes: Sequence[str], responses: Sequence[str]) -> Consensus:
    """Marks are weighted means in the scale's own unit.  Raters of weight 0 do not count.

    Pairs, one for each two responses and attribute: every rater who scored both votes for the higher score, with the
    difference as strength, so that one rater's habit of high scores cancels out.
    """
    counted = [rater for rater in raters if rater.weight > 0]
    marks = [
        mark
        for response in responses
        for attribute in attributes
        if (mark := _mark(counted, response, attribute)) is not None
    ]
    pairs = [
        pair
        for attribute in attributes
        for first, second in combinations(responses, 2)
        if (pair := _pair(counted, first, second, attribute)) is not None
    ]
    return Consensus(pairs=tuple(pairs), marks=tuple(marks))


def _mark(raters: Sequence[Told], response: str, attribute: str) -> Mark | None:
    """agreement: the weighted share of the commonest score."""
    told = [
        (rater.scores[response, attribute], rater.weight) for rater in raters if (response, attribute) in rater.scores
    ]
    if not told:
        return None
    total = sum(weight for _, weight in told)
    mean = sum(score * weight for score, weight in told) / total
    shares = [sum(weight for other, weight in told if other == score) / total for score, _ in told]
    return Mark(response, mean, min(1.0, max(shares)), len(told), aspect=attribute)


def _pair(raters: Sequence[Told], first: str, second: str, attribute: str) -> Pair | None:
    votes = []
    for rater in raters:
        a, b = rater.scores.get((first, attribute)), rater.scores.get((second, attribute))
        if a is not None and b is not None:
            votes.append(Vote(side_of(a - b), a - b, rater.weight, voter=rater.voter))
    pair = merge_votes(first, second, votes)
    return replace(pair, aspect=attribute) if pair else None
