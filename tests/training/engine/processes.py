"""Engine runs in processes of their own, forked from one that has torch imported: real to kill, quick to start."""

import multiprocessing
import os
import signal
import sys
import time
from contextlib import suppress

from tests.training.engine.runs import metrics_of

PATIENCE = 120.0


def run_engine(path, slow_step=0.0):
    """The whole of a run, as `python -m training.engine` does it; ends the process with its exit code."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    import torch

    from training.engine.job import train
    from training.engine.outcome import run_job
    from training.engine.trainer import PreferenceTrainer

    torch.set_num_threads(1)
    if slow_step:
        step = PreferenceTrainer.training_step
        PreferenceTrainer.training_step = lambda *given: (time.sleep(slow_step), step(*given))[1]
    sys.exit(run_job(path, train))


def context():
    """The server imports the engine once and forks each run off itself."""
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(["training.engine.job", "training.engine.trainer", "peft"])
    return server


def start(path, slow_step=0.0):
    process = context().Process(target=run_engine, args=(path, slow_step))
    process.start()
    return process


def finish(process):
    """The exit code; negative for a signal."""
    process.join(PATIENCE)
    assert process.exitcode is not None, "the engine did not end"
    return process.exitcode


def run_to_the_end(path):
    return finish(start(path))


def wait_for(condition, process):
    """Until the condition holds; fails when the process ends first."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with suppress(OSError, ValueError, IndexError):
            if condition():
                return
        assert process.exitcode is None, f"the engine ended with {process.exitcode} before it could be stopped"
        time.sleep(0.01)
    raise AssertionError("the engine took too long")


def step_reached(path, step):
    return lambda: metrics_of(path)[-1]["step"] >= step


def kill_at_step(path, step):
    """SIGKILL once the metrics of a step are written, in the middle of the ones after it."""
    process = start(path, slow_step=0.02)
    wait_for(step_reached(path, step), process)
    os.kill(process.pid, signal.SIGKILL)
    assert finish(process) == -signal.SIGKILL
