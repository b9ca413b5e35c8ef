"""Questions go into force: a new form version, unless somebody else was quicker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.services import send_verifiers
from feedback.exceptions import WrongState
from feedback.models import Campaign, FormVersion, Task, User
from feedback.services.campaigns import publish_form
from feedback.services.events import record_event


@transaction.atomic
def publish_questions(
    campaign: Campaign,
    questions: Sequence[Mapping[str, Any]],
    *,
    actor: User,
    base: int,
    time_limit: int | None,
    withdraw: Sequence[int] = (),
) -> FormVersion:
    """base: the number of the form that was edited.  withdraw: tasks that these questions cannot be asked of.

    Raises FormInvalid, and WrongState when another form went into force meanwhile.
    """
    if withdraw:
        _withdraw(campaign, withdraw, actor)
    form = publish_form(campaign, questions, actor=actor, time_limit=time_limit)
    if form.number != base + 1:
        message = _(
            "Form %(n)d was published while you were editing. Your questions are still here; publish again to put them "
            "in its place."
        )
        raise WrongState(message % {"n": form.number - 1})
    if campaign.is_open:
        send_verifiers(campaign)
    return form


def _withdraw(campaign: Campaign, ids: Sequence[int], actor: User) -> None:
    """Locked by id and before the campaign, as labelling does."""
    tasks = campaign.tasks.filter(pk__in=ids, status=Task.Status.OPEN).order_by("pk")
    locked = list(tasks.select_for_update(no_key=True).values_list("pk", flat=True))
    Task.objects.filter(pk__in=locked).update(status=Task.Status.WITHDRAWN)
    record_event(actor, "tasks.withdrawn", campaign, campaign=campaign, n=len(locked), tasks=locked[:1000])
