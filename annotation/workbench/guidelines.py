"""Guidelines are shown before the first task, and again when they have changed, with what has changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from feedback.models import Campaign, GuidelineReading, GuidelineVersion, User

WORDS = re.compile(r"\s+|[^\s]+")
MANY_WORDS = 2000
"""Beyond this, lines are compared and not their words: the comparison is quadratic."""


@dataclass(frozen=True)
class Piece:
    """A stretch of text; kind: same, added, removed, or gap where unchanged lines are left out."""

    kind: str
    text: str


@dataclass(frozen=True)
class Unread:
    """Guidelines that a person has not acknowledged, and what differs from those they last did ((): their first)."""

    guideline: GuidelineVersion
    changes: tuple[Piece, ...]


def unread_guidelines(user: User, campaign: Campaign) -> Unread | None:
    """What the person has to read before their next task (one statement when there is nothing)."""
    guideline = campaign.guideline
    if guideline is None or not guideline.text.strip():
        return None
    read = GuidelineReading.objects.filter(user=user, guideline__campaign=campaign).select_related("guideline")
    last = read.order_by("-guideline__number").first()
    if last is None:
        return Unread(guideline, ())
    if last.guideline_id == guideline.pk:
        return None
    return Unread(guideline, tuple(changes_between(last.guideline.text, guideline.text)))


def acknowledge_guidelines(user: User, guideline: GuidelineVersion) -> None:
    """Again is the same as once."""
    GuidelineReading.objects.get_or_create(user=user, guideline=guideline)


def changes_between(before: str, after: str) -> Iterator[Piece]:
    """Line by line, and within changed lines word by word; unchanged lines away from a change are a gap."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from _context(new[k:m], is_first=k == 0, is_last=m == len(new))
        else:
            yield from _words("".join(old[i:j]), "".join(new[k:m]))


def _context(lines: list[str], *, is_first: bool, is_last: bool) -> Iterator[Piece]:
    """One line before and after a change, for orientation."""
    head, tail = ([] if is_first else lines[:1]), ([] if is_last else lines[-1:])
    if len(lines) <= len(head) + len(tail):
        yield Piece("same", "".join(lines))
        return
    if head:
        yield Piece("same", head[0])
    yield Piece("gap", "")
    if tail:
        yield Piece("same", tail[0])


def _words(before: str, after: str) -> Iterator[Piece]:
    old, new = WORDS.findall(before), WORDS.findall(after)
    if len(old) + len(new) > MANY_WORDS:
        yield from (Piece(kind, text) for kind, text in (("removed", before), ("added", after)) if text)
        return
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Piece("same", "".join(new[k:m]))
            continue
        if i < j:
            yield Piece("removed", "".join(old[i:j]))
        if k < m:
            yield Piece("added", "".join(new[k:m]))
