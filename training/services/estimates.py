"""A rough word on time and memory before a run is asked for.  Honest about where it comes from.

From an earlier run of the same kind where there is one; else from figures measured on one CPU core with a Llama of
135 M parameters (145 tokens/s forward and backward, 433 forward only), scaled by the number of parameters.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from feedback.models import DatasetVersion
from training.models import Run

PARAMETERS = {"tiny": 0.7e6, "smollm2": 135e6}
TRAINED_TOKENS_PER_SECOND = 145 * 135e6
READ_TOKENS_PER_SECOND = 433 * 135e6
FASTEST_TOKENS_PER_SECOND = 20_000.0
"""Small models are bound by Python, not by arithmetic."""
TOKENS_PER_GROUP = 350
START_SECONDS = 15.0
LIBRARIES_BYTES = 0.7e9
BYTES_PER_PARAMETER = {"full": 16, "lora": 5, "frozen": 4}
"""Weights, gradients and AdamW's two moments in fp32; LoRA and a frozen trunk keep little beside the weights."""


@dataclass(frozen=True)
class Estimate:
    seconds: float
    bytes: float
    n_groups: int
    source: Literal["earlier run", "rule of thumb"]


def n_groups(version: DatasetVersion) -> int:
    """Groups of the training split, as far as the frozen counts tell; 0 when they do not."""
    rows = version.counts.get("rows") or {}
    groups = rows.get("group", rows) if isinstance(rows, Mapping) else {}
    found = groups.get("train", 0) if isinstance(groups, Mapping) else 0
    return found if isinstance(found, int) else 0


def estimate_run(
    version: DatasetVersion, base_model: Mapping[str, Any], settings: Mapping[str, Any]
) -> Estimate | None:
    """None where nothing is known about the model's or the dataset's size."""
    groups, parameters = n_groups(version), parameters_of(base_model)
    if not groups or parameters is None:
        return None
    tuning = str(settings["tuning"])
    memory = LIBRARIES_BYTES + parameters * BYTES_PER_PARAMETER[tuning]
    work = groups * _passes(settings, groups)
    if (pace := _earlier_pace(base_model, tuning)) is not None:
        return Estimate(START_SECONDS + pace * work, memory, groups, "earlier run")
    tokens = min(TOKENS_PER_GROUP, int(settings["max_length"]))
    return Estimate(START_SECONDS + work * tokens / _speed(parameters, tuning), memory, groups, "rule of thumb")


def _passes(settings: Mapping[str, Any], groups: int) -> float:
    """How often each group goes through the model: once for a frozen trunk, whose features are kept."""
    if settings["tuning"] == "frozen":
        return 1.0
    if limit := int(settings["max_steps"]):
        return min(float(settings["epochs"]), limit * int(settings["batch_size"]) / groups)
    return float(settings["epochs"])


def _speed(parameters: float, tuning: str) -> float:
    budget = READ_TOKENS_PER_SECOND if tuning == "frozen" else TRAINED_TOKENS_PER_SECOND
    return min(FASTEST_TOKENS_PER_SECOND, budget / parameters)


def _earlier_pace(base_model: Mapping[str, Any], tuning: str) -> float | None:
    """Seconds per group and pass of the last run with this model and tuning."""
    earlier = Run.objects.filter(
        status=Run.Status.SUCCEEDED, base_model=dict(base_model), settings__tuning=tuning, attempt=1
    )
    run = earlier.select_related("dataset_version").order_by("-finished_at").first()
    if run is None or run.started_at is None or run.finished_at is None:
        return None
    groups = n_groups(run.dataset_version)
    seconds = (run.finished_at - run.started_at).total_seconds() - START_SECONDS
    return max(0.0, seconds) / (groups * _passes(run.settings, groups)) if groups else None


def parameters_of(base_model: Mapping[str, Any]) -> float | None:
    """Known sizes, and of a local folder by the size of its weights (4 bytes a parameter, 2 in half precision)."""
    kind = str(base_model.get("kind"))
    if kind in PARAMETERS:
        return PARAMETERS[kind]
    if kind != "path" or not base_model.get("name"):
        return None
    folder = Path(str(base_model["name"]))
    try:
        size = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
        config = json.loads((folder / "config.json").read_text())
    except (OSError, ValueError):
        return None
    half = str(config.get("dtype") or config.get("torch_dtype")) in ("float16", "bfloat16")
    return size / (2 if half else 4) if size else None


def memory_of_this_machine() -> int:
    """Bytes of physical memory, 0 where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return 0
