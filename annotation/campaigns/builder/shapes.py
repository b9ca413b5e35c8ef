"""What a setting looks like, read from its JSON schema: the builder's form is generated, whatever kinds there are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from feedback.questions.base import Kind
from feedback.verifiers.registry import VERIFIERS

JSON = Any
Form = Literal["flag", "maybe", "choice", "whole", "number", "text", "texts", "rows", "pairs", "group", "json"]
LONG = 1000
"""A text that may have so many characters gets room for several lines."""


@dataclass(frozen=True)
class Shape:
    """One setting.  default: None when there is none.  nullable: an empty field is None.

    options: of a choice.  fields: of a group, or of each row.  least, most: of a number, both included; None: no bound.
    """

    form: Form
    default: JSON = None
    options: tuple[JSON, ...] = ()
    fields: Mapping[str, Shape] = field(default_factory=dict)
    nullable: bool = False
    is_long: bool = False
    least: float | None = None
    most: float | None = None
    title: str = ""
    help: str = ""


@cache
def settings_shape(kind: Kind[Any, Any]) -> Shape:
    """The settings of a kind, as a group."""
    schema = kind.Settings.model_json_schema()
    return _group(schema, schema.get("$defs", {}))


@cache
def params_shape(verifier: str) -> Shape:
    """The params of a verifier, as a group; without fields for a name that nobody has."""
    if verifier not in VERIFIERS:
        return Shape("group")
    schema = VERIFIERS[verifier].Params.model_json_schema()
    return _group(schema, schema.get("$defs", {}), says_help=True)


def fields_of(shape: Shape, value: JSON) -> Mapping[str, Shape]:
    """The fields of a group or row; where a `verifier` is chosen beside them, `params` are those of that one."""
    if not {"verifier", "params"} <= shape.fields.keys():
        return shape.fields
    chosen = value.get("verifier") if isinstance(value, Mapping) else ""
    names = Shape("choice", default="", options=("", *VERIFIERS))
    return {**shape.fields, "verifier": names, "params": params_shape(chosen if isinstance(chosen, str) else "")}


def _group(schema: Mapping[str, JSON], defs: Mapping[str, JSON], *, says_help: bool = False) -> Shape:
    fields = {name: _shape(entry, defs, says_help=says_help) for name, entry in schema.get("properties", {}).items()}
    return Shape("group", fields=fields, default={})


def _shape(entry: Mapping[str, JSON], defs: Mapping[str, JSON], *, says_help: bool = False) -> Shape:
    words: dict[str, Any] = {"title": entry.get("title", ""), "help": entry.get("description", "")} if says_help else {}
    default = entry.get("default")
    if "$ref" in entry:
        return _group(defs[entry["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in entry:
        inner: Mapping[str, JSON] = next((one for one in entry["anyOf"] if one.get("type") != "null"), {})
        shape = _shape({**inner, "default": default}, defs)
        form: Form = "maybe" if shape.form == "flag" else shape.form
        return Shape(form, default, nullable=True, least=shape.least, most=shape.most, **words)
    if "enum" in entry:
        return Shape("choice", default, options=tuple(entry["enum"]), **words)
    if entry.get("type") == "array":
        return _array(entry, defs, default, words)
    if entry.get("type") == "object":
        is_pairs = entry.get("additionalProperties", {}) == {"type": "string"}
        return Shape("pairs" if is_pairs else "json", default or {}, **words)
    return _plain(entry, default, words)


def _array(entry: Mapping[str, JSON], defs: Mapping[str, JSON], default: JSON, words: Mapping[str, Any]) -> Shape:
    item = entry.get("items", {})
    if "$ref" in item:
        return Shape("rows", default or [], fields=_shape(item, defs).fields)
    return Shape("texts" if item.get("type") == "string" else "json", default or [], **words)


def _plain(entry: Mapping[str, JSON], default: JSON, words: Mapping[str, Any]) -> Shape:
    forms: dict[str, Form] = {"boolean": "flag", "integer": "whole", "number": "number", "string": "text"}
    form = forms.get(entry.get("type", ""), "json")
    return Shape(
        form,
        default,
        is_long=entry.get("maxLength", 0) >= LONG and form == "text",
        least=entry.get("minimum"),
        most=entry.get("maximum"),
        **words,
    )


def as_json(value: JSON) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
