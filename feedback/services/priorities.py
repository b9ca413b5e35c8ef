"""Which tasks of a campaign are asked first."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.utils.translation import gettext as _

from feedback.exceptions import WrongState
from feedback.models import Campaign, User
from feedback.services.events import record_event

HIGHEST = 32767


@transaction.atomic
def set_priority(campaign: Campaign, task_ids: Collection[int], priority: int, *, actor: User | None) -> int:
    """Ask these tasks before those with a lower priority (0: in the common order); returns how many.

    All or nothing.  Raises WrongState when none is named, one is not of this campaign, or the priority is out of range.
    """
    ids = set(task_ids)
    if not ids:
        raise WrongState(_("Name the tasks whose priority is to change."))
    if not 0 <= priority <= HIGHEST:
        raise WrongState(_("A priority is a whole number from 0 to %(most)d.") % {"most": HIGHEST})
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    tasks = campaign.tasks.filter(pk__in=ids)
    held = list(tasks.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True))
    if len(held) != len(ids):
        raise WrongState(_("%(n)d of these tasks are not in this campaign.") % {"n": len(ids) - len(held)})
    tasks.update(priority=priority)
    notice_priorities(campaign)
    record_event(actor, "tasks.prioritised", campaign, campaign=campaign, n=len(held), priority=priority)
    return len(held)


def notice_priorities(campaign: Campaign) -> None:
    """Say on the campaign whether claims have to look for priorities at all."""
    has_priorities = campaign.tasks.filter(status="open", priority__gt=0).exists()
    Campaign.objects.filter(pk=campaign.pk).update(has_priorities=has_priorities)
    campaign.has_priorities = has_priorities
