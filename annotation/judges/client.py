"""One request to an OpenAI-compatible endpoint, and everything that may come back, as a reply or a typed failure.

Nothing is retried here, and nothing is believed: the body is read and checked by us, since servers answer HTML with
200, leave out choices or usage, and ignore what they do not know.
"""

from __future__ import annotations

import email.utils
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from annotation.judges.exceptions import JudgeError

JSON = Any
Failure = Literal[
    "rate_limited", "unavailable", "dropped", "timed_out", "malformed", "unauthorised", "rejected", "too_long"
]
_PASSING: frozenset[Failure] = frozenset({"rate_limited", "unavailable", "dropped", "timed_out", "malformed"})
_UNKNOWN: frozenset[Failure] = frozenset({"dropped", "timed_out"})
_TOO_LONG = ("context length", "context_length", "maximum context", "too many tokens", "prompt is too long")
_SHOWN = 200


class CallFailed(JudgeError):
    """No reply.  retry_after: seconds the server asked to be left alone, None when it did not say."""

    def __init__(self, kind: Failure, reason: str, retry_after: float | None = None) -> None:
        super().__init__(f"{kind.replace('_', ' ')}: {reason}")
        self.kind, self.retry_after = kind, retry_after

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed later."""
        return self.kind in _PASSING

    @property
    def is_unknown(self) -> bool:
        """Whether the server may have worked on it, and counted tokens, all the same."""
        return self.kind in _UNKNOWN


@dataclass(frozen=True)
class Address:
    """base_url: up to and with /v1.  key: sent as a bearer token; shown nowhere, in no repr."""

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    timeout_s: float = 90.0


@dataclass(frozen=True)
class Token:
    """One token of the reply: its text, and the likeliest ones in its place with their natural logarithms."""

    text: str
    top: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Reply:
    """text: what the model wrote.  finish_reason: as the server says it.  Tokens are None where it counts none."""

    text: str
    finish_reason: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tokens: tuple[Token, ...] = ()
    refusal: str = ""

    @property
    def was_cut(self) -> bool:
        return self.finish_reason == "length"

    @property
    def was_refused(self) -> bool:
        return bool(self.refusal) or self.finish_reason == "content_filter"


def ask(
    address: Address,
    messages: Sequence[Mapping[str, str]],
    *,
    schema: Mapping[str, JSON] | None,
    sampling: Mapping[str, JSON],
) -> Reply:
    """Send it once.  sampling: temperature, max_tokens, seed, top_logprobs, …  Raises CallFailed."""
    import openai

    body: dict[str, JSON] = {"model": address.model, "messages": list(messages), **sampling}
    if sampling.get("top_logprobs"):
        body["logprobs"] = True
    if schema is not None:
        strict = {"name": "reply", "schema": schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": strict}
    try:
        raw = _client(address.base_url, address.key).chat.completions.with_raw_response.create(
            timeout=address.timeout_s, **body
        )
    except openai.APITimeoutError:
        raise CallFailed("timed_out", f"no reply in {address.timeout_s:g} s") from None
    except openai.APIConnectionError as error:
        cause = error.__cause__ or error
        kind: Failure = "unavailable" if "connect" in type(cause).__name__.lower() else "dropped"
        raise CallFailed(kind, f"{type(cause).__name__}: {cause}"[:_SHOWN]) from None
    except openai.APIStatusError as error:
        raise _refused(error.status_code, error.response.text, error.response.headers) from None
    return read_body(raw.text)


@lru_cache(maxsize=64)
def _client(base_url: str, key: str) -> Any:
    import openai

    return openai.OpenAI(base_url=base_url, api_key=key or "none", max_retries=0)


def _refused(status: int, body: str, headers: Mapping[str, str]) -> CallFailed:
    said = f"HTTP {status}: {' '.join(body.split())[:_SHOWN]}"
    if status == 429:
        return CallFailed("rate_limited", said, _seconds(headers.get("retry-after")))
    if status >= 500 or status == 408:
        return CallFailed("unavailable", said, _seconds(headers.get("retry-after")))
    if status in (401, 403):
        return CallFailed("unauthorised", said)
    return CallFailed("too_long" if any(words in body.lower() for words in _TOO_LONG) else "rejected", said)


def _seconds(header: str | None) -> float | None:
    """Retry-After: seconds or a date (RFC 9110, 10.2.3).  None for what is neither."""
    try:
        seconds = float(header or "")
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(header or "").timestamp() - time.time()
        except (ValueError, TypeError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def read_body(text: str) -> Reply:
    """The body of a 200.  Raises CallFailed (malformed)."""
    try:
        body = json.loads(text)
        choice = body["choices"][0]
        message = choice["message"]
        content, refusal = message.get("content"), message.get("refusal")
    except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError):
        message_text = f"200 without a reply in it: {' '.join(text.split())[:_SHOWN]}"
        raise CallFailed("malformed", message_text) from None
    if not isinstance(content, str) and not refusal:
        raise CallFailed("malformed", f"a reply without text: {json.dumps(choice)[:_SHOWN]}")
    usage = body.get("usage") if isinstance(body.get("usage"), Mapping) else {}
    return Reply(
        text=content or "",
        finish_reason=str(choice.get("finish_reason") or ""),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        tokens=_tokens(choice.get("logprobs")),
        refusal=str(refusal or ""),
    )


def _count(value: JSON) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _tokens(logprobs: JSON) -> tuple[Token, ...]:
    """() for whatever has not the shape of the API's; masked tokens (−9999 and their like) are left out."""
    try:
        return tuple(
            Token(
                one["token"],
                tuple(
                    (top["token"], float(top["logprob"]))
                    for top in one["top_logprobs"]
                    if math.isfinite(top["logprob"]) and -50 < top["logprob"] <= 0
                ),
            )
            for one in logprobs["content"]
        )
    except (KeyError, TypeError, ValueError):
        return ()
