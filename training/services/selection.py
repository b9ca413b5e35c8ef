"""Which pairs to ask people about: those the reward model is least sure of, and a share drawn at random.

Pure.  The random share keeps the next dataset from consisting of hard pairs only, and lets any figure over all pairs be
estimated from the chosen ones: each pick carries the probability with which it was selected (Horvitz & Thompson 1952).
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

RANDOM_SHARE = 0.25
PER_PROMPT = 2
BINS = 10


@dataclass(frozen=True)
class Candidate:
    """Two different responses of one prompt, by their places.  probability: P(first preferred), by the model."""

    prompt: int
    first: int
    second: int
    probability: float

    @property
    def doubt(self) -> float:
        """0 for a pair the model is certain of, .5 for one it cannot tell."""
        return 0.5 - abs(self.probability - 0.5)


@dataclass(frozen=True)
class Pick:
    candidate: Candidate
    how: Literal["unsure", "random"]
    selection_probability: float


def preference_probability(first: float, second: float) -> float:
    """Bradley & Terry 1952: the logistic of the difference of two scores."""
    difference = first - second
    if difference >= 0:
        return 1 / (1 + math.exp(-difference))
    return math.exp(difference) / (1 + math.exp(difference))


def candidates_of(prompt: int, texts: Sequence[str], scores: Sequence[float | None]) -> tuple[list[Candidate], int]:
    """All pairs of a prompt's responses, and how many were left out as alike or without a score.

    Texts that differ in spacing only are alike: nobody could tell them apart.
    """
    found, left_out = [], 0
    plain = [" ".join(text.split()) for text in texts]
    for first, second in combinations(range(len(texts)), 2):
        one, other = scores[first], scores[second]
        if plain[first] == plain[second] or one is None or other is None:
            left_out += 1
        else:
            found.append(Candidate(prompt, first, second, preference_probability(one, other)))
    return found, left_out


def choose_pairs(
    candidates: Sequence[Candidate],
    n: int,
    *,
    seed: int,
    random_share: float = RANDOM_SHARE,
    per_prompt: int = PER_PROMPT,
) -> list[Pick]:
    """At most `n` picks, `random_share` of them random, and at most `per_prompt` a prompt among the unsure ones.

    The unsure ones are certain to be selected (probability 1).  The random ones come from prompts with none of
    those: a prompt is drawn without replacement, then one of its pairs, so that a pair's probability is
    (prompts drawn / prompts there) / pairs of its prompt.
    """
    n_random = round(n * random_share)
    draw = random.Random(seed)  # noqa: S311  (a sample that can be repeated, no secret)
    unsure = _least_sure(candidates, n - n_random, per_prompt, draw)
    picks = [Pick(candidate, "unsure", 1.0) for candidate in unsure]
    return picks + _at_random(candidates, n_random, {candidate.prompt for candidate in unsure}, draw)


def _least_sure(candidates: Sequence[Candidate], n: int, per_prompt: int, draw: random.Random) -> list[Candidate]:
    order = list(candidates)
    draw.shuffle(order)  # equals in doubt are taken in no order of the file
    order.sort(key=lambda candidate: -candidate.doubt)
    taken: Counter[int] = Counter()
    chosen: list[Candidate] = []
    for candidate in order:
        if len(chosen) == n:
            break
        if taken[candidate.prompt] < per_prompt:
            taken[candidate.prompt] += 1
            chosen.append(candidate)
    return chosen


def _at_random(candidates: Sequence[Candidate], n: int, used: set[int], draw: random.Random) -> list[Pick]:
    by_prompt: dict[int, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        if candidate.prompt not in used:
            by_prompt[candidate.prompt].append(candidate)
    prompts = sorted(by_prompt)
    drawn = draw.sample(prompts, min(n, len(prompts)))
    return [
        Pick(draw.choice(by_prompt[prompt]), "random", len(drawn) / len(prompts) / len(by_prompt[prompt]))
        for prompt in drawn
    ]


def sureness_histogram(candidates: Sequence[Candidate]) -> list[int]:
    """How many pairs the model is so sure of: BINS equal bins of max(P, 1 − P) over [.5, 1]."""
    counts = [0] * BINS
    for candidate in candidates:
        counts[min(BINS - 1, int((0.5 - candidate.doubt) * 2 * BINS))] += 1
    return counts
