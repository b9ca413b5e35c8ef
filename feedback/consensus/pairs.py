"""Votes on one pair of responses → one `Pair`.

Both kinds end here, so that a tie, a weight and an agreement mean the same wherever a preference came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from feedback.questions.base import Pair

NEITHER, FIRST, SECOND = 0, 1, 2
SHARE_OF_FIRST = {NEITHER: 0.5, FIRST: 1.0, SECOND: 0.0}


@dataclass(frozen=True)
class Vote:
    """One rater on one pair.

    side: NEITHER, FIRST or SECOND.  strength: signed, > 0 for the first.  weight: ≥ 0; 0 does not count.
    both_bad: the rater said neither is acceptable; it is a vote for NEITHER.  voter: whose answer it is, by position.
    """

    side: int
    strength: float = 0.0
    weight: float = 1.0
    both_bad: bool = False
    voter: int = 0


def merge_votes(first: str, second: str, votes: Sequence[Vote]) -> Pair | None:
    """Weighted means of what the raters said; None when no vote has weight.

    probability counts NEITHER as one half, whether it was said as "tie" or as "both bad" (`n_both_bad` keeps
    them apart).  agreement is the weighted share of the commonest side.
    """
    counted = [vote for vote in votes if vote.weight > 0]
    total = sum(vote.weight for vote in counted)
    if not counted:
        return None
    shares = [sum(v.weight for v in counted if v.side == side) / total for side in (NEITHER, FIRST, SECOND)]
    return Pair(
        first=first,
        second=second,
        probability=min(1.0, sum(SHARE_OF_FIRST[v.side] * v.weight for v in counted) / total),
        strength=sum(v.strength * v.weight for v in counted) / total,
        agreement=min(1.0, max(shares)),
        n_raters=len(counted),
        n_ties=sum(v.side == NEITHER and not v.both_bad for v in counted),
        n_both_bad=sum(v.both_bad for v in counted),
        voters=tuple(v.voter for v in counted),
        neither=min(1.0, shares[NEITHER]),
    )


def side_of(difference: float, tolerance: float = 1e-9) -> int:
    """Which response a score difference (first − second) prefers; within `tolerance` neither."""
    if abs(difference) <= tolerance:
        return NEITHER
    return FIRST if difference > 0 else SECOND
