"""What a preset is, and the questions that several of them ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise

from feedback.questions.registry import KINDS

JSON = Any
Words = str | Promise
Spec = Mapping[str, JSON]


@dataclass(frozen=True)
class Preset:
    """Where a manager starts from; the questions it makes are ordinary ones, to be edited.

    asks: what people do.  needs: what tasks must bring.  paper: an arXiv id, "" when it is nobody's in particular.
    guidelines: Markdown to begin with.  time_limit: seconds for one task.
    """

    name: str
    title: Words
    asks: Words
    needs: Words
    questions: tuple[Spec, ...]
    paper: str = ""
    cited: str = ""
    guidelines: str = ""
    time_limit: int | None = None

    @property
    def kind_titles(self) -> tuple[str, ...]:
        return tuple(KINDS[kind].title for kind in self.kinds)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its questions, each once, in their order."""
        return tuple(dict.fromkeys(question["kind"] for question in self.questions))


@dataclass(frozen=True)
class Family:
    """Presets that stand together on the page."""

    title: Words
    presets: tuple[Preset, ...]


def pairwise(
    key: str = "better", title: str = "Which response is better?", *, help: str = "", **settings: JSON
) -> Spec:
    return _question("pairwise", key, title, help, settings)


def rating(key: str, title: str, *, help: str = "", **settings: JSON) -> Spec:
    return _question("rating", key, title, help, settings)


def critique(key: str, title: str, *, help: str = "", required: bool = True, **settings: JSON) -> Spec:
    return _question("critique", key, title, help, settings, required=required)


def checklist(key: str, title: str, *, help: str = "", **settings: JSON) -> Spec:
    return _question("checklist", key, title, help, settings)


def ranking(key: str, title: str, *, help: str = "", **settings: JSON) -> Spec:
    return _question("ranking", key, title, help, settings)


def steps(key: str, title: str, *, help: str = "", **settings: JSON) -> Spec:
    return _question("steps", key, title, help, settings)


def terms(**texts: str) -> list[dict[str, JSON]]:
    """Criteria, attributes, categories or severities: key → text; what follows a bar is its help."""
    rows: list[dict[str, JSON]] = []
    for key, text in texts.items():
        said, _bar, help = text.partition(" | ")
        rows.append({"key": key, "text": said, **({"help": help} if help else {})})
    return rows


def guide(*lines: str) -> str:
    return "\n".join(lines)


def _question(
    kind: str, key: str, title: str, help: str, settings: Mapping[str, JSON], *, required: bool = True
) -> Spec:
    spec: dict[str, JSON] = {"key": key, "kind": kind, "title": title}
    if help:
        spec["help"] = help
    if not required:
        spec["required"] = False
    return {**spec, "settings": dict(settings)} if settings else spec


def labels(*texts: str) -> Sequence[str]:
    return list(texts)
