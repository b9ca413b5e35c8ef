"""Checklist verdicts of several raters → marks per criterion and overall per response, and preferences.

Overall marks merge the raters criterion by criterion first, and the criteria by weight second, so that
verifiers which each answer one criterion and people who answer all of them add up in one way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from feedback.consensus.pairs import NEITHER, SHARE_OF_FIRST, Vote, merge_votes, side_of
from feedback.questions.base import Consensus, Mark, Pair

_VALUE = {"yes": 1.0, "no": 0.0}


@dataclass(frozen=True)
class ToldVerdicts:
    """One rater's checklist: {(response id, criterion key): yes | no | na | unsure}, his weight and position."""

    verdicts: Mapping[tuple[str, str], str]
    weight: float = 1.0
    voter: int = 0

    def value(self, response: str, key: str) -> float | None:
        return _VALUE.get(self.verdicts.get((response, key), ""))

    def score(self, response: str, criteria: Mapping[str, float]) -> float | None:
        """Share of the criteria's weight that he says is met; na and unsure left out; None: nothing told."""
        told = [(w, value) for key, w in criteria.items() if (value := self.value(response, key)) is not None]
        return sum(w * value for w, value in told) / sum(w for w, _ in told) if told else None


def merge_checklists(
    raters: Sequence[ToldVerdicts], criteria: Mapping[str, float], responses: Sequence[str]
) -> Consensus:
    """criteria: key → weight (> 0).  Raters of weight 0 do not count.  Pairs: every two responses."""
    counted = [rater for rater in raters if rater.weight > 0]
    marks: list[Mark] = []
    for response in responses:
        per_criterion = [mark for key in criteria if (mark := _criterion_mark(counted, response, key))]
        if per_criterion:
            marks += [*per_criterion, _overall_mark(counted, response, per_criterion, criteria)]
    overall = {mark.response: mark for mark in marks if not mark.aspect}
    compare = _pair_of_votes if _same_criteria(counted, criteria) else _pair_of_marks
    pairs = [
        compare(counted, criteria, overall[first], overall[second])
        for first, second in combinations(responses, 2)
        if first in overall and second in overall
    ]
    return Consensus(pairs=tuple(pair for pair in pairs if pair), marks=tuple(marks))


def _criterion_mark(raters: Sequence[ToldVerdicts], response: str, key: str) -> Mark | None:
    told = [(r.weight, value) for r in raters if (value := r.value(response, key)) is not None]
    if not told:
        return None
    share = min(1.0, sum(weight * value for weight, value in told) / sum(weight for weight, _ in told))
    return Mark(response, share, max(share, 1.0 - share), len(told), aspect=key)


def _overall_mark(
    raters: Sequence[ToldVerdicts], response: str, marks: Sequence[Mark], criteria: Mapping[str, float]
) -> Mark:
    """Weighted mean of the criterion marks; its agreement is the weighted mean of theirs."""
    total = sum(criteria[mark.aspect] for mark in marks)
    return Mark(
        response,
        value=min(1.0, sum(criteria[mark.aspect] * mark.value for mark in marks) / total),
        agreement=min(1.0, sum(criteria[mark.aspect] * mark.agreement for mark in marks) / total),
        n_raters=sum(rater.score(response, criteria) is not None for rater in raters),
    )


def _same_criteria(raters: Sequence[ToldVerdicts], criteria: Mapping[str, float]) -> bool:
    """Did every rater answer the same criteria of every response (na and unsure are answers)?"""
    return len({frozenset(at for at in rater.verdicts if at[1] in criteria) for rater in raters}) <= 1


def _pair_of_votes(
    raters: Sequence[ToldVerdicts], criteria: Mapping[str, float], first: Mark, second: Mark
) -> Pair | None:
    """Soft: each rater votes with his own scores.  Strength is each rater's score difference, in [-1, 1]."""
    votes = []
    for rater in raters:
        a, b = rater.score(first.response, criteria), rater.score(second.response, criteria)
        if a is not None and b is not None:
            votes.append(Vote(side_of(a - b), a - b, rater.weight, voter=rater.voter))
    return merge_votes(first.response, second.response, votes)


def _pair_of_marks(raters: Sequence[ToldVerdicts], criteria: Mapping[str, float], first: Mark, second: Mark) -> Pair:
    """Raters answered different criteria, so that none alone has judged the whole: merged marks decide."""
    voters = tuple(
        rater.voter
        for rater in raters
        if any(rater.score(response, criteria) is not None for response in (first.response, second.response))
    )
    difference = first.value - second.value
    side = side_of(difference)
    return Pair(
        first.response,
        second.response,
        SHARE_OF_FIRST[side],
        strength=difference,
        agreement=(first.agreement + second.agreement) / 2,
        n_raters=len(voters),
        n_ties=len(voters) if side == NEITHER else 0,
        voters=voters,
        neither=float(side == NEITHER),
    )
