"""The real engine under the supervisor: a run from a frozen dataset to the next campaign, and what a kill costs."""

import io
import json
import threading
import time
from pathlib import Path

import psutil
import pyarrow
import pyarrow.parquet
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from tests.training.conftest import make_run
from tests.training.engine.runs import GROUP, polite_groups
from training.services.checkpoints import promote_checkpoint
from training.services.round_execution import execute_round
from training.services.rounds import open_round, store_rows
from training.services.run_execution import execute_run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
SETTINGS = {"epochs": 6.0, "learning_rate": 1e-3, "batch_size": 8, "max_length": 256, "save_every": 2}


@pytest.fixture
def real(version, settings):
    """The version's files hold groups that can be learnt, and the engine is ours."""
    settings.TRAINING_ENGINE = []
    settings.TRAINING_HEARTBEAT_SECONDS = 0.2
    for split, groups in (("train", polite_groups(48)), ("test", polite_groups(16, seed=1))):
        name = f"{version.path}/group/{split}.parquet"
        buffer = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(groups, schema=GROUP), buffer)
        default_storage.delete(name)
        default_storage.save(name, ContentFile(buffer.getvalue()))
    return version


def test_a_model_is_trained_evaluated_promoted_and_opens_the_next_campaign(real, alice):
    run = make_run(real, alice, settings=SETTINGS)
    execute_run(str(run.pk))
    run.refresh_from_db()
    assert (run.status, run.error) == ("succeeded", "")
    checkpoint = run.checkpoints.get()
    evaluation = checkpoint.evaluations.get()
    assert evaluation.accuracy > 0.8
    assert evaluation.low <= evaluation.accuracy <= evaluation.high
    assert evaluation.report["baseline_length"]["accuracy"] is not None
    assert run.result["report"]["train"]["kept"] == 48
    assert run.metrics.count() == 36
    promote_checkpoint(checkpoint, actor=alice)
    rows = [
        {"prompt": f"Tell me about {n}.", "responses": ["please thanks", "rubbish nope", "thanks nope"]} for n in "abcd"
    ]
    source = store_rows(rows, "fresh.jsonl")
    round = open_round(checkpoint=checkpoint, source=source, n_pairs=4, name="Next", actor=alice, send=False)
    execute_round(str(round.pk))
    round.refresh_from_db()
    assert (round.status, round.error) == ("succeeded", "")
    assert round.campaign.tasks.count() == 4
    assert round.report["pairs"] == 12


def engine_of(folder):
    record = json.loads((folder / "process.json").read_text())
    return psutil.Process(record["pid"]).children()[0]


@pytest.mark.django_db(transaction=True)
def test_kill_9_of_the_trainer_changes_no_bit_of_the_model(real, alice, settings):
    whole, killed = (make_run(real, alice, settings=SETTINGS) for _ in range(2))
    execute_run(str(whole.pk))
    folder = Path(settings.RUNS_ROOT) / str(killed.pk)

    def kill_in_the_middle():
        deadline = time.monotonic() + 120
        while not (folder / "checkpoints" / "step_10").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        engine_of(folder).kill()

    thread = threading.Thread(target=kill_in_the_middle)
    thread.start()
    execute_run(str(killed.pk))
    thread.join()
    killed.refresh_from_db()
    assert (killed.status, killed.n_lost) == ("queued", 1)
    execute_run(str(killed.pk))
    killed.refresh_from_db()
    assert (killed.status, killed.attempt) == ("succeeded", 2)
    assert "Resuming from step_" in (folder / "log.txt").read_text()
    assert killed.checkpoints.get().sha256 == whole.checkpoints.get().sha256
    assert loss_curve(killed) == loss_curve(whole)


def loss_curve(run):
    return [(metric.step, metric.values["loss"]) for metric in run.metrics.all()]
