"""Scores of many groups by a trained model: for evaluation during a run, at its end, and for fresh responses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from training.engine.packing import move, pack, token_batches
from training.engine.preparation import EncodedGroup
from training.engine.reward_model import RewardModel

TOKENS_PER_BATCH = 4096
Tick = Callable[[int], None]


@torch.no_grad()
def score_groups(
    model: RewardModel,
    groups: Sequence[EncodedGroup],
    forward: str,
    *,
    bf16: bool = False,
    tick: Tick = lambda done: None,
) -> list[list[float]]:
    """Scores of each group's responses, in fp32, with the model in eval mode meanwhile."""
    hidden = last_hidden(model, groups, forward, bf16=bf16, tick=tick)
    return split_by_group(model(features=hidden.to(model.head.weight.device)), groups)


@torch.no_grad()
def last_hidden(
    model: RewardModel,
    groups: Sequence[EncodedGroup],
    forward: str,
    *,
    bf16: bool = False,
    tick: Tick = lambda done: None,
) -> Tensor:
    """The trunk's states [N, hidden], fp32 on the CPU, of all responses of all groups in order."""
    was_training = model.training
    model.eval()
    target = model.head.weight.device
    parts = []
    for batch in token_batches(groups, TOKENS_PER_BATCH):
        packed = pack([groups[index] for index in batch], forward)
        with torch.autocast(target.type, dtype=torch.bfloat16, enabled=bf16):
            hidden = model.last_hidden(**move(packed, target))
        parts.append(hidden.float().cpu())
        tick(batch[-1] + 1)
    model.train(was_training)
    return torch.cat(parts) if parts else torch.empty(0, model.head.in_features)


def split_by_group(scores: Tensor, groups: Sequence[EncodedGroup]) -> list[list[float]]:
    """[N] scores as one list per group."""
    sizes = [len(group.suffixes) for group in groups]
    return [part.tolist() for part in torch.split(scores.cpu(), sizes)] if sizes else []
