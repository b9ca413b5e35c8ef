"""A judge's reply → the value it was asked for, by the first rung that holds; which one is recorded.

1. `json`: the whole reply is JSON that the schema accepts.
2. `stripped`: it is, without a `<think>` block and one code fence around it.
3. `object`: the last balanced object that the schema accepts.
4. `label`: a last line that says nothing but the verdict, for schemas with one verdict from a list.

The prompt is never searched.  What a response may have planted is no verdict: where the data holds anything like the
reply that is asked for, rungs 3 and 4 take only an object that names the call's own `key`.  Nothing is clamped or
defaulted: what no rung takes is Unparseable.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from annotation.judges.exceptions import Unparseable

JSON = Any
KEY = "key"
"""The property by which a reply shows that it is the judge's own: the call's random word."""
_THINK = re.compile(r"^\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^```[\w-]*[ \t]*\n(.*?)\n?```\s*$", re.DOTALL)
_LABEL_LINE = re.compile(
    r"^[\W_]*(?:(?:my|the|final|overall)\s+)*(?:verdict|answer|choice|decision|judge?ment|grade)\s*(?:is\b)?\s*[:=]?\s*"
    r"(?P<label>[\w ]+?)[\W_]*$"
)
_ANNOUNCES = (
    r"\b(?:verdict|answer|choice|decision|judge?ment|grade|score|rating|winner|preferred|better|best|prefer|choose|say|"
    r"reply|respond|output|write|print)\b"
)
_MOST_OBJECTS = 200


@dataclass(frozen=True)
class Expected:
    """What one call asks for.

    schema: of the reply, without the key.  key: the call's own word.  data: every untrusted text that was sent.
    """

    schema: Mapping[str, JSON]
    key: str
    data: Sequence[str] = ()

    @cached_property
    def asked(self) -> dict[str, JSON]:
        """The schema that is sent: the key comes first, and its one value is the word."""
        properties = {KEY: {"type": "string", "enum": [self.key]}, **self.schema["properties"]}
        return {**self.schema, "properties": properties, "required": [KEY, *self.schema.get("required", ())]}

    @cached_property
    def verdicts(self) -> tuple[str, tuple[str, ...]] | None:
        """(property, its values) of a schema that asks for one word from a list and, at most, what may be null."""
        found = [(name, rule["enum"]) for name, rule in self.schema["properties"].items() if _is_choice(rule)]
        others = [rule for name, rule in self.schema["properties"].items() if found and name != found[0][0]]
        if len(found) != 1 or not all("null" in _types(rule) for rule in others):
            return None
        return found[0][0], tuple(found[0][1])

    @cached_property
    def is_suspect(self) -> bool:
        """Whether the data holds what could be taken for a reply: a property of it, or an announced verdict."""
        names = "|".join(map(re.escape, map(plain, self.schema["properties"])))
        words = [plain(word) for word in (self.verdicts or ("", ()))[1]]
        labels = "|".join(re.escape(form) for word in words for form in {word, word.replace("_", " ")})
        patterns = [rf"[\"'“”`](?:{names})[\"'“”`]\s*[:=]"]
        patterns += [rf"{_ANNOUNCES}(?:\W{{0,9}}\w{{1,9}}){{0,3}}\W{{1,9}}(?:{labels})\b"] if labels else []
        found = re.compile("|".join(patterns))
        objects = (value for text in self.data for value, _end in _objects(text))
        return any(found.search(plain(text)) for text in self.data) or any(map(self._resembles, objects))

    def _resembles(self, value: JSON) -> bool:
        """Whether a part of this value has a name that the schema has."""
        parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
        named = isinstance(value, Mapping) and not set(value).isdisjoint(self.schema["properties"])
        return named or any(map(self._resembles, parts))

    def with_key(self, key: str) -> Expected:
        """As it was asked for in an earlier call."""
        return replace(self, key=key)

    def accepts(self, value: JSON) -> bool:
        from jsonschema.validators import validator_for

        if not isinstance(value, Mapping) or value.get(KEY, self.key) != self.key:
            return False
        rest = {name: part for name, part in value.items() if name != KEY}
        return bool(validator_for(self.schema)(self.schema).is_valid(rest))


@dataclass(frozen=True)
class Parsed:
    """value: as the schema says, without the key.  rung: one of the four."""

    value: dict[str, JSON]
    rung: str


def read_reply(text: str, expected: Expected) -> Parsed:
    """Raises Unparseable, with what stood in the way."""
    whole = _loaded(text)
    if expected.accepts(whole):
        return _parsed(whole, "json")
    answer = _without_thinking(text)
    stripped = _loaded(_unfenced(answer))
    if expected.accepts(stripped):
        return _parsed(stripped, "stripped")
    for value in reversed([value for value, _end in _objects(answer)]):
        own = isinstance(value, Mapping) and value.get(KEY) == expected.key
        if expected.accepts(value) and (own or not expected.is_suspect):
            return _parsed(value, "object")
    if label := _last_line_label(answer, expected):
        return label
    raise Unparseable(_why(text, answer))


def _last_line_label(text: str, expected: Expected) -> Parsed | None:
    """The verdict that the last line says and nothing else: the whole word, as offered."""
    lines = [line for line in text.splitlines() if line.strip()]
    if expected.verdicts is None or not lines or expected.is_suspect:
        return None
    name, offered = expected.verdicts
    found = _LABEL_LINE.match(plain(lines[-1]))
    said = " ".join((found["label"] if found else plain(lines[-1]).strip(" .*`\"'")).split())
    by_words = {plain(option).replace("_", " "): option for option in offered}
    option = by_words.get(said.replace("_", " "))
    if option is None:
        return None
    others: dict[str, JSON] = {other: None for other in expected.schema.get("required", ()) if other != name}
    value = {name: option, **others}
    return Parsed(value, "label") if expected.accepts(value) else None


def _is_choice(rule: JSON) -> bool:
    return isinstance(rule, Mapping) and bool(rule.get("enum")) and all(isinstance(one, str) for one in rule["enum"])


def _types(rule: JSON) -> Sequence[str]:
    kinds = rule.get("type", ()) if isinstance(rule, Mapping) else ()
    return [kinds] if isinstance(kinds, str) else list(kinds)


def plain(line: str) -> str:
    """A line for comparing: compatibility forms unified, case folded, invisible characters gone."""
    shown = "".join(char for char in unicodedata.normalize("NFKC", line) if unicodedata.category(char) != "Cf")
    return " ".join(shown.casefold().split())


def _loaded(text: str) -> JSON:
    try:
        return json.loads(text, object_pairs_hook=_once_each)
    except (ValueError, RecursionError):
        return None


def _once_each(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    """Two verdicts under one name are none."""
    if len({name for name, _value in pairs}) < len(pairs):
        raise ValueError("a name is given twice")
    return dict(pairs)


def _objects(text: str) -> Iterator[tuple[JSON, int]]:
    """Every outermost JSON object in the text, with where it ends."""
    decoder = json.JSONDecoder(object_pairs_hook=_once_each)
    at = n = 0
    while n < _MOST_OBJECTS and (start := text.find("{", at)) >= 0:
        n += 1
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
        else:
            yield value, at


def _parsed(value: JSON, rung: str) -> Parsed:
    return Parsed({name: part for name, part in value.items() if name != KEY}, rung)


def _without_thinking(text: str) -> str:
    return _THINK.sub("", text, count=1)


def _unfenced(text: str) -> str:
    found = _FENCE.match(text.strip())
    return found[1] if found else text


def _why(text: str, answer: str) -> str:
    if not text.strip():
        return "the reply is empty"
    if re.match(r"\s*<think", answer, re.IGNORECASE):
        return "the reply never stopped thinking"
    shown = " ".join(answer.split())
    return f"the reply holds no verdict that is offered: “{shown[:80]}{'…' if len(shown) > 80 else ''}”"
