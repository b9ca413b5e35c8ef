"""Datasets by program: save a selection, freeze it, fetch what came of it."""

from __future__ import annotations

import uuid
from typing import Any, cast

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, status, viewsets
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from feedback.access import access_dataset, access_dataset_version, managed_campaigns, visible_datasets
from feedback.api.campaigns import NewestFirst
from feedback.api.serializers import DatasetSerializer, DatasetVersionSerializer
from feedback.datasets.selection import SelectionInvalid, read_selection
from feedback.models import Dataset, User
from feedback.services.freezing import create_dataset, start_version
from feedback.tasks import freeze_version
from feedback.views.datasets import dataset_download


class DatasetViewSet(
    mixins.CreateModelMixin, mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Dataset]
):
    """Datasets whose every campaign the caller manages."""

    queryset = Dataset.objects.none()
    serializer_class = DatasetSerializer
    pagination_class = NewestFirst
    lookup_value_converter = "uuid"

    def get_queryset(self) -> QuerySet[Dataset]:
        return visible_datasets(cast(User, self.request.user)).prefetch_related("versions")

    def perform_create(self, serializer: BaseSerializer[Dataset]) -> None:
        """A selection of other people's campaigns is refused as if they did not exist."""
        user = cast(User, self.request.user)
        given: dict[str, Any] = dict(serializer.validated_data)
        chosen = set(read_selection(given["selection"]).campaign_ids)
        if managed_campaigns(user).filter(pk__in=chosen).count() != len(chosen):
            raise SelectionInvalid({"campaigns": _("One of these does not exist.")})
        serializer.instance = create_dataset(name=given["name"], selection=given["selection"], actor=user)


@extend_schema(request=None, responses={202: DatasetVersionSerializer})
@api_view(["POST"])
@transaction.atomic
def dataset_versions(request: Request, dataset: uuid.UUID) -> Response:
    """Freeze what the dataset selects as it stands now.  Ask for the version until its status is frozen or failed."""
    user = cast(User, request.user)
    version = start_version(access_dataset(user, dataset), actor=user)
    transaction.on_commit(lambda: freeze_version.delay(str(version.pk)))
    return Response(DatasetVersionSerializer(version).data, status=status.HTTP_202_ACCEPTED)


@extend_schema(responses=DatasetVersionSerializer)
@api_view(["GET"])
def dataset_version(request: Request, version: uuid.UUID) -> Response:
    found = access_dataset_version(cast(User, request.user), version)
    return Response(DatasetVersionSerializer(found).data)


@extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
@api_view(["GET"])
def dataset_version_download(request: Request, version: uuid.UUID) -> HttpResponseBase:
    """The folder of a frozen version as a zip archive: Parquet files, counts and card."""
    return dataset_download(cast(HttpRequest, request), version)
