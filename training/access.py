"""The only way from an id to a run, checkpoint or round.  Who manages every campaign of the dataset sees them; for
everyone else they do not exist (404)."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet
from django.http import Http404

from feedback.access import visible_datasets
from feedback.models import DatasetVersion, User
from training.models import Checkpoint, Round, Run


def visible_versions(user: User) -> QuerySet[DatasetVersion]:
    """Frozen dataset versions the person may train on, newest first."""
    return DatasetVersion.objects.filter(
        dataset__in=visible_datasets(user).values("pk"), status=DatasetVersion.Status.FROZEN
    ).select_related("dataset")


def visible_runs(user: User) -> QuerySet[Run]:
    runs = Run.objects.filter(dataset_version__dataset__in=visible_datasets(user).values("pk"))
    return runs.select_related("dataset_version__dataset", "created_by")


def visible_rounds(user: User) -> QuerySet[Round]:
    rounds = Round.objects.filter(checkpoint__run__dataset_version__dataset__in=visible_datasets(user).values("pk"))
    return rounds.select_related("checkpoint__run__dataset_version__dataset", "checkpoint__rater", "campaign", "parent")


def access_run(user: User, id: uuid.UUID) -> Run:
    run = visible_runs(user).filter(pk=id).first()
    if run is None:
        raise Http404("No such run.")
    return run


def access_checkpoint(user: User, id: int) -> Checkpoint:
    checkpoint = Checkpoint.objects.select_related("run__dataset_version__dataset", "rater").filter(pk=id).first()
    if checkpoint is None:
        raise Http404("No such checkpoint.")
    access_run(user, checkpoint.run_id)
    return checkpoint


def access_round(user: User, id: uuid.UUID) -> Round:
    round = visible_rounds(user).filter(pk=id).first()
    if round is None:
        raise Http404("No such round.")
    return round
