"""What a manager's program asks of the queue: priorities, and tasks reserved for a person."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import cast

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.serializers import PrioritySerializer, ReservationSerializer, ReservedSerializer
from annotation.reserving import reserve_tasks
from feedback.access import MANAGER, access_campaign, rater_of
from feedback.exceptions import WrongState
from feedback.models import Campaign, Task, User
from feedback.services.priorities import set_priority


def _named(campaign: Campaign, external_ids: Sequence[str]) -> list[Task]:
    found = {task.external_id: task for task in campaign.tasks.filter(external_id__in=external_ids)}
    if missing := [name for name in external_ids if name not in found]:
        raise serializers.ValidationError({"tasks": f"Not in this campaign: {', '.join(missing[:10])}."})
    return [found[name] for name in dict.fromkeys(external_ids)]


@extend_schema(
    request=PrioritySerializer,
    responses=inline_serializer("Prioritised", {"n_tasks": serializers.IntegerField()}),
)
@api_view(["POST"])
def campaign_priorities(request: Request, campaign: uuid.UUID) -> Response:
    """Ask these tasks first, of everybody; all of them or none."""
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    body = PrioritySerializer(data=request.data)
    body.is_valid(raise_exception=True)
    tasks = _named(found, body.validated_data["tasks"])
    n_tasks = set_priority(found, [task.pk for task in tasks], body.validated_data["priority"], actor=user)
    return Response({"n_tasks": n_tasks})


@extend_schema(request=ReservationSerializer, responses=ReservedSerializer)
@api_view(["POST"])
def campaign_reservations(request: Request, campaign: uuid.UUID) -> Response:
    """Ask one person these tasks first.  A task without a free place stays reserved until there is one."""
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    body = ReservationSerializer(data=request.data)
    body.is_valid(raise_exception=True)
    name = body.validated_data["username"]
    member = found.memberships.filter(user__username=name, is_active=True).select_related("user").first()
    if member is None:
        raise WrongState(f"“{name}” is not a member of this campaign: add them first.")
    tasks = _named(found, body.validated_data["tasks"])
    return Response(ReservedSerializer(reserve_tasks(tasks, rater_of(member.user), actor=user)).data)
