"""Writing judgements.  Whoever answers (a person's seat, a verifier, a judge), the row is made here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection, transaction
from django.utils.translation import gettext as _

from feedback.exceptions import WrongState
from feedback.models import FormVersion, GuidelineVersion, Judgement, Rater, Task
from feedback.questions.content import sha256_of
from feedback.questions.form import read_answers

JSON = Any

SUPERSEDE = """
WITH flipped AS (
    UPDATE feedback_judgement SET is_current = false, is_counted = false WHERE id = %s AND is_current RETURNING task_id
)
UPDATE feedback_task SET needs_aggregation = true FROM flipped WHERE feedback_task.id = flipped.task_id
"""


def body_hash_of(answers: Mapping[str, JSON]) -> str:
    """Identity of what was answered, apart from how long it took: sha256 of the stored answers."""
    return sha256_of(answers)


def revision_key(key: str, body_hash: str) -> str:
    """The key of a row that revises, under the same key, an answer already stored."""
    return f"{key}~{body_hash[:12]}"


def record_judgement(
    *,
    task: Task,
    rater: Rater,
    form: FormVersion,
    guideline: GuidelineVersion | None,
    answers: Mapping[str, JSON],
    key: str,
    body_hash: str,
    shown: Sequence[str] = (),
    seconds: float | None = None,
    counted: bool = False,
    surplus: bool = False,
    supersedes: Judgement | None = None,
    measures: Mapping[str, JSON] | None = None,
) -> Judgement:
    """Insert one current judgement (one statement).  answers: as `read_answers` returns them.

    What it supersedes must have been flipped before, in the same transaction (`supersede_judgement`); the
    database refuses a second current one.  Raises IntegrityError `judgement_key_once` when the rater used the key.
    """
    judgement: Judgement = Judgement.objects.create(
        campaign_id=task.campaign_id,
        task=task,
        rater=rater,
        form=form,
        guideline=guideline,
        answers=answers,
        shown=list(shown),
        seconds=seconds,
        key=key,
        body_hash=body_hash,
        is_counted=counted,
        is_surplus=surplus,
        supersedes=supersedes,
        measures=measures or {},
    )
    return judgement


def supersede_judgement(judgement: Judgement) -> None:
    """Make room for a revision and mark the task for aggregation (one statement, compare-and-swap).

    Raises WrongState when the judgement is not current any more.
    """
    with connection.cursor() as cursor:
        cursor.execute(SUPERSEDE, [judgement.pk])
        if not cursor.rowcount:
            raise WrongState(_("This answer was revised meanwhile: look at the newer one first."))


@transaction.atomic
def submit_program_judgement(
    *,
    task: Task,
    rater: Rater,
    raw_answers: Mapping[str, JSON],
    key: str,
    form: FormVersion | None = None,
    partial: bool = True,
    measures: Mapping[str, JSON] | None = None,
) -> Judgement:
    """What a program (verifier, judge, reward model) answers about a task.  It takes no seat.

    partial: a part of the form will do.  The same answers return the row that stands; others supersede it.
    Raises AnswersInvalid before any write, WrongState for a person or a campaign without a form.
    """
    form = form or task.campaign.form
    if rater.is_person or form is None:
        raise WrongState(_("Only a program answers here, about a campaign that has questions."))
    answers = read_answers(form.questions, task.content, raw_answers, partial=partial)
    body_hash = body_hash_of(answers)
    Task.objects.select_for_update(no_key=True).only("pk").get(pk=task.pk)  # programs take turns on one task
    own: list[Judgement] = list(Judgement.objects.filter(task=task, rater=rater).order_by("pk"))
    current = next((one for one in own if one.is_current), None)
    if current and current.body_hash == body_hash:
        return current
    if not current:
        Task.objects.filter(pk=task.pk).update(needs_aggregation=True)
    else:
        supersede_judgement(current)
    return record_judgement(
        task=task,
        rater=rater,
        form=form,
        guideline=task.campaign.guideline,
        answers=answers,
        key=f"{key}~{len(own)}" if current else key,
        body_hash=body_hash,
        supersedes=current,
        measures=measures,
    )
