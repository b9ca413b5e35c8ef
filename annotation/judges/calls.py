"""One request as a row: its intent is committed before it is sent, and what came back is never paid for twice."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotation.judges.client import Address, CallFailed, Reply, ask
from annotation.judges.exceptions import JudgeError, NotConfigured
from annotation.models import Judge, JudgeCall, Judging
from feedback.questions.content import sha256_of

JSON = Any
REASON_MAX = 500
Send = Callable[..., Reply]
"""As `annotation.judges.client.ask`."""


class CallInFlight(JudgeError):
    """Somebody else has sent this very request, or died with it in the air; a reaper will say which."""


@dataclass(frozen=True)
class Asking:
    """What tells one request of a judging from another.  stage: of the protocol, or repair, longer."""

    question: str
    order: tuple[str, ...]
    sample: int
    stage: str

    def hash(self, after: str = "") -> str:
        """after: what the judge said before it, in this conversation."""
        return sha256_of([self.question, list(self.order), self.sample, self.stage, after])


@contextmanager
def alone_with(judging: Judging) -> Iterator[bool]:
    """Whether nobody else works on it, nor begins to until the end.  A worker that dies lets go with its connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [f"judging {judging.pk}"])
        alone = bool(cursor.fetchone()[0])
    try:
        yield alone
    finally:
        if alone:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [f"judging {judging.pk}"])


def book_lost(judging: Judging) -> None:
    """What somebody who is gone left: never sent, or sent and perhaps paid for.  Only while `alone_with` it."""
    calls = JudgeCall.objects.filter(judging=judging)
    gone = {"ended_at": timezone.now()}
    calls.filter(status=JudgeCall.Status.INTENT).update(status="failed", reason="it was never sent", **gone)
    calls.filter(status=JudgeCall.Status.SENT).update(status="unknown", reason="whoever sent it is gone", **gone)


def address_of(judge: Judge) -> Address:
    """Raises NotConfigured when the key is not in this process's environment."""
    endpoint = judge.endpoint
    key = os.environ.get(endpoint.key_variable, "") if endpoint.key_variable else ""
    if endpoint.key_variable and not key:
        message = f"the key of {endpoint} is not set: put it into the environment as {endpoint.key_variable}"
        raise NotConfigured(message)
    return Address(endpoint.base_url, judge.model, key, endpoint.timeout_s)


def known_call(judging: Judging, asking: Asking, after: str = "") -> JudgeCall | None:
    """The call that has been answered already.  Raises CallInFlight for one that may still be."""
    found = JudgeCall.objects.filter(judging=judging, ask_hash=asking.hash(after))
    call = found.filter(status__in=["intent", "sent", "answered"]).first()
    if call is not None and call.status != JudgeCall.Status.ANSWERED:
        raise CallInFlight("the same request is in flight")
    return call


def make_call(
    judging: Judging,
    asking: Asking,
    messages: Sequence[Mapping[str, str]],
    *,
    key: str,
    schema: Mapping[str, JSON] | None,
    sampling: Mapping[str, JSON],
    after: str = "",
    send: Send = ask,
) -> JudgeCall:
    """Commit the intent, send, book what came back.  Outside any transaction.

    Raises CallFailed (booked as failed, or unknown where it may have been paid for) and CallInFlight.
    """
    address = address_of(judging.judge)
    try:
        with transaction.atomic():
            call = JudgeCall.objects.create(
                judging=judging,
                question=asking.question,
                order=list(asking.order),
                sample=asking.sample,
                stage=asking.stage,
                ask_hash=asking.hash(after),
                key=key,
                messages=[dict(message) for message in messages],
            )
    except IntegrityError:
        raise CallInFlight("the same request is in flight") from None
    _move(call, JudgeCall.Status.INTENT, JudgeCall.Status.SENT)
    try:
        reply = send(address, messages, schema=schema, sampling=sampling)
    except CallFailed as failure:
        ended = JudgeCall.Status.UNKNOWN if failure.is_unknown else JudgeCall.Status.FAILED
        _move(call, JudgeCall.Status.SENT, ended, reason=failure.reason[:REASON_MAX], ended_at=timezone.now())
        raise
    book_reply(call, reply)
    return call


def book_reply(call: JudgeCall, reply: Reply) -> None:
    """The text as it came, without what PostgreSQL cannot store, and what it cost."""
    endpoint = call.judging.judge.endpoint
    _move(
        call,
        JudgeCall.Status.SENT,
        JudgeCall.Status.ANSWERED,
        text=reply.text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode(),
        finish_reason=("refusal" if reply.refusal else reply.finish_reason)[:40],
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        cost=endpoint.cost(reply.prompt_tokens, reply.completion_tokens),
        reason=reply.refusal[:REASON_MAX],
        ended_at=timezone.now(),
    )


def book_rung(call: JudgeCall, rung: str) -> None:
    JudgeCall.objects.filter(pk=call.pk).update(rung=rung)
    call.rung = rung


def _move(call: JudgeCall, before: str, after: str, **fields: Any) -> None:
    """Compare-and-swap; a call that a reaper has booked meanwhile stays as it is booked."""
    JudgeCall.objects.filter(pk=call.pk, status=before).update(status=after, **fields)
    for name, value in {"status": after, **fields}.items():
        setattr(call, name, value)
