"""What a run leaves behind: its checkpoint, how that did, and its promotion to a rater."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from feedback.exceptions import WrongState
from feedback.models import Rater, User
from feedback.services.events import record_event
from training.models import Checkpoint, Evaluation, Run
from training.services.leases import finish

PHASE_DONE = {"phase": "done"}


@transaction.atomic
def register_result(
    run: Run, result: dict[str, Any], *, manifest: dict[str, Any], path: str, sha256: str, size: int
) -> Checkpoint:
    """Checkpoint, evaluations and the run's success, in one transaction.  Raises Fenced when it was overtaken."""
    step = int(manifest.get("step") or path.rpartition("_")[2])
    checkpoint = register_checkpoint(run, step=step, path=path, sha256=sha256, size=size, manifest=manifest)
    for split, report in (result.get("evaluation") or {}).items():
        register_evaluation(checkpoint, split, report)
    finish(run, Run.Status.SUCCEEDED, result=result, progress=PHASE_DONE, error="", advice="", n_lost=0)
    record_event(run.created_by, "run.succeeded", run, checkpoint=checkpoint.pk, sha256=sha256)
    return checkpoint


def register_checkpoint(
    run: Run, *, step: int, path: str, sha256: str, size: int, manifest: dict[str, Any]
) -> Checkpoint:
    """Safe to repeat: the same step of the same run is one row."""
    values = {"path": path, "sha256": sha256, "size": size, "manifest": manifest}
    checkpoint, _made = Checkpoint.objects.update_or_create(run=run, step=step, defaults=values)
    return checkpoint


def register_evaluation(checkpoint: Checkpoint, split: str, report: dict[str, Any]) -> Evaluation | None:
    """None where nothing could be evaluated (no comparison held out, or only ties)."""
    if report.get("accuracy") is None:
        return None
    values = {name: report[name] for name in ("accuracy", "low", "high", "n")}
    evaluation, _made = Evaluation.objects.update_or_create(
        checkpoint=checkpoint, split=split, defaults={**values, "report": report}
    )
    return evaluation


@transaction.atomic
def promote_checkpoint(checkpoint: Checkpoint, *, actor: User | None) -> Rater:
    """Make the checkpoint a rater (a reward model, not admitted to consensus).  Safe to repeat.

    Raises WrongState when its run did not succeed.
    """
    locked = Checkpoint.objects.select_for_update(no_key=True, of=("self",)).select_related("run").get(pk=checkpoint.pk)
    if locked.run.status != Run.Status.SUCCEEDED:
        raise WrongState(_("Only a checkpoint of a succeeded run can be promoted."))
    if locked.rater is not None:
        return locked.rater
    rater, _made = Rater.objects.get_or_create(
        kind=Rater.Kind.REWARD_MODEL,
        source=f"run:{locked.run_id}",
        name=str(locked.run)[:200],
        version=locked.sha256[:12],
        defaults={"admitted": False},
    )
    Checkpoint.objects.filter(pk=locked.pk).update(rater=rater, promoted_at=Now())
    record_event(actor, "checkpoint.promoted", locked, rater=rater.pk, sha256=locked.sha256)
    checkpoint.refresh_from_db()
    return rater
