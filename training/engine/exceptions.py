"""Errors of the engine.  `message` says what happened, `advice` what to do; both land in result.json and the log."""

from __future__ import annotations


class EngineError(Exception):
    """Base of everything the engine raises on purpose.  `exit_code` is the process's."""

    exit_code = 1

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(f"{message} {advice}")
        self.message = message
        self.advice = advice


class SpecInvalid(EngineError):
    """spec.json is missing, torn or asks for what the engine doesn't have."""


class DataInvalid(EngineError):
    """A row of the dataset breaks the format, or the file is not the one the spec names."""


class NothingToTrain(EngineError):
    """After dropping what cannot be used, no comparison is left."""


class TooLong(EngineError):
    """Sequences are over the limit and the settings say to refuse them."""


class ModelMissing(EngineError):
    """The base model cannot be had on this machine."""


class TokenizerUnusable(EngineError):
    """The tokenizer lacks something that scoring needs."""


class ForwardUnusable(EngineError):
    """The forward pass that was asked for does not give this model's own scores."""


class LossNotFinite(EngineError):
    """The loss or a gradient became NaN or infinite."""


class OutOfMemory(EngineError):
    """The device or the machine ran out of memory."""


class DiskFull(EngineError):
    """A file could not be written for want of space."""


class CheckpointInvalid(EngineError):
    """A checkpoint cannot be read, or belongs to another run or dataset."""


class Cancelled(EngineError):
    """SIGTERM or SIGINT came; what was done so far is saved."""

    exit_code = 3

    def __init__(self) -> None:
        super().__init__("The run was cancelled.", "Start it again to go on from its last checkpoint.")


class DirectoryBusy(EngineError):
    """Another process works in this run directory: this one must not write there."""

    exit_code = 4


class AttemptSuperseded(EngineError):
    """A later attempt has taken the directory over: this one must not write there any more."""

    exit_code = 4
