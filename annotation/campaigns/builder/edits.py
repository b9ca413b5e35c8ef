"""What the builder's buttons do to the questions: add, remove, move and copy, whole questions and rows of a setting.

A command is `<verb>:<where>`; where: a question's place, or the field name of a row or of a list of rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from annotation.campaigns.builder.posted import unused
from annotation.campaigns.builder.shapes import Shape, fields_of, settings_shape
from annotation.campaigns.presets import PRESETS
from feedback.questions.registry import KINDS

JSON = Any
Questions = list[dict[str, JSON]]
MOST = 50
"""Questions in one form."""


def edit_questions(questions: Questions, command: str) -> tuple[Questions, str]:
    """The questions afterwards, and the field that gets the focus ("" for none).  An unknown command does nothing."""
    verb, _colon, where = command.partition(":")
    edited = deepcopy(questions)
    if verb == "add" and where in KINDS and len(edited) < MOST:
        edited.append(new_question(where, {question["key"] for question in edited}))
        return edited, f"f.{len(edited) - 1}.title"
    if verb == "copy" and (at := _place(where, edited)) is not None and len(edited) < MOST:
        again = deepcopy(edited[at])
        edited.insert(at + 1, {**again, "key": unused(again["key"], {question["key"] for question in edited})})
        return edited, f"f.{at + 1}.title"
    if verb in ("remove", "up", "down") and (at := _place(where, edited)) is not None:
        return edited, _move(edited, at, verb, "f")
    if verb.startswith("row-"):
        return edited, _edit_row(edited, verb.removeprefix("row-"), where)
    return edited, ""


def new_question(kind: str, taken: set[str]) -> dict[str, JSON]:
    """As the plainest preset asks it: one of this question alone, of nobody's paper if there is one."""
    alone = [preset for preset in PRESETS.values() if len(preset.questions) == 1 and preset.kinds == (kind,)]
    plain: Mapping[str, JSON] = {"key": kind, "kind": kind, "title": KINDS[kind].title}
    example = min(alone, key=lambda preset: bool(preset.paper)).questions[0] if alone else plain
    return {**deepcopy(dict(example)), "key": unused(example["key"], taken)}


def _place(where: str, entries: list[Any]) -> int | None:
    return int(where) if where.isdigit() and int(where) < len(entries) else None


def _move(entries: list[Any], at: int, verb: str, name: str) -> str:
    """Remove or move one entry of a list whose fields begin with `name`; what gets the focus after that."""
    if verb == "remove":
        del entries[at]
        return f"{name}.{min(at, len(entries) - 1)}" if entries else name
    to = at - 1 if verb == "up" else at + 1
    if not 0 <= to < len(entries):
        return f"{name}.{at}"
    entries.insert(to, entries.pop(at))
    return f"{name}.{to}.{verb}"


def _edit_row(questions: Questions, verb: str, where: str) -> str:
    path = where.split(".")
    if len(path) < 4 or path[0] != "f" or path[2] != "settings" or _place(path[1], questions) is None:
        return ""
    question = questions[int(path[1])]
    if question["kind"] not in KINDS:
        return ""
    steps = path[3:] if verb == "add" else path[3:-1]
    held = _list_at(question.setdefault("settings", {}), settings_shape(KINDS[question["kind"]]), steps)
    if held is None:
        return ""
    owner, key, shape = held
    rows = list(owner[key].items()) if shape.form == "pairs" else owner[key]
    name = where if verb == "add" else ".".join(path[:-1])
    if verb == "add":
        rows.append(_new_row(shape, rows))
        focus = f"{where}.{len(rows) - 1}"
    elif (at := _place(path[-1], rows)) is not None:
        focus = _move(rows, at, verb, name)
    else:
        return ""
    owner[key] = dict(rows) if shape.form == "pairs" else rows
    return focus


def _list_at(value: Any, shape: Shape, steps: list[str]) -> tuple[Any, str, Shape] | None:
    """(holder, key, shape) of the list that the steps lead to; it is made where there is none yet."""
    for at, step in enumerate(steps):
        if shape.form == "rows":
            if not isinstance(value, list) or _place(step, value) is None:
                return None
            value = value[int(step)]
            shape = Shape("group", fields=shape.fields)
            continue
        inner = fields_of(shape, value).get(step)
        if inner is None or not isinstance(value, dict):
            return None
        if at == len(steps) - 1:
            value.setdefault(step, deepcopy(inner.default) if inner.default else {} if inner.form == "pairs" else [])
            is_list = inner.form in ("rows", "texts", "pairs")
            return (value, step, inner) if is_list else None
        value, shape = value.setdefault(step, [] if inner.form == "rows" else {}), inner
    return None


def _new_row(shape: Shape, rows: list[Any]) -> Any:
    if shape.form == "texts":
        return ""
    if shape.form == "pairs":
        return unused(str(len(rows) + 1), {key for key, _text in rows}), ""
    return {"text": ""} if "text" in shape.fields else {}
