"""One request, against a server that misbehaves in every way the real ones do."""

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from annotation.judges.client import Address, CallFailed, _seconds, ask, read_body
from bench.scripted_endpoint import ScriptedEndpoint

MESSAGES = [{"role": "system", "content": "Judge."}, {"role": "user", "content": "A or B?"}]
SCHEMA = {"type": "object", "properties": {"verdict": {"enum": ["A", "B"]}}, "required": ["verdict"]}


def call(endpoint, **fields):
    address = Address(endpoint.base_url, "some-model", **{"timeout_s": 5.0, **fields})
    return ask(address, MESSAGES, schema=SCHEMA, sampling={"temperature": 0, "max_tokens": 50, "seed": 7})


def faulty(fault, **fields):
    return ScriptedEndpoint(fault=lambda n, body: fault, **fields)


def test_a_reply_comes_with_its_tokens_and_the_request_says_what_was_asked():
    with ScriptedEndpoint(key="secret") as endpoint:
        reply = call(endpoint, key="secret")
    assert (reply.text, reply.finish_reason) == ('{"verdict": "A"}', "stop")
    assert (reply.prompt_tokens, reply.completion_tokens) == (2, 4)
    (body,) = endpoint.bodies
    assert (body["model"], body["temperature"], body["max_tokens"], body["seed"]) == ("some-model", 0, 50, 7)
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert endpoint.tokens == {"prompt_tokens": 2, "completion_tokens": 4}


@pytest.mark.parametrize(
    ("fault", "kind", "may_pass", "is_unknown"),
    [
        ("429", "rate_limited", True, False),
        ("500", "unavailable", True, False),
        ("html", "malformed", True, False),
        ("no_choices", "malformed", True, False),
        ("dropped", "dropped", True, True),
    ],
)
def test_a_failure_has_its_kind_and_is_sent_once(fault, kind, may_pass, is_unknown):
    with faulty(fault) as endpoint, pytest.raises(CallFailed) as caught:
        call(endpoint)
    assert (caught.value.kind, caught.value.may_pass, caught.value.is_unknown) == (kind, may_pass, is_unknown)
    assert caught.value.reason
    assert endpoint.n_calls == 1  # whoever owns the retries retries


def test_a_slow_server_is_left_after_the_time_that_was_given():
    begun = time.monotonic()
    with faulty("slow", slow_s=5) as endpoint, pytest.raises(CallFailed) as caught:
        call(endpoint, timeout_s=0.3)
    assert (caught.value.kind, caught.value.is_unknown) == ("timed_out", True)
    assert time.monotonic() - begun < 3


def test_nobody_there_is_unavailable_and_nothing_was_counted():
    with ScriptedEndpoint() as endpoint:
        pass
    with pytest.raises(CallFailed) as caught:
        call(endpoint)
    assert (caught.value.kind, caught.value.is_unknown) == ("unavailable", False)


def test_a_wrong_key_is_said_and_not_shown():
    with ScriptedEndpoint(key="right") as endpoint, pytest.raises(CallFailed) as caught:
        call(endpoint, key="my-secret-key")
    assert (caught.value.kind, caught.value.may_pass) == ("unauthorised", False)
    assert "my-secret-key" not in str(caught.value)
    assert "my-secret-key" not in repr(Address("x", "y", key="my-secret-key"))


def test_truncation_and_refusal_are_replies_that_say_so():
    with faulty("truncated") as endpoint:
        assert call(endpoint).was_cut
    with faulty("refused") as endpoint:
        reply = call(endpoint)
    assert reply.was_refused
    assert reply.text == ""


@pytest.mark.parametrize("fault", ["fenced", "think", "garbage"])
def test_odd_text_is_left_to_the_ladder(fault):
    with faulty(fault) as endpoint:
        assert "<" in call(endpoint).text or "`" in call(endpoint).text or "rather" in call(endpoint).text


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("3", 3.0), ("0.5", 0.5), ("-1", 0.0), ("soon", None), ("", None), (None, None), ("nan", None), ("inf", None)],
)
def test_retry_after_is_seconds_or_nothing(header, seconds):
    assert _seconds(header) == seconds


def test_retry_after_may_be_a_date():
    moment = datetime.now(UTC) + timedelta(seconds=30)
    assert 25 < _seconds(format_datetime(moment, usegmt=True)) <= 30


def body(**message):
    return json.dumps({"choices": [{"message": {"content": "x", **message}, "finish_reason": "stop"}]})


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "{}", '{"choices": null}', '{"choices": [{}]}', '{"choices": [{"message": null}]}']
)
def test_a_body_without_a_reply_is_malformed(text):
    with pytest.raises(CallFailed) as caught:
        read_body(text)
    assert caught.value.kind == "malformed"


@pytest.mark.parametrize(
    "usage", [None, "none", {"prompt_tokens": "3"}, {"prompt_tokens": -1}, {"prompt_tokens": True}]
)
def test_tokens_that_are_not_counted_are_none_and_not_zero(usage):
    reply = read_body(json.dumps({**json.loads(body()), "usage": usage}))
    assert (reply.prompt_tokens, reply.completion_tokens) == (None, None)


def test_logprobs_of_another_shape_are_none_and_masked_tokens_are_left_out():
    odd = json.loads(body())
    for shape in (None, [], {"tokens": ["A"], "token_logprobs": [-0.1]}, {"content": [{"token": "A"}]}):
        odd["choices"][0]["logprobs"] = shape
        assert read_body(json.dumps(odd)).tokens == ()
    top = [{"token": "A", "logprob": -0.1}, {"token": "B", "logprob": -9999}, {"token": "C", "logprob": -100}]
    odd["choices"][0]["logprobs"] = {"content": [{"token": "A", "logprob": -0.1, "top_logprobs": top}]}
    (token,) = read_body(json.dumps(odd)).tokens
    assert token.top == (("A", -0.1),)
