"""A frozen dataset version with files in the storage, and runs of a fake engine that lasts a fraction of a second."""

import hashlib
import json
import sys
from pathlib import Path

import psutil
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from feedback.models import Dataset, DatasetVersion
from tests.training.fake_engine import evaluation
from training.models import Run
from training.services.checkpoints import register_result
from training.services.leases import claim_job
from training.services.metrics import store_metrics
from training.services.runs import queue_run

FAKE_ENGINE = Path(__file__).with_name("fake_engine.py")


@pytest.fixture
def quick(settings):
    """The fake engine, and a supervisor that looks more often than in life."""
    settings.TRAINING_ENGINE = [sys.executable, str(FAKE_ENGINE)]
    settings.TRAINING_HEARTBEAT_SECONDS = 0.1
    settings.TRAINING_GRACE_SECONDS = 1.0
    return settings


@pytest.fixture
def version(campaign, alice):
    return make_version(campaign, alice)


def make_version(campaign, alice):
    """A frozen version of a dataset of Alice's campaign."""
    dataset = Dataset.objects.create(name="Sky", selection={}, created_by=alice)
    dataset.campaigns.add(campaign)
    version = DatasetVersion.objects.create(
        dataset=dataset, number=1, selection={}, sha256="a" * 64, counts={"rows": {"train": 3, "test": 1}}
    )
    path = f"datasets/{version.pk}"
    for split in ("train", "test"):
        default_storage.save(f"{path}/group/{split}.parquet", ContentFile(f"{split} rows".encode()))
    frozen = {"status": "frozen", "path": path, "frozen_at": timezone.now()}
    DatasetVersion.objects.filter(pk=version.pk).update(**frozen)
    version.refresh_from_db()
    return version


@pytest.fixture
def run(version, alice, quick):
    """A queued run, its message not sent."""
    return make_run(version, alice)


def make_run(version, actor, **values):
    asked = {"recipe": "reward", "base_model": {"kind": "tiny"}, "settings": {"epochs": 2}, "seed": 7, "send": False}
    return queue_run(dataset_version=version, actor=actor, **{**asked, **values})


def plan(run, settings, **values):
    """Tell the fake engine how to behave in this run."""
    folder = Path(settings.RUNS_ROOT) / (run.directory or str(run.pk))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fake.json").write_text(json.dumps(values))
    return folder


def chained(data: bytes, steps: int) -> bytes:
    """The fake weights after so many steps."""
    for _ in range(steps):
        data = hashlib.sha256(data).digest()
    return data


def finish_run(run):
    """What a run of the fake engine leaves behind, without running it."""
    claimed = claim_job(Run, str(run.pk))
    path = f"checkpoints/{run.pk}/step_6"
    weights = chained(b"train rows", 6)
    default_storage.save(f"{path}/model.safetensors", ContentFile(weights))
    default_storage.save(f"checkpoints/{run.pk}/log.txt", ContentFile(b"starting after step 0\n"))
    lines = [{"step": step, "loss": 1 / step, "accuracy": 0.5, "time": float(step)} for step in range(1, 7)]
    store_metrics(claimed, lines)
    result = {"evaluation": {"test": evaluation()}, "report": {"train": {"comparisons": 3, "kept": 3}}}
    manifest = {"step": 6, "data_sha256": "d"}
    sha256 = hashlib.sha256(weights).hexdigest()
    register_result(claimed, result, manifest=manifest, path=path, sha256=sha256, size=len(weights))
    Run.objects.filter(pk=run.pk).update(log_tail="starting after step 0\n")
    run.refresh_from_db()
    return run


def lives(pid):
    """Whether a process runs; one that nobody has collected yet does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
