"""The manager's pages of a campaign."""

from __future__ import annotations

import uuid
from typing import Any, cast

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.campaigns import overview
from annotation.campaigns.forms import MemberForm
from feedback.access import MANAGER, REVIEWER, access_campaign, manages
from feedback.exceptions import WrongState
from feedback.models import Campaign, User
from feedback.services.agreement import campaign_agreement
from feedback.services.campaigns import set_role

PAGE = 50


def _person(request: HttpRequest) -> User:
    return cast(User, request.user)


def campaign_list(request: HttpRequest) -> HttpResponse:
    """Every campaign the person manages or reviews, with its progress."""
    campaigns = Campaign.objects.with_role(_person(request), MANAGER, REVIEWER).order_by("-created_at")
    page = Paginator(campaigns, PAGE).get_page(request.GET.get("page"))
    progress = overview.progress_by_campaign(page.object_list)
    rows = [(campaign, progress[campaign.pk]) for campaign in page.object_list]
    return render(request, "annotation/campaign_list.html", {"rows": rows, "page": page})


def campaign_detail(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """How a campaign stands: progress, raters, agreement, what was answered.  Reviewers see it without the buttons."""
    found = access_campaign(_person(request), campaign, MANAGER, REVIEWER)
    context = {
        **_figures(found),
        "datasets": overview.datasets_of(found),
        "absences": overview.absences_of(found),
        "events": overview.events_of(found),
        "ready": overview.readiness_of(found) if found.status == Campaign.Status.DRAFT else None,
        "manages": manages(_person(request), found),
    }
    return render(request, "annotation/campaign_detail.html", context)


def campaign_agreement_table(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """Krippendorff's alpha per question: one pass over every judgement, so the page does not wait for it."""
    found = access_campaign(_person(request), campaign, MANAGER, REVIEWER)
    agreed = campaign_agreement(found)
    questions = found.form.questions if found.form else ()
    rows = [(question.spec.title, agreed[question.key]) for question in questions if question.key in agreed]
    return render(request, "annotation/campaign_detail.html#agreement", {"campaign": found, "rows": rows})


def campaign_figures(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """The part of the page that changes while people work; polled while the campaign is active."""
    found = access_campaign(_person(request), campaign, MANAGER, REVIEWER)
    status = 200 if found.is_open else 286
    return render(request, "annotation/campaign_detail.html#figures", _figures(found), status=status)


def _figures(campaign: Campaign) -> dict[str, Any]:
    return {
        "campaign": campaign,
        "progress": overview.progress_of(campaign),
        "raters": overview.raters_of(campaign),
    }


def campaign_members(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """Who may do what here.  Somebody who leaves is switched off; their judgements stay."""
    found = access_campaign(_person(request), campaign, MANAGER)
    form = MemberForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        user, role = form.cleaned_data["username"], form.cleaned_data["role"]
        try:
            set_role(found, user, role, actor=_person(request), active="remove" not in request.POST)
            return redirect("annotation:campaign-members", found.pk)
        except WrongState as error:
            form.add_error(None, str(error))
    members = found.memberships.select_related("user").order_by("-is_active", "role", "user__username")
    context = {"campaign": found, "form": form, "members": members}
    return render(request, "annotation/campaign_members.html", context, status=422 if form.is_bound else 200)
