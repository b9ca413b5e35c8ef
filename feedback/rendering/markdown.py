"""Markdown → sanitised HTML.  Nothing a model or a manager wrote is trusted.

Rendering costs milliseconds a kilobyte, so it is done once and kept under the hash of the text, `VERSION` and what else
the result depends on; raise `VERSION` whenever the output for some text changes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

import nh3
from django.conf import settings
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from feedback.rendering import highlighting, keeping
from feedback.rendering.images import image, is_shown, put_back, take_out
from feedback.rendering.maths import read_maths
from feedback.rendering.source import source_html

VERSION = 2
SOURCE_BYTES = 100 * 1024
"""Longer texts open as their source: rendering one megabyte takes seconds."""

TAGS = {
    *("p", "br", "hr", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "pre", "code", "em", "strong", "s"),
    *("a", "table", "thead", "tbody", "tr", "th", "td", "img", "div", "span"),
}
ATTRIBUTES = {
    "*": {"dir"},
    "a": {"href", "title"},
    "ol": {"start"},
    "img": {"src", "alt", "title"},
    "span": {"data-math"},
    "div": {"data-math", "tabindex", "role", "aria-label"},
}
CLASSES = {"span": set(highlighting.NAMES), "div": {"table-scroll"}, "a": {"image-away"}}
FORCED = {"a": {"target": "_blank"}, "img": {"loading": "lazy", "decoding": "async", "referrerpolicy": "no-referrer"}}


@dataclass(frozen=True)
class Rendered:
    """is_source: the text is shown as it was written (`<pre>`), because it is too long to render."""

    html: SafeString
    is_source: bool = False


@cache
def _parser() -> MarkdownIt:
    """CommonMark with tables, strikethrough and LaTeX, line breaks kept as models write them; raw HTML is text."""
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.disable(["html_block", "html_inline"])
    read_maths(parser)
    parser.core.ruler.push("blocks", _place_blocks)
    parser.add_render_rule("image", image)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    return parser


def _place_blocks(state: StateCore) -> None:
    """Each outer block has the direction of its own text (the lines within: `unicode-bidi` in prose.css); h1 … h4 are
    h3 … h6, so that a text's own headings stay below the screen's."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"
        if token.level == 0 and token.nesting == 1:
            token.attrSet("dir", "auto")


def _fence(_renderer: object, tokens: Sequence[Token], index: int, _options: object, _env: object) -> str:
    token = tokens[index]
    words = token.info.split()
    return _code(token.content, words[0].strip("{}.") if words else "")


def _code(code: str, language: str) -> str:
    return f'<pre dir="ltr"><code>{highlighting.highlight(code, language)}</code></pre>\n'


def _table_open(_renderer: object, _tokens: object, _index: int, _options: object, _env: object) -> str:
    label = escape(_("Table"))
    return f'<div class="table-scroll" dir="auto" tabindex="0" role="group" aria-label="{label}"><table>\n'


def _table_close(_renderer: object, _tokens: object, _index: int, _options: object, _env: object) -> str:
    return "</table></div>\n"


def _is_web_address(url: str) -> bool:
    try:
        return urlsplit(url).scheme in ("http", "https", "mailto")
    except ValueError:
        return False


def _attribute(tag: str, name: str, value: str) -> str | None:
    """Relative addresses would point into this application; drop them."""
    allowed = {
        "href": _is_web_address,
        "src": is_shown,
        "dir": ("auto", "ltr").__contains__,
        "data-math": ("inline", "block").__contains__,
        "role": "group".__eq__,
        "tabindex": "0".__eq__,
    }.get(name)
    return value if allowed is None or allowed(value) else None


def _sanitised(html: str) -> str:
    return nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        allowed_classes=CLASSES,
        attribute_filter=_attribute,
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values=FORCED,
        url_schemes={"http", "https", "mailto", "data"},
    )


def _kept(kind: str, text: str, html_of: Callable[[str], str]) -> SafeString:
    depends = json.dumps([VERSION, kind, get_language(), sorted(settings.IMAGE_HOSTS)])
    name = hashlib.sha256(f"{depends}\n{text}".encode()).hexdigest()
    html = keeping.recall(name)
    if html is None:
        html = html_of(text)
        keeping.keep(name, html)
    return mark_safe(html)  # noqa: S308 (nh3 cleaned it, or it was escaped piece by piece)


def _markdown(text: str) -> str:
    short, images = take_out(text)
    return put_back(_sanitised(_parser().render(short)), images)


def render_markdown(text: str) -> Rendered:
    """Sanitised HTML of `text`; over `SOURCE_BYTES` (pictures within it not counted) its source instead."""
    text = text.encode("utf-8", "replace").decode()
    if len(text) > SOURCE_BYTES // 4 and len(take_out(text)[0].encode()) > SOURCE_BYTES:
        return Rendered(source_html(text), is_source=True)
    return Rendered(_kept("markdown", text, _markdown))


def render_code(text: str, language: str) -> Rendered:
    """Code as a block of its own, its tokens marked if `language` is a known one."""
    text = text.encode("utf-8", "replace").decode()
    if len(text.encode()) > SOURCE_BYTES:
        return Rendered(source_html(text), is_source=True)
    return Rendered(_kept(f"code:{language}", text, lambda text: _code(text, language)))
