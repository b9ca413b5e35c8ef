"""Which pairs a round asks about."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.services.selection import (
    Candidate,
    candidates_of,
    choose_pairs,
    preference_probability,
    sureness_histogram,
)


def spread(n_prompts, n_responses=4):
    candidates = []
    for prompt in range(n_prompts):
        scores = [0.1 * prompt * place for place in range(n_responses)]
        candidates += candidates_of(prompt, [f"{prompt} {place}" for place in range(n_responses)], scores)[0]
    return candidates


def test_the_pairs_the_model_is_least_sure_of_are_chosen_first():
    candidates = [Candidate(n, 0, 1, p) for n, p in enumerate([0.9, 0.51, 0.2, 0.47, 0.99])]
    picks = choose_pairs(candidates, 2, seed=0, random_share=0)
    assert [pick.candidate.probability for pick in picks] == [0.51, 0.47]
    assert {pick.selection_probability for pick in picks} == {1.0}


def test_one_prompt_gives_at_most_two_pairs():
    picks = choose_pairs(spread(10), 20, seed=1, random_share=0)
    assert max(Counter(pick.candidate.prompt for pick in picks).values()) == 2


def test_a_random_pick_carries_the_probability_with_which_it_was_drawn():
    counts: Counter = Counter()
    told = {}
    draws = 4000
    candidates = spread(6, 3)
    for seed in range(draws):
        for pick in choose_pairs(candidates, 4, seed=seed, random_share=0.5, per_prompt=2):
            if pick.how == "random":
                counts[pick.candidate] += 1
                told[pick.candidate] = pick.selection_probability
    assert counts
    for candidate, n in counts.items():
        expected = told[candidate] * draws
        # prompts 0 (all scores equal) hold the unsure picks, so the others are drawn from a fixed set
        assert abs(n - expected) < 5 * expected**0.5


def test_identical_texts_and_missing_scores_make_no_pair():
    found, left_out = candidates_of(0, ["a  b", "a b", "c", "d"], [1.0, 2.0, None, 0.0])
    assert {(c.first, c.second) for c in found} == {(0, 3), (1, 3)}
    assert left_out == 4


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_preferences_of_a_pair_add_up_to_one(one, other):
    assert preference_probability(one, other) + preference_probability(other, one) == pytest.approx(1)


@given(st.lists(st.floats(0, 1), max_size=60), st.integers(1, 40), st.integers(0, 9))
def test_never_more_picks_than_asked_and_never_one_twice(probabilities, n, seed):
    candidates = [Candidate(i // 3, i % 3, 3, p) for i, p in enumerate(probabilities)]
    picks = choose_pairs(candidates, n, seed=seed)
    assert len(picks) <= n
    assert len({pick.candidate for pick in picks}) == len(picks)
    assert all(0 < pick.selection_probability <= 1 for pick in picks)


def test_the_histogram_counts_every_pair_once():
    candidates = [Candidate(0, 0, 1, p) for p in (0.0, 0.5, 0.52, 0.74, 1.0)]
    assert sureness_histogram(candidates) == [2, 0, 0, 0, 1, 0, 0, 0, 0, 2]
