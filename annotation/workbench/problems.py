"""Errors of an answer, at the place on the screen where they belong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from annotation.workbench.screen import Screen
from feedback.questions.base import Problem


@dataclass(frozen=True)
class Line:
    """One line of the error summary; `anchor` is the id of the control it leads to."""

    anchor: str
    where: str
    message: str


def _slot_of(path: tuple[str, ...], slots: set[str]) -> str | None:
    """The most specific slot on the way to `path`."""
    for length in range(len(path), 0, -1):
        name = ".".join(("q", *path[:length]))
        if name in slots:
            return name
    return None


def with_errors(screen: Screen, problems: Iterable[Problem]) -> Screen:
    """The screen with every problem in its slot; what has none is said at the top (slot "")."""
    slots = {name for name, _message in screen.slots}
    errors: dict[str, str] = {}
    for problem in problems:
        slot = _slot_of(problem.path, slots) or ""
        message = _(problem.message)
        errors[slot] = f"{errors[slot]} {message}" if slot in errors else message
    return replace(screen, errors=errors)


def error_lines(screen: Screen) -> list[Line]:
    """The summary, in the order of the screen."""
    places = {slot.name: slot.where for view in screen.questions for slot in view.slots}
    lines = [Line("", "", screen.errors[""])] if screen.errors.get("") else []
    lines += [Line(slot, where, screen.errors[slot]) for slot, where in places.items() if screen.errors.get(slot)]
    return lines
