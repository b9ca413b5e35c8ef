"""Whether the train extra (torch, transformers, …) is there, as told by the installer and by what can be found.

`$TOUCHSTONE_HOME/install.json`: `{"extra": "train", "state": "installing" | "ready" | "failed", "message", "percent"}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import invalidate_caches
from importlib.util import find_spec
from typing import Literal

from django.conf import settings
from django.utils.translation import gettext as _

from training.exceptions import JobFailed
from training.tailing import read_object

State = Literal["ready", "installing", "failed", "missing"]
PACKAGES = ("torch", "transformers", "safetensors")
INSTALL = "pip install 'touchstone[train]'"


@dataclass(frozen=True)
class TrainExtra:
    """percent: 0 … 100 while it is being installed."""

    state: State
    message: str = ""
    percent: int = 0


def train_extra() -> TrainExtra:
    """What this machine can say.  An installer that is at work is believed before half-installed packages are."""
    if settings.TRAINING_ENGINE:
        return TrainExtra("ready")
    told = read_object(settings.TOUCHSTONE_HOME / "install.json")
    message = str(told.get("message") or "")
    if told.get("extra") == "train" and told.get("state") == "installing":
        return TrainExtra("installing", message, int(told.get("percent") or 0))
    invalidate_caches()
    if all(find_spec(package) for package in PACKAGES):
        return TrainExtra("ready")
    if told.get("extra") == "train" and told.get("state") == "failed":
        return TrainExtra("failed", message)
    return TrainExtra("missing", message)


def extra_is_awaited() -> bool:
    """Runs stay queued while the extra is being installed."""
    return train_extra().state == "installing"


def require_extra() -> None:
    """Raises JobFailed, with what to do, when the extra is not there and nobody is installing it."""
    extra = train_extra()
    if extra.state in ("ready", "installing"):
        return
    message = extra.message or _("torch and transformers are not installed where the GPU worker runs.")
    raise JobFailed(message, _("Install them (%(command)s), then resume the run.") % {"command": INSTALL})
