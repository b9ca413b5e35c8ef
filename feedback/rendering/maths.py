r"""LaTeX in Markdown: `$…$`, `$$…$$`, `\(…\)` and `\[…\]` become `<span data-math>` with their source as text.

Found here and not in the browser, because Markdown would have eaten the backslashes and underscores by then.  The
browser sets them with KaTeX (static/js/maths.js); where that fails or is off, the source stays readable.  "$5 and $6"
is money, `\[1\]` a bracket that someone escaped, and code is never looked into.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from django.utils.html import escape
from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

CLOSERS = {"$$": "$$", "\\(": "\\)", "\\[": "\\]", "$": "$"}
MOST_CHARACTERS = {"$": 1_000}
MOST = 8_000
MOST_LINES = 60
"""An opening without its end is looked for no further, so that a text full of them costs no more than a text."""
_MONEY = re.compile(r"\d[\d.,]*\s*(?:[-–—/,;:(]|[A-Za-z]{2,}|$)")
_TEX = re.compile(r"[\\^_={}+<>]")


def _end_of(source: str, start: int, opener: str) -> int:
    """Where the closing delimiter of the one at `start` begins; -1 for none within reach."""
    closer = CLOSERS[opener]
    last = start + MOST_CHARACTERS.get(opener, MOST)
    at = source.find(closer, start + len(opener), last)
    while at > 0 and closer.startswith("$") and source[at - 1] == "\\":
        at = source.find(closer, at + 1, last)
    return at


def _is_maths(source: str, start: int, end: int, opener: str) -> bool:
    inside = source[start + len(opener) : end]
    before = source[start - 1] if start else " "
    after = source[end + 1 : end + 2]
    if not inside.strip() or "`" in inside or "\n\n" in inside:
        return False
    if opener == "$":
        beside_words = before.isalnum() or before == "$" or after.isalnum() or after == "$"
        padded = inside[0].isspace() or inside[-1].isspace() or "\n" in inside
        money = _MONEY.match(inside) and not _TEX.search(inside)
        return not (beside_words or padded or (money and not inside.replace(".", "").isdigit()))
    if opener == "\\(":
        return not before.isalnum()
    return opener == "$$" or bool(_TEX.search(inside))


def _inline(state: StateInline, silent: bool) -> bool:
    source, start = state.src, state.pos
    opener = next((each for each in CLOSERS if source.startswith(each, start)), "")
    if not opener:
        return False
    end = _end_of(source, start, opener)
    if end < 0 or not _is_maths(source, start, end, opener):
        return False
    after = end + len(CLOSERS[opener])
    if not silent:
        token = state.push("math", "span", 0)
        token.content = source[start:after]
        token.info = "inline" if opener in ("$", "\\(") else "block"
    state.pos = after
    return True


def _block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Lines from one that begins with `$$` or `\\[` to one that ends with its end, without an empty one between."""
    if state.is_code_block(first):
        return False
    opener = state.src[state.bMarks[first] + state.tShift[first] :][:2]
    if opener not in ("$$", "\\["):
        return False
    for line in range(first, min(last, first + MOST_LINES)):
        text = state.getLines(line, line + 1, state.blkIndent, False).strip()
        if not text or (line > first and state.sCount[line] < state.blkIndent):
            return False
        inside = text[2:] if line == first else text
        if CLOSERS[opener] in inside:
            break
    else:
        return False
    found = state.getLines(first, line + 1, state.blkIndent, False).strip()
    if (
        not inside.endswith(CLOSERS[opener])
        or not found[2:-2].strip()
        or found.find(CLOSERS[opener], 2) < len(found) - 2
    ):
        return False
    if not silent:
        token = state.push("math_block", "div", 0)
        token.content, token.map, token.block = found, [first, line + 1], True
    state.line = line + 1
    return True


def _span(_renderer: object, tokens: Sequence[Token], index: int, _options: object, _env: object) -> str:
    token = tokens[index]
    return f'<span data-math="{token.info}">{escape(token.content)}</span>'


def _div(_renderer: object, tokens: Sequence[Token], index: int, _options: object, _env: object) -> str:
    return f'<div data-math="block" dir="ltr">{escape(tokens[index].content)}</div>\n'


def read_maths(parser: MarkdownIt) -> None:
    """Teach a Markdown parser the four ways of writing LaTeX."""
    parser.inline.ruler.before("escape", "math", _inline)
    terminates: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "math_block", _block, terminates)
    parser.add_render_rule("math", _span)
    parser.add_render_rule("math_block", _div)
