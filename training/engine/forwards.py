"""Chooses how responses go through a model: the fastest way that gives the model's own scores, tried before it is used.

Sharing a prefix needs layers that look back by attention only.  Recurrent layers carry a state from one response into
the next, so they are told apart by their configuration and, whatever that says, by a comparison of numbers.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from training.engine.exceptions import ForwardUnusable
from training.engine.packing import PADDED, PADDING_FREE, SHARED, move, pack
from training.engine.preparation import EncodedGroup
from training.engine.reward_model import RewardModel

ATTENTION_LAYERS = frozenset({"full_attention", "sliding_attention"})
TOLERANCE = 1e-4  # of the largest hidden value, in fp32
# What a model raises that has no such attention, or cannot take what packed rows hand down.
REFUSALS = (ForwardUnusable, ValueError, TypeError, KeyError, AttributeError, NotImplementedError, RuntimeError)

logger = logging.getLogger(__name__)


def choose_forward(model: RewardModel, asked: str) -> str:
    """The forward pass to use, already set in the model and logged.

    "auto" takes the first of shared, padding_free and padded that agrees with one sequence at a time.  Raises
    ForwardUnusable where the one that was asked for, or even padding, doesn't.
    """
    candidates = (SHARED, PADDING_FREE, PADDED) if asked == "auto" else (asked,)
    groups = _probe_groups(int(model.trunk.config.get_text_config().vocab_size))
    was_training = model.training
    model.eval()
    try:
        expected = _one_by_one(model, groups)
        for forward in candidates:
            reason = _disagreement(model, groups, forward, expected)
            if not reason:
                logger.info("Forward pass: %s.", forward)
                return forward
            logger.warning("Forward pass %s is not used: %s.", forward, reason)
    finally:
        model.train(was_training)
    raise ForwardUnusable(
        f"The forward pass {candidates[-1]} is not usable: {reason}.", "Choose auto, or another model."
    )


def _disagreement(model: RewardModel, groups: Sequence[EncodedGroup], forward: str, expected: Tensor) -> str:
    """Why a forward pass cannot be used; empty when it can."""
    if forward == SHARED and (others := _other_layers(model.trunk.config)):
        return f"layers of kind {', '.join(others)} carry a state"
    try:
        model.use_forward(forward)
        found = _hidden(model, groups, forward)
    except REFUSALS as error:
        return str(error).partition("\n")[0].rstrip(".")
    difference = (found - expected).abs().max().item()
    if not difference <= TOLERANCE * max(1.0, expected.abs().max().item()):
        return f"its hidden states differ by {difference:.2g} from those of one sequence at a time"
    return ""


def _other_layers(config: Any) -> list[str]:
    return sorted(set(getattr(config.get_text_config(), "layer_types", None) or ()) - ATTENTION_LAYERS)


def _probe_groups(vocabulary: int) -> list[EncodedGroup]:
    """Two small groups of arbitrary ids with responses of different lengths."""
    generator = torch.Generator().manual_seed(0)

    def ids(count: int) -> tuple[int, ...]:
        return tuple(torch.randint(vocabulary, (count,), generator=generator).tolist())

    return [
        EncodedGroup("probe-1", 0, ids(7), (ids(3), ids(5)), (0, 0), ()),
        EncodedGroup("probe-2", 1, ids(4), (ids(6), ids(2), ids(1)), (0, 0, 0), ()),
    ]


def _one_by_one(model: RewardModel, groups: Sequence[EncodedGroup]) -> Tensor:
    model.use_forward(PADDED)
    alone = [
        EncodedGroup(group.id, group.key, (), ((*group.prefix, *suffix),), (0,), ())
        for group in groups
        for suffix in group.suffixes
    ]
    return torch.cat([_hidden(model, [group], PADDED) for group in alone])


@torch.no_grad()
def _hidden(model: RewardModel, groups: Sequence[EncodedGroup], forward: str) -> Tensor:
    batch = pack(groups, forward)
    device = model.head.weight.device
    return model.last_hidden(**move(batch, device)).float()
