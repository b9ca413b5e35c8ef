"""Runs and checkpoints by program: ask for a run, watch it, stop it, promote what it made."""

from __future__ import annotations

import uuid
from typing import Any, cast

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, status, viewsets
from rest_framework.decorators import action, api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from feedback.access import access_dataset_version
from feedback.api.campaigns import NewestFirst
from feedback.models import User
from training.access import access_checkpoint, access_run, visible_runs
from training.api.serializers import CheckpointSerializer, MetricSerializer, RunSerializer
from training.exceptions import SettingsInvalid
from training.models import Run
from training.services.checkpoints import promote_checkpoint
from training.services.runs import cancel_run, queue_run, resume_run, retry_run

MOVES = {"cancellation": cancel_run, "resumption": resume_run, "repetition": retry_run}


class RunViewSet(
    mixins.CreateModelMixin, mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Run]
):
    """Runs on datasets whose every campaign the caller manages."""

    queryset = Run.objects.none()
    serializer_class = RunSerializer
    pagination_class = NewestFirst
    lookup_value_converter = "uuid"

    def get_queryset(self) -> QuerySet[Run]:
        runs = visible_runs(cast(User, self.request.user))
        return runs.prefetch_related("checkpoints__evaluations", "checkpoints__rater")

    def perform_create(self, serializer: BaseSerializer[Run]) -> None:
        user = cast(User, self.request.user)
        given: dict[str, Any] = dict(serializer.validated_data)
        version = access_dataset_version(user, given.pop("dataset_version").pk)
        try:
            serializer.instance = queue_run(dataset_version=version, actor=user, **given)
        except SettingsInvalid as error:
            raise serializers.ValidationError({_path(error.field): error.message}) from error

    @extend_schema(responses=MetricSerializer(many=True))
    @action(detail=True, pagination_class=None)
    def metrics(self, request: Request, pk: uuid.UUID) -> Response:
        """What the engine reported, step by step."""
        run = access_run(cast(User, request.user), pk)
        return Response(MetricSerializer(run.metrics.all(), many=True).data)


def _path(field: str) -> str:
    """Where in the body a refused field stands."""
    if field in ("base_model", "base_name"):
        return "base_model"
    return field if field == "recipe" or not field else f"settings.{field}"


@extend_schema(operation_id="v1_runs_move", request=None, responses={202: RunSerializer})
@api_view(["POST"])
def run_move(request: Request, id: uuid.UUID, noun: str) -> Response:
    """Cancel a run; resume one that failed or was cancelled; repeat it from the beginning."""
    run = access_run(cast(User, request.user), id)
    MOVES[noun](run, actor=cast(User, request.user))
    run.refresh_from_db()
    return Response(RunSerializer(run).data, status=status.HTTP_202_ACCEPTED)


@extend_schema(request=None, responses=CheckpointSerializer)
@api_view(["POST"])
def checkpoint_promotion(request: Request, id: int) -> Response:
    """Make a checkpoint a reward model that may rank fresh responses.  Safe to repeat."""
    checkpoint = access_checkpoint(cast(User, request.user), id)
    promote_checkpoint(checkpoint, actor=cast(User, request.user))
    return Response(CheckpointSerializer(checkpoint).data)
