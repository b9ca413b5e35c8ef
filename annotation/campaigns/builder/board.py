"""The builder as data: the questions as they stand in the form, what is wrong with them, what publishing would do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotation.campaigns.builder.checking import (
    FEW,
    Unasked,
    Wrong,
    asks_other_things,
    find_wrongs,
    same_forms,
    unasked_tasks,
)
from annotation.campaigns.builder.controls import Settings, settings_controls
from annotation.campaigns.builder.posted import read_posted, same
from annotation.campaigns.builder.shapes import as_json
from annotation.models import Assignment
from feedback.models import Campaign
from feedback.questions.controls import Condition
from feedback.questions.form import read_form
from feedback.questions.registry import KINDS

JSON = Any
Questions = list[dict[str, JSON]]
SHORTEST, LONGEST = 5, 7 * 24 * 3600


@dataclass(frozen=True)
class Sent:
    """What the browser sent.  as_json: the questions were edited as JSON, whose text is `text`; error: it is none."""

    questions: Questions
    time_limit: str = ""
    as_json: bool = False
    text: str = ""
    error: str = ""

    @property
    def seconds(self) -> int | None:
        return int(self.time_limit) if self.time_limit.isascii() and self.time_limit.isdigit() else None


def read_sent(post: QueryDict) -> Sent:
    limit = post.get("time_limit", "").strip()
    if post.get("mode") != "json":
        return Sent(read_posted(dict(post.lists())), limit)
    text = post.get("json", "")
    try:
        questions = json.loads(text)
    except ValueError as error:
        return Sent([], limit, True, text, _("This is not JSON: %(error)s.") % {"error": error})
    if not isinstance(questions, list) or not all(isinstance(one, dict) for one in questions):
        return Sent([], limit, True, text, _("Expected a list of questions, each an object."))
    return Sent(questions, limit, True, text)


@dataclass(frozen=True)
class Rule:
    """When a question is shown.  earlier: (key, title, chosen); fields: (path, words, chosen); values: (JSON, words,
    chosen).  A rule that the screen does not offer keeps its field and values as they are.
    """

    earlier: tuple[tuple[str, str, bool], ...]
    fields: tuple[tuple[str, str, bool], ...] = ()
    values: tuple[tuple[str, str, bool], ...] = ()
    error: str = ""

    @property
    def is_set(self) -> bool:
        return any(chosen for _key, _title, chosen in self.earlier)


@dataclass(frozen=True)
class Card:
    """One question in the builder."""

    name: str
    spec: Mapping[str, JSON]
    kind_title: str
    settings: Settings
    rule: Rule
    errors: Mapping[str, str]
    is_first: bool
    is_last: bool
    is_open: bool

    @property
    def required(self) -> bool:
        return self.spec.get("required", True) is not False

    @property
    def slots(self) -> list[tuple[str, str]]:
        """Every place where an error may stand, with what it says now."""
        own = [self.name, *(f"{self.name}.{part}" for part in ("title", "help", "key", "shown_if"))]
        below = [control.name for one in (*self.settings.main, *self.settings.wording) for control in one]
        return [(name, self.errors.get(name, "")) for name in (*own, *below)]


@dataclass(frozen=True)
class Outcome:
    """What publishing would do.  wrongs: none, or it is refused; unasked: open tasks that could not be asked."""

    wrongs: tuple[Wrong, ...]
    is_changed: bool
    number: int
    n_judgements: int
    n_leased: int
    unasked: Unasked


def find_outcome(campaign: Campaign, sent: Sent, *, thorough: bool = False) -> Outcome:
    """thorough: look at every open task, and not only at some."""
    wrongs = list(find_wrongs(sent.questions)) if not sent.error else [Wrong("json", sent.error)]
    if sent.time_limit and not SHORTEST <= (sent.seconds or 0) <= LONGEST:
        message = _("A whole number of seconds from %(a)d to %(b)d, or nothing.")
        wrongs.append(Wrong("time_limit", message % {"a": SHORTEST, "b": LONGEST}))
    form = campaign.form
    unasked, is_changed = Unasked((), (), 0), True
    if not wrongs and form is not None:
        is_changed = form.time_limit != sent.seconds or not same_forms(form.questions_raw, sent.questions)
        questions = read_form(sent.questions)
        if asks_other_things(form.questions, questions):
            unasked = unasked_tasks(campaign, questions, None if thorough else FEW)
    return Outcome(
        tuple(wrongs),
        is_changed,
        (form.number if form else 0) + 1,
        campaign.judgements.filter(form=form, is_current=True).count() if form else 0,
        campaign.assignments.filter(status=Assignment.Status.LEASED).count(),
        unasked,
    )


def cards_of(questions: Questions, wrongs: Sequence[Wrong], opened: set[str] | None) -> list[Card]:
    """opened: keys of the questions whose fields are in sight; None: the first one's.  One with an error is open."""
    cards = []
    for at, question in enumerate(questions):
        name = f"f.{at}"
        errors = {wrong.field: wrong.message for wrong in wrongs if wrong.question == at}
        kind = KINDS.get(str(question.get("kind")))
        is_open = at == 0 if opened is None else str(question.get("key")) in opened
        settings = settings_controls(question, name, errors)
        homes = {control.name for one in (*settings.main, *settings.wording) for control in one}
        homes |= {f"{name}.{part}" for part in ("title", "help", "key", "shown_if", "required")}
        if homeless := [message for field, message in errors.items() if field not in homes]:
            errors[name] = " ".join(homeless)
        rule = _rule(questions, at, errors.get(f"{name}.shown_if", ""))
        title = kind.title if kind else str(question.get("kind"))
        last = at == len(questions) - 1
        cards.append(Card(name, question, title, settings, rule, errors, at == 0, last, is_open or bool(errors)))
    return cards


def _conditions(question: Mapping[str, JSON]) -> tuple[Condition, ...]:
    """What a later question can depend on; nothing while the question does not hold together."""
    kind = KINDS.get(str(question.get("kind")))
    try:
        return tuple(kind.conditions(kind.Settings.model_validate(question.get("settings", {})), _)) if kind else ()
    except ValueError:
        return ()


def _rule(questions: Questions, at: int, error: str) -> Rule:
    held = questions[at].get("shown_if")
    rule: Mapping[str, JSON] = held if isinstance(held, Mapping) else {}
    asked = rule.get("question")
    usable = [(one, _conditions(one)) for one in questions[:at]]
    earlier = tuple(
        (str(one["key"]), str(one.get("title", "")), one["key"] == asked)
        for one, found in usable
        if found or one["key"] == asked
    )
    conditions = next((found for one, found in usable if one["key"] == asked), ())
    if not rule or not any(chosen for _key, _title, chosen in earlier):
        return Rule(earlier, error=error)
    field, value = rule.get("field") or "", rule.get("value")
    wanted = value if isinstance(value, list) else [value]
    chosen = next((one for one in conditions if one.field == field), None)
    fields = [(one.field, one.words, one is chosen) for one in conditions]
    if chosen is None and field:
        fields.append((str(field), str(field), True))
    options = list(chosen.options) if chosen else [(one, str(one)) for one in wanted if one is not None]
    values = tuple((json.dumps(one), words, any(same(one, each) for each in wanted)) for one, words in options)
    return Rule(earlier, tuple(fields), values, error)


def first_condition(questions: Questions) -> None:
    """A rule that names a question and nothing more gets what can be asked of it first."""
    for question in questions:
        rule = question.get("shown_if")
        if not isinstance(rule, dict) or rule.get("field"):
            continue
        asked = next((one for one in questions if one["key"] == rule["question"]), {})
        for condition in _conditions(asked)[:1]:
            rule |= {"field": condition.field, "value": condition.options[0][0]}


def text_of(sent: Sent) -> str:
    return sent.text if sent.as_json and sent.error else as_json(sent.questions)
