"""A training run on a GPU worker: prepare its directory, train, register what came out."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage

from training.exceptions import JobFailed
from training.models import Run
from training.recipes.registry import RECIPES
from training.services.artefacts import CHUNK, fetch_file, publish_file, publish_folder, remove_folder
from training.services.checkpoints import register_result
from training.services.execution import RESULT, accept_job, conduct, job_directory, run_engine
from training.services.leases import renew
from training.services.metrics import PROGRESS, RunReport
from training.services.patience import patiently
from training.services.pulse import Pulse
from training.services.revision import code_revision
from training.services.train_extra import require_extra
from training.tailing import read_object

SPEC_FORMAT = 1
SPLITS = ("train", "test")
# What only resuming needs stays on the machine that trained.
WEIGHTS = "model.safetensors"
NOT_PUBLISHED = ("training_state", "trainer_state")


def execute_run(id: str) -> bool:
    """Execute the run if it waits; False when somebody else does, or it must wait for another worker or time."""
    run = accept_job(Run, id)
    if run is None:
        return False
    conduct(run, perform_run)
    return True


def perform_run(run: Run) -> None:
    """Train unless that is done already (the worker may have died between the two), then register the result."""
    require_extra()
    directory = job_directory(run)
    pulse = Pulse(run)
    prepare_directory(run, directory, pulse)
    if read_object(directory / RESULT).get("status") != "succeeded":
        run_engine(run, directory, str(directory), drain=RunReport(run, directory).drain)
    patiently(RunReport(run, directory).drain)
    conclude(run, directory, pulse)


def prepare_directory(run: Run, directory: Path, pulse: Pulse) -> None:
    """Make the directory self-contained: the data from the storage, and spec.json for this attempt."""
    for old in Path(settings.RUNS_ROOT).glob(f"{run.pk}*"):
        if old != directory:
            remove_folder(old)
    (directory / PROGRESS).unlink(missing_ok=True)
    for split in SPLITS:
        stored = f"{run.dataset_version.path}/{RECIPES[run.recipe].dataset_format}/{split}.parquet"
        if split == "train" or default_storage.exists(stored):
            fetch_file(stored, directory / "data" / f"{split}.parquet", pulse)
    spec = build_spec(run, directory / "data", pulse)
    fresh = directory / "spec.json.new"
    fresh.write_text(json.dumps(spec, indent=2, sort_keys=True) + "\n")
    fresh.replace(directory / "spec.json")


def build_spec(run: Run, data: Path, pulse: Pulse) -> dict[str, Any]:
    """What the engine is asked for: enough to repeat the run on another machine without the database.

    `data.sha256` is the training file's, `dataset.sha256` the dataset version's own.
    """
    splits = {split: f"data/{split}.parquet" for split in SPLITS if (data / f"{split}.parquet").is_file()}
    return {
        "format": SPEC_FORMAT,
        "run": str(run.pk),
        "attempt": run.attempt,
        "recipe": run.recipe,
        "seed": run.seed,
        "base_model": run.base_model,
        "settings": run.settings,
        "data": {**splits, "sha256": file_sha256(data / "train.parquet", pulse)},
        "dataset": {"version": str(run.dataset_version_id), "sha256": run.dataset_version.sha256},
        "git_sha": code_revision(),
    }


def conclude(run: Run, directory: Path, pulse: Pulse) -> None:
    """Check and store the checkpoint, then write it, its evaluation and the run's end in one transaction."""
    patiently(lambda: renew(run, progress={"phase": "storing"}))
    result = read_object(directory / RESULT)
    folder = directory / str(result.get("checkpoint") or "")
    if not result.get("checkpoint") or not (folder / WEIGHTS).is_file():
        raise JobFailed("The training ended well but left no checkpoint.", "Read the log, then retry.")
    sha256 = file_sha256(folder / WEIGHTS, pulse)
    if result.get("sha256") not in (None, sha256):
        raise JobFailed("The checkpoint's weights are not the ones the training wrote.", "Check the disk, then retry.")
    prefix = f"checkpoints/{run.pk}/{folder.name}"
    size = publish_folder(folder, prefix, pulse, leave_out=_is_for_resuming)
    publish_file(directory / "log.txt", f"checkpoints/{run.pk}/log.txt")
    manifest = read_object(folder / "meta.json")
    patiently(lambda: register_result(run, result, manifest=manifest, path=prefix, sha256=sha256, size=size))


def _is_for_resuming(path: Path) -> bool:
    return path.name.startswith(NOT_PUBLISHED)


def file_sha256(path: Path, pulse: Pulse) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(CHUNK):
            digest.update(block)
            pulse()
    return digest.hexdigest()
