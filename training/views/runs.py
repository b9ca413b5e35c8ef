from __future__ import annotations

import uuid
from pathlib import Path
from typing import IO

from django.conf import settings
from django.contrib import messages
from django.core.files import File
from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from feedback.exceptions import WrongState
from training.access import access_run, visible_runs, visible_versions
from training.launcher import LOG
from training.models import Run
from training.services.runs import cancel_run, resume_run, retry_run
from training.services.train_extra import train_extra
from training.views.polling import poll_answer
from training.views.run_page import live_context, live_etag, page_context
from training.views.viewer import viewer

MOST_LISTED = 200


@require_GET
def run_list(request: HttpRequest) -> HttpResponse:
    user = viewer(request)
    runs = visible_runs(user).prefetch_related("checkpoints__evaluations")[:MOST_LISTED]
    context = {"runs": runs, "has_versions": visible_versions(user).exists(), "extra": train_extra()}
    return render(request, "training/run_list.html", context)


@require_GET
def run_detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    run = access_run(viewer(request), id)
    context = {**page_context(run, viewer(request)), "seen": live_etag(run).strip('"')}
    return render(request, "training/run_detail.html", context)


@require_GET
def run_live(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The part of the run page that changes, polled every one and a half seconds until the run has ended."""
    run = access_run(viewer(request), id)
    template = "training/run_detail.html#live"
    return poll_answer(
        request, template, lambda: live_context(run, viewer(request)), etag=live_etag(run), live=run.is_live
    )


@require_POST
def run_cancellation(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    run = access_run(viewer(request), id)
    try:
        cancel_run(run, actor=viewer(request))
    except WrongState as error:
        messages.warning(request, str(error))
    return redirect("training:run-detail", run.pk)


@require_POST
def run_resumption(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    run = access_run(viewer(request), id)
    try:
        resume_run(run, actor=viewer(request))
    except WrongState as error:
        messages.warning(request, str(error))
    return redirect("training:run-detail", run.pk)


@require_POST
def run_repetition(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The same run from the beginning."""
    run = access_run(viewer(request), id)
    try:
        retry_run(run, actor=viewer(request))
    except WrongState as error:
        messages.warning(request, str(error))
    return redirect("training:run-detail", run.pk)


@require_GET
def run_log(request: HttpRequest, id: uuid.UUID) -> FileResponse:
    """The whole log: from the storage once the run has ended, else from this machine when it trains here."""
    run = access_run(viewer(request), id)
    return FileResponse(_open_log(run), filename=f"{run.pk}.log", content_type="text/plain; charset=utf-8")


def _open_log(run: Run) -> IO[bytes] | File[bytes]:
    stored = f"checkpoints/{run.pk}/{LOG}"
    if default_storage.exists(stored):
        return default_storage.open(stored, "rb")
    local = Path(settings.RUNS_ROOT) / (run.directory or str(run.pk)) / LOG
    if local.is_file():
        return local.open("rb")
    raise Http404(_("The log lies on the machine that trains, and comes here when the run has ended."))
