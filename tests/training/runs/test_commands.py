"""`manage.py train` and `manage.py open_round`, and the system checks."""

import json

import pytest
from django.core.management import CommandError, call_command

from tests.training.conftest import finish_run
from training.checks import check_engine, check_patience
from training.models import Round, Run


def test_train_waits_and_prints_accuracy_beside_the_baseline(version, quick, capsys):
    call_command("train", str(version.pk), "--set", "epochs=2", "--set", "tuning=lora", "--seed", "3", "--wait")
    run = Run.objects.get()
    assert (run.status, run.seed, run.settings["tuning"], run.settings["seed"]) == ("succeeded", 3, "lora", 3)
    assert "accuracy 0.700 (0.600–0.800, n = 40); longer wins 0.55" in capsys.readouterr().out


def test_train_without_wait_only_queues(version, capsys):
    call_command("train", str(version.pk))
    assert Run.objects.get().status == "queued"
    assert "Queued run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "epochs"], "KEY=VALUE"),
        (["--set", "epochs=-1"], "at least"),
        (["--base", "path:relative"], "whole path"),
        (["--user", "nobody"], "matching query"),
    ],
)
def test_train_says_what_is_wrong(version, words, said):
    with pytest.raises(CommandError, match=said):
        call_command("train", str(version.pk), *words)


def test_a_training_that_fails_ends_the_command_with_the_reason(version, quick, settings):
    from django.core.files.storage import default_storage

    default_storage.delete(f"{version.path}/group/train.parquet")
    with pytest.raises(CommandError, match="missing from the storage"):
        call_command("train", str(version.pk), "--wait")


def test_open_round_promotes_ranks_and_opens(run, tmp_path, capsys):
    checkpoint = finish_run(run).checkpoints.get()
    path = tmp_path / "fresh.jsonl"
    path.write_text("".join(json.dumps({"prompt": f"p{n}", "responses": ["a", "b c"]}) + "\n" for n in range(4)))
    words = ["--file", str(path), "--pairs", "3", "--name", "Next", "--user", "alice", "--wait"]
    call_command("open_round", str(checkpoint.pk), *words)
    assert Round.objects.get().campaign.tasks.count() == 3
    assert "with 3 pairs" in capsys.readouterr().out


def test_open_round_names_the_row_it_cannot_use(run, tmp_path):
    checkpoint = finish_run(run).checkpoints.get()
    path = tmp_path / "fresh.jsonl"
    path.write_text('{"prompt": "p", "responses": ["a"]}\n')
    with pytest.raises(CommandError, match="row 1"):
        call_command("open_round", str(checkpoint.pk), "--file", str(path))
    checkpoint.refresh_from_db()
    assert checkpoint.rater is None


def test_a_patience_shorter_than_the_heartbeat_is_a_configuration_error(settings):
    assert check_patience(None) == []
    settings.TRAINING_STALE_SECONDS = 3.0
    assert [found.id for found in check_patience(None)] == ["training.E001"]


def test_another_engine_is_warned_of_and_a_missing_one_is_an_error(settings):
    settings.TRAINING_ENGINE = []
    assert check_engine(None) == []
    settings.TRAINING_ENGINE = ["sh", "engine.sh"]
    assert [found.id for found in check_engine(None)] == ["training.W001"]
    settings.TRAINING_ENGINE = ["/no/such/program"]
    assert [found.id for found in check_engine(None)] == ["training.E002"]
