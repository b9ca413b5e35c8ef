"""The builder: questions are edited in a form, the annotator's screen stands beside it, publishing makes a version."""

from __future__ import annotations

import json
import uuid
from typing import Any, cast

from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.campaigns.builder.board import Sent, cards_of, find_outcome, first_condition, read_sent, text_of
from annotation.campaigns.builder.edits import edit_questions
from annotation.campaigns.builder.framing import holds_frame, in_frame
from annotation.campaigns.builder.preview import preview_questions
from annotation.campaigns.builder.publishing import publish_questions
from annotation.campaigns.builder.versions import compare_forms
from annotation.campaigns.making import opener
from annotation.campaigns.presets import PRESETS, questions_of
from feedback.access import MANAGER, access_campaign
from feedback.exceptions import WrongState
from feedback.models import Campaign, FormVersion, User
from feedback.questions.registry import KINDS

PAGE = "annotation/campaign_questions.html"


def _campaign(request: HttpRequest, id: uuid.UUID) -> Campaign:
    return access_campaign(cast(User, request.user), id, MANAGER)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else None


@holds_frame
@require_http_methods(["GET", "POST"])
def campaign_questions(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """The builder with the form in force; a POST publishes what was made of it."""
    found = _campaign(request, campaign)
    if request.method == "POST":
        return _publish(request, found)
    form = found.form
    sent = Sent(list(form.questions_raw) if form else [], str(form.time_limit or "") if form else "")
    return render(request, PAGE, _board(request, found, sent))


def _publish(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    sent = read_sent(request.POST)
    outcome = find_outcome(campaign, sent, thorough=True)
    said = ""
    if not outcome.wrongs and not outcome.is_changed:
        messages.info(request, _("Nothing was changed: form %(n)d stays in force.") % {"n": outcome.number - 1})
        return redirect("annotation:campaign-questions", campaign.pk)
    if not outcome.wrongs and (not outcome.unasked or "withdraw" in request.POST):
        try:
            base = _number(request.POST.get("base")) or 0
            how: dict[str, Any] = {"base": base, "time_limit": sent.seconds, "withdraw": outcome.unasked.ids}
            form = publish_questions(campaign, sent.questions, actor=cast(User, request.user), **how)
        except WrongState as error:
            campaign = _campaign(request, campaign.pk)
            said = str(error)
        else:
            messages.success(request, _("Form %(n)d is in force.") % {"n": form.number})
            return redirect("annotation:campaign-questions", campaign.pk)
    context = _board(request, campaign, sent, said=said, outcome=outcome, is_refused=True)
    return render(request, PAGE, context, status=422)


@holds_frame
@require_POST
def campaign_questions_draft(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """What is in the form now: checked and shown, or changed by a button (`do`).  Nothing is stored."""
    found = _campaign(request, campaign)
    sent, command = read_sent(request.POST), request.POST.get("do", "")
    context = _after(request, found, sent, command)
    if not request.headers.get("HX-Request"):
        return render(request, PAGE, context)
    return render(request, f"{PAGE}#{'edited' if command else 'checked'}", context)


def _after(request: HttpRequest, campaign: Campaign, sent: Sent, command: str) -> dict[str, Any]:
    """The board after one of its buttons was pressed."""
    before = sent.questions
    if command == "json" and not sent.as_json:
        return _board(request, campaign, Sent(before, sent.time_limit, True), focus="json")
    if command == "form" and sent.as_json:
        outcome = find_outcome(campaign, sent)
        if any(wrong.field != "time_limit" for wrong in outcome.wrongs):
            return _board(request, campaign, sent, focus="json", outcome=outcome)
        return _board(request, campaign, Sent(before, sent.time_limit))
    if command == "undo":
        return _board(request, campaign, Sent(_removed(request) or before, sent.time_limit), focus="add-question")
    if not command or sent.as_json:
        return _board(request, campaign, sent)
    questions, focus = edit_questions(before, command)
    first_condition(questions)
    opened = [question["key"] for question in questions if question not in before] if command[:4] == "add:" else []
    undo = before if command.startswith(("remove:", "row-remove:")) else None
    changed = Sent(questions, sent.time_limit)
    return _board(request, campaign, changed, focus=focus, undo=undo, opened=opened)


def _removed(request: HttpRequest) -> list[dict[str, Any]]:
    """The questions before something was removed, as the page kept them."""
    try:
        kept = json.loads(request.POST.get("before", ""))
    except ValueError:
        return []
    is_form = isinstance(kept, list) and all(isinstance(one, dict) and isinstance(one.get("key"), str) for one in kept)
    return kept if is_form else []


def _board(request: HttpRequest, campaign: Campaign, sent: Sent, **more: Any) -> dict[str, Any]:
    """Everything the page shows.  more: focus, undo, opened, said, outcome, is_refused."""
    outcome = more.pop("outcome", None) or find_outcome(campaign, sent)
    posted = request.POST
    kept = set(posted.getlist("opened")) if "base" in posted else None
    opened = kept if kept is None else kept | set(more.pop("opened", []))
    tried = {name: values for name, values in posted.lists() if name.startswith("q.")}
    at = _number(posted.get("go")) if "go" in posted else _number(posted.get("at"))
    size = _number(posted.get("resize") or posted.get("size"))
    preview = None
    if not outcome.wrongs:
        how: dict[str, Any] = {"at": at or 0, "size": size, "values": tried, "time_limit": sent.seconds}
        preview = preview_questions(campaign, sent.questions, **how)
    return {
        "campaign": campaign,
        "sent": sent,
        "cards": [] if sent.as_json else cards_of(sent.questions, outcome.wrongs, opened),
        "outcome": outcome,
        "errors": {wrong.field: wrong.message for wrong in outcome.wrongs},
        "preview": preview,
        "screen": preview.screen if preview else None,
        "draft_url": reverse("annotation:campaign-questions-draft", args=[campaign.pk]),
        "views": [("form", _("Form")), ("json", _("JSON"))],
        "kinds": [(kind.name, kind.title) for kind in KINDS.values()],
        "json_text": text_of(sent) if sent.as_json else "",
        "base": campaign.form.number if campaign.form else 0,
        "undo": json.dumps(more.pop("undo")) if more.get("undo") else "",
        **more,
    }


@in_frame
@require_GET
def campaign_questions_screen(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """The frame in which the preview stands: the form in force, which the builder replaces."""
    found = _campaign(request, campaign)
    form = found.form
    raw = form.questions_raw if form else []
    preview = preview_questions(found, raw, time_limit=form.time_limit if form else None)
    context = {"campaign": found, "preview": preview, "screen": preview.screen}
    return render(request, "annotation/builder/screen.html", context)


@in_frame
@require_GET
def preset_screen(request: HttpRequest) -> HttpResponse:
    """What people would see of a preset (`?preset=`), with a sample."""
    opener(request)
    preset = PRESETS.get(request.GET.get("preset", "pairwise-3"))
    if preset is None:
        raise Http404("No such preset.")
    size = 4 if "ranking" in preset.kinds else 1 if preset.time_limit or preset.name == "thumbs" else 2
    preview = preview_questions(None, questions_of(preset), size=size, time_limit=preset.time_limit)
    context = {"preview": preview, "screen": preview.screen, "preset": preset}
    return render(request, "annotation/builder/screen.html", context)


@require_GET
def campaign_forms(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """The form's versions, how many judgements name each, and what differs between two."""
    found = _campaign(request, campaign)
    forms = list(found.forms.select_related("created_by").order_by("-number")[:100])
    counts = _judgements_by_form(found)
    by_number = {form.number: form for form in forms}
    after = by_number.get(_number(request.GET.get("to")) or 0) or (forms[0] if forms else None)
    before = by_number.get(_number(request.GET.get("from")) or 0) or _before(forms, after)
    context = {
        "campaign": found,
        "forms": [(form, counts.get(form.pk, 0)) for form in forms],
        "before": before,
        "after": after,
        "changes": compare_forms(before, after) if before and after and before != after else [],
    }
    return render(request, "annotation/campaign_forms.html", context)


def _before(forms: list[FormVersion], form: FormVersion | None) -> FormVersion | None:
    return next((one for one in forms if form and one.number < form.number), None)


def _judgements_by_form(campaign: Campaign) -> dict[int, int]:
    rows = campaign.judgements.filter(is_current=True).values_list("form").annotate(n=Count("pk")).order_by()
    return {form: n for form, n in rows if form is not None}
