import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from feedback.access import MANAGER, access_campaign
from training.services.lineage import lineage_of
from training.views.viewer import viewer


@require_GET
def campaign_lineage(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """A fragment for the campaign's page, which may not know of training: where it came from, what came of it."""
    campaign = access_campaign(viewer(request), id, MANAGER)
    return render(request, "training/_lineage.html", {"stages": lineage_of(campaign, viewer(request))})
