"""The annotator's screen: claim, show, submit, skip, change one's mind.

A post by htmx is answered with the next screen in the same place; without JavaScript, by a redirect to it.  A refused
answer (422) swaps only the error summary and the error slots, so that nothing typed is touched.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.access import access_assignment
from annotation.exceptions import QueueError
from annotation.flags import flag_task
from annotation.models import Assignment
from annotation.queue import (
    begin_ahead,
    claim_ahead,
    editable_judgement,
    extend_lease,
    give_back_ahead,
    save_draft,
    skip_assignment,
    submit_judgement,
    undo_skip,
)
from annotation.workbench.answering import PersonRequest, posted_values, read_seconds, said_of
from annotation.workbench.guidelines import acknowledge_guidelines
from annotation.workbench.pages import show_ahead, show_ended, show_flag, show_next, show_refused, show_screen
from annotation.workbench.screen import stored_values
from feedback.access import access_campaign, rater_of
from feedback.questions.form import AnswersInvalid, hidden_questions, parse_fields

Status = Assignment.Status


@never_cache
@require_GET
def work(request: PersonRequest, campaign_id: uuid.UUID) -> HttpResponse:
    """Start or go on: the person's own lease, the next task, or why there is none."""
    campaign = access_campaign(request.user, campaign_id)
    return show_next(request, rater_of(request.user), campaign)


@never_cache
@require_GET
def assignment(request: PersonRequest, id: uuid.UUID) -> HttpResponse:
    """One task.  An ended one says so and offers the way back."""
    found = access_assignment(request.user, id)
    if found.status in (Status.SUBMITTED, Status.SKIPPED):
        return show_ended(request, found)
    if found.is_ahead and begin_ahead(id, found.rater):
        found.refresh_from_db(fields=["is_ahead", "started_at", "expires_at"])
    return show_screen(request, found)


@never_cache
@require_GET
def revision(request: PersonRequest, id: uuid.UUID) -> HttpResponse:
    """A submitted answer opened again; it stays counted until the changed one takes its place."""
    found = access_assignment(request.user, id)
    try:
        editable = editable_judgement(rater=found.rater, assignment_id=id)
    except QueueError:
        return redirect("annotation:assignment", id)
    return show_screen(request, found, values=stored_values(found, editable.judgement), editing=True)


@require_POST
def judgement(request: PersonRequest, id: uuid.UUID) -> HttpResponse:
    """Submit.  The key makes a double click one judgement; 422 when the answer or the time cannot be."""
    found = access_assignment(request.user, id)
    values = posted_values(request.POST)
    try:
        submission = submit_judgement(
            assignment_id=id,
            rater=found.rater,
            raw_answers=parse_fields(found.form.questions, found.task.content, values),
            key=request.POST.get("key", ""),
            seconds=read_seconds(request.POST.get("seconds", "")),
        )
    except AnswersInvalid as error:
        return show_refused(request, found, values, error.problems)
    except QueueError as error:
        return show_refused(request, found, values, str(error))
    return show_next(request, found.rater, found.campaign, said=said_of(submission), done=submission.assignment)


@require_POST
def skip(request: PersonRequest, id: uuid.UUID) -> HttpResponse:
    found = access_assignment(request.user, id)
    try:
        skipped = skip_assignment(
            assignment_id=id,
            rater=found.rater,
            reason=request.POST.get("reason", "").strip(),
            seconds=read_seconds(request.POST.get("seconds", "")),
        )
    except QueueError as error:
        return show_refused(request, found, {}, str(error))
    return show_next(request, found.rater, found.campaign, said=_("Skipped. Someone else will get it."), done=skipped)


@require_POST
def comeback(request: PersonRequest, id: uuid.UUID) -> HttpResponse:
    """Take a skipped task back, if a seat is still free."""
    found = access_assignment(request.user, id)
    lease = undo_skip(assignment_id=id, rater=found.rater)
    if lease.held:
        return redirect("annotation:assignment", id)
    return show_ended(request, found, said=str(lease.refusal.label) if lease.refusal else "")


@require_POST
def draft(request: PersonRequest, id: uuid.UUID) -> JsonResponse:
    """Keep what is typed so far; also says which questions the answers so far leave hidden."""
    found = access_assignment(request.user, id)
    values = posted_values(request.POST)
    try:
        saved = save_draft(assignment_id=id, rater=found.rater, fields=values)
    except QueueError as error:
        return JsonResponse({"saved": False, "message": str(error)}, status=422)
    questions, content = found.form.questions, found.task.content
    hidden = hidden_questions(questions, content, parse_fields(questions, content, values))
    return JsonResponse({"saved": saved, "hidden": sorted(hidden)})


@require_POST
def heartbeat(request: PersonRequest, id: uuid.UUID) -> JsonResponse:
    """Keep the seat.  Seconds, not times: the two clocks need not agree."""
    found = access_assignment(request.user, id)
    try:
        lease = extend_lease(id, found.rater, read_seconds(request.POST.get("seconds", "")))
    except QueueError as error:
        return JsonResponse({"message": str(error)}, status=422)
    body: dict[str, Any] = {
        "held": lease.held,
        "seconds_left": found.campaign.lease_seconds if lease.held else 0,
        "ahead": str(lease.ahead) if lease.ahead else "",
    }
    if lease.refusal:
        body["message"] = str(lease.refusal.label)
    return JsonResponse(body)


@require_http_methods(["POST", "DELETE"])
def ahead(request: PersonRequest, id: uuid.UUID) -> HttpResponse:
    """POST: the screen of the task after this one, for the browser to keep until the answer is in; 204: there is none.

    DELETE: the person leaves, and whoever works on can have it.
    """
    found = access_assignment(request.user, id)
    if request.method == "DELETE":
        give_back_ahead(found.rater, found.campaign)
        return HttpResponse(status=204)
    following = claim_ahead(rater=found.rater, campaign=found.campaign)
    return show_ahead(request, following) if following is not None else HttpResponse(status=204)


@require_POST
def flag(request: PersonRequest, id: uuid.UUID) -> HttpResponse:
    """Tell the manager that something is wrong with the task; the work goes on."""
    found = access_assignment(request.user, id)
    try:
        flag_task(assignment_id=id, rater=found.rater, note=request.POST.get("note", ""))
    except QueueError as error:
        return show_flag(request, found, error=str(error))
    return show_flag(request, found)


@never_cache
@require_POST
def reading(request: PersonRequest, campaign_id: uuid.UUID) -> HttpResponse:
    """The person has read the guidelines in force, or older ones; then the next task."""
    campaign = access_campaign(request.user, campaign_id)
    number = request.POST.get("number", "")
    version = campaign.guidelines.filter(number=int(number)).first() if number.isdecimal() else None
    if version is not None:
        acknowledge_guidelines(request.user, version)
    return show_next(request, rater_of(request.user), campaign)
