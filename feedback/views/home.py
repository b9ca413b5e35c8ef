from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from django.db.models import Count, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from feedback.models import Campaign, Judgement, Membership, Task, User


@dataclass(frozen=True)
class Row:
    """A campaign on the first page.  yours: judgements this person gave; n_counted of n_seats: everybody's."""

    membership: Membership
    yours: int
    n_counted: int
    n_seats: int

    @property
    def percent(self) -> int:
        return round(100 * self.n_counted / self.n_seats) if self.n_seats else 0

    @property
    def has_work(self) -> bool:
        return self.membership.campaign.is_open and self.n_counted < self.n_seats


def home(request: HttpRequest) -> HttpResponse:
    """Where to go: campaigns with work for this person, and campaigns they manage."""
    user = cast(User, request.user)
    memberships = (
        Membership.objects.filter(user=user, is_active=True)
        .exclude(campaign__status=Campaign.Status.ARCHIVED)
        .select_related("campaign")
        .order_by("-campaign__created_at")
    )
    rows = _rows(list(memberships), user)
    to_label = [row for row in rows if row.has_work]
    others = [row for row in rows if not row.has_work]
    return render(request, "feedback/home.html", {"rows": rows, "to_label": to_label, "others": others})


def _rows(memberships: list[Membership], user: User) -> list[Row]:
    campaigns = [membership.campaign_id for membership in memberships]
    seats = _seats(campaigns)
    own = Judgement.objects.current().filter(campaign__in=campaigns, rater__user=user).values("campaign")
    yours = {row["campaign"]: row["n"] for row in own.annotate(n=Count("pk")).order_by()}
    return [Row(m, yours.get(m.campaign_id, 0), *seats.get(m.campaign_id, (0, 0))) for m in memberships]


def _seats(campaigns: Iterable[uuid.UUID]) -> dict[uuid.UUID, tuple[int, int]]:
    """Per campaign: seats filled, and seats there are (withdrawn tasks have none)."""
    tasks = Task.objects.filter(campaign__in=campaigns).exclude(status=Task.Status.WITHDRAWN).values("campaign")
    sums = tasks.annotate(counted=Sum("n_counted"), seats=Sum("overlap")).order_by()
    return {row["campaign"]: (row["counted"], row["seats"]) for row in sums}
