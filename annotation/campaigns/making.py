"""A new campaign: from a preset, or with the questions of another one."""

from __future__ import annotations

import uuid
from typing import Any, cast

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.campaigns.forms import NewCampaignForm
from annotation.campaigns.presets import FAMILIES, PRESETS, questions_of
from feedback.access import MANAGER, access_campaign
from feedback.models import User
from feedback.services.campaigns import create_campaign

TAKEN_OVER = ("overlap", "quota", "rater_quota", "max_leases", "lease_seconds", "undo_seconds", "park_after_skips")
"""Settings that a campaign made from another one begins with."""


def opener(request: HttpRequest) -> User:
    user = cast(User, request.user)
    if not user.opens_campaigns:
        raise PermissionDenied(_("Opening campaigns needs a permission; ask an administrator for it."))
    return user


def campaign_new(request: HttpRequest) -> HttpResponse:
    """Choose a preset; its questions and guidelines can be edited on the pages that follow."""
    user = opener(request)
    form = NewCampaignForm(request.POST or None, initial={"overlap": 1, "preset": "pairwise-3"})
    if request.method == "POST" and form.is_valid():
        given: dict[str, Any] = dict(form.cleaned_data)
        preset = PRESETS[given.pop("preset")]
        questions = questions_of(preset)
        how: dict[str, Any] = {"guidelines": preset.guidelines, "time_limit": preset.time_limit}
        campaign = create_campaign(actor=user, questions=questions, **how, **given)
        messages.success(request, _("Campaign made, as a draft. Look at its questions, then import its tasks."))
        return redirect("annotation:campaign-questions", campaign.pk)
    chosen = form["preset"].value()
    context = {"form": form, "families": FAMILIES, "chosen": chosen}
    return render(request, "annotation/campaign_new.html", context, status=422 if form.is_bound else 200)


@require_POST
def campaign_copy(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """A draft with this campaign's questions, guidelines and settings; neither its tasks nor its people."""
    user = opener(request)
    found = access_campaign(user, campaign, MANAGER)
    form, guideline = found.form, found.guideline
    made = create_campaign(
        actor=user,
        name=_("Copy of %(name)s") % {"name": found.name[:180]},
        description=found.description,
        questions=form.questions_raw if form else [],
        time_limit=form.time_limit if form else None,
        guidelines=guideline.text if guideline else "",
        **{name: getattr(found, name) for name in TAKEN_OVER},
    )
    messages.success(request, _("A draft with the same questions, guidelines and settings. Give it a name and tasks."))
    return redirect("annotation:campaign-settings", made.pk)
