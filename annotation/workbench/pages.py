"""The pages of the workbench: a task, nothing to do, an ended task, a refused answer."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Assignment, Draft
from annotation.queue import begin_ahead, claim_assignment, last_ended
from annotation.seconds import passed_seconds
from annotation.submission import editable_until
from annotation.workbench.guidelines import unread_guidelines
from annotation.workbench.problems import error_lines, with_errors
from annotation.workbench.screen import Screen, Values, assignment_screen
from feedback.models import Campaign, Judgement, Rater
from feedback.questions.base import Problem

AHEAD = "Touchstone-Ahead"
"""Names the assignment whose screen the browser keeps, or may show now."""
MANY = 1000
"""A person's own judgements are counted up to here, so that the page costs the same after a year of work."""


def _is_htmx(request: HttpRequest) -> bool:
    return bool(request.headers.get("HX-Request")) and not request.headers.get("HX-History-Restore-Request")


def _page(request: HttpRequest, name: str, context: dict[str, Any], url: str) -> HttpResponse:
    """The whole page, or its `task` part with the address it now stands for."""
    if not _is_htmx(request):
        return TemplateResponse(request, name, context)
    return TemplateResponse(request, f"{name}#task", context, headers={"HX-Push-Url": url})


def _standing(rater: Rater, campaign: Campaign, last: Assignment | None = None) -> dict[str, Any]:
    """How far the person is, and what they may still undo.  last: what they have ended just now."""
    done = Judgement.objects.current().filter(campaign=campaign, rater=rater)[: MANY + 1].count()
    if last is None:
        last = last_ended(rater=rater, campaign=campaign)
    elif editable_until(last) <= timezone.now():
        last = None
    return {"campaign": campaign, "n_done": done, "many": MANY, "last": last}


def show_screen(
    request: HttpRequest,
    assignment: Assignment,
    *,
    values: Values | None = None,
    done: Assignment | None = None,
    **state: Any,
) -> HttpResponse:
    """A task to answer, with the draft if there is one and no `values` are given.  done: what was just ended."""
    draft = Draft.objects.filter(assignment=assignment).first() if values is None else None
    held = draft.fields if draft else (values or {})
    screen = assignment_screen(assignment, held, draft_at=draft.saved_at if draft else None, **state)
    return _show(request, assignment, screen, done=done)


def _of_screen(assignment: Assignment, screen: Screen) -> dict[str, Any]:
    """What the task's template needs besides how far the person is.  Clocks of what is for later begin when shown."""
    left, passed = (assignment.expires_at - timezone.now()).total_seconds(), passed_seconds(assignment)
    if assignment.is_ahead:
        left, passed = assignment.campaign.lease_seconds, 0.0
    limit = assignment.form.time_limit
    return {
        "screen": screen,
        "lines": error_lines(screen),
        "seconds_left": int(left) if assignment.status == Assignment.Status.LEASED else 0,
        "time_limit": limit,
        "limit_left": limit - passed if limit else None,
    }


def _show(
    request: HttpRequest, assignment: Assignment, screen: Screen, status: int = 200, done: Assignment | None = None
) -> HttpResponse:
    context = {**_standing(assignment.rater, assignment.campaign, done), **_of_screen(assignment, screen)}
    name = "annotation:assignment-revision" if screen.editing else "annotation:assignment"
    response = _page(request, "annotation/assignment.html", context, reverse(name, args=[assignment.pk]))
    response.status_code = status
    return response


def show_ahead(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """The screen of a task that is not shown yet.  Its number and what can be undone come with the answer before it."""
    campaign = assignment.campaign
    screen = assignment_screen(assignment, {})
    context = {"campaign": campaign, "n_done": 0, "many": MANY, "last": None, **_of_screen(assignment, screen)}
    headers = {AHEAD: str(assignment.pk)}
    return TemplateResponse(request, "annotation/assignment.html#task", context, headers=headers)


def _begin(request: HttpRequest, rater: Rater, campaign: Campaign, said: str, done: Assignment) -> HttpResponse | None:
    """The browser has the next screen already, if the lease of it still stands: only what it could not know is sent."""
    try:
        following = uuid.UUID(request.POST.get("ahead", ""))
    except ValueError:
        return None
    if not _is_htmx(request) or not begin_ahead(following, rater):
        return None
    url = reverse("annotation:assignment", args=[following])
    context = {**_standing(rater, campaign, done), "said": said}
    headers = {AHEAD: str(following), "HX-Push-Url": url}
    return TemplateResponse(request, "annotation/assignment.html#fresh", context, headers=headers)


def show_next(
    request: HttpRequest, rater: Rater, campaign: Campaign, *, said: str = "", done: Assignment | None = None
) -> HttpResponse:
    """Claim, and show what came of it.  `done`: what was just ended, so that its draft in the browser can go."""
    if said and not _is_htmx(request):
        messages.success(request, said)
        return redirect("annotation:work", campaign.pk)
    response = _next_screen(request, rater, campaign, said, done)
    if done is not None:
        response["HX-Trigger"] = f'{{"touchstone:ended": {{"assignment": "{done.pk}"}}}}'
    return response


def _next_screen(
    request: HttpRequest, rater: Rater, campaign: Campaign, said: str, done: Assignment | None
) -> HttpResponse:
    work = reverse("annotation:work", args=[campaign.pk])
    unread = unread_guidelines(request.user, campaign) if campaign.is_open else None  # type: ignore[arg-type]
    if unread is not None:
        context = {"campaign": campaign, "unread": unread, "said": said}
        return _page(request, "annotation/guidelines.html", context, work)
    if done is not None and (begun := _begin(request, rater, campaign, said, done)) is not None:
        return begun
    claim = claim_assignment(rater=rater, campaign=campaign)
    if claim.assignment is not None and not _is_htmx(request):
        return redirect("annotation:assignment", claim.assignment.pk)
    if claim.assignment is not None:
        return show_screen(request, claim.assignment, done=done, said=said)
    context = {**_standing(rater, campaign, done), "claim": claim, "said": said}
    return _page(request, "annotation/nothing.html", context, work)


def show_flag(request: HttpRequest, assignment: Assignment, *, error: str = "") -> HttpResponse:
    """What became of a flag: said aloud, and in the dialog if it was refused."""
    said = "" if error else _("Flagged: the manager will see it. You can go on.")
    if not _is_htmx(request):
        messages.add_message(request, messages.ERROR if error else messages.SUCCESS, error or said)
        return redirect("annotation:assignment", assignment.pk)
    context = {"said": said, "error": error}
    response = TemplateResponse(request, "annotation/_flag.html#reply", context, status=422 if error else 200)
    if not error:
        response["HX-Trigger"] = "touchstone:flagged"
    return response


def show_ended(request: HttpRequest, assignment: Assignment, *, said: str = "") -> HttpResponse:
    until = editable_until(assignment)
    context = {
        **_standing(assignment.rater, assignment.campaign),
        "assignment": assignment,
        "until": until if until > timezone.now() else None,
        "said": said,
    }
    url = reverse("annotation:assignment", args=[assignment.pk])
    return _page(request, "annotation/ended.html", context, url)


def show_refused(
    request: HttpRequest, assignment: Assignment, values: Values, problems: Sequence[Problem] | str
) -> HttpResponse:
    """422 with what is wrong: only the errors for htmx, else the whole page as it was posted."""
    if isinstance(problems, str) and not values and not _is_htmx(request):
        messages.error(request, problems)
        return redirect("annotation:assignment", assignment.pk)
    found = [Problem((), problems)] if isinstance(problems, str) else problems
    editing = assignment.status == Assignment.Status.SUBMITTED
    screen = with_errors(assignment_screen(assignment, values, editing=editing), found)
    screen = replace(screen, key=request.POST.get("key") or screen.key)
    if not _is_htmx(request):
        return _show(request, assignment, screen, status=422)
    context = {"screen": screen, "lines": error_lines(screen)}
    headers = {"HX-Retarget": "#errors", "HX-Reswap": "innerHTML"}
    return TemplateResponse(request, "annotation/assignment.html#errors", context, status=422, headers=headers)
