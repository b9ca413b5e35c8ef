"""Runs a job in its directory and turns however it ends into result.json and an exit code.

0 succeeded, 1 failed, 3 cancelled (all with result.json); 4 another process or a later attempt has the directory, in
which nothing is changed then.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from training.engine.durable_files import disk_full, is_disk_full
from training.engine.environment import is_first_rank
from training.engine.exceptions import (
    AttemptSuperseded,
    Cancelled,
    DirectoryBusy,
    EngineError,
    ModelMissing,
    SpecInvalid,
)
from training.engine.reward_model import is_out_of_memory, out_of_memory
from training.engine.run_directory import LOG, RunDirectory, logging_to
from training.engine.specification import Spec, asked_attempt, read_spec
from training.engine.stopping import Stop, stop_on_signals
from training.recipes.base_models import BaseModelMissing

Job = Callable[[RunDirectory, Spec, Stop], dict[str, Any]]

logger = logging.getLogger(__name__)


def run_job(path: Path, job: Job) -> int:
    """The exit code of `job` in the run directory `path`.  A run that has succeeded already is left as it is."""
    run = RunDirectory(path.resolve(), writes=is_first_rank())
    with stop_on_signals() as stop, logging_to(run.path / LOG, writes=run.writes and run.path.is_dir()):
        try:
            with run.held(asked_attempt(run.path)):
                return _settle(run, job, stop)
        except (DirectoryBusy, AttemptSuperseded, SpecInvalid) as error:  # not ours to write a result in
            logger.error("%s", error)
            return error.exit_code


def _settle(run: RunDirectory, job: Job, stop: Stop) -> int:
    if run.read_result().get("status") == "succeeded":
        logger.info("This run has succeeded already.")
        return 0
    run.forget_result()
    try:
        result = job(run, read_spec(run.path), stop)
        run.check_fence()
        run.write_result(result)
    except AttemptSuperseded:
        raise
    except Exception as error:
        known = typed(error, run.path)
        if known is None:
            _fail(run, f"The engine broke: {type(error).__name__}: {error}", "Report this with the end of log.txt.")
            logger.exception("The engine broke.")
            return 1
        return _end(run, known)
    run.progress("done", 1, 1)
    return 0


def typed(error: Exception, path: Path) -> EngineError | None:
    """The engine's own error for what went wrong, or None for what nobody foresaw."""
    if isinstance(error, EngineError):
        return error
    if isinstance(error, BaseModelMissing):
        return ModelMissing(error.message, error.advice)
    if is_out_of_memory(error):
        return out_of_memory(error)
    if is_disk_full(error):
        return disk_full(path / "file")
    return None


def _end(run: RunDirectory, error: EngineError) -> int:
    logger.error("%s", error)
    if isinstance(error, Cancelled):
        run.write_result({"status": "cancelled", "error": error.message, "advice": error.advice})
    else:
        _fail(run, error.message, error.advice, kind=type(error).__name__)
    return error.exit_code


def _fail(run: RunDirectory, message: str, advice: str, kind: str = "") -> None:
    try:
        run.write_result({"status": "failed", "error": message, "advice": advice, "kind": kind})
    except OSError as error:  # the disk may be full: the exit code and the log still tell
        logger.error("result.json could not be written: %s", error)
