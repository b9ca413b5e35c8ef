"""Features of a frozen trunk, computed once and kept in the run directory, so that a killed run doesn't start over.

They are written in parts of a fixed number of groups: a part is computed in the same batches whether or not the run was
interrupted, which makes the features, and so the head trained on them, the same bit for bit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError
from torch import Tensor

from training.engine.durable_files import UNFINISHED
from training.engine.exceptions import CheckpointInvalid
from training.engine.preparation import EncodedGroup
from training.engine.reward_model import RewardModel
from training.engine.saved_model import load_tensors, save_tensors
from training.engine.score_groups import last_hidden

GROUPS_PER_PART = 64
Tick = Callable[[int], None]


class FeatureCache:
    """Parts of features below `directory`; those of an earlier attempt are used when `identity` is the same."""

    def __init__(self, directory: Path, identity: object, *, writes: bool) -> None:
        digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
        self.directory = directory / digest[:16]
        self.writes = writes
        if writes:
            self.directory.mkdir(parents=True, exist_ok=True)

    def features(
        self, model: RewardModel, groups: Sequence[EncodedGroup], forward: str, split: str, *, bf16: bool, tick: Tick
    ) -> Tensor:
        """[N, hidden] in fp32 for all responses of all groups in order."""
        parts = []
        for start in range(0, len(groups), GROUPS_PER_PART):
            part = groups[start : start + GROUPS_PER_PART]
            path = self.directory / f"{split}-{start:08d}.safetensors"
            kept = self._part(path, sum(len(group.suffixes) for group in part))
            if kept is None:
                kept = last_hidden(model, part, forward, bf16=bf16)
                self._keep(path, kept)
            parts.append(kept)
            tick(start + len(part))
        return torch.cat(parts) if parts else torch.empty(0, model.head.in_features)

    def _part(self, path: Path, rows: int) -> Tensor | None:
        if not path.is_file():
            return None
        try:
            features = load_tensors(path)["features"]
        except (CheckpointInvalid, SafetensorError, KeyError):
            return None
        return features if len(features) == rows else None

    def _keep(self, path: Path, features: Tensor) -> None:
        if self.writes:
            fresh = path.with_name(f"{UNFINISHED}{path.name}")
            save_tensors({"features": features}, fresh)
            fresh.replace(path)
