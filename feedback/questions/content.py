"""A task's content: JSON ↔ the frozen `Content`, and its identity.

Stored form: `{"prompt": [{"role", "content", "name"?, "tool_calls"?: [{"name", "arguments"}]}], "responses": [{"id",
"text", "model"?, "steps"?}], "reference"?, "criteria"?: [{"key", "text", "weight"?, "verifier"?: {"name",
"params"}}]}`.
Tool calls are also read as OpenAI and transformers write them (`{"function": {"name", "arguments"}}`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from feedback.questions.base import ID, UNSTORABLE, Content, Criterion, Message, Response, ToolCall

JSON = Any
ROLES = ("system", "user", "assistant", "tool")


class ContentInvalid(ValueError):
    """A task that cannot be shown.  `field` says where (`responses.1.text`)."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(f"{field}: {message}" if field else message)


def _text(value: JSON, field: str, *, empty: bool = False) -> str:
    if not isinstance(value, str):
        raise ContentInvalid(field, f"Expected text, found {type(value).__name__}.")
    plain = value.isascii() and "\x00" not in value  # nearly all texts; ten times faster than the search
    if not plain and (found := UNSTORABLE.search(value)):
        what = "a NUL character" if found.group() == "\x00" else "a lone surrogate"
        raise ContentInvalid(field, f"Holds {what} at character {found.start()}; remove it and import again.")
    if not empty and not value.strip():
        raise ContentInvalid(field, "Is empty.")
    return value


def _messages(value: JSON, field: str) -> tuple[Message, ...]:
    if isinstance(value, str):
        return (Message("user", _text(value, field)),)
    if not isinstance(value, list) or not value:
        raise ContentInvalid(field, "Expected text or a list of messages.")
    messages = []
    for index, entry in enumerate(value):
        if not isinstance(entry, Mapping) or entry.get("role") not in ROLES:
            raise ContentInvalid(f"{field}.{index}.role", f"Expected one of {', '.join(ROLES)}.")
        messages.append(_message(entry, f"{field}.{index}"))
    return tuple(messages)


def _message(entry: Mapping[str, JSON], field: str) -> Message:
    calls = tuple(
        _tool_call(call, f"{field}.tool_calls.{index}") for index, call in enumerate(entry.get("tool_calls") or ())
    )
    said = entry.get("content")
    text = "" if said is None and calls else _text(said, f"{field}.content", empty=True)
    name = _text(entry.get("name") or "", f"{field}.name", empty=True)
    return Message(entry["role"], text, name, calls)


def _tool_call(raw: JSON, field: str) -> ToolCall:
    call = raw.get("function", raw) if isinstance(raw, Mapping) else None
    if not isinstance(call, Mapping):
        raise ContentInvalid(field, "Expected {name, arguments}.")
    given = call.get("arguments") or ""
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, indent=1)
    return ToolCall(_text(call.get("name"), f"{field}.name"), _text(arguments, f"{field}.arguments", empty=True))


def _responses(value: JSON) -> tuple[Response, ...]:
    if not isinstance(value, list) or not value:
        raise ContentInvalid("responses", "Expected a list with at least one response.")
    responses = []
    for index, entry in enumerate(value):
        raw = {"text": entry} if isinstance(entry, str) else entry
        if not isinstance(raw, Mapping):
            raise ContentInvalid(f"responses.{index}", "Expected text or an object with text.")
        id = raw.get("id", f"r{index + 1}")
        if not isinstance(id, str) or not ID.match(id):
            raise ContentInvalid(f"responses.{index}.id", "Expected letters, digits, - and _ (at most 64).")
        steps = _steps(raw.get("steps") or (), f"responses.{index}.steps")
        text = _text(raw.get("text", "\n\n".join(steps) or None), f"responses.{index}.text", empty=True)
        model = _text(raw.get("model", ""), f"responses.{index}.model", empty=True)
        responses.append(Response(id, text, model, steps))
    if len({response.id for response in responses}) != len(responses):
        raise ContentInvalid("responses", "Two responses share an id.")
    return tuple(responses)


def _steps(value: JSON, field: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise ContentInvalid(field, "Expected a list of texts.")
    return tuple(_text(step, f"{field}.{index}") for index, step in enumerate(value))


def _criterion(raw: JSON, field: str) -> Criterion:
    if not isinstance(raw, Mapping) or not isinstance(raw.get("key"), str) or not ID.match(raw["key"]):
        raise ContentInvalid(f"{field}.key", "Expected letters, digits, - and _ (at most 64).")
    weight = raw.get("weight", 1.0)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < 1e6:
        raise ContentInvalid(f"{field}.weight", "Expected a number above 0.")
    verifier = raw.get("verifier") or {}
    if not isinstance(verifier, Mapping) or not isinstance(verifier.get("params", {}), Mapping):
        raise ContentInvalid(f"{field}.verifier", "Expected {name, params}.")
    name = _text(verifier.get("name", ""), f"{field}.verifier.name", empty=True)
    return Criterion(
        raw["key"], _text(raw.get("text"), f"{field}.text"), float(weight), name, verifier.get("params", {})
    )


def read_content(raw: Mapping[str, JSON]) -> Content:
    """JSON → Content.  Raises ContentInvalid naming the field; a plain-text prompt becomes one user message."""
    criteria = raw.get("criteria") or []
    if not isinstance(criteria, list):
        raise ContentInvalid("criteria", "Expected a list.")
    read = tuple(_criterion(entry, f"criteria.{index}") for index, entry in enumerate(criteria))
    if len({criterion.key for criterion in read}) != len(read):
        raise ContentInvalid("criteria", "Two criteria share a key.")
    return Content(
        prompt=_messages(raw.get("prompt"), "prompt"),
        responses=_responses(raw.get("responses")),
        reference=_text(raw.get("reference") or "", "reference", empty=True),
        criteria=read,
    )


def dump_content(content: Content) -> dict[str, JSON]:
    """Content → its one stored form, so that equal contents have equal hashes."""
    raw: dict[str, JSON] = {
        "prompt": [_dump_message(message) for message in content.prompt],
        "responses": [_dump_response(response) for response in content.responses],
    }
    if content.reference:
        raw["reference"] = content.reference
    if content.criteria:
        raw["criteria"] = [
            {
                "key": c.key,
                "text": c.text,
                "weight": c.weight,
                **({"verifier": {"name": c.verifier, "params": dict(c.params)}} if c.verifier else {}),
            }
            for c in content.criteria
        ]
    return raw


def _dump_message(message: Message) -> dict[str, JSON]:
    raw: dict[str, JSON] = {"role": message.role, "content": message.content}
    if message.name:
        raw["name"] = message.name
    if message.calls:
        raw["tool_calls"] = [{"name": call.name, "arguments": call.arguments} for call in message.calls]
    return raw


def _dump_response(response: Response) -> dict[str, JSON]:
    raw: dict[str, JSON] = {"id": response.id, "text": response.text}
    if response.model:
        raw["model"] = response.model
    if response.steps:
        raw["steps"] = list(response.steps)
    return raw


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical(value: JSON) -> str:
    """One JSON text per value: sorted keys, no spaces, Unicode as it is."""
    return _CANONICAL.encode(value)


def sha256_of(value: JSON) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def prompt_hash(content: Content) -> str:
    """Identity of the prompt alone, blind to case and spacing, so that splits keep look-alikes together."""
    return sha256_of([[m.role, " ".join(m.content.split()).casefold()] for m in content.prompt])
