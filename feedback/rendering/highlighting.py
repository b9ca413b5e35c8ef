"""Code → the same code with its tokens marked by class.  The language is what the fence says, never a guess."""

from __future__ import annotations

from functools import lru_cache

from django.utils.html import escape
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound

MOST_CHARACTERS = 20_000
"""Longer code stays plain: lexers are regular expressions, and this bounds what they can cost."""
_LANGUAGES = (
    "python py python3 pycon ipython javascript js typescript ts jsx tsx json yaml yml toml ini xml html css scss sql "
    "postgresql mysql sqlite3 bash sh shell zsh console powershell batch c cpp c++ csharp cs c# java kotlin scala "
    "groovy go golang rust rs ruby rb php swift objective-c objc r julia jl matlab octave lua perl haskell hs ocaml "
    "fsharp f# elixir erlang clojure lisp common-lisp scheme racket dart zig nim fortran pascal vb.net vbnet prolog "
    "diff docker dockerfile make makefile cmake nginx latex tex graphql protobuf proto solidity verilog vhdl nasm "
    "terraform hcl http regex awk sed vim lean lean4 coq"
)
LANGUAGES = frozenset(_LANGUAGES.split())
CLASSES = (
    (Token.Comment, "tok-comment"),
    (Token.Generic.Deleted, "tok-removed"),
    (Token.Generic.Inserted, "tok-added"),
    (Token.Generic.Prompt, "tok-comment"),
    (Token.Keyword, "tok-keyword"),
    (Token.Operator.Word, "tok-keyword"),
    (Token.Literal.String, "tok-string"),
    (Token.Literal.Number, "tok-number"),
    (Token.Name.Function, "tok-name"),
    (Token.Name.Class, "tok-name"),
    (Token.Name.Decorator, "tok-name"),
    (Token.Name.Tag, "tok-name"),
    (Token.Name.Attribute, "tok-name"),
    (Token.Name.Builtin, "tok-builtin"),
    (Token.Name.Exception, "tok-builtin"),
)
NAMES = frozenset(name for _kind, name in CLASSES)


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    if language not in LANGUAGES:
        return None
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False, startinline=True)
    except ClassNotFound:
        return None


@lru_cache(maxsize=512)
def _class_of(token: _TokenType) -> str:
    return next((name for kind, name in CLASSES if token in kind), "")


def highlight(code: str, language: str) -> str:
    """Escaped HTML: `<span class="tok-…">` around what the language's lexer knows, plain where there is none."""
    lexer = _lexer(language.lower()) if len(code) <= MOST_CHARACTERS else None
    if lexer is None:
        return str(escape(code))
    parts: list[str] = []
    held, held_class = "", ""
    for token, text in lexer.get_tokens(code):
        name = _class_of(token) if text.strip() else held_class  # spaces go with what stands before them
        if name != held_class:
            parts.append(_marked(held, held_class))
            held, held_class = "", name
        held += text
    parts.append(_marked(held, held_class))
    return "".join(parts)


def _marked(text: str, name: str) -> str:
    escaped = str(escape(text))
    return f'<span class="{name}">{escaped}</span>' if name and text else escaped
