"""What a critique puts on the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from feedback.questions.controls import Condition, Controls, Display, Option, Slot
from feedback.questions.spans import NOTE_MAX

if TYPE_CHECKING:
    from feedback.questions.critique import CritiqueSettings

TEXT_MAX = 20_000
REVISION_MAX = 200_000
"""Characters that a person may write."""


@dataclass(frozen=True)
class TextBox:
    """A text to write, of at most so many characters."""

    name: str
    label: str
    value: str
    required: bool
    most: int = TEXT_MAX


@dataclass(frozen=True)
class SpanBox:
    """Marking: the text as stored, the marks as JSON, and what a mark may be.  A category's key marks the selection."""

    name: str
    text: str
    value: str
    categories: tuple[Option, ...]
    severities: tuple[Option, ...]
    takes_note: bool
    required: bool

    @property
    def terms(self) -> dict[str, object]:
        """What the script needs to draw a mark's row."""
        return {
            "categories": [[option.value, option.words] for option in self.categories],
            "severities": [[option.value, option.words] for option in self.severities],
            "note": NOTE_MAX if self.takes_note else 0,
        }


@dataclass(frozen=True)
class CritiquePanel:
    """nothing: the tick by which a person says that there is nothing to mark; None when it is not offered.

    source: the response's text, which a revision may start from.
    """

    text: TextBox | None
    spans: SpanBox | None = None
    nothing: Option | None = None
    nothing_name: str = ""
    revision: TextBox | None = None
    source: str = ""

    def slots(self) -> Iterator[tuple[str, str]]:
        for box in (self.text, self.revision):
            if box is not None:
                yield box.name, box.label
        if self.spans is not None:
            yield self.spans.name, ""
        if self.nothing is not None:
            yield self.nothing_name, self.nothing.words


def critique_controls(settings: CritiqueSettings, display: Display) -> Controls:
    """About the task: `whole` is a CritiquePanel with a text; else `by_response` has one a response."""
    gettext = display.gettext
    label = settings.text_label or gettext("In your own words")
    if settings.about == "task":
        box = TextBox(display.name("text"), label, display.text("text"), settings.text == "required")
        return Controls(whole=CritiquePanel(box), slots=(Slot(box.name, label),))
    panels = {response: _panel(response, label, settings, display) for response in display.shown}
    slots = [
        Slot(name, display.where(response, where or gettext("marks")))
        for response, panel in panels.items()
        for name, where in panel.slots()
    ]
    return Controls(by_response=panels, slots=tuple(slots))


def _panel(response: str, label: str, settings: CritiqueSettings, display: Display) -> CritiquePanel:
    gettext = display.gettext
    text = TextBox(display.name(response, "text"), label, display.text(response, "text"), settings.text == "required")
    revision = TextBox(
        display.name(response, "revision"),
        settings.revision_label or gettext("A better response"),
        display.text(response, "revision"),
        settings.revision == "required",
        REVISION_MAX,
    )
    held = display.values(response, "nothing")
    nothing = Option("1", gettext("Nothing to mark"), "0", "1" in held) if settings.offers_nothing else None
    return CritiquePanel(
        text if settings.text != "off" else None,
        _spans(response, settings, display) if settings.spans != "off" else None,
        nothing,
        display.name(response, "nothing"),
        revision if settings.revision != "off" else None,
        display.content.response(response).text,
    )


def _spans(response: str, settings: CritiqueSettings, display: Display) -> SpanBox:
    """Keys 1 … 9 mark with a category; without categories m marks."""
    categories = [
        Option(term.key, term.text, str(place) if place <= 9 else "", side=term.help)
        for place, term in enumerate(settings.categories, start=1)
    ] or [Option("", display.gettext("Mark"), "m")]
    severities = [Option(term.key, term.text, side=term.help) for term in settings.severities]
    return SpanBox(
        display.name(response, "spans"),
        display.content.response(response).text,
        display.text(response, "spans"),
        tuple(categories),
        tuple(severities),
        settings.span_notes,
        settings.spans == "required",
    )


def critique_conditions(settings: CritiqueSettings, gettext: Callable[[str], str]) -> Iterator[Condition]:
    """What the marked spans are; nothing of what is written in words."""
    if settings.spans == "off":
        return
    asked = (
        (settings.categories, "category", gettext("a marked span's category")),
        (settings.severities, "severity", gettext("a marked span's severity")),
    )
    for terms, field, words in asked:
        if terms:
            yield Condition(f"responses.*.spans.*.{field}", words, tuple((term.key, term.text) for term in terms))
    if settings.offers_nothing:
        yield Condition("responses.*.nothing", gettext("any response"), ((True, gettext("nothing to mark")),))
