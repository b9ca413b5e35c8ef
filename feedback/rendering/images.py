"""Images in Markdown.  One from elsewhere would tell a stranger who reads what and when, so it is a link by default.

`data:` images of raster formats are shown, and those of the hosts in `TOUCHSTONE_IMAGE_HOSTS`; the content security
policy says the same.  SVG is a document with scripts, and stays out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.html import format_html
from django.utils.translation import gettext as _
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

RASTER = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}\Z")
_LONG = re.compile(r"(data:image/(?:png|jpeg|gif|webp);base64,)([A-Za-z0-9+/]{200,}={0,2})")


def is_shown(address: str) -> bool:
    """Whether the browser may load this image by itself."""
    if RASTER.match(address):
        return True
    parts = _split(address)
    return parts is not None and parts[0] == "https" and parts[1] in settings.IMAGE_HOSTS


def _split(address: str) -> tuple[str, str] | None:
    """(scheme, host[:port]) of a web address, else None."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return (parts.scheme, parts.netloc.lower()) if parts.scheme in ("http", "https") and parts.netloc else None


def image(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """An image, a link to it, or its words: a render rule of markdown-it."""
    token = tokens[index]
    said = renderer.renderInlineAsText(token.children or [], options, env).strip()
    words = said or _("without a description")
    address = str(token.attrGet("src") or "")
    if is_shown(address):
        alt = said or _("Image without a description")
        return format_html('<img src="{}" alt="{}" title="{}">', address, alt, token.attrGet("title") or said)
    label = _("Image: %(words)s") % {"words": words}
    parts = _split(address)
    depth = sum(each.nesting for each in tokens[:index] if each.type in ("link_open", "link_close"))
    if parts is None or depth:
        return format_html("<em>[{}]</em>", label)
    return format_html('<a class="image-away" href="{}">{} <span>({})</span></a>', address, label, parts[1])


def take_out(text: str) -> tuple[str, Mapping[str, str]]:
    """The text with short stand-ins for the bytes of its images, and what each stands for.

    Markdown is read character by character, and a picture has as many as a book.
    """
    taken: dict[str, str] = {}

    def stand_in(match: re.Match[str]) -> str:
        name = f"TouchstoneImage{len(taken):06d}"
        taken[name] = match[2]
        return match[1] + name

    return (text, taken) if "TouchstoneImage" in text else (_LONG.sub(stand_in, text), taken)


def put_back(html: str, taken: Mapping[str, str]) -> str:
    """The bytes where their stand-ins are; they are base64, so they cannot be HTML."""
    return re.sub(r"TouchstoneImage\d{6}", lambda match: taken.get(match[0], match[0]), html) if taken else html
