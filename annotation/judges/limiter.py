"""One limit for all worker processes on (endpoint, model): in flight, requests and tokens per minute.

The account is a row in PostgreSQL and every change is made under its lock, by the database's clock; a constraint keeps
the seats held from passing the cap whatever a caller does.  Seats are taken in batches: one short transaction for many
calls.  The window follows additive increase, multiplicative decrease (Chiu and Jain 1989): + 1 per window of answers,
halved on a 429, at most once a second so that one burst of refusals counts once.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import F, Sum

from annotation.models.judges import Endpoint
from annotation.models.limits import Limit, SeatLease

GRACE = timedelta(seconds=15)  # beyond the timeout of a call, before a silent worker's seats are free
LOOK_AGAIN = 0.05  # s, where only another call's end can free a seat
HALVE_AT_MOST_EVERY = timedelta(seconds=1)
NO_LIMIT = 2**31
BURST = 20  # a bucket holds 1/20 of a minute's allowance; the rest flows in, so no minute exceeds it


@dataclass(frozen=True)
class Grant:
    """seats: calls that may be sent at once.  wait: seconds until it is worth asking for more."""

    seats: int
    wait: float


@dataclass(frozen=True)
class Bucket:
    """An allowance per minute: `size` at once, `rate` per second; size + 60 rate never exceeds it from 2 up."""

    size: float
    rate: float

    @classmethod
    def per_minute(cls, allowance: int) -> Bucket:
        size = max(1.0, allowance / BURST)
        return cls(size, max(allowance - size, 1.0) / 60)

    def filled(self, credit: float, seconds: float) -> float:
        return min(self.size, credit + seconds * self.rate)


class Limiter:
    """One worker process's door to the shared limit.  Take seats, send at once, give each seat back when it ends.

    A holder that dies keeps its seats until every call it could have sent has timed out; then others get them.
    """

    def __init__(self, endpoint: Endpoint, model: str, *, holder: uuid.UUID | None = None) -> None:
        self.endpoint, self.model = endpoint, model
        self.holder = holder or uuid.uuid4()
        self.requests = Bucket.per_minute(endpoint.requests_per_minute) if endpoint.requests_per_minute else None
        self.tokens = Bucket.per_minute(endpoint.tokens_per_minute) if endpoint.tokens_per_minute else None
        cap = endpoint.max_in_flight
        full = {"request_credit": self.requests.size if self.requests else 0.0}
        full["token_credit"] = self.tokens.size if self.tokens else 0.0
        self.limit_id = Limit.objects.get_or_create(
            endpoint=endpoint, model=model, defaults={"cap": cap, "window": float(cap), **full}
        )[0].pk

    @transaction.atomic
    def take(self, wanted: int, *, tokens: int = 0) -> Grant:
        """Up to `wanted` seats, each for a call of at most `tokens` prompt and completion tokens (an estimate)."""
        limit, now = self._locked()
        if limit.blocked_until and limit.blocked_until > now:
            limit.save()  # what _locked found
            return Grant(0, (limit.blocked_until - now).total_seconds())
        free = int(limit.window) - limit.in_flight
        by_requests = _fitting(self.requests, limit.request_credit, 1)
        by_tokens = _fitting(self.tokens, limit.token_credit, tokens)
        seats = max(0, min(wanted, free, by_requests, by_tokens))
        limit.in_flight += seats
        limit.request_credit -= seats
        limit.token_credit -= seats * tokens
        limit.save()
        if seats:
            self._hold(limit, seats, now)
        by_bucket = _wait(self.requests, limit.request_credit, 1), _wait(self.tokens, limit.token_credit, tokens)
        return Grant(seats, max(LOOK_AGAIN if free <= seats else 0.0, *by_bucket))

    @transaction.atomic
    def give(self, seats: int, *, answered: int = 0, surplus_tokens: int = 0) -> None:
        """Return seats; `answered` of them got an answer.  surplus_tokens: estimated less used (may be negative)."""
        limit, _now = self._locked()
        held = limit.leases.filter(holder=self.holder, seats__gte=seats).update(seats=F("seats") - seats)
        if held:  # else they lapsed and are counted free already
            limit.in_flight -= seats
        limit.window = min(float(limit.cap), limit.window + answered / limit.window)
        if self.tokens:
            limit.token_credit = min(self.tokens.size, limit.token_credit + surplus_tokens)
        limit.save()

    @transaction.atomic
    def push_back(self, retry_after: float | None = None) -> None:
        """The server said 429: halve the window, and let no worker ask before `retry_after` seconds are over."""
        limit, now = self._locked()
        if limit.halved_at is None or now - limit.halved_at >= HALVE_AT_MOST_EVERY:
            limit.window, limit.halved_at = max(1.0, limit.window / 2), now
        if retry_after is not None and retry_after > 0:
            until = now + timedelta(seconds=retry_after)
            limit.blocked_until = max(limit.blocked_until or until, until)
        limit.save()

    def _locked(self) -> tuple[Limit, datetime]:
        """The row under lock, lapsed seats freed, buckets filled and the cap as the endpoint has it now."""
        limit = Limit.objects.select_for_update(no_key=True).get(pk=self.limit_id)
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")  # after the wait for the lock, unlike now()
            now: datetime = cursor.fetchone()[0]
        lapsed = limit.leases.filter(expires_at__lte=now)
        freed = lapsed.aggregate(seats=Sum("seats"))["seats"]
        if freed is not None:
            lapsed.delete()
            limit.in_flight -= freed
        seconds = max(0.0, (now - limit.credited_at).total_seconds()) if limit.credited_at else 0.0
        limit.credited_at = now
        if self.requests:
            limit.request_credit = self.requests.filled(limit.request_credit, seconds)
        if self.tokens:
            limit.token_credit = self.tokens.filled(limit.token_credit, seconds)
        cap = Endpoint.objects.values_list("max_in_flight", flat=True).get(pk=limit.endpoint_id)
        limit.window = min(limit.window, float(cap))
        limit.cap = max(cap, limit.in_flight)  # a lowered cap waits for the seats that are out
        return limit, now

    def _hold(self, limit: Limit, seats: int, now: datetime) -> None:
        expires_at = now + timedelta(seconds=self.endpoint.timeout_s) + GRACE
        updated = limit.leases.filter(holder=self.holder).update(seats=F("seats") + seats, expires_at=expires_at)
        if not updated:
            SeatLease.objects.create(limit=limit, holder=self.holder, seats=seats, expires_at=expires_at)


def _fitting(bucket: Bucket | None, credit: float, each: int) -> int:
    """How many calls of `each` units may go.  One larger than the bucket goes when it is full, and is owed."""
    if bucket is None or each <= 0:
        return NO_LIMIT
    if each > bucket.size:
        return int(credit >= bucket.size)
    return max(0, int(credit // each))


def _wait(bucket: Bucket | None, credit: float, each: int) -> float:
    """Seconds until one more call of `each` units may go."""
    if bucket is None or each <= 0:
        return 0.0
    return max(0.0, (min(float(each), bucket.size) - credit) / bucket.rate)
