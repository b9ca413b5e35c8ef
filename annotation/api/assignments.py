"""A person's own work by program: the next assignment, its answer, its skip, its heartbeat."""

from __future__ import annotations

import uuid
from typing import cast

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import access_as_rater, access_assignment
from annotation.api.serializers import (
    AnswerSerializer,
    AssignmentSerializer,
    ClaimSerializer,
    FlagSerializer,
    HeartbeatSerializer,
    LeaseSerializer,
    SkipSerializer,
    SubmissionSerializer,
)
from annotation.flags import flag_task
from annotation.queue import claim_assignment, extend_lease, skip_assignment, submit_judgement, undo_skip
from feedback.access import access_campaign, rater_of
from feedback.models import User


@extend_schema(request=None, responses=ClaimSerializer)
@api_view(["POST"])
def campaign_assignments(request: Request, campaign: uuid.UUID) -> Response:
    """Claim: the caller's own lease, else the next task; without one, the reason.

    Programs are not asked to acknowledge guidelines: they come with the assignment, and the judgement names them.
    """
    user = cast(User, request.user)
    claim = claim_assignment(rater=rater_of(user), campaign=access_campaign(user, campaign))
    return Response(ClaimSerializer(claim).data)


@extend_schema(responses=AssignmentSerializer)
@api_view(["GET"])
def assignment_detail(request: Request, id: uuid.UUID) -> Response:
    """One of the caller's own assignments."""
    return Response(AssignmentSerializer(access_assignment(cast(User, request.user), id)).data)


@extend_schema(request=AnswerSerializer, responses={200: SubmissionSerializer, 201: SubmissionSerializer})
@api_view(["POST"])
def assignment_judgement(request: Request, id: uuid.UUID) -> Response:
    """Submit the answers.  201: stored now; 200: the same had been stored under this key."""
    rater = access_as_rater(cast(User, request.user), id)
    body = AnswerSerializer(data=request.data)
    body.is_valid(raise_exception=True)
    given = body.validated_data
    submission = submit_judgement(
        assignment_id=id,
        rater=rater,
        raw_answers=given["answers"],
        key=given["key"],
        seconds=given["seconds"],
    )
    code = status.HTTP_201_CREATED if submission.created else status.HTTP_200_OK
    return Response(SubmissionSerializer(submission).data, status=code)


@extend_schema(methods=["POST"], request=SkipSerializer, responses={204: None})
@extend_schema(methods=["DELETE"], responses=LeaseSerializer)
@api_view(["POST", "DELETE"])
def assignment_skip(request: Request, id: uuid.UUID) -> Response:
    """POST gives the place up, not the turn; DELETE takes it back, if a place is free."""
    rater = access_as_rater(cast(User, request.user), id)
    if request.method == "DELETE":
        lease = undo_skip(assignment_id=id, rater=rater)
        return Response(LeaseSerializer(lease).data)
    body = SkipSerializer(data=request.data)
    body.is_valid(raise_exception=True)
    skip_assignment(assignment_id=id, rater=rater, reason=body.validated_data["reason"])
    return Response(status=status.HTTP_204_NO_CONTENT)


@extend_schema(request=HeartbeatSerializer, responses=LeaseSerializer)
@api_view(["POST"])
def assignment_heartbeat(request: Request, id: uuid.UUID) -> Response:
    """Keep the place for another `lease_seconds` of the campaign; `seconds` is the time at work so far."""
    rater = access_as_rater(cast(User, request.user), id)
    body = HeartbeatSerializer(data=request.data)
    body.is_valid(raise_exception=True)
    return Response(LeaseSerializer(extend_lease(id, rater, body.validated_data["seconds"])).data)


@extend_schema(request=FlagSerializer, responses={204: None})
@api_view(["POST"])
def assignment_flag(request: Request, id: uuid.UUID) -> Response:
    """Tell the manager that something is wrong with the task; the assignment stays as it is."""
    rater = access_as_rater(cast(User, request.user), id)
    body = FlagSerializer(data=request.data)
    body.is_valid(raise_exception=True)
    flag_task(assignment_id=id, rater=rater, note=body.validated_data["note"])
    return Response(status=status.HTTP_204_NO_CONTENT)
