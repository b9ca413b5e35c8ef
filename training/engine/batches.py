"""The order of groups and what a batch of them is: a function of the seed and the epoch alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import Dataset, Sampler

from training.engine.packing import comparisons, pack
from training.engine.preparation import EncodedGroup


class GroupNumbers(Dataset[int]):
    """The numbers of the groups; the collator looks the groups up."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number: int) -> int:
        return number


class GroupOrder(Sampler[int]):
    """Every group once per epoch, shuffled anew in each; the same at any resumption, whatever was drawn in between."""

    def __init__(self, count: int, seed: int) -> None:
        self.count = count
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[int]:
        generator = torch.Generator().manual_seed((self.seed * 1_000_003 + self.epoch) % 2**63)
        yield from torch.randperm(self.count, generator=generator).tolist()


class Collator:
    """Numbers of groups to one batch: what the model takes, and the comparisons for the loss."""

    def __init__(self, groups: Sequence[EncodedGroup], forward: str, features: Tensor | None = None) -> None:
        """`features` [N, hidden], of all responses of all groups in order, replace the tokens for a frozen trunk."""
        self.groups = groups
        self.forward = forward
        self.features = features
        self.starts = [0, *accumulate(len(group.suffixes) for group in groups)]

    def __call__(self, numbers: Sequence[int]) -> dict[str, Any]:
        chosen = [self.groups[number] for number in numbers]
        if self.features is None:
            return {**pack(chosen, self.forward), **comparisons(chosen)}
        rows = torch.cat([self.features[self.starts[number] : self.starts[number + 1]] for number in numbers])
        return {"features": rows, **comparisons(chosen)}
