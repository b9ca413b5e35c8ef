"""Keys of one's own: which commands have a key, and what a person may put in its place.

A command is known by the key that its element declares in `aria-keyshortcuts`; `User.shortcut_keys` maps declared keys
to a person's own.  The browser swaps them where they stand (static/js/keymap.js).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

_NAMES = ("Enter", "Home", "End", "PageUp", "PageDown", "Insert", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")
NAMED = {name.lower(): name for name in _NAMES}
"""Keys with a name that a page may take: not Tab and Escape, by which one leaves, nor Space, which presses."""
RESERVED = "?"


@dataclass(frozen=True)
class Group:
    """Commands that belong together: (declared key, what it does)."""

    title: str | Promise
    commands: tuple[tuple[str, str | Promise], ...]


GROUPS = (
    Group(
        gettext_lazy("The task"),
        (
            ("Enter", gettext_lazy("Submit, or go on to the next task")),
            ("s", gettext_lazy("Skip the task")),
            ("f", gettext_lazy("Flag the task")),
            ("z", gettext_lazy("Change the last answer, or take back a skip")),
            ("j", gettext_lazy("Next question")),
            ("k", gettext_lazy("Previous question")),
        ),
    ),
    Group(
        gettext_lazy("Reading"),
        (
            ("g", gettext_lazy("Guidelines")),
            ("r", gettext_lazy("Texts as they were written")),
            ("d", gettext_lazy("Differences between two responses")),
            ("l", gettext_lazy("Scroll the responses together")),
            ("o", gettext_lazy("Open all that is folded")),
        ),
    ),
    Group(
        gettext_lazy("Answers"),
        (
            *((str(n), gettext_lazy("The answer that shows this number")) for n in (*range(1, 10), 0)),
            ("y", gettext_lazy("Yes")),
            ("n", gettext_lazy("No")),
            ("a", gettext_lazy("Does not apply")),
            ("u", gettext_lazy("Unsure")),
            ("b", gettext_lazy("Both bad")),
            ("c", gettext_lazy("Cannot tell")),
            ("+", gettext_lazy("Move a response up")),
            ("-", gettext_lazy("Move a response down")),
            ("=", gettext_lazy("Tie a response with the one above, or part them")),
            ("m", gettext_lazy("Mark the selected words")),
            ("v", gettext_lazy("Next severity of a mark")),
            ("x", gettext_lazy("Remove a mark, or: first wrong step")),
            ("p", gettext_lazy("Put a removed mark back")),
        ),
    ),
)
DECLARED = tuple(key for group in GROUPS for key, _meaning in group.commands)


def key_of(text: str) -> str | None:
    """The key that someone pressed or named, as browsers call it; None when it is none that can be used.

    One printable character (a letter in its small form, since shift is not looked at), or one of `NAMED`.
    """
    if named := NAMED.get(text.strip().lower()):
        return named
    small = text.strip().lower()
    return small if len(small) == 1 and small.isprintable() and small != RESERVED else None


def own_keys(stored: Any) -> dict[str, str]:
    """What is stored, as far as it is a map of keys to keys: what else got into the column reaches no page."""
    if not isinstance(stored, dict):
        return {}
    return {
        declared: own
        for declared, own in stored.items()
        if declared in DECLARED and isinstance(own, str) and key_of(own) == own
    }


def read_keys(posted: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """(own keys, errors), both by declared key, from what was entered for each; empty means the declared one.

    Two commands with one key are an error on both, unless the other has given it up.
    """
    chosen: dict[str, str] = {}
    errors: dict[str, str] = {}
    for declared in DECLARED:
        text = posted.get(declared, "").strip()
        key = key_of(text) if text else declared
        if key is None:
            errors[declared] = _("Give one character, or one of: %(names)s.") % {"names": ", ".join(NAMED.values())}
        else:
            chosen[declared] = key
    users: dict[str, list[str]] = {}
    for declared, key in chosen.items():
        users.setdefault(key, []).append(declared)
    for key, sharing in users.items():
        for declared in sharing if len(sharing) > 1 else ():
            others = ", ".join(f"“{_meaning_of(other)}”" for other in sharing if other != declared)
            errors[declared] = _("“%(key)s” is also the key for %(others)s.") % {"key": key, "others": others}
    return {declared: key for declared, key in chosen.items() if key != declared}, errors


def _meaning_of(declared: str) -> str:
    return next(str(meaning) for group in GROUPS for key, meaning in group.commands if key == declared)
