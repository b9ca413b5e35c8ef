from __future__ import annotations

import uuid

from django.db import transaction
from django.db.models import Count, Max, Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from feedback.access import (
    access_dataset,
    access_dataset_version,
    managed_campaigns,
    require_manager,
    visible_datasets,
)
from feedback.datasets.selection import SelectionInvalid
from feedback.forms import DatasetForm
from feedback.models import DatasetVersion
from feedback.services.dataset_zip import stream_zip
from feedback.services.freezing import create_dataset, start_version
from feedback.services.selection_counts import count_selection
from feedback.tasks import freeze_version
from feedback.views.dataset_page import selection_facts, version_context
from feedback.views.viewer import viewer

STOP_POLLING = 286
MOST_LISTED = 200


@require_GET
def dataset_list(request: HttpRequest) -> HttpResponse:
    user = viewer(request)
    frozen = Q(versions__status=DatasetVersion.Status.FROZEN)
    datasets = visible_datasets(user).annotate(
        n_frozen=Count("versions", filter=frozen), last_frozen=Max("versions__frozen_at")
    )
    context = {
        "datasets": datasets.order_by("-created_at").prefetch_related("campaigns", "versions")[:MOST_LISTED],
        "has_campaigns": managed_campaigns(user).exists(),
    }
    return render(request, "feedback/dataset_list.html", context)


@require_http_methods(["GET", "POST"])
def dataset_new(request: HttpRequest) -> HttpResponse:
    user = viewer(request)
    require_manager(user)
    if request.method == "GET":
        form = DatasetForm(user=user, initial={"campaigns": request.GET.getlist("campaign")})
        return render(request, "feedback/dataset_new.html", {"form": form})
    form = DatasetForm(request.POST, user=user)
    if form.is_valid() and _finds_something(form):
        try:
            dataset = create_dataset(name=form.cleaned_data["name"], selection=form.selection(), actor=user)
        except SelectionInvalid as error:
            form.refuse(error)
        else:
            version = start_version(dataset, actor=user)
            _send(version)
            return redirect("feedback:dataset-version", version.pk)
    return render(request, "feedback/dataset_new.html", {"form": form}, status=422)


def _finds_something(form: DatasetForm) -> bool:
    """A selection that finds no judgement is refused here; the figures beside the form say why."""
    selection = form.selection()
    if count_selection(selection["campaigns"], selection["rater_kinds"]).usable:
        return True
    form.add_error(None, _("This selection finds no judgement that may be used: choose other raters or campaigns."))
    return False


@require_GET
def dataset_new_counts(request: HttpRequest) -> HttpResponse:
    """What the campaigns chosen so far hold; campaigns of others are as if they were not named."""
    chosen = [id for id in map(_uuid_of, request.GET.getlist("campaigns")) if id]
    mine = list(managed_campaigns(viewer(request)).filter(pk__in=chosen).values_list("pk", flat=True))
    counts = count_selection(mine, request.GET.getlist("rater_kinds")) if mine else None
    return render(request, "feedback/dataset_new.html#counts", {"counts": counts})


def _send(version: DatasetVersion) -> None:
    """Ask a worker to freeze it; should the message be lost, `resume_freezing` asks again."""
    transaction.on_commit(lambda: freeze_version.delay(str(version.pk)), robust=True)


def _uuid_of(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


@require_GET
def dataset_detail(request: HttpRequest, dataset: uuid.UUID) -> HttpResponse:
    found = access_dataset(viewer(request), dataset)
    versions = found.versions.select_related("created_by").order_by("-number")
    context = {
        "dataset": found,
        "versions": versions,
        "campaigns": found.campaigns.order_by("name"),
        "facts": selection_facts(found.selection),
    }
    return render(request, "feedback/dataset_detail.html", context)


@require_POST
def dataset_versions(request: HttpRequest, dataset: uuid.UUID) -> HttpResponse:
    """A new version of the same selection, as the record stands now."""
    user = viewer(request)
    version = start_version(access_dataset(user, dataset), actor=user)
    _send(version)
    return redirect("feedback:dataset-version", version.pk)


@require_GET
def dataset_version(request: HttpRequest, version: uuid.UUID) -> HttpResponse:
    found = access_dataset_version(viewer(request), version)
    return render(request, "feedback/dataset_version.html", version_context(found))


@require_GET
def dataset_version_state(request: HttpRequest, version: uuid.UUID) -> HttpResponse:
    """The part of the page that changes, polled every second until the version is frozen or failed."""
    found = access_dataset_version(viewer(request), version)
    waits = found.status == DatasetVersion.Status.FREEZING
    context = {**version_context(found), "polled": True}
    template = "feedback/dataset_version.html#state"
    return render(request, template, context, status=200 if waits else STOP_POLLING)


@require_GET
def dataset_download(request: HttpRequest, version: uuid.UUID) -> HttpResponseBase:
    """The whole folder as a zip, streamed."""
    found = access_dataset_version(viewer(request), version)
    if found.status != DatasetVersion.Status.FROZEN:
        raise Http404("This version is not frozen.")
    name = f"{slugify(found.dataset.name) or 'dataset'}-v{found.number}"
    response = StreamingHttpResponse(stream_zip(found, name), content_type="application/zip")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    response.headers["ETag"] = f'"{found.sha256}"'
    return response
