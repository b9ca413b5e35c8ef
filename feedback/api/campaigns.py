"""Campaigns, and what lies in them: tasks, judgements, preferences."""

from __future__ import annotations

import uuid
from typing import Any, cast

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from rest_framework import mixins, viewsets
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from feedback.access import MANAGER, REVIEWER, access_campaign
from feedback.api.serializers import CampaignSerializer, JudgementSerializer, PreferenceSerializer, TaskSerializer
from feedback.models import Campaign, Judgement, Preference, Task, User
from feedback.services.campaigns import change_campaign, create_campaign


class ByAge(CursorPagination):
    page_size_query_param = "page_size"
    max_page_size = 1000
    ordering = "pk"


class NewestFirst(ByAge):
    ordering = "-created_at"


class CampaignViewSet(
    mixins.CreateModelMixin,
    mixins.ListModelMixin,
    mixins.RetrieveModelMixin,
    viewsets.GenericViewSet[Campaign],
):
    """Campaigns in which the caller has a role; only managers change them."""

    queryset = Campaign.objects.none()
    serializer_class = CampaignSerializer
    pagination_class = NewestFirst
    lookup_value_converter = "uuid"

    def get_queryset(self) -> QuerySet[Campaign]:
        visible = Campaign.objects.visible_to(cast(User, self.request.user))
        return visible.select_related("form", "guideline")

    def perform_create(self, serializer: BaseSerializer[Campaign]) -> None:
        user = cast(User, self.request.user)
        if not user.opens_campaigns:
            raise PermissionDenied("Opening campaigns needs the permission feedback.add_campaign.")
        given: dict[str, Any] = dict(serializer.validated_data)
        questions = given.pop("form")["questions_raw"]
        guidelines = given.pop("guideline", {}).get("text", "")
        serializer.instance = create_campaign(actor=user, questions=questions, guidelines=guidelines, **given)

    def partial_update(self, request: Request, pk: uuid.UUID) -> Response:
        """Publish new questions or guidelines, or change settings.  Old answers keep their versions."""
        user = cast(User, request.user)
        campaign = access_campaign(user, pk, MANAGER)
        serializer = self.get_serializer(campaign, data=request.data, partial=True)
        serializer.is_valid(raise_exception=True)
        given: dict[str, Any] = dict(serializer.validated_data)
        questions = given.pop("form", {}).get("questions_raw")
        guidelines = given.pop("guideline", {}).get("text")
        change_campaign(campaign, actor=user, questions=questions, guidelines=guidelines, **given)
        return Response(self.get_serializer(campaign).data)


class OfCampaign(mixins.ListModelMixin, viewsets.GenericViewSet[Any]):
    """Rows of one campaign, for its managers and reviewers."""

    pagination_class = ByAge

    def campaign(self) -> Campaign:
        return access_campaign(cast(User, self.request.user), self.kwargs["campaign"], MANAGER, REVIEWER)


class TaskViewSet(OfCampaign):
    queryset = Task.objects.none()
    serializer_class = TaskSerializer

    def get_queryset(self) -> QuerySet[Task]:
        return self.campaign().tasks.all()


class JudgementViewSet(OfCampaign):
    """Every answer as it was given, superseded ones included (`is_current`)."""

    queryset = Judgement.objects.none()
    serializer_class = JudgementSerializer

    def get_queryset(self) -> QuerySet[Judgement]:
        return self.campaign().judgements.select_related("rater", "form", "guideline", "task")


class PreferenceViewSet(OfCampaign):
    """Aggregates, rebuilt a few seconds after the judgements they rest on."""

    queryset = Preference.objects.none()
    serializer_class = PreferenceSerializer

    def get_queryset(self) -> QuerySet[Preference]:
        return Preference.objects.filter(task__campaign=self.campaign()).select_related("task")
