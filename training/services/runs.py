"""Asking for a run, and what a person may do with one: cancel, resume, retry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from feedback.exceptions import WrongState
from feedback.models import DatasetVersion, User
from feedback.services.events import record_event
from training.exceptions import SettingsInvalid
from training.models import Job, Round, Run
from training.recipes.base import ConfigInvalid
from training.recipes.base_models import available_base_models
from training.recipes.registry import RECIPES
from training.services.leases import send_job


@transaction.atomic
def queue_run(
    *,
    dataset_version: DatasetVersion,
    recipe: str,
    base_model: Mapping[str, Any],
    settings: Mapping[str, Any],
    seed: int,
    actor: User | None,
    name: str = "",
    send: bool = True,
) -> Run:
    """A queued run; the GPU workers are told once this transaction is committed.

    settings: the recipe's fields, those left out take their defaults.  send=False: the caller executes it itself.
    Raises SettingsInvalid, or WrongState when the dataset version is not frozen.
    """
    if dataset_version.status != DatasetVersion.Status.FROZEN:
        raise WrongState(_("“%(name)s” is not frozen yet: wait for it, then train.") % {"name": dataset_version})
    run = Run.objects.create(
        name=name,
        dataset_version=dataset_version,
        recipe=recipe,
        base_model=read_base_model(base_model),
        settings=read_settings(recipe, {**settings, "seed": seed}),
        seed=seed,
        created_by=actor,
        progress={"phase": "waiting"},
    )
    record_event(actor, "run.queued", run, dataset_version=str(dataset_version.pk), recipe=recipe)
    if send:
        send_job(run)
    return run


def read_settings(recipe: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Every setting of the recipe with its value.  Raises SettingsInvalid naming the field."""
    if recipe not in RECIPES:
        known = ", ".join(sorted(RECIPES))
        message = _("There is no recipe “%(name)s”; there are: %(known)s.")
        raise SettingsInvalid(message % {"name": recipe, "known": known}, field="recipe")
    try:
        return RECIPES[recipe].config.from_mapping(values).to_json()
    except ConfigInvalid as error:
        raise SettingsInvalid(error.message, field=error.field) from error


def read_base_model(base: Mapping[str, Any]) -> dict[str, str]:
    """`{"kind", "name"}` checked as far as the web server can.  Raises SettingsInvalid.

    Whether the model can be loaded is found by the worker, which may be another machine.
    """
    kinds = {choice["kind"]: choice for choice in available_base_models()}
    kind, name = str(base.get("kind") or ""), str(base.get("name") or "").strip()
    if kind not in kinds:
        message = _("There is no base model of the kind “%(kind)s”.")
        raise SettingsInvalid(message % {"kind": kind}, field="base_model")
    name = name or kinds[kind]["name"]
    if not name:
        raise SettingsInvalid(_("Say which model: a folder, or a name on the hub."), field="base_name")
    if kind == "path" and not name.startswith("/"):
        raise SettingsInvalid(_("Give the whole path of the folder, from /."), field="base_name")
    if kind == "hub" and not re.fullmatch(r"[\w.-]+/[\w.-]+", name):
        raise SettingsInvalid(_("A name on the hub looks like organisation/model."), field="base_name")
    return {"kind": kind, "name": name}


@transaction.atomic
def cancel_job(job: Run | Round, *, actor: User | None) -> None:
    """Cancel at once what is queued; ask the supervisor of what runs.  Raises WrongState when it has ended."""
    jobs = type(job)._default_manager.filter(pk=job.pk)
    kind = str(job._meta.model_name)
    at_once = jobs.filter(status=Job.Status.QUEUED).update(
        status=Job.Status.CANCELLED, finished_at=Now(), progress={"phase": "cancelled"}
    )
    asked = 0
    if not at_once:
        held = jobs.filter(status__in=[Job.Status.STARTING, Job.Status.RUNNING])
        if held.filter(cancel_requested_at__isnull=False).exists():
            return
        asked = held.update(cancel_requested_at=Now())
    if not (at_once or asked):
        raise WrongState(_("This has ended already; there is nothing to cancel."))
    record_event(actor, f"{kind}.cancelled" if at_once else f"{kind}.cancel_requested", job)


def cancel_run(run: Run, *, actor: User | None = None) -> None:
    cancel_job(run, actor=actor)


@transaction.atomic
def requeue(job: Run | Round, *, actor: User | None, verb: str, **values: Any) -> None:
    """failed or cancelled → queued.  Raises WrongState from any other state."""
    ended = type(job)._default_manager.filter(pk=job.pk, status__in=[Job.Status.FAILED, Job.Status.CANCELLED])
    moved = ended.update(
        status=Job.Status.QUEUED,
        cancel_requested_at=None,
        finished_at=None,
        heartbeat_at=None,
        sent_at=None,
        n_lost=0,
        error="",
        advice="",
        progress={"phase": "waiting"},
        **values,
    )
    if not moved:
        raise WrongState(_("Only what failed or was cancelled can be started again."))
    record_event(actor, f"{job._meta.model_name}.{verb}", job)
    send_job(job)
    job.refresh_from_db()


def resume_run(run: Run, *, actor: User | None = None) -> None:
    """Go on from the last complete checkpoint; without one, from the start.  Raises WrongState."""
    requeue(run, actor=actor, verb="resumed")


@transaction.atomic
def retry_run(run: Run, *, actor: User | None = None) -> None:
    """Start the same run from the beginning, in a new directory.  Raises WrongState."""
    requeue(run, actor=actor, verb="retried", directory=f"{run.pk}.{run.attempt + 1}", log_tail="", result={})
    run.metrics.all().delete()
