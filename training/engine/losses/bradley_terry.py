"""The Bradley–Terry loss: the negative log-likelihood of preferences given one score per response."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid


def bradley_terry_loss(
    first: Tensor,
    second: Tensor,
    probability: Tensor,
    *,
    margin: Tensor | None = None,
    label_smoothing: float = 0.0,
    centring: float = 0.0,
) -> Tensor:
    """Loss of each comparison [C] in fp32, not reduced: weigh and sum it over the whole optimiser step.

    With d = first - second (scores, [C]), p = P(first preferred) in [0, 1] ([C], 0.5 for a tie), margin m >= 0 ([C]):

        q = p (1 - e) + (1 - p) e                      e: label smoothing, as in conservative DPO
        loss = -q log s(d - m) - (1 - q) log s(-d - m) + c (first + second)^2

    For p = 1, e = m = c = 0 this is Ouyang et al. 2022 (arXiv:2203.02155) eq. 1, the likelihood of Bradley & Terry
    1952; with m it is Touvron et al. 2023 (Llama 2, arXiv:2307.09288) eq. 2, taken in expectation over soft labels;
    the last term is the centring of Eisenstein et al. 2023 (arXiv:2312.09244), TRL's `center_rewards_coefficient`.
    """
    first, second, probability = first.float(), second.float(), probability.float()
    difference = first - second
    margin = torch.zeros_like(difference) if margin is None else margin.float()
    label = probability * (1 - label_smoothing) + (1 - probability) * label_smoothing
    loss = -label * logsigmoid(difference - margin) - (1 - label) * logsigmoid(-difference - margin)
    if centring:
        loss = loss + centring * (first + second).square()
    return loss
