"""Answers coming in: a first one fills a seat, a retry returns what is stored, a change is a revision.

Keys.  A page carries one idempotency key.  The same key and answers return the row that is stored; the same key with
other answers is a revision (row key `<key>~<hash>`), at any time, because the page may never have learnt that its first
answers arrived.  Another key for the same task is a deliberate edit and must come within the campaign's window.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.deadlocks import again_after_deadlock
from annotation.exceptions import KeyInvalid, KeyReused, NotSubmitted, WindowClosed
from annotation.leases import lock_assignment
from annotation.models import Assignment, Draft
from annotation.seats import fill_seat
from annotation.seconds import check_seconds, judged_seconds, passed_seconds
from feedback.models import Campaign, Judgement, Rater
from feedback.questions.form import read_answers
from feedback.services.judgements import body_hash_of, record_judgement, revision_key, supersede_judgement

JSON = Any
Status = Assignment.Status
KEY = re.compile(r"^[A-Za-z0-9._:-]{1,100}\Z")


@dataclass(frozen=True)
class Submission:
    """What a submit came to; `judgement` is stored and will not be lost.

    created: a new row was written (False: a retry).  revised: it supersedes an earlier one.  surplus: no seat was left
    (or a quota is full), so it is kept and not counted; tell the person.  over_quota: the quota is the person's own.
    superseded: a retry of answers that were revised since; tell the person that the later ones stand.
    """

    assignment: Assignment
    judgement: Judgement
    created: bool
    revised: bool = False
    over_quota: bool = False

    @property
    def surplus(self) -> bool:
        return self.judgement.is_surplus

    @property
    def late(self) -> bool:
        """The answer came after the form's time limit; it counts all the same."""
        limit, seconds = self.assignment.form.time_limit, self.judgement.seconds
        return limit is not None and seconds is not None and seconds > limit

    @property
    def superseded(self) -> bool:
        return not self.judgement.is_current


@dataclass(frozen=True)
class Editable:
    """A stored answer that may still be revised: prefill the form from `judgement.answers`; post with a new key."""

    assignment: Assignment
    judgement: Judgement
    until: datetime


@dataclass(frozen=True)
class _Answer:
    """Answers that passed every check, on their way in."""

    answers: dict[str, dict[str, JSON]]
    body_hash: str
    key: str
    seconds: float | None


@again_after_deadlock
def submit_judgement(
    *,
    assignment_id: uuid.UUID,
    rater: Rater,
    raw_answers: Mapping[str, JSON],
    key: str,
    seconds: float | None = None,
) -> Submission:
    """Store a person's answers to the questions they were shown (at most 6 statements).

    raw_answers: `{question key: raw value or None}`.  seconds: active time, None if not measured.  A lease that ran
    out or was skipped fills a free seat, if any.  Neither a paused nor a closed campaign refuses an answer.
    Raises, before anything is written: AssignmentNotFound, KeyInvalid, KeyReused, SecondsInvalid, AnswersInvalid,
    WindowClosed.
    """
    if not KEY.match(key):
        raise KeyInvalid(_("An idempotency key has 1 to 100 letters, digits and . _ : - (a UUID will do)."))
    try:
        with transaction.atomic():
            assignment = lock_assignment(assignment_id, rater)
            measured = _seconds_of(assignment, seconds)
            answers = read_answers(assignment.form.questions, assignment.task.content, raw_answers)
            answer = _Answer(answers, body_hash_of(answers), key, measured)
            if assignment.status == Status.SUBMITTED:
                return _resubmit(assignment, answer)
            return _submit_first(assignment, answer)
    except IntegrityError as error:
        if "judgement_key_once" in str(error):
            raise KeyReused(_("This key was used for another answer of yours: reload the page.")) from error
        raise


def _seconds_of(assignment: Assignment, seconds: float | None) -> float | None:
    """Of a first answer, all the time at work; of a revision, the time it took by itself."""
    if assignment.status != Status.SUBMITTED:
        return judged_seconds(assignment, seconds)
    check_seconds(seconds, assignment)
    return seconds if assignment.form.time_limit is None else passed_seconds(assignment)


def _record(assignment: Assignment, answer: _Answer, **flags: Any) -> Judgement:
    return record_judgement(
        task=assignment.task,
        rater=assignment.rater,
        form=assignment.form,
        guideline=assignment.guideline,
        answers=answer.answers,
        shown=assignment.shown,
        seconds=answer.seconds,
        body_hash=answer.body_hash,
        **flags,
    )


def _submit_first(assignment: Assignment, answer: _Answer) -> Submission:
    filling = fill_seat(
        assignment.task_id,
        assignment.campaign_id,
        assignment.rater_id,
        held=assignment.status == Status.LEASED,
        was_skipped=assignment.status == Status.SKIPPED,
    )
    judgement = _record(assignment, answer, key=answer.key, counted=filling.counted, surplus=not filling.counted)
    assignment.status, assignment.judgement, assignment.ended_at = Status.SUBMITTED, judgement, timezone.now()
    assignment.is_ahead = False
    assignment.save(update_fields=["status", "judgement", "ended_at", "active_seconds", "is_ahead"])
    Draft.objects.filter(assignment=assignment).delete()
    return Submission(assignment, judgement, created=True, over_quota=not filling.in_quota)


def _resubmit(assignment: Assignment, answer: _Answer) -> Submission:
    """A retry, or a revision: the old judgement stays current and counted until the new one takes its place."""
    own = list(Judgement.objects.filter(task=assignment.task_id, rater=assignment.rater_id).order_by("pk"))
    same_key = [one for one in own if one.key == answer.key or one.key.startswith(f"{answer.key}~")]
    for one in same_key:
        if one.body_hash == answer.body_hash:
            return Submission(assignment, one, created=False)
    if not same_key:
        check_window(assignment)
    current = next(one for one in own if one.is_current)
    supersede_judgement(current)
    judgement = _record(
        assignment,
        answer,
        key=revision_key(answer.key, answer.body_hash) if same_key else answer.key,
        counted=current.is_counted,
        surplus=current.is_surplus,
        supersedes=current,
    )
    assignment.judgement = judgement
    assignment.save(update_fields=["judgement"])
    return Submission(assignment, judgement, created=True, revised=True)


def editable_until(assignment: Assignment) -> datetime:
    """When the window closes; it opens with the first submit (or the skip), and a revision does not lengthen it."""
    ended_at: datetime = assignment.ended_at or timezone.now()
    return ended_at + timedelta(seconds=assignment.campaign.undo_seconds)


def check_window(assignment: Assignment) -> None:
    """Raises WindowClosed when the submitted answer may not be edited any more."""
    if timezone.now() > editable_until(assignment):
        minutes = assignment.campaign.undo_seconds // 60
        raise WindowClosed(
            _("An answer can be changed for %(minutes)d minutes after it was submitted; ask the campaign's manager.")
            % {"minutes": minutes}
        )


def editable_judgement(*, rater: Rater, assignment_id: uuid.UUID) -> Editable:
    """The person's current answer, to open it again.  Raises NotSubmitted (or another's), WindowClosed."""
    assignment: Assignment | None = (
        Assignment.objects.filter(pk=assignment_id, rater=rater, status=Status.SUBMITTED)
        .select_related("task", "campaign", "form", "guideline", "judgement")
        .first()
    )
    if assignment is None or assignment.judgement is None:
        raise NotSubmitted(_("You have not submitted an answer here yet."))
    check_window(assignment)
    return Editable(assignment, assignment.judgement, editable_until(assignment))


def last_ended(*, rater: Rater, campaign: Campaign) -> Assignment | None:
    """What the person submitted or skipped last, while it can be undone; else None (one statement)."""
    since = timezone.now() - timedelta(seconds=campaign.undo_seconds)
    last: Assignment | None = Assignment.objects.of(rater, campaign).ended().filter(ended_at__gte=since).first()
    return last
