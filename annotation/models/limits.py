"""What all worker processes together may ask of one model of an endpoint, now."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from annotation.models.judges import Endpoint


class Limit(models.Model):
    """The shared account of (endpoint, model).  Changed only under its row lock, by `annotation.judges.limiter`.

    cap: most seats ever.  window: seats allowed now, 1..cap (additive increase, halved on 429).  in_flight: seats held.
    request_credit, token_credit: what is left in the buckets at `credited_at`; tokens may be owed (< 0).
    """

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="+")
    model = models.CharField(max_length=200)
    cap = models.PositiveIntegerField()
    window = models.FloatField()
    in_flight = models.PositiveIntegerField(default=0)
    request_credit = models.FloatField(default=0.0)
    token_credit = models.FloatField(default=0.0)
    credited_at = models.DateTimeField(null=True, blank=True)
    halved_at = models.DateTimeField(null=True, blank=True)
    blocked_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["endpoint", "model"], name="limit_once"),
            models.CheckConstraint(
                condition=Q(cap__gte=1) & Q(in_flight__gte=0) & Q(in_flight__lte=F("cap")), name="limit_cap_holds"
            ),
            models.CheckConstraint(condition=Q(window__gte=1) & Q(window__lte=F("cap")), name="limit_window_range"),
        ]

    def __str__(self) -> str:
        return f"{self.model} at {self.endpoint}: {self.in_flight} of {self.window:.1f}"


class SeatLease(models.Model):
    """Seats that one worker process holds.  It lapses after the longest time a call it was taken for can last."""

    limit = models.ForeignKey(Limit, on_delete=models.CASCADE, related_name="leases")
    holder = models.UUIDField()
    seats = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["limit", "holder"], name="seatlease_once")]
        indexes = [models.Index(fields=["limit", "expires_at"], name="seatlease_lapsing")]

    def __str__(self) -> str:
        return f"{self.seats} seats of {self.holder}"
