"""Killed, cancelled, copied elsewhere: a run goes on and ends with the same bytes as one that was never interrupted."""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from tests.training.engine.processes import finish, kill_at_step, run_to_the_end, start, step_reached, wait_for
from tests.training.engine.runs import change_spec, make_run, metrics_of, polite_groups, result_of

SETTINGS = {"train": polite_groups(22), "batch_size": 4, "epochs": 2.0, "save_every": 4, "eval_every": 5}  # 12 steps


def model_bytes(path):
    return (path / result_of(path)["checkpoint"] / "model.safetensors").read_bytes()


def lines(path):
    return [{name: value for name, value in row.items() if name != "time"} for row in metrics_of(path)]


@pytest.mark.parametrize("tuning", ["full", "lora", "frozen"])
def test_a_killed_run_resumes_bit_for_bit(tmp_path, tuning):
    settings = {**SETTINGS, "tuning": tuning, "lora_dropout": 0.1, "micro_batch_size": 2}
    whole = make_run(tmp_path / "whole", **settings)
    assert run_to_the_end(whole) == 0
    killed = make_run(tmp_path / "killed", **settings)
    kill_at_step(killed, 6)  # in the first epoch's last batch, after the checkpoint of step 4
    kill_at_step(killed, 9)  # in the second epoch, after that of step 8
    assert not (killed / "result.json").exists()
    assert run_to_the_end(killed) == 0
    assert model_bytes(killed) == model_bytes(whole)
    assert lines(killed) == lines(whole)
    assert "Resuming from step_8" in (killed / "log.txt").read_text()
    assert result_of(killed)["evaluation"] == result_of(whole)["evaluation"]


def test_a_cancelled_run_saves_at_the_next_step_and_resumes_bit_for_bit(tmp_path):
    whole = make_run(tmp_path / "whole", **SETTINGS)
    assert run_to_the_end(whole) == 0
    path = make_run(tmp_path / "cancelled", **SETTINGS)
    process = start(path, slow_step=0.05)
    wait_for(step_reached(path, 5), process)
    process.terminate()
    assert finish(process) == 3
    assert result_of(path)["status"] == "cancelled"
    last = metrics_of(path)[-1]["step"]
    assert 5 <= last < 12
    meta = json.loads((path / f"checkpoints/step_{last}/meta.json").read_text())
    assert meta["whole_model"]
    change_spec(path, attempt=2)
    assert run_to_the_end(path) == 0
    assert result_of(path)["attempt"] == 2
    assert model_bytes(path) == model_bytes(whole)


def test_a_run_can_be_cancelled_while_it_prepares(tmp_path):
    path = make_run(tmp_path / "run", train=polite_groups(4000), tuning="frozen")
    process = start(path)
    wait_for(lambda: json.loads((path / "progress.json").read_text())["phase"] == "tokenising", process)
    process.terminate()
    assert finish(process) == 3
    assert result_of(path)["status"] == "cancelled"


@pytest.mark.slow
def test_a_run_directory_copied_elsewhere_goes_on_there(tmp_path):
    whole = make_run(tmp_path / "whole", **SETTINGS)
    assert run_to_the_end(whole) == 0
    here = make_run(tmp_path / "here", **SETTINGS)
    kill_at_step(here, 6)
    there = tmp_path / "there"
    shutil.copytree(here, there)
    shutil.rmtree(here)
    assert run_to_the_end(there) == 0
    assert model_bytes(there) == model_bytes(whole)


@pytest.mark.slow
def test_a_half_written_checkpoint_is_swept_away_and_a_damaged_one_passed_over(tmp_path):
    whole = make_run(tmp_path / "whole", **SETTINGS)
    assert run_to_the_end(whole) == 0
    path = make_run(tmp_path / "run", **SETTINGS)
    kill_at_step(path, 9)
    (path / "checkpoints/.unfinished-step_12").mkdir()
    (path / "checkpoints/step_10").mkdir()  # no manifest: not a checkpoint
    with (path / "checkpoints/step_8/model.safetensors").open("r+b") as stream:
        stream.seek(-1, os.SEEK_END)
        stream.write(b"\x7f")
    with (path / "metrics.jsonl").open("a") as stream:
        stream.write('{"step": 9, "lo')
    assert run_to_the_end(path) == 0
    log = (path / "log.txt").read_text()
    assert "step_8 is passed over: model.safetensors is damaged" in log
    assert "Resuming from step_4" in log
    assert not (path / "checkpoints/.unfinished-step_12").exists()
    assert model_bytes(path) == model_bytes(whole)
    assert lines(path) == lines(whole)


def test_a_run_killed_after_its_last_step_only_evaluates(tmp_path):
    path = make_run(tmp_path / "run", **SETTINGS)
    assert run_to_the_end(path) == 0
    before, evaluation, rows = model_bytes(path), result_of(path)["evaluation"], lines(path)
    (path / "result.json").unlink()
    assert run_to_the_end(path) == 0
    assert (model_bytes(path), result_of(path)["evaluation"], lines(path)) == (before, evaluation, rows)


def test_a_run_that_has_succeeded_is_left_as_it_is(tmp_path):
    path = make_run(tmp_path / "run", **SETTINGS, max_steps=1)
    assert run_to_the_end(path) == 0
    before = {entry: entry.stat().st_mtime_ns for entry in path.rglob("*.safetensors")}
    assert run_to_the_end(path) == 0
    assert {entry: entry.stat().st_mtime_ns for entry in path.rglob("*.safetensors")} == before


@pytest.mark.slow
@pytest.mark.timeout(1200)  # four processes in turn, each of which imports for 15 s or, on a busy machine, a minute
@pytest.mark.parametrize("tuning", ["full", "lora", "frozen"])
def test_the_command_itself_resumes_bit_for_bit_after_kill_9(tmp_path, tuning):
    """The same as above with `python -m training.engine` and nothing preloaded, killed twice."""
    settings = {**SETTINGS, "train": polite_groups(160), "tuning": tuning}  # 80 steps
    command = [sys.executable, "-m", "training.engine"]
    whole = make_run(tmp_path / "whole", **settings)
    subprocess.run([*command, str(whole)], check=True, capture_output=True)
    path = make_run(tmp_path / "killed", **settings)
    for step in (3, 50):
        with subprocess.Popen([*command, str(path)], stderr=subprocess.DEVNULL) as process:
            wait_for(step_reached(path, step), _Polled(process))
            process.send_signal(signal.SIGKILL)
    subprocess.run([*command, str(path)], check=True, capture_output=True)
    assert model_bytes(path) == model_bytes(whole)


class _Polled:
    """A Popen with the attribute that wait_for looks at."""

    def __init__(self, process):
        self.process = process

    @property
    def exitcode(self):
        return self.process.poll()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_ranks_take_the_steps_of_one(tmp_path):
    """torchrun with gloo: rank 0 alone writes, and the loss of each step is over the comparisons of both ranks."""
    settings = {**SETTINGS, "train": polite_groups(24, k=3)}
    one, two = make_run(tmp_path / "one", **settings), make_run(tmp_path / "two", **settings)
    assert run_to_the_end(one) == 0
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    subprocess.run([*launch, "-m", "training.engine", str(two)], check=True, capture_output=True)
    for alone, together in zip(metrics_of(one), metrics_of(two), strict=True):
        assert together["loss"] == pytest.approx(alone["loss"], rel=1e-3, abs=1e-6)
        assert together["accuracy"] == alone["accuracy"]
