"""The loss against numbers worked out by hand from its equation."""

import math

import pytest
import torch

from training.engine.losses.bradley_terry import bradley_terry_loss


def loss(first, second, probability, **options):
    margin = options.pop("margin", None)
    margin = None if margin is None else torch.tensor([margin])
    arguments = (torch.tensor([value]) for value in (first, second, probability))
    return bradley_terry_loss(*arguments, margin=margin, **options).item()


def softplus(value):
    return math.log1p(math.exp(value))


def test_a_clear_preference_costs_minus_the_log_of_its_likelihood():
    assert loss(1.5, 0.5, 1.0) == pytest.approx(-math.log(1 / (1 + math.exp(-1.0))), rel=1e-6)
    assert loss(1.5, 0.5, 0.0) == pytest.approx(-math.log(1 / (1 + math.exp(1.0))), rel=1e-6)


def test_equal_scores_cost_log_two_whatever_the_label():
    for probability in (0.0, 0.3, 0.5, 1.0):
        assert loss(0.7, 0.7, probability) == pytest.approx(math.log(2), rel=1e-6)


def test_a_soft_label_is_the_expectation_over_the_votes():
    assert loss(2.0, 1.0, 0.75) == pytest.approx(0.75 * loss(2.0, 1.0, 1.0) + 0.25 * loss(2.0, 1.0, 0.0), rel=1e-6)


def test_a_tie_pulls_the_scores_together_and_a_soft_label_to_its_log_odds():
    for probability, best in ((0.5, 0.0), (0.75, math.log(3))):
        difference = torch.tensor([best], requires_grad=True)
        bradley_terry_loss(difference, torch.zeros(1), torch.tensor([probability])).backward()
        assert difference.grad.item() == pytest.approx(0.0, abs=1e-7)


def test_a_margin_asks_for_that_much_more_on_the_preferred_side():
    assert loss(2.0, 1.0, 1.0, margin=0.4) == pytest.approx(softplus(-0.6), rel=1e-6)
    assert loss(2.0, 1.0, 0.0, margin=0.4) == pytest.approx(softplus(1.4), rel=1e-6)


def test_label_smoothing_turns_a_share_of_the_label_round():
    expected = 0.9 * loss(2.0, 1.0, 1.0) + 0.1 * loss(2.0, 1.0, 0.0)
    assert loss(2.0, 1.0, 1.0, label_smoothing=0.1) == pytest.approx(expected, rel=1e-6)


def test_centring_adds_the_square_of_the_sum():
    assert loss(2.0, 1.0, 1.0, centring=0.01) == pytest.approx(loss(2.0, 1.0, 1.0) + 0.01 * 9, rel=1e-6)


def test_swapping_the_responses_and_the_label_changes_nothing():
    options = {"margin": 0.3, "label_smoothing": 0.05, "centring": 0.02}
    assert loss(1.2, -0.4, 0.8, **options) == pytest.approx(loss(-0.4, 1.2, 1 - 0.8, **options), rel=1e-6)


def test_scores_far_apart_and_bf16_scores_stay_finite_and_fp32():
    far = bradley_terry_loss(torch.tensor([-300.0]), torch.tensor([300.0]), torch.tensor([1.0]))
    assert far.item() == pytest.approx(600.0)
    half = bradley_terry_loss(*(torch.tensor([value], dtype=torch.bfloat16) for value in (1.0, 0.0, 1.0)))
    assert half.dtype == torch.float32
