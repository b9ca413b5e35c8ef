"""A text as it was written, escaped."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

PIECE = 8_000
"""Characters; a browser lays out a piece only when it comes near the screen (`content-visibility` in reading.css)."""


def _pieces(text: str) -> Iterator[str]:
    """At line ends, so that the pieces beneath each other read as the one text; a very long line stays whole."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + PIECE) + 1 or len(text)
        yield text[start:end]
        start = end


def source_html(text: str) -> SafeString:
    """The text as it was written, line breaks kept; its `textContent` is the text, character for character."""
    if len(text) <= 2 * PIECE:
        return format_html('<div class="source">{}</div>', text)
    pieces = format_html_join("", "<div>{}</div>", ((piece,) for piece in _pieces(text)))
    return format_html('<div class="source source-long">{}</div>', pieces)
