import uuid
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from feedback.exceptions import WrongState
from training.access import access_checkpoint, access_round, visible_rounds
from training.exceptions import SettingsInvalid, SourceInvalid
from training.forms import RoundForm
from training.models import Checkpoint, Round
from training.services.rounds import cancel_round, open_round, resume_round, store_source
from training.services.train_extra import train_extra
from training.views.polling import poll_answer
from training.views.round_page import live_context, live_etag
from training.views.viewer import viewer


@require_GET
def round_list(request: HttpRequest) -> HttpResponse:
    context = {"rounds": visible_rounds(viewer(request)), "extra": train_extra()}
    return render(request, "training/round_list.html", context)


@require_http_methods(["GET", "POST"])
def round_new(request: HttpRequest, id: int) -> HttpResponse:
    """Open a round with a promoted checkpoint."""
    checkpoint = access_checkpoint(viewer(request), id)
    initial = {"name": _("Round after %(run)s") % {"run": checkpoint.run}}
    form = RoundForm(request.POST or None, request.FILES or None, initial=initial)
    if request.method == "POST" and form.is_valid() and (round := _open(request, checkpoint, form)):
        return redirect("training:round-detail", round.pk)
    context = {"form": form, "checkpoint": checkpoint, "run": checkpoint.run, "extra": train_extra()}
    return render(request, "training/round_new.html", context, status=422 if form.errors else 200)


def _open(request: HttpRequest, checkpoint: Checkpoint, form: RoundForm) -> Round | None:
    """None, with the form's errors set, when the source or a number cannot be used."""
    values = form.cleaned_data
    try:
        source: dict[str, Any] = form.sample_source()
        if values["kind"] == "file":
            source = store_source(values["file"], Path(values["file"].name).name)
        return open_round(
            checkpoint=checkpoint,
            source=source,
            n_pairs=values["n_pairs"],
            name=values["name"],
            actor=viewer(request),
        )
    except SourceInvalid as error:
        form.add_error("file", str(error))
    except SettingsInvalid as error:
        form.add_error(error.field if error.field in form.fields else None, error.message)
    except WrongState as error:
        form.add_error(None, str(error))
    return None


@require_GET
def round_detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    round = access_round(viewer(request), id)
    context = {**live_context(round, viewer(request)), "seen": live_etag(round).strip('"')}
    return render(request, "training/round_detail.html", context)


@require_GET
def round_live(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The part of the round page that changes, polled until the round has ended."""
    round = access_round(viewer(request), id)
    template = "training/round_detail.html#live"
    return poll_answer(
        request, template, lambda: live_context(round, viewer(request)), etag=live_etag(round), live=round.is_live
    )


@require_POST
def round_cancellation(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    round = access_round(viewer(request), id)
    try:
        cancel_round(round, actor=viewer(request))
    except WrongState as error:
        messages.warning(request, str(error))
    return redirect("training:round-detail", round.pk)


@require_POST
def round_resumption(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    round = access_round(viewer(request), id)
    try:
        resume_round(round, actor=viewer(request))
    except WrongState as error:
        messages.warning(request, str(error))
    return redirect("training:round-detail", round.pk)
