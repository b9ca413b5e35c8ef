"""Questions asked of assignments, as QuerySet methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from django.db import models
from django.utils import timezone

if TYPE_CHECKING:
    from feedback.models import Campaign, Rater


class AssignmentQuerySet(models.QuerySet[Any]):
    def of(self, rater: Rater, campaign: Campaign) -> Self:
        return self.filter(rater=rater, campaign=campaign)

    def leased(self) -> Self:
        """Those that hold a seat, overdue or not."""
        return self.filter(status="leased")

    def live(self) -> Self:
        return self.leased().filter(expires_at__gt=timezone.now())

    def overdue(self) -> Self:
        return self.leased().filter(expires_at__lte=timezone.now())

    def ended(self) -> Self:
        """Those the person is through with, last first."""
        return self.filter(status__in=["submitted", "skipped"]).order_by("-ended_at")
