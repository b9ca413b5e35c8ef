"""What is wrong with questions on their way in, each at its field; and which tasks they cannot be asked of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.campaigns.builder.posted import same
from feedback.models import Campaign, Task
from feedback.questions.content import read_content
from feedback.questions.form import FormInvalid, Question, QuestionSpec, read_form
from feedback.verifiers.base import VerifierError
from feedback.verifiers.registry import InvalidParams, check_params

JSON = Any
KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
SPEC = tuple(QuestionSpec.model_fields)
FEW = 200
"""Tasks that are looked at while somebody types; all of them when the form is published."""


@dataclass(frozen=True)
class Wrong:
    """One thing that is wrong.  field: the name of the field it stands at; question: its place, None for the form."""

    field: str
    message: str
    question: int | None = None


def find_wrongs(raw: Sequence[Mapping[str, JSON]]) -> list[Wrong]:
    """Everything wrong with the questions; none: `read_form` takes them."""
    wrongs = [*_wrong_keys(raw), *_wrong_fields(raw)]
    if wrongs:
        return wrongs
    questions = read_form(raw)
    return [*_wrong_rules(questions), *_wrong_params(questions)]


def _wrong_keys(raw: Sequence[Mapping[str, JSON]]) -> Iterable[Wrong]:
    keys = [str(question.get("key", "")) for question in raw]
    for at, key in enumerate(keys):
        if not KEY.fullmatch(key):
            yield Wrong(f"f.{at}.key", _("Small letters, digits and _, a letter first, at most 40."), at)
        elif key in keys[:at]:
            yield Wrong(f"f.{at}.key", _("Another question has this key."), at)


def _wrong_fields(raw: Sequence[Mapping[str, JSON]]) -> Iterable[Wrong]:
    """What `read_form` refuses, found at its place even where keys are wrong: each question gets a key by its place."""
    keys = [str(question.get("key", "")) for question in raw]
    placed = [_placed(question, at, keys) for at, question in enumerate(raw)]
    try:
        read_form(placed)
    except FormInvalid as error:
        for problem in error.problems:
            if not problem.path:
                yield Wrong("", problem.message)
                continue
            at, path = int(problem.path[0][1:]), problem.path[1:]
            inside = path if path and path[0] in SPEC and not _is_setting(raw[at], path) else ("settings", *path)
            yield Wrong(".".join((f"f.{at}", *(inside if path else ()))), _said(problem.message), at)


def _placed(question: Mapping[str, JSON], at: int, keys: list[str]) -> dict[str, JSON]:
    rule = question.get("shown_if")
    named = dict(question, key=f"q{at}")
    if isinstance(rule, Mapping) and rule.get("question") in keys[:at]:
        named["shown_if"] = {**rule, "question": f"q{keys.index(rule['question'])}"}
    return named


def _is_setting(question: Mapping[str, JSON], path: tuple[str, ...]) -> bool:
    """Whether a path that `read_form` gives leads into the settings: the question itself holds together."""
    try:
        QuestionSpec.model_validate({**question, "key": "q", "shown_if": None})
    except ValueError:
        return False
    return path[0] not in ("shown_if", "kind")


def _said(message: str) -> str:
    """pydantic's message in the words of the house."""
    said = message.removeprefix("Value error, ")
    usual = {
        "String should have at least 1 character": _("Write something here."),
        "Input should be a valid integer": _("Write a whole number."),
        "Input should be a valid number": _("Write a number."),
        "Field required": _("This is needed."),
    }
    return usual.get(said, said)


def _wrong_rules(questions: Sequence[Question]) -> Iterable[Wrong]:
    """A condition that no answer can meet would hide its question for good."""
    earlier = {question.key: question for question in questions}
    for at, question in enumerate(questions):
        rule = question.spec.shown_if
        if rule is None:
            continue
        wanted = rule.value if isinstance(rule.value, list) else [rule.value]
        where = f"f.{at}.shown_if"
        if not rule.field or not wanted:
            yield Wrong(where, _("Choose which answers show this question."), at)
            continue
        asked = earlier[rule.question]
        known = {one.field: one for one in asked.kind.conditions(asked.settings, str)}
        offered = [value for value, _words in known[rule.field].options] if rule.field in known else wanted
        if gone := [value for value in wanted if not any(same(value, one) for one in offered)]:
            message = _("“%(value)s” is not offered there any more: choose again.")
            yield Wrong(where, message % {"value": ", ".join(map(str, gone))}, at)


def _wrong_params(questions: Sequence[Question]) -> Iterable[Wrong]:
    for at, question in enumerate(questions):
        for row, criterion in enumerate(getattr(question.settings, "criteria", ())):
            if not getattr(criterion, "verifier", ""):
                continue
            where = f"f.{at}.settings.criteria.{row}"
            try:
                check_params(criterion.verifier, criterion.params)
            except InvalidParams as error:
                for path, message in error.errors.items():
                    yield Wrong(".".join((where, "params", *path.split("."))).rstrip("."), _said(message), at)
            except VerifierError as error:
                yield Wrong(f"{where}.verifier", str(error), at)


@dataclass(frozen=True)
class Unasked:
    """Open tasks that the questions cannot be asked of.  reasons: (question, why) → how many."""

    ids: tuple[int, ...]
    reasons: tuple[tuple[str, str, int], ...]
    n_looked: int

    def __bool__(self) -> bool:
        return bool(self.ids)


def unasked_tasks(campaign: Campaign, questions: Sequence[Question], limit: int | None = None) -> Unasked:
    """limit: look at so many tasks only."""
    tasks = campaign.tasks.filter(status=Task.Status.OPEN).order_by("pk").values_list("pk", "content_raw")
    ids, reasons, n = [], Counter[tuple[str, str]](), 0
    for n, (id, raw) in enumerate((tasks[:limit] if limit else tasks).iterator(2000), start=1):  # noqa: B007
        content = read_content(raw)
        why = {(q.spec.title, p.message) for q in questions for p in q.kind.check_content(q.settings, content)}
        if why:
            ids.append(id)
            reasons.update(why)
    return Unasked(tuple(ids), tuple((*one, count) for one, count in reasons.most_common(20)), n)


def same_forms(a: Sequence[Mapping[str, JSON]], b: Sequence[Mapping[str, JSON]]) -> bool:
    """Whether two lists of questions ask the same, however their defaults are written."""
    if len(a) != len(b):
        return False
    pairs = zip(read_form(a), read_form(b), strict=True)
    return all(_asks(one) == _asks(other) and one.settings == other.settings for one, other in pairs)


def asks_other_things(a: Sequence[Question], b: Sequence[Question]) -> bool:
    """Whether other tasks could be needed: a change of words alone needs none."""
    return [(q.spec.kind, q.settings) for q in a] != [(q.spec.kind, q.settings) for q in b]


def _asks(question: Question) -> dict[str, JSON]:
    return question.spec.model_dump(exclude={"settings"})
