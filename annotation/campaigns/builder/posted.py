"""The builder's form → the questions it stands for.  What cannot be read stays as it was typed, to be refused by name.

Fields are `f.<place of the question>.<path>`: `f.0.title`, `f.1.settings.criteria.0.text`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.campaigns.builder.shapes import Shape, fields_of, settings_shape
from feedback.questions.registry import KINDS

JSON = Any
Tree = dict[str, Any]
"""Names by their parts; a leaf is the list of values that were sent."""


def read_posted(fields: Mapping[str, Sequence[str]]) -> list[dict[str, JSON]]:
    tree = _tree(fields).get("f", {})
    return [_question(_branch(tree, place)) for place in _places(tree)]


def _tree(fields: Mapping[str, Sequence[str]]) -> Tree:
    tree: Tree = {}
    for name, values in fields.items():
        *path, last = name.split(".")
        node = tree
        for part in path:
            node = node.setdefault(part, {})
            if not isinstance(node, dict):
                break
        if isinstance(node, dict):
            node[last] = list(values)
    return tree


def _places(tree: JSON) -> list[str]:
    return sorted((part for part in tree if part.isdigit()), key=int) if isinstance(tree, dict) else []


def _branch(tree: Tree, name: str) -> Tree:
    """What stands below a name; nothing if somebody sent a value there."""
    found = tree.get(name)
    return found if isinstance(found, dict) else {}


def _text(tree: JSON, name: str) -> str:
    values = tree.get(name) if isinstance(tree, dict) else None
    return values[-1].replace("\r\n", "\n") if isinstance(values, list) and values else ""


def _question(tree: Tree) -> dict[str, JSON]:
    kind = _text(tree, "kind")
    question: dict[str, JSON] = {"key": _text(tree, "key").strip(), "kind": kind, "title": _text(tree, "title")}
    question["key"] = question["key"] or slug(question["title"], "question")
    if help := _text(tree, "help"):
        question["help"] = help
    if not _text(tree, "required"):
        question["required"] = False
    if rule := _shown_if(_branch(tree, "shown_if")):
        question["shown_if"] = rule
    settings = _group(settings_shape(KINDS[kind]), _branch(tree, "settings")) if kind in KINDS else {}
    return {**question, "settings": settings} if settings else question


def _shown_if(tree: Tree) -> dict[str, JSON] | None:
    question = _text(tree, "question")
    if not question:
        return None
    wanted = [_load(text) for text in tree.get("value", []) if isinstance(text, str)]
    return {"question": question, "field": _text(tree, "field"), "value": wanted[0] if len(wanted) == 1 else wanted}


def _load(text: str) -> JSON:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _group(shape: Shape, tree: Tree) -> dict[str, JSON]:
    """The settings that differ from their defaults; a `verifier` is read first, for it says what `params` are."""
    chosen = {"verifier": _text(tree, "verifier")}
    value = {name: _value(inner, tree, name) for name, inner in fields_of(shape, chosen).items()}
    if not value.get("params", True):
        del value["params"]
    return {name: one for name, one in value.items() if not same(one, _default(shape, name, chosen))}


def _default(shape: Shape, name: str, chosen: JSON) -> JSON:
    return fields_of(shape, chosen)[name].default


def same(a: JSON, b: JSON) -> bool:
    """Equal as JSON: true is not 1."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def _value(shape: Shape, tree: Tree, name: str) -> JSON:
    branch = _branch(tree, name)
    if shape.form == "rows":
        return _with_keys([_group(shape, _branch(branch, place)) for place in _places(branch)], shape)
    if shape.form == "texts":
        return [_text(branch, place) for place in _places(branch)]
    if shape.form == "pairs":
        return _pairs((_text(branch[place], "key"), _text(branch[place], "text")) for place in _places(branch))
    if shape.form == "group":
        return _group(shape, branch)
    return _leaf(shape, _text(tree, name))


def _pairs(rows: Iterable[tuple[str, str]]) -> dict[str, str]:
    """A key that comes twice gets another name, so that nothing typed is lost and the name is refused."""
    found: dict[str, str] = {}
    for key, text in rows:
        name = key.strip()
        if name or text:
            found[name if name not in found else f"{name} (again)"] = text
    return found


def _leaf(shape: Shape, text: str) -> JSON:
    if shape.form == "flag":
        return bool(text)
    if shape.form == "maybe":
        return {"yes": True, "no": False}.get(text)
    if shape.form == "choice":
        return next((option for option in shape.options if str(option) == text), text)
    if shape.nullable and not text.strip():
        return None
    if shape.form in ("whole", "number"):
        return _number(shape, text.strip())
    return _load(text or "{}") if shape.form == "json" else text


def _number(shape: Shape, text: str) -> JSON:
    if re.fullmatch(r"-?\d{1,9}", text):
        return int(text) if shape.form == "whole" else float(text)
    if shape.form == "number" and re.fullmatch(r"-?\d{0,9}\.\d{1,9}", text):
        return float(text)
    return text


def _with_keys(rows: list[dict[str, JSON]], shape: Shape) -> list[dict[str, JSON]]:
    """Rows without a key get one from their text, which no other row has."""
    if "key" not in shape.fields:
        return rows
    taken = {row["key"] for row in rows if row.get("key")}
    keyed = []
    for row in rows:
        key = row.get("key") or unused(slug(str(row.get("text", "")), "row"), taken)
        taken.add(key)
        keyed.append({"key": key, **{name: value for name, value in row.items() if name != "key"}})
    return keyed


def slug(text: str, otherwise: str) -> str:
    """A short key made of a title's first words: letters, digits and _, a letter first."""
    words = re.findall(r"[a-z0-9]+", text.casefold())
    made = "_".join(words[:4])[:32].strip("_")
    return made if made[:1].isalpha() else f"{otherwise}_{made}".strip("_")


def unused(key: str, taken: set[str]) -> str:
    if key not in taken:
        return key
    return next(name for n in range(2, len(taken) + 3) if (name := f"{key}_{n}") not in taken)
