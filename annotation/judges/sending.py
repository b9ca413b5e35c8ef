"""A request that waits for its seat in the limit that all worker processes share."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.judges.calls import Send
from annotation.judges.client import CallFailed, Reply, ask
from annotation.judges.limiter import Limiter

JSON = Any
CHARACTERS_PER_TOKEN = 3.0
"""Fewer than in English text: an estimate of a prompt that is rather too large."""
SHORTEST_WAIT_S, LONGEST_WAIT_S = 0.005, 5.0


def limited_by(limiter: Limiter, send: Send = ask) -> Send:
    """The same request, sent when the limit has a seat for it; a 429 halves the limit for everybody."""

    def wait_and_send(address: Any, messages: Sequence[Mapping[str, str]], **given: Any) -> Reply:
        estimated = _estimate(messages, given.get("sampling") or {})
        while not (grant := limiter.take(1, tokens=estimated)).seats:
            time.sleep(min(LONGEST_WAIT_S, max(SHORTEST_WAIT_S, grant.wait)))
        reply: Reply | None = None
        try:
            reply = send(address, messages, **given)
        except CallFailed as failure:
            if failure.kind == "rate_limited":
                limiter.push_back(failure.retry_after)
            raise
        finally:
            limiter.give(1, answered=int(reply is not None), surplus_tokens=_surplus(reply, estimated))
        return reply

    return wait_and_send


def _estimate(messages: Sequence[Mapping[str, str]], sampling: Mapping[str, JSON]) -> int:
    prompt = sum(len(message["content"]) for message in messages) / CHARACTERS_PER_TOKEN
    return int(prompt) + int(sampling.get("max_tokens") or 0)


def _surplus(reply: Reply | None, estimated: int) -> int:
    """What was estimated and not used; all of it where nothing came back, none of it where nothing was counted."""
    if reply is None:
        return estimated
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return 0
    return estimated - reply.prompt_tokens - reply.completion_tokens
