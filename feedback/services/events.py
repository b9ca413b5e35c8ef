from typing import Any

from django.db import models

from feedback.models import AuditEvent, Campaign, User


def record_event(
    actor: User | None, verb: str, target: models.Model, *, campaign: Campaign | None = None, **detail: Any
) -> AuditEvent:
    """Write the audit entry of one change of state, in the caller's transaction."""
    return AuditEvent.objects.create(
        actor=actor,
        verb=verb,
        campaign=campaign,
        object_type=target._meta.model_name or "",
        object_id=str(target.pk),
        detail=detail,
    )
