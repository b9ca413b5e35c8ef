"""Datasets and their frozen versions: a saved selection, read in one snapshot, written, hashed and never changed."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import F, Max
from django.utils import timezone
from django.utils.translation import gettext as _

from feedback.datasets.card import CardFacts, write_card
from feedback.datasets.counts import Tally
from feedback.datasets.folder import FolderWriter, sha256_of_rows
from feedback.datasets.selection import Selection, SelectionInvalid, Split, dump_selection, read_selection
from feedback.datasets.votes import Group, Weighed, weigh
from feedback.exceptions import FeedbackError, NothingToExport
from feedback.models import Campaign, Dataset, DatasetVersion, User
from feedback.services.dataset_files import CARD, COUNTS, path_of, publish, work_folder
from feedback.services.events import record_event
from feedback.services.selected_tasks import SelectedTask, SelectedTasks

JSON = Any
logger = logging.getLogger(__name__)
MAX_ATTEMPTS = 3
NAME_MAX = 200


@transaction.atomic
def create_dataset(*, name: str, selection: Mapping[str, JSON], actor: User | None) -> Dataset:
    """Save a selection under a name.  Raises SelectionInvalid ({field: message})."""
    read = read_selection(selection)
    campaigns = list(Campaign.objects.filter(pk__in=read.campaigns))
    errors = {} if len(campaigns) == len(set(read.campaigns)) else {"campaigns": _("One of these does not exist.")}
    if not name.strip() or len(name) > NAME_MAX:
        errors["name"] = _("A dataset needs a name of at most 200 characters.")
    elif Dataset.objects.filter(name=name).exists():
        errors["name"] = _("There is a dataset of this name already.")
    if errors:
        raise SelectionInvalid(errors)
    try:
        with transaction.atomic():
            dataset = Dataset.objects.create(name=name, selection=dump_selection(read), created_by=actor)
    except IntegrityError:
        raise SelectionInvalid({"name": _("There is a dataset of this name already.")}) from None
    dataset.campaigns.set(campaigns)
    record_event(actor, "dataset.created", dataset, name=name)
    return dataset


@transaction.atomic
def start_version(dataset: Dataset, *, actor: User | None) -> DatasetVersion:
    """The row of the next version, waiting to be frozen (`freeze_version`)."""
    Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
    latest = dataset.versions.aggregate(n=Max("number"))["n"] or 0
    version = DatasetVersion.objects.create(
        dataset=dataset, number=latest + 1, selection=dataset.selection, created_by=actor
    )
    record_event(actor, "dataset_version.started", version, number=version.number)
    return version


def freeze_dataset(dataset: Dataset, *, actor: User | None) -> DatasetVersion:
    """Freeze what the dataset selects as it stands now.  Raises NothingToExport and other FeedbackErrors."""
    return freeze_version(start_version(dataset, actor=actor).pk)


def freeze_version(version_id: uuid.UUID | str) -> DatasetVersion:
    """Read, write, publish and mark one waiting version.  Safe to call again, and at once with itself.

    A version that cannot be frozen is marked failed, with the reason, and the FeedbackError raised again.
    """
    version = DatasetVersion.objects.select_related("dataset").get(pk=version_id)
    if not _begin(version):
        version.refresh_from_db()
        return version
    try:
        _freeze(version)
    except FeedbackError as error:
        counts = getattr(error, "counts", {})
        _move(version, DatasetVersion.Status.FAILED, error=str(error), counts=counts)
        raise
    version.refresh_from_db()
    return version


def _begin(version: DatasetVersion) -> bool:
    """Count the attempt; False when there is nothing (more) to do."""
    waiting = DatasetVersion.objects.filter(pk=version.pk, status=DatasetVersion.Status.FREEZING)
    with transaction.atomic(), connection.cursor() as cursor:
        if not _try_lock(cursor, version):
            return False
        if waiting.filter(attempt__gte=MAX_ATTEMPTS).exists():
            error = _("Freezing broke off %(n)d times; the worker's log says why.") % {"n": MAX_ATTEMPTS}
            _move(version, DatasetVersion.Status.FAILED, error=error)
            return False
        return bool(waiting.update(attempt=F("attempt") + 1))


def _try_lock(cursor: Any, version: DatasetVersion) -> bool:
    """Held to the end of the transaction: whoever reads for this version is alive."""
    cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [f"freeze {version.pk}"])
    return bool(cursor.fetchone()[0])


def _freeze(version: DatasetVersion) -> None:
    selection = read_selection(version.selection)
    with work_folder() as folder:
        with _snapshot(version) as alone:
            if not alone:
                return
            counts = _write(selection, folder)
        sha256 = sha256_of_rows(folder)
        now = timezone.now()
        campaigns = [(c.name, str(c.pk)) for c in version.dataset.campaigns.order_by("created_at", "pk")]
        moment = now.strftime("%Y-%m-%d %H:%M UTC")
        facts = CardFacts(version.dataset.name, version.number, moment, sha256, campaigns, selection, counts)
        (folder / COUNTS).write_text(json.dumps({"sha256": sha256, **counts}, indent=1), encoding="utf-8")
        (folder / CARD).write_text(write_card(facts), encoding="utf-8")
        _publish(version, folder, sha256=sha256, counts=counts, frozen_at=now)


def _publish(version: DatasetVersion, folder: Path, **fields: Any) -> None:
    """The row stays locked while the folder takes its place: of two attempts one publishes, the other goes."""
    with transaction.atomic():
        row = DatasetVersion.objects.select_for_update(no_key=True).get(pk=version.pk)
        if row.status == DatasetVersion.Status.FREEZING:
            publish(folder, path_of(version))
            _move(version, DatasetVersion.Status.FROZEN, path=path_of(version), **fields)


def _move(version: DatasetVersion, status: str, **fields: Any) -> None:
    """Compare-and-swap from freezing; a version that somebody else has moved stays as it is."""
    waiting = DatasetVersion.objects.filter(pk=version.pk, status=DatasetVersion.Status.FREEZING)
    with transaction.atomic():
        if waiting.update(status=status, **fields):
            detail = {key: fields[key] for key in ("sha256", "error") if key in fields}
            record_event(version.created_by, f"dataset_version.{status}", version, number=version.number, **detail)


@contextmanager
def _snapshot(version: DatasetVersion) -> Iterator[bool]:
    """One consistent view of the record, so that counts reconcile while votes arrive; False: another worker has it."""
    nested = connection.in_atomic_block
    with transaction.atomic(), connection.cursor() as cursor:
        if not nested:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield _try_lock(cursor, version)


def _write(selection: Selection, folder: Path) -> dict[str, JSON]:
    """Rows into the folder's files; the counts.  Raises NothingToExport (with `counts`), CountsDisagree."""
    tasks, tally = SelectedTasks(selection), Tally()
    split = Split(selection, lowest=tasks.lowest_place())
    with FolderWriter(folder) as writer:
        for task in tasks:
            weighed = weigh(task.votes, selection)
            tally.task(weighed, task.unusable)
            if group := _group(task, weighed, split):
                tally.group(group, task.votes.prompt_hash)
                writer.add(group)
    counts = tally.counts(tasks.judgements.count(), writer.n_rows)
    if not tally.exported_tasks:
        raise NothingToExport(counts)
    return counts


def _group(task: SelectedTask, weighed: Weighed, split: Split) -> Group | None:
    if not weighed.comparisons and not weighed.ratings and not weighed.votes:
        return None
    votes = task.votes
    return Group(
        id=votes.id,
        split=split(votes.prompt_hash),
        content=votes.content,
        comparisons=tuple(weighed.comparisons),
        ratings=tuple(weighed.ratings),
        votes=tuple(weighed.votes),
        questions=votes.questions,
    )
