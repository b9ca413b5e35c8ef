"""What is read on the task screen: the conversation with its folds, and the responses.

A conversation is read at its end.  The last user turn and what follows it are open; system prompts, tool replies and
long turns before it are folded to their first line; of a very long conversation the beginning is folded as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString

from feedback.questions.base import Message
from feedback.rendering import Rendered, render_code, render_markdown, source_html

LONG = 1_200
"""Characters from which an earlier turn is folded: about what fits on half a screen."""
OPEN_TURNS = 8
"""Turns before the last user turn that stand on the screen, each for itself."""
FIRST_LINE = 140


def _as_json(text: str) -> str | None:
    """The text laid out, if it is a JSON object or array."""
    if not text.lstrip().startswith(("{", "[")) or len(text) > LONG * 50:
        return None
    try:
        return json.dumps(json.loads(text, object_pairs_hook=_once_each), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return None


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A key given twice would silently lose a value."""
    if len({key for key, _value in pairs}) < len(pairs):
        raise ValueError("a key is given twice")
    return dict(pairs)


def _shown(text: str) -> Rendered:
    """JSON as code, anything else as Markdown."""
    laid_out = _as_json(text)
    return render_markdown(text) if laid_out is None else render_code(laid_out, "json")


def _first_line(text: str) -> str:
    """Where there is something to read: the first line that is more than a bracket."""
    line = next((line.strip() for line in text.splitlines() if line.strip() not in ("", "{", "[")), "")
    return line if len(line) <= FIRST_LINE else line[:FIRST_LINE].rstrip() + "…"


@dataclass(frozen=True)
class Passage:
    """A message, a tool call or a response: rendered, and as it was written.  A very long one has its source only.

    name: of a tool, or of a person who speaks; never an assistant's, which may be a model's.
    """

    text: str
    role: str = ""
    letter: str = ""
    response: str = ""
    name: str = ""
    calls: tuple[Passage, ...] = ()
    is_folded: bool = False

    @cached_property
    def rendered(self) -> Rendered:
        return _shown(self.text) if self.role == "tool" else render_markdown(self.text)

    @property
    def source(self) -> SafeString:
        return source_html(self.text)

    @property
    def first_line(self) -> str:
        return _first_line(self.text)

    @property
    def n_characters(self) -> int:
        return len(self.text)


@dataclass(frozen=True)
class Conversation:
    """earlier: the beginning of a very long one, folded as a whole."""

    earlier: tuple[Passage, ...]
    turns: tuple[Passage, ...]

    @property
    def names_roles(self) -> bool:
        """A single question needs no word on who asks."""
        return len(self.earlier) + len(self.turns) > 1 or self.turns[0].role != "user"


def _passage(message: Message, *, is_early: bool) -> Passage:
    aside = message.role in ("system", "tool") and _first_line(message.content) != message.content.strip()
    folded = aside or (is_early and len(message.content) > LONG)
    return Passage(
        message.content,
        role=message.role,
        name="" if message.role == "assistant" else message.name,
        calls=tuple(Passage(call.arguments, role="tool", name=call.name) for call in message.calls),
        is_folded=folded,
    )


def read_conversation(messages: Sequence[Message]) -> Conversation:
    """The prompt of a task as it stands on the screen."""
    last_user = max((at for at, message in enumerate(messages) if message.role == "user"), default=len(messages) - 1)
    passages = tuple(_passage(message, is_early=at < last_user) for at, message in enumerate(messages))
    system = 1 if passages[0].role == "system" else 0
    fold = max(last_user - OPEN_TURNS, system)
    if fold - system < 2:  # a fold that hides one turn saves nothing
        return Conversation((), passages)
    return Conversation(passages[system:fold], passages[:system] + passages[fold:])
