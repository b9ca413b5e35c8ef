"""Asking for a round of the loop, and what a person may do with one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext as _

from feedback.exceptions import WrongState
from feedback.models import Campaign, User
from feedback.services.events import record_event
from training.exceptions import SettingsInvalid, SourceInvalid
from training.models import Checkpoint, Round
from training.services.fresh_responses import check_fresh
from training.services.leases import send_job
from training.services.next_campaign import pairwise_parent
from training.services.runs import cancel_job, read_base_model, requeue

MOST_PAIRS = 10_000
SAMPLE_LIMITS = {"k": (2, 16), "max_new_tokens": (1, 4096), "n_prompts": (1, 10_000)}


@transaction.atomic
def open_round(
    *,
    checkpoint: Checkpoint,
    source: Mapping[str, Any],
    n_pairs: int,
    name: str,
    actor: User | None,
    send: bool = True,
) -> Round:
    """A queued round; a GPU worker scores the fresh responses and opens the next campaign.

    source: `{"kind": "file", "path": name in the storage, "name": the file's own}` (see `store_source`), or `{"kind":
    "sample", "base_model", "k", "max_new_tokens", "temperature", "seed", "n_prompts"}` with the parent's prompts.
    Raises WrongState when the checkpoint is not promoted, SettingsInvalid for a source or number that cannot be used.
    """
    if checkpoint.rater_id is None:
        raise WrongState(_("Promote the checkpoint first: only a promoted model ranks fresh responses."))
    if not 1 <= n_pairs <= MOST_PAIRS:
        message = _("Ask for 1 to %(most)d pairs.") % {"most": MOST_PAIRS}
        raise SettingsInvalid(message, field="n_pairs")
    if not name.strip():
        raise SettingsInvalid(_("Give the next campaign a name."), field="name")
    parent = pairwise_parent(checkpoint.run.dataset_version)
    round = Round.objects.create(
        name=name.strip(),
        checkpoint=checkpoint,
        parent=parent,
        source=read_source(source, parent),
        n_pairs=n_pairs,
        created_by=actor,
        progress={"phase": "waiting"},
    )
    record_event(actor, "round.queued", round, checkpoint=checkpoint.pk, source=round.source["kind"])
    if send:
        send_job(round)
    return round


def read_source(source: Mapping[str, Any], parent: Campaign | None) -> dict[str, Any]:
    """A source as it is stored.  Raises SettingsInvalid."""
    if source.get("kind") == "file":
        if not default_storage.exists(str(source.get("path") or "")):
            raise SettingsInvalid(_("Choose a file of fresh responses."), field="file")
        return {"kind": "file", "path": str(source["path"]), "name": str(source.get("name") or "")}
    if source.get("kind") != "sample":
        raise SettingsInvalid(_("The fresh responses come from a file, or are sampled from a model."), field="kind")
    if parent is None or not parent.tasks.exists():
        raise SettingsInvalid(_("There is no campaign whose prompts could be sampled: give a file."), field="kind")
    limited = {}
    for field, (low, high) in SAMPLE_LIMITS.items():
        value = int(source.get(field) or {"k": 4, "max_new_tokens": 128, "n_prompts": 50}[field])
        if not low <= value <= high:
            message = _("Give %(low)d to %(high)d.") % {"low": low, "high": high}
            raise SettingsInvalid(message, field=field)
        limited[field] = value
    return {
        "kind": "sample",
        "base_model": read_base_model(source.get("base_model") or {}),
        "temperature": float(source.get("temperature") or 1.0),
        "seed": int(source.get("seed") or 0),
        **limited,
    }


def store_source(stream: File[bytes], name: str) -> dict[str, Any]:
    """Keep an uploaded file of fresh responses in the storage, after a look at every row; returns the round's source.

    Raises SourceInvalid at the first row that cannot be used.
    """
    stored = default_storage.save(f"rounds/{Path(name).name}", stream)
    try:
        check_stored(stored, name)
    except SourceInvalid:
        default_storage.delete(stored)
        raise
    return {"kind": "file", "path": stored, "name": name}


def check_stored(stored: str, name: str) -> int:
    """How many prompts a stored file holds.  Raises SourceInvalid."""
    with default_storage.open(stored, "rb") as stream:
        return check_fresh(cast(BinaryIO, stream), name)


def store_rows(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """The same for rows that are no file yet."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return store_source(ContentFile(text.encode(), name=name), name)


def cancel_round(round: Round, *, actor: User | None) -> None:
    cancel_job(round, actor=actor)


def resume_round(round: Round, *, actor: User | None) -> None:
    """Go on where a failed or cancelled round stopped.  Raises WrongState."""
    requeue(round, actor=actor, verb="resumed")
