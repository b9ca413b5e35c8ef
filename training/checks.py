"""System checks of this room (`manage.py check`)."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

MOST_BEATS_MISSED = 3


@register("training")
def check_patience(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """A run must not be given up between two of its heartbeats."""
    heartbeat, stale = settings.TRAINING_HEARTBEAT_SECONDS, settings.TRAINING_STALE_SECONDS
    if stale >= MOST_BEATS_MISSED * heartbeat > 0:
        return []
    message = f"TRAINING_STALE_SECONDS is {stale:g}, TRAINING_HEARTBEAT_SECONDS {heartbeat:g}: runs would be given up."
    hint = f"Let the first be at least {MOST_BEATS_MISSED} times the second, and both positive."
    return [Error(message, hint=hint, id="training.E001")]


@register("training")
def check_engine(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Another program in the engine's place must be there, and should be on purpose."""
    if not settings.TRAINING_ENGINE:
        return []
    program = settings.TRAINING_ENGINE[0]
    if shutil.which(program) is None:
        message = f"TOUCHSTONE_ENGINE names {program}, which is no program here."
        return [Error(message, hint="Unset it, or give a command that exists.", id="training.E002")]
    message = f"Runs are executed by {program}, not by the engine of this product."
    return [Warning(message, hint="Unset TOUCHSTONE_ENGINE.", id="training.W001")]
