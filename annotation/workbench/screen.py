"""The task screen as data: what the templates show, and nothing that a rater must not know.

No model name, external id, gold answer, metadata or other person's answer gets in here.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from string import ascii_uppercase
from typing import Any

from django.utils.translation import gettext

from annotation.models import Assignment
from annotation.workbench.reading import Conversation, Passage, read_conversation
from feedback.models import FormVersion, GuidelineVersion, Judgement, Task
from feedback.questions.base import Content
from feedback.questions.controls import Controls, Display, Slot
from feedback.questions.form import Question, answer_of, hidden_questions, parse_fields

Values = Mapping[str, Sequence[str]]
"""What the form holds: field name → values, from a draft, a refused post or a stored answer."""


@dataclass(frozen=True)
class QuestionView:
    """One question on the screen; `slot` is where its own error stands."""

    question: Question
    controls: Controls
    is_hidden: bool

    @property
    def slot(self) -> str:
        return f"q.{self.question.key}"

    @property
    def template(self) -> str:
        return f"annotation/questions/{self.question.spec.kind}.html"

    @property
    def slots(self) -> tuple[Slot, ...]:
        return (Slot(self.slot, self.question.spec.title), *self.controls.slots)

    @property
    def is_per_response(self) -> bool:
        return self.question.kind.is_per_response(self.question.settings)


@dataclass(frozen=True)
class Screen:
    """One task as one person sees it.

    key: the idempotency key of the page.  errors: slot → message.  editing: a stored answer is being changed.
    assignment: None in a manager's preview.
    """

    content: Content
    questions: tuple[QuestionView, ...]
    shown: tuple[str, ...]
    guideline: GuidelineVersion | None
    key: str
    assignment: Assignment | None = None
    errors: Mapping[str, str] = field(default_factory=dict)
    said: str = ""
    editing: bool = False
    draft_at: datetime | None = None

    @property
    def prompt(self) -> Conversation:
        return read_conversation(self.content.prompt)

    @property
    def panels(self) -> list[Passage]:
        by_place = zip(self.shown, ascii_uppercase, strict=False)
        return [Passage(self.content.response(id).text, letter=letter, response=id) for id, letter in by_place]

    @property
    def per_response(self) -> list[QuestionView]:
        return [view for view in self.questions if view.is_per_response]

    @property
    def whole_task(self) -> list[QuestionView]:
        return [view for view in self.questions if not view.is_per_response]

    @property
    def shown_by_questions(self) -> frozenset[str]:
        """Responses whose text stands in a question's controls, so that the panel need not show it.

        Not where the question may be hidden by an answer, and the text with it.
        """
        always = [view.question for view in self.per_response if not view.question.spec.shown_if]
        return frozenset(
            response.id
            for response in self.content.responses
            if any(question.kind.shows_text(question.settings, response.text) for question in always)
        )

    @property
    def has_rows(self) -> bool:
        """Whether there is more than one thing to answer, so that keys move between them."""
        return bool(self.per_response) or self.in_bar is None

    @property
    def in_bar(self) -> QuestionView | None:
        """The one question that is answered in the sticky bar, under the responses."""
        only = self.questions[0] if len(self.questions) == 1 else None
        return only if only and only.question.kind.fits_bar else None

    @property
    def has_conditions(self) -> bool:
        return any(view.question.spec.shown_if for view in self.questions)

    @property
    def slots(self) -> list[tuple[str, str]]:
        """Every place where an error may be said, with what it says now."""
        return [(slot.name, self.errors.get(slot.name, "")) for view in self.questions for slot in view.slots]


def build_screen(
    *,
    task: Task,
    form: FormVersion,
    guideline: GuidelineVersion | None,
    shown: Sequence[str],
    values: Values,
    **state: Any,
) -> Screen:
    """The screen of any task, for a person or for a preview.  state: the other fields of Screen."""
    content, questions = task.content, form.questions
    hidden = hidden_questions(questions, content, parse_fields(questions, content, values))
    views = tuple(
        QuestionView(
            question,
            question.kind.controls(question.settings, _display(question, content, shown, values)),
            question.key in hidden,
        )
        for question in questions
    )
    state.setdefault("key", str(uuid.uuid4()))
    return Screen(content=content, questions=views, shown=tuple(shown), guideline=guideline, **state)


def _display(question: Question, content: Content, shown: Sequence[str], values: Values) -> Display:
    prefix = f"q.{question.key}."
    held = {name.removeprefix(prefix): given for name, given in values.items() if name.startswith(prefix)}
    return Display(question.key, content, tuple(shown), held, gettext)


def assignment_screen(assignment: Assignment, values: Values, **state: Any) -> Screen:
    return build_screen(
        task=assignment.task,
        form=assignment.form,
        guideline=assignment.guideline,
        shown=assignment.shown,
        values=values,
        assignment=assignment,
        **state,
    )


def preview_screen(task: Task) -> Screen:
    """What annotators will see of this task, in stored order and with nothing answered."""
    campaign = task.campaign
    assert campaign.form is not None, "a campaign has a form from its first moment"  # noqa: S101  (create_campaign)
    return build_screen(task=task, form=campaign.form, guideline=campaign.guideline, shown=task.content.ids, values={})


def stored_values(assignment: Assignment, judgement: Judgement) -> dict[str, list[str]]:
    """The form's fields as this judgement would have posted them."""
    values: dict[str, list[str]] = {}
    for question in assignment.form.questions:
        answer = answer_of(question, judgement.answers)
        if answer is not None:
            held = question.kind.fields(answer, question.settings, assignment.task.content)
            values |= {f"q.{question.key}.{name}": [value] for name, value in held.items()}
    return values
