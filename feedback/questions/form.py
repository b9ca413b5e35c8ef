"""A form: the ordered questions of a campaign, and the answers to all of them.

Stored answers are `{question key: {"state": "answered" | "skipped" | "not_shown", "value": …}}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from feedback.questions.base import Content, Kind, Problem, Strict
from feedback.questions.registry import get_kind

JSON = Any
State = Literal["answered", "skipped", "not_shown"]


class ShownIf(BaseModel):
    """Show a question only if an earlier one's answer has `value` at `field`.

    field: a path into the answer, keys joined by dots; `*` is any key, or any entry of a list
    (`verdicts.*.safe.verdict`: of any response).
    value: a list means any one of these.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    question: str
    field: str
    value: JSON


class QuestionSpec(BaseModel):
    """One question as it stands in a form version."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    key: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    kind: str
    title: str = Field(min_length=1, max_length=300)
    help: str = ""
    required: bool = True
    shown_if: ShownIf | None = None
    settings: dict[str, JSON] = Field(default_factory=dict)


class FormInvalid(ValueError):
    """The questions of a form contradict themselves; `problems` says where."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{'.'.join(p.path)}: {p.message}" for p in problems))


class AnswersInvalid(ValueError):
    """Answers that do not fit the form or the task; paths begin with the question key."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{'.'.join(p.path)}: {p.message}" for p in problems))


@dataclass(frozen=True)
class Question:
    spec: QuestionSpec
    kind: Kind[Any, Any]
    settings: Strict

    @property
    def key(self) -> str:
        return self.spec.key


def _problems(error: ValidationError, prefix: tuple[str, ...]) -> list[Problem]:
    return [Problem((*prefix, *map(str, e["loc"])), e["msg"]) for e in error.errors(include_url=False)]


def read_form(raw: Sequence[Mapping[str, JSON]]) -> tuple[Question, ...]:
    """Stored questions → checked ones.  Raises FormInvalid with every problem at once."""
    problems: list[Problem] = []
    questions: list[Question] = []
    for index, entry in enumerate(raw):
        where = (str(entry.get("key") or index),)
        try:
            spec = QuestionSpec.model_validate(dict(entry))
            kind = get_kind(spec.kind)
            questions.append(Question(spec, kind, kind.Settings.model_validate(spec.settings)))
        except ValidationError as error:
            problems += _problems(error, where)
        except KeyError as error:
            problems.append(Problem((*where, "kind"), str(error.args[0])))
    keys = [question.key for question in questions]
    problems += [Problem((key,), "Two questions share this key.") for key in {k for k in keys if keys.count(k) > 1}]
    for position, question in enumerate(questions):
        rule = question.spec.shown_if
        if rule and rule.question not in keys[:position]:
            problems.append(Problem((question.key, "shown_if"), "Refers to no earlier question."))
    if not raw:
        problems.append(Problem((), "A form needs at least one question."))
    if problems:
        raise FormInvalid(problems)
    return tuple(questions)


def _is_shown(question: Question, given: Mapping[str, JSON]) -> bool:
    rule = question.spec.shown_if
    if rule is None:
        return True
    earlier = given.get(rule.question) or {}
    wanted = rule.value if isinstance(rule.value, list) else [rule.value]
    found = _reach(earlier.get("value"), rule.field.split(".")) if earlier.get("state") == "answered" else ()
    return any(type(one) is type(value) and one == value for one in found for value in wanted)


def _reach(value: JSON, path: Sequence[str]) -> Iterator[JSON]:
    """Every value that a path with `*` leads to."""
    if not path:
        yield value
    elif isinstance(value, Mapping):
        steps = list(value.values()) if path[0] == "*" else [value[path[0]]] if path[0] in value else []
        for step in steps:
            yield from _reach(step, path[1:])
    elif isinstance(value, list) and path[0] == "*":
        for step in value:
            yield from _reach(step, path[1:])


def hidden_questions(questions: Sequence[Question], content: Content, raw: Mapping[str, JSON]) -> set[str]:
    """Keys of the questions that these raw values, finished or not, leave hidden: what a screen hides meanwhile."""
    given: dict[str, dict[str, JSON]] = {}
    for question in questions:
        value = raw.get(question.key)
        if not _is_shown(question, given):
            given[question.key] = {"state": "not_shown"}
        elif value is not None:
            given[question.key] = {"state": "answered", "value": value}
            _check_one(question, content, value, given[question.key], partial=True)
    return {key for key, entry in given.items() if entry["state"] == "not_shown"}


def read_answers(
    questions: Sequence[Question], content: Content, raw: Mapping[str, JSON], *, partial: bool = False
) -> dict[str, dict[str, JSON]]:
    """Raw values by question key → what is stored.  Raises AnswersInvalid with every problem at once.

    raw: `{key: value or None}`.  A question that is not shown is stored as such, whatever was sent.
    """
    problems = [Problem((key,), "No such question.") for key in raw if key not in {q.key for q in questions}]
    stored: dict[str, dict[str, JSON]] = {}
    for question in questions:
        value = raw.get(question.key)
        if not _is_shown(question, stored):
            stored[question.key] = {"state": "not_shown"}
        elif value is None:
            if question.spec.required and not partial:
                problems.append(Problem((question.key,), "This question needs an answer."))
            stored[question.key] = {"state": "skipped"}
        else:
            stored[question.key] = {"state": "answered", "value": value}
            problems += _check_one(question, content, value, stored[question.key], partial=partial)
    if problems:
        raise AnswersInvalid(problems)
    return stored


def _check_one(
    question: Question, content: Content, value: JSON, entry: dict[str, JSON], *, partial: bool
) -> list[Problem]:
    try:
        answer = question.kind.Answer.model_validate(question.kind.complete(value, question.settings, content))
    except ValidationError as error:
        # A union tells once a member what is one problem to people.
        found = list(dict.fromkeys(question.kind.problem(detail) for detail in error.errors(include_url=False)))
        return [Problem((question.key, *problem.path), problem.message) for problem in found]
    entry["value"] = answer.model_dump(mode="json", exclude_none=True)
    found = question.kind.check(answer, question.settings, content, partial=partial)
    return [Problem((question.key, *problem.path), problem.message) for problem in found]


def read_answer(question: Question, content: Content, value: JSON, *, partial: bool = False) -> Any:
    """One question's raw value → its answer model; whether it is shown is not asked.  Raises AnswersInvalid."""
    entry: dict[str, JSON] = {}
    if problems := _check_one(question, content, value, entry, partial=partial):
        raise AnswersInvalid(problems)
    return question.kind.Answer.model_validate(entry["value"])


def answer_of(question: Question, stored: Mapping[str, JSON]) -> Any:
    """The answer model of one stored judgement for this question, or None when it was not answered."""
    entry = stored.get(question.key) or {}
    return question.kind.Answer.model_validate(entry["value"]) if entry.get("state") == "answered" else None


def parse_fields(
    questions: Sequence[Question], content: Content, fields: Mapping[str, Sequence[str]]
) -> dict[str, JSON]:
    """A browser's `q.<question>.…` fields → raw values by question key."""
    raw: dict[str, JSON] = {}
    for question in questions:
        prefix = f"q.{question.key}."
        own = {name.removeprefix(prefix): values for name, values in fields.items() if name.startswith(prefix)}
        raw[question.key] = question.kind.parse(own, question.settings, content)
    return raw
