"""Orders of several raters → a preference for every two responses.

InstructGPT (arXiv:2203.02155, §3.5) learns from all K·(K − 1)/2 comparisons of a ranking; so does everything here, and
no rater's order is turned into scores, whose distances nobody stated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from feedback.consensus.pairs import Vote, merge_votes, side_of
from feedback.questions.base import Consensus, Pair


@dataclass(frozen=True)
class Order:
    """One rater's order: {response id: place}, 0 the best, equal places tie; their weight and position."""

    places: Mapping[str, int]
    weight: float = 1.0
    voter: int = 0


def merge_orders(orders: Sequence[Order], responses: Sequence[str]) -> Consensus:
    """A Pair for each two of `responses` (stored order) that somebody with weight placed both of.

    Each rater votes for the better place, a shared place is a tie and half a vote for either.  strength is the weighted
    mean of how many places apart they stand.
    """
    pairs = (_pair(orders, first, second) for first, second in combinations(responses, 2))
    return Consensus(pairs=tuple(pair for pair in pairs if pair))


def compare_places(places: Mapping[str, int], responses: Sequence[str]) -> dict[tuple[str, str], int]:
    """Each two placed responses in stored order → 1 the first is better, −1 the second, 0 they tie."""
    both = ((a, b) for a, b in combinations(responses, 2) if a in places and b in places)
    return {(a, b): (places[b] > places[a]) - (places[b] < places[a]) for a, b in both}


def _pair(orders: Sequence[Order], first: str, second: str) -> Pair | None:
    votes = []
    for order in orders:
        if first in order.places and second in order.places:
            ahead = order.places[second] - order.places[first]
            votes.append(Vote(side_of(ahead), float(ahead), order.weight, voter=order.voter))
    return merge_votes(first, second, votes)
