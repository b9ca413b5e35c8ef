"""What people said about tasks, and tasks skipped too often: the manager's list, and what is done there."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.exceptions import TextInvalid
from annotation.flags import open_flags, reply_to_flag
from annotation.models import Assignment, Flag, Parking
from annotation.parking import unpark_task, withdraw_task
from feedback.access import MANAGER, access_campaign
from feedback.exceptions import WrongState
from feedback.models import Campaign, Task, User

PAGE = 25


@dataclass
class Concern:
    """One task that somebody should look at: what was said of it, and why it was skipped."""

    task: Task
    is_parked: bool
    flags: list[Flag] = field(default_factory=list)
    skips: list[Assignment] = field(default_factory=list)


def concern_counts(campaign: Campaign) -> dict[str, int]:
    """How many flags wait for a reply, and how many tasks are parked: the badges."""
    parked = Parking.objects.filter(campaign=campaign, task__status=Task.Status.PARKED)
    return {"n_flags": open_flags(campaign).count(), "n_parked": parked.count()}


def concerns_of(tasks: Iterable[Task], *, answered: bool) -> list[Concern]:
    """What is known of each of these tasks (two statements)."""
    found = {task.pk: Concern(task, is_parked=task.status == Task.Status.PARKED) for task in tasks}
    flags = Flag.objects.filter(task__in=found).select_related("rater__user", "replied_by")
    for flag in flags if answered else flags.filter(replied_at__isnull=True):
        found[flag.task_id].flags.append(flag)
    skips = Assignment.objects.filter(task__in=found, status=Assignment.Status.SKIPPED).select_related("rater__user")
    for skip in skips.order_by("ended_at"):
        found[skip.task_id].skips.append(skip)
    return list(found.values())


def campaign_flags(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """Parked tasks first, then those with flags; `?answered=1` lists what was replied to."""
    found = access_campaign(cast(User, request.user), campaign, MANAGER)
    answered = "answered" in request.GET
    flagged = Flag.objects.filter(campaign=found, replied_at__isnull=not answered).values("task")
    waits = Q(pk__in=flagged)
    if not answered:
        waits |= Q(pk__in=Parking.objects.filter(campaign=found).values("task"))
    # "parked" comes after "open": those that nobody can work on stand first
    page = Paginator(Task.objects.filter(waits).order_by("-status", "pk"), PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": found,
        "concerns": concerns_of(page.object_list, answered=answered),
        "page": page,
        "answered": answered,
        **concern_counts(found),
    }
    return render(request, "annotation/campaign_flags.html", context)


@require_POST
def campaign_flags_reply(request: HttpRequest, campaign: uuid.UUID, flag: int) -> HttpResponse:
    """Answer whoever flagged; they read it with their own work."""
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    told = Flag.objects.select_related("campaign").filter(pk=flag, campaign=found).first()
    if told is None:
        raise Http404("No such flag.")
    try:
        reply_to_flag(told, request.POST.get("reply", ""), actor=user)
    except TextInvalid as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Replied."))
    return redirect("annotation:campaign-flags", found.pk)


@require_POST
def campaign_flags_task(request: HttpRequest, campaign: uuid.UUID, task: int) -> HttpResponse:
    """Open a parked task again (`to=open`), or take a task out for good (`to=withdrawn`)."""
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    meant = Task.objects.select_related("campaign").filter(pk=task, campaign=found).first()
    if meant is None:
        raise Http404("No such task.")
    try:
        if request.POST.get("to") == "withdrawn":
            withdraw_task(meant, actor=user)
            messages.success(request, _("Withdrawn: nobody gets it any more. What was answered is kept."))
        else:
            unpark_task(meant, actor=user)
            messages.success(request, _("Open again for everybody who has not skipped it."))
    except WrongState as error:
        messages.error(request, str(error))
    return redirect("annotation:campaign-flags", found.pk)
