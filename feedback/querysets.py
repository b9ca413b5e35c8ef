"""Questions asked of the record, as QuerySet methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from django.db import models
from django.db.models import F

if TYPE_CHECKING:
    from feedback.models import User


class CampaignQuerySet(models.QuerySet[Any]):
    def visible_to(self, user: User) -> Self:
        """Campaigns in which the person has an active role."""
        return self.filter(memberships__user=user, memberships__is_active=True)

    def with_role(self, user: User, *roles: str) -> Self:
        return self.filter(memberships__user=user, memberships__is_active=True, memberships__role__in=roles)

    def current(self) -> Self:
        return self.exclude(status="archived")


class TaskQuerySet(models.QuerySet[Any]):
    def open(self) -> Self:
        return self.filter(status="open")

    def with_free_seat(self) -> Self:
        return self.open().filter(n_leased__lt=F("overlap") - F("n_counted"))

    def stale(self) -> Self:
        return self.filter(needs_aggregation=True)


class JudgementQuerySet(models.QuerySet[Any]):
    def current(self) -> Self:
        return self.filter(is_current=True)

    def for_consensus(self) -> Self:
        """What aggregation may use: current, not surplus, by admitted raters."""
        return self.filter(is_current=True, is_surplus=False, rater__admitted=True)
