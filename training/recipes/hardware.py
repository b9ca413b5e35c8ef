"""Sensible first values for the machine and model at hand.  Every one of them can be changed in the form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from training.recipes.reward import RewardConfig

LARGE_GPU_BYTES = 40 * 2**30


def defaults_for(base_model: Mapping[str, Any], *, gpu_bytes: int = 0) -> RewardConfig:
    """Settings to start from.  `gpu_bytes` is the memory of one GPU, 0 without one.

    The tiny model trains fully in minutes anywhere, at a rate fit for random weights.  A pre-trained model on a CPU
    gets a frozen trunk (an epoch costs one forward pass, once); on a GPU LoRA, and full tuning from 40 GB on.
    """
    if base_model.get("kind") == "tiny":
        return RewardConfig(tuning="full", epochs=3.0, learning_rate=1e-3, batch_size=16, max_length=1024)
    if not gpu_bytes:
        return RewardConfig(tuning="frozen", epochs=20.0, learning_rate=1e-3, batch_size=32, max_length=512)
    if gpu_bytes < LARGE_GPU_BYTES:
        return RewardConfig(
            tuning="lora", learning_rate=1e-4, batch_size=32, micro_batch_size=4, gradient_checkpointing=True
        )
    return RewardConfig(tuning="full", learning_rate=9e-6, batch_size=64, micro_batch_size=8, max_length=2048)
