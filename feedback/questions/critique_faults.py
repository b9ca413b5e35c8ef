"""What is wrong with a critique of one response, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from feedback.questions.base import UNSTORABLE, Problem
from feedback.questions.spans import span_faults

if TYPE_CHECKING:
    from feedback.questions.critique import Asked, CritiqueSettings, ResponseCritique


def text_faults(path: tuple[str, ...], text: str | None, asked: Asked, *, partial: bool) -> Iterator[Problem]:
    if asked == "off" and text is not None:
        yield Problem(path, "This question does not ask for it.")
    if asked == "required" and not partial and not (text or "").strip():
        yield Problem(path, "Write something here.")
    if text is not None and UNSTORABLE.search(text):
        yield Problem(path, "Holds a character that cannot be stored; delete it.")


def response_faults(
    id: str, told: ResponseCritique, settings: CritiqueSettings, text: str, *, partial: bool
) -> Iterator[Problem]:
    yield from text_faults((id, "text"), told.text, settings.text, partial=partial)
    yield from text_faults((id, "revision"), told.revision, settings.revision, partial=partial)
    if told.revision is not None and _lines(told.revision) == _lines(text):
        yield Problem((id, "revision"), "Is the response as it was: change it, or leave it empty.")
    yield from _span_faults(id, told, settings, text)
    if settings.spans == "required" and not partial and not told.spans:
        yield Problem((id, "spans"), "Mark at least one place.")
    if told.nothing and told.spans:
        yield Problem((id, "nothing"), "Places are marked: remove them, or take this back.")
    if told.nothing and settings.spans == "off":
        yield Problem((id, "nothing"), "This question marks no places.")
    said = told.spans or told.nothing or (told.text or "").strip() or (told.revision or "").strip()
    if (
        settings.spans == "optional"
        and "required" not in (settings.text, settings.revision)
        and not partial
        and not said
    ):
        yield Problem((id, "spans"), "Mark something, or say that there is nothing to mark.")


def _span_faults(id: str, told: ResponseCritique, settings: CritiqueSettings, text: str) -> Iterator[Problem]:
    where = (id, "spans")
    if told.spans and settings.spans == "off":
        yield Problem(where, "This question marks no places.")
    if len(told.spans) > settings.max_spans:
        yield Problem(where, f"Has {len(told.spans)} marks; at most {settings.max_spans} are taken.")
    categories, severities = ({term.key for term in terms} for terms in (settings.categories, settings.severities))
    for number, span in enumerate(told.spans, start=1):
        faults = list(span_faults(span, text))
        faults += _term_faults("category", span.category, categories) + _term_faults(
            "severity", span.severity, severities
        )
        if span.note is not None and not settings.span_notes:
            faults.append("takes no note.")
        if faults:
            yield Problem(where, f"Mark {number}: {' '.join(faults)}")


def _term_faults(what: str, given: str | None, offered: set[str]) -> list[str]:
    if given is None:
        return [f"choose a {what}."] if offered else []
    return [] if given in offered else [f"its {what} is none that this question offers."]


def _lines(text: str) -> str:
    """As a browser gives a text back: every line ends with LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()
