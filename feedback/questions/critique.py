"""What is wrong and how it would be better, in words: a text, marked spans, a rewritten response.

About the task as a whole (HelpSteer2-Preference, arXiv:2410.01257, asks to justify a preference) or about each
response: texts and revisions as in ILF (arXiv:2303.16755), spans as in Fine-Grained RLHF (arXiv:2306.01693) and MQM.

Browser: `q.<question>.text` about the task; else `q.<question>.<response>.text`, `.revision`, `.spans` (a JSON array)
and `.nothing` = 1, by which a person says that there is nothing to mark: an untouched response is no answer.  Error
paths are the same names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import ErrorDetails

from feedback.questions.base import ID, Consensus, Content, Kind, Problem, Strict
from feedback.questions.controls import Condition, Controls, Display
from feedback.questions.critique_controls import REVISION_MAX, TEXT_MAX, critique_conditions, critique_controls
from feedback.questions.critique_faults import response_faults, text_faults
from feedback.questions.spans import Span, is_plain, locate_spans, read_spans

JSON = Any
Asked = Literal["off", "optional", "required"]


class Term(Strict):
    """A category or a severity that a span may have."""

    key: str = Field(pattern=ID.pattern.replace(r"\Z", "$"))
    text: str = Field(min_length=1, max_length=200)
    help: str = Field(default="", max_length=1000)


class CritiqueSettings(Strict):
    """about: the task as a whole (text only) or each response.  Empty labels: the screen's own words."""

    about: Literal["response", "task"] = "response"
    text: Asked = "required"
    spans: Asked = "off"
    revision: Asked = "off"
    categories: tuple[Term, ...] = Field(default=(), strict=False)
    severities: tuple[Term, ...] = Field(default=(), strict=False)
    span_notes: bool = True
    max_spans: int = Field(default=100, ge=1, le=1000)
    text_label: str = ""
    revision_label: str = ""

    @property
    def offers_nothing(self) -> bool:
        """Whether "nothing to mark" can be said; it has to be where nothing else is, so that untouched is no answer."""
        return self.spans == "optional"

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.text == self.spans == self.revision == "off":
            raise ValueError("A critique asks for a text, for spans or for a revision.")
        if self.about == "task" and (self.text == "off" or self.spans != "off" or self.revision != "off"):
            raise ValueError("About the task as a whole only a text can be asked for.")
        for what, terms in (("Categories", self.categories), ("Severities", self.severities)):
            keys = [term.key for term in terms]
            if repeated := sorted({key for key in keys if keys.count(key) > 1}):
                raise ValueError(f"{what} share a key: {', '.join(repeated)}.")
        return self


class ResponseCritique(Strict):
    """nothing: said to be without anything to mark."""

    text: str | None = Field(default=None, max_length=TEXT_MAX)
    spans: list[Span] = Field(default_factory=list)
    revision: str | None = Field(default=None, max_length=REVISION_MAX)
    nothing: bool = False


class CritiqueAnswer(Strict):
    """text: about the task as a whole.  responses: {response id: critique}."""

    text: str | None = Field(default=None, max_length=TEXT_MAX)
    responses: dict[str, ResponseCritique] = Field(default_factory=dict)


class Critique(Kind[CritiqueSettings, CritiqueAnswer]):
    name = "critique"
    title = "Critique"
    scripts = ("js/spans_text.js", "js/spans_rows.js", "js/spans.js", "js/source_view.js", "js/revision.js")
    Settings = CritiqueSettings
    Answer = CritiqueAnswer

    def is_per_response(self, settings: CritiqueSettings) -> bool:
        return settings.about == "response"

    def shows_text(self, settings: CritiqueSettings, text: str) -> bool:
        """The source stands where marks are made; rendered, the text says more only where there is Markdown."""
        return settings.spans != "off" and is_plain(text)

    def check(
        self, answer: CritiqueAnswer, settings: CritiqueSettings, content: Content, *, partial: bool = False
    ) -> list[Problem]:
        if settings.about == "task":
            problems = list(text_faults(("text",), answer.text, settings.text, partial=partial))
            return problems + [Problem((id,), "This question is about the task as a whole.") for id in answer.responses]
        problems = [Problem(("text",), "This question is about each response.")] if answer.text is not None else []
        problems += [
            Problem((id,), "This task has no such response.") for id in answer.responses if id not in content.ids
        ]
        for id in content.ids:
            told = answer.responses.get(id) or ResponseCritique()
            problems += response_faults(id, told, settings, content.response(id).text, partial=partial)
        return problems

    def check_content(self, settings: CritiqueSettings, content: Content) -> list[Problem]:
        return [] if content.responses else [Problem(("responses",), "There is no response to criticise.")]

    def parse(
        self, fields: Mapping[str, Sequence[str]], settings: CritiqueSettings, content: Content
    ) -> dict[str, JSON] | None:
        given = {name: "\n".join(values) for name, values in fields.items() if any(value.strip() for value in values)}
        raw: dict[str, JSON] = {"text": given.pop("text")} if "text" in given else {}
        responses: dict[str, dict[str, JSON]] = {}
        for id in content.ids:
            told: dict[str, JSON] = {
                part: given.pop(f"{id}.{part}") for part in ("text", "revision") if f"{id}.{part}" in given
            }
            if (spans := read_spans(given.pop(f"{id}.spans", "[]"))) != []:
                told["spans"] = spans
            if given.get(f"{id}.nothing") == "1":
                told["nothing"] = bool(given.pop(f"{id}.nothing"))
            if told:
                responses[id] = told
        if responses:
            raw["responses"] = responses
        return {**raw, **given} or None

    def complete(self, raw: JSON, settings: CritiqueSettings, content: Content) -> JSON:
        """Spans that come with their quote only get their offsets by exact match."""
        if not isinstance(raw, Mapping) or not isinstance(raw.get("responses"), Mapping):
            return raw
        texts = {response.id: response.text for response in content.responses}
        responses = {
            id: {**told, "spans": locate_spans(told["spans"], texts[id])}
            if id in texts and isinstance(told, Mapping) and isinstance(told.get("spans"), list)
            else told
            for id, told in raw["responses"].items()
        }
        return {**raw, "responses": responses}

    def fields(self, answer: CritiqueAnswer, settings: CritiqueSettings, content: Content) -> dict[str, str]:
        found = {"text": answer.text} if answer.text is not None else {}
        for id, told in answer.responses.items():
            found |= {
                f"{id}.{part}": text for part in ("text", "revision") if (text := getattr(told, part)) is not None
            }
            if told.spans:
                spans = [span.model_dump(mode="json", exclude_none=True) for span in told.spans]
                found[f"{id}.spans"] = json.dumps(spans, ensure_ascii=False)
            if told.nothing:
                found[f"{id}.nothing"] = "1"
        return found

    def controls(self, settings: CritiqueSettings, display: Display) -> Controls:
        return critique_controls(settings, display)

    def problem(self, error: ErrorDetails) -> Problem:
        """`responses.r1.spans.0.start` → the marks of r1; `responses.r1.text` → `r1.text`."""
        path, why = tuple(map(str, error["loc"])), error["msg"]
        if error["type"] == "string_too_long":
            why = f"Has {len(error['input']):,} characters; at most {error['ctx']['max_length']:,} are taken."
        if error["type"] == "string_unicode":
            why = "Holds a character that cannot be stored; delete it."
        if path[:1] != ("responses",):
            return Problem(path, why)
        if path[2:] == ("spans",):
            why = "The marks could not be read: they are a JSON array of objects."
        if len(path) > 3 and path[2] == "spans":
            if error["type"] == "missing" and path[-1] in ("start", "end"):
                why = "its quote does not occur in the response, or not as often as it is marked."
            return Problem(path[1:3], f"Mark {int(path[3]) + 1}: {why}")
        return Problem(path[1:], why)

    def json_schema(self, settings: CritiqueSettings, content: Content, slots: Sequence[str]) -> dict[str, JSON]:
        """Texts per slot.  Spans are asked for by their quote: a model cannot count characters."""
        if settings.about == "task":
            return _object({"text": {"type": "string"}})
        span: dict[str, JSON] = {"quote": {"type": "string", "description": "Copied exactly from the response."}}
        if settings.span_notes:
            span["note"] = {"type": "string"}
        if settings.categories:
            span["category"] = {"type": "string", "enum": [term.key for term in settings.categories]}
        if settings.severities:
            span["severity"] = {"type": "string", "enum": [term.key for term in settings.severities]}
        row: dict[str, JSON] = {"text": {"type": "string"}} if settings.text != "off" else {}
        if settings.spans != "off":
            row["spans"] = {"type": "array", "items": _object(span), "maxItems": settings.max_spans}
        if settings.revision != "off":
            row["revision"] = {"type": "string"}
        return _object(dict.fromkeys(slots, _object(row)))

    def from_slots(self, reply: Mapping[str, JSON], slots: Mapping[str, str]) -> dict[str, JSON]:
        """An empty list of spans says that there is nothing to mark; a blank text says nothing."""
        if not set(reply) & set(slots):
            return dict(reply)
        raw: dict[str, JSON] = {f"slot:{name}": value for name, value in reply.items() if name not in slots}
        raw["responses"] = {slots[name]: _from_reply(told) for name, told in reply.items() if name in slots}
        return raw

    def code(self, answer: CritiqueAnswer, content: Content) -> dict[str, JSON]:
        """Per response, whether anything is marked; texts and revisions cannot be compared and are left out."""
        told = {id: one for id, one in answer.responses.items() if one.spans or one.nothing}
        return {f"{id}.marked": bool(one.spans) for id, one in told.items()}

    def says_something(self, answer: CritiqueAnswer, content: Content) -> bool:
        told = answer.responses.values()
        texts = (answer.text, *(one.text for one in told), *(one.revision for one in told))
        return any((text or "").strip() for text in texts) or any(one.spans or one.nothing for one in told)

    def consensus(
        self, answers: Sequence[CritiqueAnswer], weights: Sequence[float], settings: CritiqueSettings, content: Content
    ) -> Consensus | None:
        """None: there is no mean of texts.  Every critique stays a training row of its own."""
        return None

    def tally(self, value: Mapping[str, JSON], shown: Sequence[str]) -> Iterable[tuple[str, str]]:
        for told in value.get("responses", {}).values():
            if told.get("nothing"):
                yield "", ""
            for span in told.get("spans", ()):
                yield "", f".{span.get('category', '')}"

    def tally_words(self, settings: CritiqueSettings, gettext: Callable[[str], str]) -> dict[str, dict[str, str]]:
        if settings.spans == "off":
            return {}
        kinds = {f".{term.key}": term.text for term in settings.categories} or {".": gettext("marked")}
        return {"": {**kinds, "": gettext("nothing to mark")}}

    def conditions(self, settings: CritiqueSettings, gettext: Callable[[str], str]) -> Iterable[Condition]:
        return critique_conditions(settings, gettext)


def _from_reply(told: JSON) -> JSON:
    if not isinstance(told, Mapping):
        return told
    kept = _said(told)
    if kept.get("spans") == []:
        return {**kept, "nothing": True}
    if isinstance(kept.get("spans"), list):
        kept["spans"] = [_said(span) if isinstance(span, Mapping) else span for span in kept["spans"]]
    return kept


def _said(told: Mapping[str, JSON]) -> dict[str, JSON]:
    return {name: value for name, value in told.items() if value not in ("", None)}


def _object(properties: Mapping[str, JSON]) -> dict[str, JSON]:
    names = list(properties)
    return {"type": "object", "properties": dict(properties), "required": names, "additionalProperties": False}


KIND = Critique()
