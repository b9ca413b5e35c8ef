"""Form and guideline versions side by side: what a reader would see differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotation.workbench.guidelines import Piece, changes_between
from feedback.models import FormVersion

JSON = Any


def form_lines(form: FormVersion) -> str:
    """A form as an outline, one fact a line."""
    limit = form.time_limit
    head = _("Time for one task: %(n)s seconds") % {"n": limit} if limit else _("Time for one task: no limit")
    return "\n".join([head, *_lines(form.questions_raw)]) + "\n"


def _lines(questions: Sequence[Mapping[str, JSON]]) -> Iterator[str]:
    for question in questions:
        yield ""
        yield f"{question['title']}  [{question['kind']}: {question['key']}]"
        for name, value in question.items():
            if name not in ("title", "kind", "key"):
                yield from _fact(name, value, 1)


def _fact(name: str, value: JSON, depth: int) -> Iterator[str]:
    pad = "    " * depth
    if isinstance(value, Mapping) and value:
        yield f"{pad}{name}:"
        for key, inner in value.items():
            yield from _fact(str(key), inner, depth + 1)
    elif isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
        yield f"{pad}{name}:"
        for entry in value:
            yield f"{pad}    – " + "; ".join(f"{key}: {inner}" for key, inner in entry.items())
    else:
        yield f"{pad}{name}: {', '.join(map(str, value)) if isinstance(value, list) else value}"


def compare_forms(before: FormVersion, after: FormVersion) -> list[Piece]:
    return list(changes_between(form_lines(before), form_lines(after)))
