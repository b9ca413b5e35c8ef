"""A manager gives a campaign its tasks: look at what the file would do, then do it."""

from __future__ import annotations

import uuid
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from annotation.services import send_verifiers
from feedback.access import MANAGER, access_campaign
from feedback.exceptions import FeedbackError
from feedback.forms import ImportForm
from feedback.importing.layouts.registry import LAYOUTS
from feedback.importing.report import ImportReport
from feedback.models import Campaign, User
from feedback.services.importing import import_tasks
from feedback.services.uploads import Upload, forget, keep_upload, opened, read_token

TEMPLATE = "annotation/campaign_imports.html"


@require_http_methods(["GET", "POST"])
def campaign_imports(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """First the file, tried and rolled back; then, by the token of what was tried, for good."""
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    if "token" in request.POST:
        return _import(request, found, user)
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    context: dict[str, Any] = {"campaign": found, "form": form, "layouts": LAYOUTS.values()}
    if request.method == "POST" and form.is_valid():
        context |= _try(found, form, user)
    bad = request.method == "POST" and "report" not in context
    return render(request, TEMPLATE, context, status=422 if bad else 200)


def _try(campaign: Campaign, form: ImportForm, user: User) -> dict[str, Any]:
    """The dry run's report, and the token under which the file is kept; {} with the form's error."""
    how = {name: form.cleaned_data[name] for name in ("layout", "format", "source", "judgements")}
    upload = keep_upload(campaign, form.cleaned_data["file"], **how)
    try:
        report = _run(campaign, upload, user, dry_run=True)
    except FeedbackError as error:
        forget(upload)
        form.add_error("file", str(error))
        return {}
    columns, raters = sorted(report.metadata_columns), sorted(report.raters)
    mended = sorted(report.mended.items())
    return {"report": report, "upload": upload, "columns": columns, "raters": raters, "mended": mended}


def _run(campaign: Campaign, upload: Upload, user: User, **mode: Any) -> ImportReport:
    with opened(upload) as file:
        return import_tasks(campaign, file, actor=user, **upload.options(), **mode)


def _import(request: HttpRequest, campaign: Campaign, user: User) -> HttpResponse:
    """Rows that the dry run refused are left out only if the person says so."""
    on_error = "skip" if "skip" in request.POST else "refuse"
    try:
        upload = read_token(campaign, request.POST["token"])
        report = _run(campaign, upload, user, on_error=on_error)
    except FeedbackError as error:
        messages.error(request, str(error))
        return redirect("annotation:campaign-imports", campaign.pk)
    forget(upload)
    if campaign.is_open:
        send_verifiers(campaign)
    messages.success(request, _said(report))
    return redirect("annotation:campaign-detail", campaign.pk)


def _said(report: ImportReport) -> str:
    if report.adds_nothing:
        return _("Everything in this file was here already: nothing was added.")
    tasks = ngettext("%(n)d task was added", "%(n)d tasks were added", report.n_tasks_added)
    judgements = ngettext("%(n)d judgement", "%(n)d judgements", report.n_judgements_added)
    return f"{tasks % {'n': report.n_tasks_added}}, {judgements % {'n': report.n_judgements_added}}."
