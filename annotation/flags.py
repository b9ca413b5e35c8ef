"""Somebody who works on a task says that something is wrong with it; a manager replies."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.deadlocks import again_after_deadlock
from annotation.exceptions import TextInvalid
from annotation.leases import lock_assignment
from annotation.models import Flag
from feedback.models import Campaign, Rater, User
from feedback.questions.base import UNSTORABLE
from feedback.services.events import record_event

MAX_NOTE = 2000


def _storable(text: str) -> str:
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise TextInvalid(_("Say in a few words what is wrong."))
    if len(text) > MAX_NOTE or UNSTORABLE.search(text):
        raise TextInvalid(_("A note has at most %(max)s characters, without NUL.") % {"max": MAX_NOTE})
    return text


@again_after_deadlock
@transaction.atomic
def flag_task(*, assignment_id: uuid.UUID, rater: Rater, note: str) -> Flag:
    """Keep what the person says about their task; the assignment stays as it is.  The same words again are one flag.

    Raises AssignmentNotFound, TextInvalid.
    """
    note = _storable(note)
    assignment = lock_assignment(assignment_id, rater)
    same = Flag.objects.filter(task_id=assignment.task_id, rater=rater, note=note, replied_at__isnull=True).first()
    if same is not None:
        return same
    return Flag.objects.create(campaign_id=assignment.campaign_id, task_id=assignment.task_id, rater=rater, note=note)


@transaction.atomic
def reply_to_flag(flag: Flag, text: str, *, actor: User) -> None:
    """Answer the person, who reads it with their own work; a later one replaces it.  Raises TextInvalid."""
    flag.reply, flag.replied_by, flag.replied_at = _storable(text), actor, timezone.now()
    flag.save(update_fields=["reply", "replied_by", "replied_at"])
    record_event(actor, "flag.replied", flag, campaign=flag.campaign)


def open_flags(campaign: Campaign) -> QuerySet[Flag]:
    """Those without a reply."""
    return Flag.objects.filter(campaign=campaign, replied_at__isnull=True)
