"""What a question puts on a screen, as data.  No HTML here; what a control posts names responses by id, never by place.

A kind's template finds in `Controls.whole` what it shows once, and in `Controls.by_response` what it shows beside each
response.  `Display` is what a kind needs to know of the screen it stands on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from feedback.questions.base import Content


@dataclass(frozen=True)
class Option:
    """One radio button: what it posts, its words, its key (or none), whether it is chosen, and where it stands."""

    value: str
    words: str
    key: str = ""
    checked: bool = False
    side: str = ""


@dataclass(frozen=True)
class Scale:
    """Options of one answer, in the order of the screen; those whose side is "other" stand apart."""

    options: tuple[Option, ...]

    @property
    def graded(self) -> tuple[Option, ...]:
        return tuple(option for option in self.options if option.side != "other")

    @property
    def others(self) -> tuple[Option, ...]:
        return tuple(option for option in self.options if option.side == "other")


@dataclass(frozen=True)
class Condition:
    """What of an answer can decide whether a later question is shown.

    field: a path into the answer, `*` for any response.  options: (value, words), as the screen offers them.
    """

    field: str
    words: str
    options: tuple[tuple[Any, str], ...]


@dataclass(frozen=True)
class Slot:
    """A place where an error may be said, under the full field name, and where that is in words."""

    name: str
    where: str


@dataclass(frozen=True)
class Controls:
    """whole, by_response: what the kind's own template shows.

    slots: in the order of the screen, without the question's own, which every question has.
    """

    whole: Any = None
    by_response: Mapping[str, Any] = field(default_factory=dict)
    slots: tuple[Slot, ...] = ()


@dataclass(frozen=True)
class Display:
    """One question about one task, as it stands on one screen.

    shown: response ids in display order.  held: what the form holds, by field name without `q.<question>.`.
    gettext: into the person's language; a kind marks its words by calling it.
    """

    key: str
    content: Content
    shown: tuple[str, ...]
    held: Mapping[str, Sequence[str]] = field(default_factory=dict)
    gettext: Callable[[str], str] = str

    @property
    def letters(self) -> dict[str, str]:
        """Response id → A, B, … by place on this screen."""
        return dict(zip(self.shown, ascii_uppercase, strict=False))

    def name(self, *parts: str) -> str:
        """The full name of a field: `q.<question>.<part>…`."""
        return ".".join(("q", self.key, *parts))

    def values(self, *parts: str) -> Sequence[str]:
        return self.held.get(".".join(parts), ())

    def text(self, *parts: str) -> str:
        """What one text field holds."""
        return "\n".join(self.values(*parts))

    def where(self, response: str, what: str) -> str:
        """Where a control is, in words: the response is named when there are several."""
        if len(self.shown) == 1:
            return what
        gettext = self.gettext
        return gettext("Response %(letter)s, %(what)s") % {"letter": self.letters[response], "what": what}
