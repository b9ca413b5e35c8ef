"""An OpenAI-compatible endpoint on loopback that answers by a script and misbehaves on demand; for tests and benches.

    with ScriptedEndpoint(answer=oracle, fault=lambda n, body: "429" if n % 20 == 0 else "") as endpoint:
        endpoint.base_url, endpoint.n_calls, endpoint.tokens, endpoint.most_in_flight

answer: (request body, what stands between the data marks) → the text of the reply.  fault: (number of the call, body) →
the name of one of FAULTS, or "".  Tokens are counted here, so that a ledger can be held against them.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

JSON = Any
FAULTS = ("429", "500", "html", "truncated", "refused", "garbage", "fenced", "think", "slow", "dropped", "no_choices")
_DATA = re.compile(r"<<<data (?P<key>[0-9a-f]+)\n(?P<data>.*?)\ndata (?P=key)>>>", re.DOTALL)

Answer = Callable[[JSON, JSON], str]
Fault = Callable[[int, JSON], str]


def first_wins(body: JSON, data: JSON) -> str:
    """A judge that always takes the first response, in whatever it is asked."""
    return json.dumps({"verdict": "A"})


def data_of(body: JSON) -> JSON:
    """What stands between the marks; None when there is nothing."""
    found = next((match for message in body["messages"] if (match := _DATA.search(str(message["content"])))), None)
    return json.loads(found["data"]) if found else None


def count_tokens(text: str) -> int:
    return max(1, len(text) // 4)


class ScriptedEndpoint:
    """logprobs: whether the reply's tokens come with their likeliest alternatives.  slow_s: how long `slow` takes."""

    def __init__(
        self,
        answer: Answer = first_wins,
        fault: Fault = lambda n, body: "",
        *,
        latency_s: float = 0.0,
        slow_s: float = 3.0,
        retry_after: str = "0.2",
        logprobs: Callable[[JSON, str], JSON] | None = None,
        key: str = "",
    ) -> None:
        self.answer, self.fault, self.latency_s, self.slow_s = answer, fault, latency_s, slow_s
        self.retry_after, self.logprobs, self.key = retry_after, logprobs, key
        self.bodies: list[JSON] = []
        self.tokens: Counter[str] = Counter()
        self.n_calls = self.in_flight = self.most_in_flight = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.endpoint = self  # type: ignore[attr-defined]
        self._server.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *ignored: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def begin(self, body: JSON) -> int:
        with self._lock:
            self.n_calls += 1
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            self.bodies.append(body)
            return self.n_calls

    def end(self) -> None:
        with self._lock:
            self.in_flight -= 1

    def completion(self, body: JSON, fault: str) -> dict[str, JSON]:
        """A 200; its tokens are counted."""
        text = self.answer(body, data_of(body))
        cut = fault == "truncated"
        text = {
            "truncated": text[: len(text) // 2],
            "garbage": "I would rather not say.",
            "fenced": f"```json\n{text}\n```",
            "think": f'<think>Hm, {{"verdict": "B"}}?</think>\n{text}',
        }.get(fault, text)
        usage = {
            "prompt_tokens": sum(count_tokens(str(message["content"])) for message in body["messages"]),
            "completion_tokens": count_tokens(text),
        }
        with self._lock:
            self.tokens.update(usage)
        message: dict[str, JSON] = {"role": "assistant", "content": text}
        if fault == "refused":
            message = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
        choice = {"index": 0, "finish_reason": "length" if cut else "stop", "message": message}
        if self.logprobs is not None and body.get("logprobs"):
            choice["logprobs"] = self.logprobs(body, text)
        choices = [] if fault == "no_choices" else [choice]
        return {"id": "x", "object": "chat.completion", "model": body["model"], "choices": choices, "usage": usage}


class Handler(BaseHTTPRequestHandler):
    """One connection; the endpoint hangs on the server."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # unbuffered writes cost a delayed ACK each

    @property
    def endpoint(self) -> ScriptedEndpoint:
        found: ScriptedEndpoint = self.server.endpoint  # type: ignore[attr-defined]
        return found

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        n = self.endpoint.begin(body)
        try:
            self._answer(self.endpoint, n, body)
        finally:
            self.endpoint.end()

    def _answer(self, endpoint: ScriptedEndpoint, n: int, body: JSON) -> None:
        if endpoint.key and self.headers.get("Authorization") != f"Bearer {endpoint.key}":
            return self._send(401, {"error": {"message": "wrong key"}})
        fault = endpoint.fault(n, body)
        time.sleep(endpoint.slow_s if fault == "slow" else endpoint.latency_s)
        if fault == "429":
            return self._send(429, {"error": {"message": "slow down"}}, {"Retry-After": endpoint.retry_after})
        if fault == "500":
            return self._send(500, {"error": {"message": "out of order"}})
        if fault == "html":
            return self._send(200, "<html><body>Gateway</body></html>")
        completion = endpoint.completion(body, fault)
        if fault != "dropped":
            return self._send(200, completion)
        self.close_connection = True
        self.connection.close()
        return None

    def _send(self, status: int, body: JSON, headers: Mapping[str, str] | None = None) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        raw = text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)
