"""What a manager changes while people work: the settings and the guidelines."""

from __future__ import annotations

import uuid
from typing import Any, cast

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from annotation.campaigns.forms import CampaignSettingsForm, GuidelinesForm
from annotation.workbench.guidelines import changes_between
from feedback.access import MANAGER, access_campaign
from feedback.models import Campaign, GuidelineReading, GuidelineVersion, User
from feedback.services.campaigns import change_campaign, publish_guidelines

GROUPS = (
    (gettext_lazy("What people see"), ("name", "description")),
    (gettext_lazy("How many answers"), ("overlap", "quota", "rater_quota")),
    (gettext_lazy("Time"), ("time_limit", "lease_seconds", "undo_seconds")),
    (gettext_lazy("Tasks at hand"), ("max_leases", "park_after_skips")),
)
MANY = 50


def campaign_settings(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    limit = found.form.time_limit if found.form else None
    form = CampaignSettingsForm(
        request.POST or None, instance=Campaign.objects.get(pk=found.pk), initial={"time_limit": limit}
    )
    if request.method == "POST" and form.is_valid():
        try:
            change_campaign(found, actor=user, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, _("Saved."))
            return redirect("annotation:campaign-settings", found.pk)
    groups = [(title, [form[name] for name in names]) for title, names in GROUPS]
    n_counted = found.judgements.filter(is_counted=True).count()
    context = {"campaign": found, "form": form, "groups": groups, "n_counted": n_counted}
    return render(request, "annotation/campaign_settings.html", context, status=422 if form.is_bound else 200)


def campaign_guidelines(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """The guidelines in force, how they look, and their versions; people are shown a change before their next task."""
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    text = found.guideline.text if found.guideline else ""
    form = GuidelinesForm(request.POST or None, initial={"text": text})
    if request.method == "POST" and form.is_valid():
        written = form.cleaned_data["text"].replace("\r\n", "\n")
        if written != text:
            version = publish_guidelines(found, written, actor=user)
            messages.success(request, _("Guidelines %(n)s are in force.") % {"n": version.number})
        return redirect("annotation:campaign-guidelines", found.pk)
    context = {
        "campaign": found,
        "form": form,
        "text": form["text"].value() or "",
        "versions": list(found.guidelines.order_by("-number")[:MANY]),
        "n_read": GuidelineReading.objects.filter(guideline=found.guideline).count(),
        **_compared(request, found),
    }
    return render(request, "annotation/campaign_guidelines.html", context, status=422 if form.is_bound else 200)


def _compared(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    """The difference to the version that `?with=` names, if it is one."""
    number = request.GET.get("with", "")
    other: GuidelineVersion | None = None
    if number.isascii() and number.isdigit() and len(number) < 9:
        other = campaign.guidelines.filter(number=int(number)).first()
    if other is None or campaign.guideline is None:
        return {}
    return {"other": other, "changes": list(changes_between(other.text, campaign.guideline.text))}


@require_POST
def campaign_guidelines_preview(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """What is being written, as annotators will see it."""
    found = access_campaign(cast(User, request.user), campaign, MANAGER)
    context = {"campaign": found, "text": request.POST.get("text", "")[:200_000]}
    return render(request, "annotation/campaign_guidelines.html#preview", context)
