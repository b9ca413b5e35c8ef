"""From an id to an assignment: a person's own, in a campaign they still belong to.  Any other does not exist (404)."""

from __future__ import annotations

import uuid

from django.http import Http404

from annotation.models import Assignment
from feedback.models import Rater, User


def access_assignment(user: User, id: uuid.UUID) -> Assignment:
    """The person's own assignment with task, campaign, form, guideline and rater (one statement).  Raises Http404."""
    assignment: Assignment | None = (
        Assignment.objects.select_related("task", "campaign", "form", "guideline", "rater")
        .filter(
            pk=id,
            rater__user=user,
            campaign__memberships__user=user,
            campaign__memberships__is_active=True,
        )
        .first()
    )
    if assignment is None:
        raise Http404("No such assignment.")
    return assignment


def access_as_rater(user: User, id: uuid.UUID) -> Rater:
    """The person as the rater of their own assignment, for a step that loads and locks it itself.  Raises Http404."""
    rater = Rater.objects.filter(
        user=user,
        assignments=id,
        assignments__campaign__memberships__user=user,
        assignments__campaign__memberships__is_active=True,
    ).first()
    if rater is None:
        raise Http404("No such assignment.")
    return rater
