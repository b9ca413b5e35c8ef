"""Checkpoints: what a run needs to go on exactly as if it had never stopped.

`checkpoints/step_N/` has the weights (the whole model with full tuning and at the end, else what is trained), the
state of optimiser, schedule and random numbers, and `meta.json`, written last.  Everything is safetensors or JSON:
nothing is ever unpickled.
"""

from __future__ import annotations

import json
import logging
import platform
import random
import shutil
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from training.engine.durable_files import sha256_of, write_json
from training.engine.exceptions import CheckpointInvalid
from training.engine.saved_model import MODEL, load_tensors, save_tensors

FORMAT = 1
META = "meta.json"
TRAINED = "trained.safetensors"
STATE = "training_state"
PACKAGES = ("torch", "transformers", "accelerate", "peft", "safetensors", "tokenizers")

logger = logging.getLogger(__name__)


def versions() -> dict[str, str]:
    """What the numbers may depend on besides the seed."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def step_directory(checkpoints: Path, step: int) -> Path:
    return checkpoints / f"step_{step}"


def latest_checkpoint(checkpoints: Path) -> Path | None:
    """The last complete checkpoint whose weights still have the hash of its manifest; broken ones are passed over."""
    for path in reversed(_steps(checkpoints)):
        try:
            meta = read_meta(path)
            broken = [name for name, digest in meta["files"].items() if sha256_of(path / name) != digest]
        except (CheckpointInvalid, OSError, KeyError) as error:
            logger.warning("%s is passed over: %s", path.name, error)
            continue
        if not broken:
            return path
        logger.warning("%s is passed over: %s is damaged.", path.name, ", ".join(broken))
    return None


def read_meta(path: Path) -> dict[str, Any]:
    """The manifest of a checkpoint.  Raises CheckpointInvalid."""
    try:
        meta: dict[str, Any] = json.loads((path / META).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointInvalid(f"{path.name} has no readable {META}.", "Use a complete checkpoint.") from error
    return meta


def write_meta(directory: Path, meta: Mapping[str, Any]) -> None:
    """The manifest, with the hashes of the weights beside it; written last: with it a checkpoint is complete."""
    files = {name: sha256_of(directory / name) for name in (MODEL, TRAINED) if (directory / name).is_file()}
    write_json(directory / META, {"format": FORMAT, **meta, "versions": versions(), "files": files})


def check_identity(path: Path, identity: Mapping[str, Any]) -> None:
    """Raise CheckpointInvalid when a checkpoint was made with other settings, data or base model."""
    found = read_meta(path).get("identity")
    wanted = json.loads(json.dumps(identity))
    if found != wanted:
        different = sorted(key for key in wanted if not isinstance(found, dict) or found.get(key) != wanted[key])
        raise CheckpointInvalid(
            f"{path.name} was made with other {', '.join(different)}.", "Start a new run for the new settings."
        )


def remove_old(checkpoints: Path, keep: int) -> None:
    """Delete all but the last `keep` checkpoints."""
    for path in _steps(checkpoints)[:-keep]:
        shutil.rmtree(path, ignore_errors=True)


def save_trained(model: torch.nn.Module, directory: Path) -> None:
    """The trainable parameters by name."""
    save_tensors({name: value for name, value in model.named_parameters() if value.requires_grad}, directory / TRAINED)


def load_trained(model: torch.nn.Module, directory: Path) -> None:
    """Put back what `save_trained` wrote, every parameter of it.  Raises CheckpointInvalid."""
    tensors = load_tensors(directory / TRAINED)
    wanted = {name: value for name, value in model.named_parameters() if value.requires_grad}
    if tensors.keys() != wanted.keys():
        raise CheckpointInvalid(f"{directory.name} trains other weights.", "Start a new run.")
    for name, value in wanted.items():
        value.data.copy_(tensors[name])


def save_training_state(directory: Path, optimizer: Any, scheduler: Any) -> None:
    """Optimiser, schedule and random numbers: tensors as safetensors, the rest as JSON (which keeps floats exactly)."""
    optimizer_state = optimizer.state_dict()
    tensors: dict[str, Tensor] = {"random.torch": torch.random.get_rng_state()}
    for number, entry in optimizer_state["state"].items():
        tensors |= {f"optimizer.{number}.{name}": value for name, value in entry.items()}
    if torch.cuda.is_available():
        tensors |= {f"random.cuda.{n}": state for n, state in enumerate(torch.cuda.get_rng_state_all())}
    name, keys, *position = np.random.get_state(legacy=True)
    tensors["random.numpy"] = torch.from_numpy(np.asarray(keys).astype(np.int64))
    save_tensors(tensors, directory / f"{STATE}.safetensors")
    state = {
        "param_groups": optimizer_state["param_groups"],
        "scheduler": scheduler.state_dict(),
        "python": random.getstate(),
        "numpy": [name, *position],
    }
    write_json(directory / f"{STATE}.json", state)


def load_optimizer(directory: Path, optimizer: Any, scheduler: Any) -> None:
    """Put back the state of optimiser and schedule."""
    tensors, state = _read_state(directory)
    entries: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        if key.startswith("optimizer."):
            _, number, name = key.split(".", 2)
            entries.setdefault(int(number), {})[name] = tensor
    groups = [{**group, "betas": tuple(group["betas"])} for group in state["param_groups"]]
    optimizer.load_state_dict({"state": entries, "param_groups": groups})
    scheduler.load_state_dict(state["scheduler"])


def load_random_state(directory: Path) -> None:
    """Put back the random numbers of Python, numpy and torch."""
    tensors, state = _read_state(directory)
    kind, words, gauss = state["python"]
    random.setstate((kind, tuple(words), gauss))
    name, *position = state["numpy"]
    np.random.set_state((name, tensors["random.numpy"].numpy().astype(np.uint32), *position))
    torch.random.set_rng_state(tensors["random.torch"])
    cuda = [tensors[key] for key in sorted(tensors) if key.startswith("random.cuda.")]
    if cuda and len(cuda) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(cuda)


def _read_state(directory: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    tensors = load_tensors(directory / f"{STATE}.safetensors")
    try:
        state: dict[str, Any] = json.loads((directory / f"{STATE}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointInvalid(f"{directory.name} has no readable training state.", "Delete it and resume.") from error
    return tensors, state


def _steps(checkpoints: Path) -> list[Path]:
    """Checkpoints with a manifest, by step."""
    numbered = [(int(path.name[5:]), path) for path in checkpoints.glob("step_*") if path.name[5:].isdecimal()]
    return [path for _, path in sorted(numbered) if (path / META).is_file()]
