"""Running a campaign by program: open, pause and close it, and give it tasks."""

from __future__ import annotations

import io
import shutil
import tempfile
import uuid
from typing import Any, BinaryIO, cast

from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.services import open_campaign, send_verifiers
from feedback.access import MANAGER, access_campaign
from feedback.api.problems import problem
from feedback.api.serializers import CampaignSerializer
from feedback.exceptions import ImportRefused
from feedback.importing.layouts.base import LayoutUnfit
from feedback.importing.layouts.registry import LayoutUnknown
from feedback.importing.rows import FileUnreadable
from feedback.models import Campaign, User
from feedback.services.campaigns import move_campaign
from feedback.services.importing import import_tasks

NOUNS = {"pause": Campaign.Status.PAUSED, "closure": Campaign.Status.CLOSED, "archive": Campaign.Status.ARCHIVED}
IN_MEMORY = 8 * 1024 * 1024


class RowErrorSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    column = serializers.CharField()
    reason = serializers.CharField()
    excerpt = serializers.CharField()


class ImportReportSerializer(serializers.Serializer[Any]):
    """n_rows = n_tasks_added + n_tasks_known + n_refused; refused: the first 500."""

    layout = serializers.CharField()
    dry_run = serializers.BooleanField()
    n_rows = serializers.IntegerField()
    n_tasks_added = serializers.IntegerField()
    n_tasks_known = serializers.IntegerField()
    n_judgements_added = serializers.IntegerField()
    n_judgements_known = serializers.IntegerField()
    n_refused = serializers.IntegerField()
    refused = RowErrorSerializer(many=True)


class ImportOptionsSerializer(serializers.Serializer[Any]):
    layout = serializers.CharField(default="auto")
    # Not `format`: that asks for a rendering of the answer.
    file_format = serializers.ChoiceField(choices=["jsonl", "json", "csv", "tsv"], default="jsonl", source="format")
    dry_run = serializers.BooleanField(default=False)
    on_error = serializers.ChoiceField(choices=["refuse", "skip"], default="refuse")


class RawParser(BaseParser):
    """The body as it came: JSON Lines, JSON, CSV or TSV.  What is large waits on disk, not in memory."""

    media_type = "*/*"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        body = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  closed by its reader
        shutil.copyfileobj(stream, body)
        body.seek(0)
        return body


@extend_schema(request=None, responses=CampaignSerializer)
@api_view(["POST"])
def campaign_activation(request: Request, campaign: uuid.UUID) -> Response:
    """Open it for claims; its verifiers answer at once."""
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    open_campaign(found, actor=user)
    return Response(CampaignSerializer(found).data)


@extend_schema(
    request=None,
    responses=CampaignSerializer,
    parameters=[OpenApiParameter("noun", str, "path", enum=list(NOUNS))],
    operation_id="v1_campaigns_state_create",
)
@api_view(["POST"])
def campaign_state(request: Request, campaign: uuid.UUID, noun: str) -> Response:
    """Pause, close or archive.  Leases held now may still be submitted."""
    if noun not in NOUNS:
        raise Http404(f"A campaign has no {noun}; there are {', '.join(NOUNS)} and activation.")
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    move_campaign(found, NOUNS[noun], actor=user)
    return Response(CampaignSerializer(found).data)


def _body(request: Request) -> BinaryIO:
    """What RawParser kept; an empty body is never parsed."""
    return cast(BinaryIO, request.data) if request.data else io.BytesIO()


@extend_schema(
    request=OpenApiTypes.BINARY,
    responses={201: ImportReportSerializer, 200: ImportReportSerializer},
    parameters=[ImportOptionsSerializer],
)
@api_view(["POST"])
@parser_classes([RawParser])
def campaign_imports(request: Request, campaign: uuid.UUID) -> Response:
    """Add tasks (and judgements of imported raters).  The body is the file; one bad row and nothing is imported.

    201: something was added; 200: everything was known already, or a dry run; 422: refused rows.
    """
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    options = ImportOptionsSerializer(data=request.query_params)
    options.is_valid(raise_exception=True)
    try:
        with _body(request) as body:
            report = import_tasks(found, body, actor=user, **options.validated_data)
    except ImportRefused as error:
        rows = [
            {"path": f"{row.number}.{row.column}", "message": f"{row.reason} {row.excerpt}".strip()}
            for row in error.report.refused
        ]
        return problem(422, "Nothing was imported.", str(error), rows)
    except (FileUnreadable, LayoutUnknown, LayoutUnfit) as error:
        return problem(422, "The file cannot be read.", str(error))
    if found.is_open and not report.dry_run:
        send_verifiers(found)
    code = status.HTTP_200_OK if report.adds_nothing or report.dry_run else status.HTTP_201_CREATED
    return Response(ImportReportSerializer(report).data, status=code)
