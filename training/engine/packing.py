"""Lays groups out as one row of tokens, so that a prompt is computed once for all of its responses.

A row is `[P1 c11 … c1K P2 c21 …]`.  Position ids go on from the prefix in each response, and a score is read at the
index of a response's last token, so that there is no padding and nothing that depends on a padding token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor

from training.engine.preparation import EncodedGroup

SHARED, PADDING_FREE, PADDED = "shared", "padding_free", "padded"


@dataclass(frozen=True)
class Segments:
    """What attends to what in a packed row: for each group its prefix length and the lengths of its suffixes.

    A prefix of 0 with one suffix is a sequence of its own.  `masks` keeps this row's attention masks for all layers.
    """

    groups: tuple[tuple[int, tuple[int, ...]], ...]
    masks: dict[tuple[int, int, int | None], Tensor] = field(default_factory=dict, compare=False, repr=False)

    def sizes(self) -> list[int]:
        """Lengths of all segments in the order of the row."""
        return [size for prefix, suffixes in self.groups for size in (prefix, *suffixes)]

    def boundaries(self, device: torch.device) -> dict[str, Tensor]:
        """Where sequences begin, for recurrent layers that can start afresh there; empty where a prefix is shared."""
        if any(prefix for prefix, _ in self.groups):
            return {}
        lengths = torch.tensor(self.sizes(), device=device)
        lengths = lengths[lengths > 0]
        ends = torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).to(torch.int32)
        number = torch.arange(len(lengths), device=device, dtype=torch.int32).repeat_interleave(lengths)
        return {"cu_seq_lens_q": ends, "cu_seq_lens_k": ends, "seq_idx": number[None]}


def pack(groups: Sequence[EncodedGroup], forward: str) -> dict[str, Any]:
    """What the trunk needs for these groups under a forward pass: ids, positions, mask, index of each last token.

    Shapes, with N responses in all: packed `input_ids`, `position_ids` [1, T], `last` [N] into the T tokens; padded
    `input_ids`, `attention_mask` [N, L], `last` [N] into the N * L tokens.
    """
    if forward == PADDED:
        return _padded([[*group.prefix, *suffix] for group in groups for suffix in group.suffixes])
    if forward == PADDING_FREE:
        return _packed([((), ((*group.prefix, *suffix),)) for group in groups for suffix in group.suffixes])
    return _packed([(group.prefix, group.suffixes) for group in groups])


def _packed(parts: Sequence[tuple[Sequence[int], Sequence[Sequence[int]]]]) -> dict[str, Any]:
    ids: list[int] = []
    positions: list[int] = []
    last: list[int] = []
    for prefix, suffixes in parts:
        ids.extend(prefix)
        positions.extend(range(len(prefix)))
        for suffix in suffixes:
            ids.extend(suffix)
            positions.extend(range(len(prefix), len(prefix) + len(suffix)))
            last.append(len(ids) - 1)
    segments = Segments(tuple((len(prefix), tuple(map(len, suffixes))) for prefix, suffixes in parts))
    return {
        "input_ids": torch.tensor([ids]),
        "position_ids": torch.tensor([positions]),
        "last": torch.tensor(last),
        "segments": segments,
    }


def _padded(sequences: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Right-padded with id 0, which no score can see: the mask hides it, and it comes after the token that is read."""
    longest = max(map(len, sequences))
    ids = torch.zeros(len(sequences), longest, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = torch.tensor(sequence)
        mask[row, : len(sequence)] = 1
    last = torch.tensor([row * longest + len(sequence) - 1 for row, sequence in enumerate(sequences)])
    return {"input_ids": ids, "attention_mask": mask, "last": last}


def move(batch: dict[str, Any], device: torch.device) -> dict[str, Any]:
    """The batch with its tensors on a device."""
    return {name: value.to(device) if isinstance(value, Tensor) else value for name, value in batch.items()}


def comparisons(groups: Sequence[EncodedGroup]) -> dict[str, Tensor]:
    """The comparisons of a batch [C]: `first` and `second` index its N responses; the others are fp32."""
    starts = [0, *accumulate(len(group.suffixes) for group in groups)]
    entries = [(start, entry) for start, group in zip(starts, groups, strict=False) for entry in group.comparisons]
    return {
        "first": torch.tensor([start + entry.first for start, entry in entries], dtype=torch.long),
        "second": torch.tensor([start + entry.second for start, entry in entries], dtype=torch.long),
        "probability": torch.tensor([entry.probability for _, entry in entries], dtype=torch.float32),
        "margin": torch.tensor([entry.margin for _, entry in entries], dtype=torch.float32),
        "weight": torch.tensor([entry.weight for _, entry in entries], dtype=torch.float32),
    }


def token_batches(groups: Sequence[EncodedGroup], tokens: int) -> list[list[int]]:
    """Indices of groups in order, in runs of at most `tokens` shared tokens (or one group that is longer)."""
    batches: list[list[int]] = []
    room = 0
    for index, group in enumerate(groups):
        if not batches or group.tokens() > room:
            batches.append([])
            room = tokens
        batches[-1].append(index)
        room -= group.tokens()
    return batches
