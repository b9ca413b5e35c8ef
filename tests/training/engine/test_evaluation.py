"""Accuracy over examples, with ties told apart, an interval that covers, and the length baseline."""

import numpy as np
import pytest

from training.engine.evaluation import accuracy_and_loss, evaluate_scores
from training.engine.groups import Comparison
from training.engine.preparation import EncodedGroup


def pair(key, probability=1.0, characters=(5, 5)):
    return EncodedGroup(f"g{key}", key, (), ((1,), (2,)), characters, (Comparison(0, 1, probability),))


def test_accuracy_is_over_examples_and_equal_scores_count_half():
    groups = [pair(0), pair(1), pair(2, 0.0), pair(3, 0.5)]
    found = evaluate_scores(groups, [[1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 0.0]], seed=0)
    assert found["accuracy"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert (found["n"], found["ties"], found["score_ties"]) == (3, 1, 1)


def test_nine_pairs_are_not_averaged_by_batches_of_eight():
    """TRL 1.16 reports the mean of batch means: .3125 where .5556 is true, say."""
    groups = [pair(number) for number in range(9)]
    right = [1, 1, 1, 1, 0, 0, 0, 0, 1]
    scores = [[1.0, 0.0] if good else [0.0, 1.0] for good in right]
    assert accuracy_and_loss(groups, scores)["accuracy"] == pytest.approx(5 / 9)


def test_the_longer_response_wins_the_baseline_and_equal_lengths_count_half():
    groups = [pair(0, 1.0, (9, 5)), pair(1, 1.0, (5, 9)), pair(2, 0.0, (5, 9)), pair(3, 1.0, (5, 5))]
    found = evaluate_scores(groups, [[0.0, 1.0]] * 4, seed=0)
    assert found["baseline_length"]["accuracy"] == pytest.approx((1 + 0 + 1 + 0.5) / 4)
    assert found["difference"]["value"] == pytest.approx(found["accuracy"] - found["baseline_length"]["accuracy"])


def test_the_loss_is_the_cross_entropy_of_the_labels_as_given():
    found = accuracy_and_loss([pair(0, 0.8), pair(1, 0.5)], [[1.0, 0.0], [0.3, 0.3]])
    expected = (0.8 * np.log1p(np.exp(-1)) + 0.2 * np.log1p(np.exp(1)) + np.log(2)) / 2
    assert found["loss"] == pytest.approx(expected)


def test_comparisons_of_one_prompt_are_drawn_together():
    """A hundred copies of ten prompts are ten prompts: the interval is as wide as for ten."""
    draw = np.random.default_rng(0)
    right = draw.random(10) < 0.7
    scores = [[1.0, 0.0] if good else [0.0, 1.0] for good in right]
    once = evaluate_scores([pair(key) for key in range(10)], scores, seed=1)
    often = evaluate_scores([pair(key) for key in range(10)] * 100, scores * 100, seed=1)
    apart = evaluate_scores([pair(key) for key in range(1000)], scores * 100, seed=1)
    width = lambda found: found["high"] - found["low"]  # noqa: E731
    assert width(often) == pytest.approx(width(once), abs=1e-9)
    assert width(apart) < width(often) / 5


@pytest.mark.parametrize("truth", [0.6, 0.8])
def test_the_interval_covers_the_truth_about_as_often_as_it_says(truth):
    draw = np.random.default_rng(5)
    covered = 0
    for _ in range(60):
        right = draw.random(150) < truth
        scores = [[1.0, 0.0] if good else [0.0, 1.0] for good in right]
        found = evaluate_scores([pair(key) for key in range(150)], scores, seed=2)
        covered += found["low"] <= truth <= found["high"]
    assert covered >= 52  # 57 expected; fewer than 52 has a probability of 1 %


def test_the_same_seed_gives_the_same_interval():
    groups, scores = [pair(key) for key in range(30)], [[float(key % 3), 1.0] for key in range(30)]
    assert evaluate_scores(groups, scores, seed=4) == evaluate_scores(groups, scores, seed=4)


def test_without_a_comparison_there_are_no_figures_rather_than_zeros():
    found = evaluate_scores([], [], seed=0)
    assert found["accuracy"] is found["low"] is found["loss"] is found["baseline_length"]["accuracy"] is None
    assert found["n"] == 0
