"""The model inside a checkpoint: ordinary files that transformers reads, and how the engine reads them back.

`config.json`, the tokenizer's files and one `model.safetensors` with the trunk under its family's own prefix and the
head as `score.weight`: what `AutoModelForSequenceClassification` with one label expects.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING, AutoConfig, AutoModel, AutoTokenizer

from training.engine.durable_files import disk_full, is_disk_full
from training.engine.exceptions import CheckpointInvalid
from training.engine.reward_model import HEAD, RewardModel

MODEL = "model.safetensors"
TRAIN_AGAIN = "Resume the run, or use another of its checkpoints."


def save_model(model: RewardModel, tokenizer: Any, directory: Path) -> None:
    """Write the whole model, LoRA merged into a copy of the weights it changes; the model itself is left as it is."""
    trunk = _plain_trunk(model.trunk)
    prefix = trunk.base_model_prefix or "model"
    weights = {f"{prefix}.{name}": tensor for name, tensor in merged_weights(model.trunk).items()}
    weights[f"{HEAD}.weight"] = model.head.weight.detach()
    save_tensors(weights, directory / MODEL)
    config = copy.deepcopy(trunk.config)
    config.num_labels = 1
    config.pad_token_id = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
    family: Any = MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING.get(type(config), None)
    if family is not None:
        config.architectures = [family.__name__]
    config.save_pretrained(directory)
    tokenizer.save_pretrained(directory)


def load_model(directory: Path) -> tuple[RewardModel, Any]:
    """The reward model and tokenizer of a checkpoint, on the CPU, in eval mode.  Raises CheckpointInvalid."""
    if not (directory / MODEL).is_file():
        raise CheckpointInvalid(f"{directory.name} holds no whole model.", TRAIN_AGAIN)
    try:
        config = AutoConfig.from_pretrained(directory, local_files_only=True)
        trunk: Any = AutoModel.from_config(config, dtype=torch.float32)  # type: ignore[no-untyped-call]  # untyped there
    except (OSError, ValueError, KeyError) as error:
        raise CheckpointInvalid(f"{directory.name} cannot be read: {error}", TRAIN_AGAIN) from error
    model = RewardModel(trunk, int(config.get_text_config().hidden_size), seed=0)
    load_weights(model, directory)
    return model.eval(), load_tokenizer_of(directory)


def load_tokenizer_of(directory: Path) -> Any:
    """The tokenizer saved in a directory.  Raises CheckpointInvalid."""
    try:
        return AutoTokenizer.from_pretrained(directory, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise CheckpointInvalid(f"The tokenizer in {directory} cannot be read: {error}", TRAIN_AGAIN) from error


def load_weights(model: RewardModel, directory: Path) -> None:
    """Copy a saved model's weights into `model`, every one of them.  Raises CheckpointInvalid."""
    weights = load_tensors(directory / MODEL)
    prefix = f"{_plain_trunk(model.trunk).base_model_prefix or 'model'}."
    trunk = {name.removeprefix(prefix): tensor for name, tensor in weights.items() if name.startswith(prefix)}
    try:
        model.head.weight.data.copy_(weights[f"{HEAD}.weight"])
        model.trunk.load_state_dict(trunk, strict=True)
    except (KeyError, RuntimeError) as error:
        raise CheckpointInvalid(f"{directory.name} is of another model: {error}.", TRAIN_AGAIN) from error


@torch.no_grad()
def merged_weights(trunk: Any) -> dict[str, Tensor]:
    """The trunk's weights under the names it has without adapters, each layer's update added to its weight."""
    plain = _plain_trunk(trunk)
    if plain is trunk:
        weights: dict[str, Tensor] = trunk.state_dict()
        return weights
    merged: dict[str, Tensor] = {}
    for name, tensor in plain.state_dict().items():
        if ".lora_" not in name:
            merged[name.replace(".base_layer.", ".")] = tensor
    for name, layer in plain.named_modules():
        if hasattr(layer, "get_delta_weight"):
            weight = layer.base_layer.weight
            merged[f"{name}.weight"] = weight + layer.get_delta_weight("default").to(weight.dtype)
    return merged


def save_tensors(tensors: dict[str, Tensor], path: Path) -> None:
    """Write safetensors, tied weights once under each name.  Raises DiskFull."""
    try:
        save_file(_apart(tensors), path)
        path.chmod(0o644)  # the machine that serves may run as another user
    except (SafetensorError, OSError) as error:
        if is_disk_full(error):
            raise disk_full(path) from error
        raise


def _apart(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors on the CPU; a copy of one that shares its memory with another, which safetensors refuses."""
    seen: set[int] = set()
    apart = {}
    for name, tensor in tensors.items():
        moved = tensor.detach().cpu().contiguous()
        place = moved.untyped_storage().data_ptr()
        apart[name] = moved.clone() if place in seen else moved
        seen.add(place)
    return apart


def load_tensors(path: Path) -> dict[str, Tensor]:
    """Read safetensors into memory of our own.  Raises CheckpointInvalid."""
    try:
        # Cloned: a mapped file is aligned as it happens to be, and vectorised sums depend on alignment.
        return {name: tensor.clone() for name, tensor in load_file(path).items()}
    except (SafetensorError, OSError) as error:
        raise CheckpointInvalid(f"{path.name} cannot be read: {error}.", TRAIN_AGAIN) from error


def _plain_trunk(trunk: Any) -> Any:
    """The transformers model inside PEFT's wrapper, or the trunk itself."""
    return trunk.get_base_model() if hasattr(trunk, "get_base_model") else trunk
