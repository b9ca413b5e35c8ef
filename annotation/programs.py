"""Verifiers as raters: programs that answer checklist criteria through the same door as people.

Each verifier version is one rater and answers the criteria that name it; it takes no seat.  A verifier that fails is an
absence with its reason, never a verdict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from django.db import transaction

from annotation.models import Absence
from feedback.models import Campaign, Rater, Task
from feedback.questions.base import Content, Criterion, Response
from feedback.questions.checklist import NOTE_MAX, Checklist, ChecklistSettings, criteria_of
from feedback.questions.form import Question
from feedback.services.judgements import submit_program_judgement
from feedback.verifiers.base import VerifierError
from feedback.verifiers.registry import VERIFIERS, run_verifier, with_reference

BATCH = 200
REASON_MAX = 500


Verdicts = dict[str, dict[str, dict[str, dict[str, str]]]]
"""Question → response → criterion → what is answered."""


@dataclass(frozen=True)
class Asked:
    """One criterion of one question that a verifier is to answer.  notes: whether the question takes notes."""

    question: str
    criterion: Criterion
    notes: bool = True


def criteria_by_verifier(questions: Iterable[Question], content: Content) -> dict[str, list[Asked]]:
    """Verifier name → the criteria of this task that name it."""
    asked: dict[str, list[Asked]] = defaultdict(list)
    for question in questions:
        if isinstance(question.kind, Checklist):
            settings = cast(ChecklistSettings, question.settings)
            for criterion in criteria_of(settings, content):
                if criterion.verifier:
                    asked[criterion.verifier].append(Asked(question.key, criterion, settings.notes))
    return dict(asked)


def verifier_rater(name: str) -> Rater:
    """The rater of a verifier's current version.  A name that no verifier has is a rater that is always absent."""
    version = str(VERIFIERS[name].version) if name in VERIFIERS else ""
    rater, _ = Rater.objects.get_or_create(kind=Rater.Kind.VERIFIER, source="", name=name, version=version)
    return rater


def prompt_text(content: Content) -> str:
    return "\n\n".join(message.content for message in content.prompt)


def _answer(one: Asked, content: Content, response: Response) -> dict[str, str]:
    """What is stored for one criterion of one response.  Raises VerifierError."""
    params = with_reference(one.criterion.verifier, dict(one.criterion.params), content.reference)
    verdict = run_verifier(one.criterion.verifier, params, prompt_text(content), response.text)
    told = {"verdict": "yes" if verdict.passed else "no"}
    return {**told, "note": verdict.note[:NOTE_MAX]} if one.notes and verdict.note else told


def _verdicts(asked: Iterable[Asked], task: Task, rater: Rater) -> tuple[Verdicts, list[Absence]]:
    """What one verifier says about one task, and what it could not say and why."""
    found: Verdicts = {}
    absent: list[Absence] = []
    for one in asked:
        for response in task.content.responses:
            try:
                told = _answer(one, task.content, response)
            except VerifierError as error:
                where = {"question": one.question, "response": response.id, "aspect": one.criterion.key}
                absent.append(Absence(task=task, rater=rater, reason=str(error)[:REASON_MAX], **where))
            else:
                found.setdefault(one.question, {}).setdefault(response.id, {})[one.criterion.key] = told
    return found, absent


def verify_task(task: Task, questions: Iterable[Question], raters: dict[str, Rater] | None = None) -> int:
    """Answer every criterion of one task that names a verifier; returns how many judgements stand.

    raters: those met so far by name, to be looked up once; filled here.
    """
    raters = {} if raters is None else raters
    n_judgements = 0
    for name, asked in criteria_by_verifier(questions, task.content).items():
        rater = raters[name] = raters.get(name) or verifier_rater(name)
        found, absent = _verdicts(asked, task, rater)
        with transaction.atomic():
            Absence.objects.filter(task=task, rater=rater).delete()
            Absence.objects.bulk_create(absent, ignore_conflicts=True)
            if found:
                raw = {question: {"verdicts": verdicts} for question, verdicts in found.items()}
                submit_program_judgement(task=task, rater=rater, raw_answers=raw, key=f"verifier:{task.pk}:{rater.pk}")
                n_judgements += 1
    return n_judgements


def verify_campaign(campaign: Campaign) -> int:
    """Let the verifiers answer all tasks of a campaign.  Again does nothing new: same answers, same key."""
    if campaign.form is None:
        return 0
    questions = campaign.form.questions
    raters: dict[str, Rater] = {}
    n_judgements = 0
    for task in campaign.tasks.open().order_by("pk").iterator(chunk_size=BATCH):
        task.campaign = campaign  # its form and guidelines, read once
        n_judgements += verify_task(task, questions, raters)
    return n_judgements
