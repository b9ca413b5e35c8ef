"""Moving a campaign through its states, one noun each."""

from __future__ import annotations

import uuid
from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.services import open_campaign
from feedback.access import MANAGER, access_campaign
from feedback.exceptions import WrongState
from feedback.models import Campaign, User
from feedback.services.campaigns import move_campaign

NOUNS = {
    "pause": Campaign.Status.PAUSED,
    "closure": Campaign.Status.CLOSED,
    "archive": Campaign.Status.ARCHIVED,
}


@require_POST
def campaign_activation(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """Open it for claims; verifiers answer at once."""
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    try:
        open_campaign(found, actor=user)
    except WrongState as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Open: people can label now."))
    return redirect("annotation:campaign-detail", found.pk)


@require_POST
def campaign_state(request: HttpRequest, campaign: uuid.UUID, noun: str) -> HttpResponse:
    """Pause, close or archive.  Leases held now may still be submitted."""
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    try:
        move_campaign(found, NOUNS[noun], actor=user)
    except WrongState as error:
        messages.error(request, str(error))
    return redirect("annotation:campaign-detail", found.pk)
