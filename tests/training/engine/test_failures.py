"""Whatever goes wrong is said in result.json with what to do about it, and the exit code is not 0."""

import fcntl
import io
import json
import logging
import os

import pytest
import torch

from tests.training.engine.runs import change_spec, comparison, group, make_run, polite_groups, result_of
from training.engine.job import train
from training.engine.outcome import run_job
from training.engine.run_directory import logging_to
from training.engine.trainer import PreferenceTrainer


def failed(path, kind):
    assert run_job(path, train) == 1
    result = result_of(path)
    assert (result["status"], result["kind"]) == ("failed", kind)
    assert result["error"]
    assert result["advice"]
    return result


def test_a_loss_that_is_not_a_number_stops_the_run(tmp_path, monkeypatch):
    path = make_run(tmp_path / "run")
    monkeypatch.setattr(
        "training.engine.trainer.bradley_terry_loss", lambda first, *rest, **options: first * float("nan")
    )
    assert "learning rate" in failed(path, "LossNotFinite")["advice"]


def test_an_infinite_gradient_stops_the_run_before_it_is_used(tmp_path):
    path = make_run(tmp_path / "run", tuning="frozen", learning_rate=1.0)
    original = PreferenceTrainer.training_step

    def spoilt(self, model, *rest):
        loss = original(self, model, *rest)
        self.model.head.weight.grad.fill_(float("inf"))
        return loss

    PreferenceTrainer.training_step = spoilt
    try:
        assert "gradient" in failed(path, "LossNotFinite")["error"]
    finally:
        PreferenceTrainer.training_step = original
    assert not list((path / "checkpoints").iterdir())


def test_memory_that_runs_out_is_told_from_a_broken_engine(tmp_path, monkeypatch):
    def hungry(*given):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.")

    path = make_run(tmp_path / "run")
    monkeypatch.setattr(PreferenceTrainer, "training_step", hungry)
    assert "micro-batch" in failed(path, "OutOfMemory")["advice"]


def test_memory_that_runs_out_on_the_cpu_counts_too(tmp_path, monkeypatch):
    path = make_run(tmp_path / "run")
    monkeypatch.setattr(PreferenceTrainer, "training_step", lambda *given: torch.empty(2**50))
    failed(path, "OutOfMemory")


def test_a_full_disk_is_named(tmp_path):
    path = make_run(tmp_path / "run")
    (path / "metrics.jsonl").symlink_to("/dev/full")
    assert "space" in failed(path, "DiskFull")["error"]


def test_a_disk_that_fills_up_during_a_checkpoint_leaves_nothing_of_it(tmp_path, monkeypatch):
    from safetensors import SafetensorError

    def full(tensors, path):
        path.write_bytes(b"half a file")
        raise SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)")

    path = make_run(tmp_path / "run")
    monkeypatch.setattr("training.engine.saved_model.save_file", full)
    failed(path, "DiskFull")
    assert not list((path / "checkpoints").iterdir())


@pytest.mark.parametrize("base", [{"kind": "path", "name": "/nowhere"}, {"kind": "hub", "name": "no/such-model"}])
def test_a_missing_model_is_named_with_advice(tmp_path, base):
    result = failed(make_run(tmp_path / "run", base=base), "ModelMissing")
    assert base["name"] in result["error"]


def test_nothing_left_to_train_on_is_an_error_with_a_report(tmp_path):
    path = make_run(tmp_path / "run", train=[group(1, "Same.", ["please", "please"], [comparison()])])
    assert "identical_pair" in failed(path, "NothingToTrain")["error"]
    assert json.loads((path / "report.json").read_text())["train"]["dropped"]["identical_pair"] == 1


def test_data_that_is_not_the_specs_is_refused(tmp_path):
    path = make_run(tmp_path / "run")
    other = make_run(tmp_path / "other", train=polite_groups(3))
    (path / "data/train.parquet").write_bytes((other / "data/train.parquet").read_bytes())
    failed(path, "DataInvalid")


def test_missing_data_is_named(tmp_path):
    path = make_run(tmp_path / "run")
    (path / "data/train.parquet").unlink()
    assert "data/train.parquet" in failed(path, "DataInvalid")["error"]


def test_a_wrong_setting_is_named_before_anything_is_read(tmp_path):
    path = make_run(tmp_path / "run", tuning="half")
    assert run_job(path, train) == 1
    assert "tuning" in result_of(path)["error"]


def test_a_checkpoint_of_other_settings_is_not_resumed(tmp_path):
    path = make_run(tmp_path / "run", max_steps=1)
    assert run_job(path, train) == 0
    (path / "result.json").unlink()
    spec = json.loads((path / "spec.json").read_text())
    change_spec(path, settings={**spec["settings"], "learning_rate": 0.5})
    assert "settings" in failed(path, "CheckpointInvalid")["error"]


def test_a_directory_in_use_is_left_alone(tmp_path):
    path = make_run(tmp_path / "run")
    with (path / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert run_job(path, train) == 4
    assert not (path / "result.json").exists()
    assert not (path / "checkpoints").exists()


def test_an_older_attempt_does_not_begin(tmp_path):
    path = make_run(tmp_path / "run", max_steps=1, attempt=3)
    assert run_job(path, train) == 0
    change_spec(path, attempt=2)
    (path / "result.json").unlink()
    assert run_job(path, train) == 4
    assert not (path / "result.json").exists()


def test_an_attempt_that_was_overtaken_publishes_nothing_more(tmp_path, monkeypatch):
    path = make_run(tmp_path / "run")
    original = PreferenceTrainer.training_step
    monkeypatch.setattr(
        PreferenceTrainer, "training_step", lambda *given: (change_spec(path, attempt=2), original(*given))[1]
    )
    assert run_job(path, train) == 4
    assert not (path / "result.json").exists()
    assert not list((path / "checkpoints").iterdir())


def test_what_nobody_foresaw_is_a_failure_with_a_traceback_in_the_log(tmp_path, monkeypatch):
    def broken(*given):
        raise ZeroDivisionError("so much for that")

    path = make_run(tmp_path / "run")
    monkeypatch.setattr(PreferenceTrainer, "training_step", broken)
    assert run_job(path, train) == 1
    assert "so much for that" in result_of(path)["error"]
    assert "Traceback" in (path / "log.txt").read_text()


def test_a_failed_run_can_be_tried_again(tmp_path):
    path = make_run(tmp_path / "run", max_steps=1)
    (path / "metrics.jsonl").symlink_to("/dev/full")
    failed(path, "DiskFull")
    (path / "metrics.jsonl").unlink()
    change_spec(path, attempt=2)
    assert run_job(path, train) == 0
    assert result_of(path)["status"] == "succeeded"


def test_a_directory_without_a_spec_is_an_error_and_stays_as_it_is(tmp_path):
    assert run_job(tmp_path, train) == 1
    assert run_job(tmp_path / "nowhere", train) == 1
    assert [entry.name for entry in tmp_path.iterdir() if entry.name != "log.txt"] == []


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"format": 2}, "format"),
        ({"recipe": "alchemy"}, "alchemy"),
        ({"data": {}}, "train"),
        ({"base_model": 7}, "kind"),
    ],
)
def test_a_spec_that_cannot_be_followed_says_so_in_the_result(tmp_path, change, word):
    path = make_run(tmp_path / "run")
    change_spec(path, **change)
    assert word in failed(path, "SpecInvalid")["error"]


def test_a_log_that_a_supervisor_already_writes_is_not_written_twice(tmp_path):
    path = tmp_path / "log.txt"
    before = os.dup(2)
    try:
        with path.open("ab") as stream:
            os.dup2(stream.fileno(), 2)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("sys.stderr", io.TextIOWrapper(io.FileIO(2, "w", closefd=False), write_through=True))
                with logging_to(path):
                    logging.getLogger("training.engine").info("said once")
    finally:
        os.dup2(before, 2)
        os.close(before)
    assert path.read_text().count("said once") == 1
