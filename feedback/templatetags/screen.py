"""Template tags that every screen may use (registered as builtins in settings)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django import template
from django.forms import BoundField, CheckboxSelectMultiple, RadioSelect
from django.http import HttpRequest
from django.template.context import Context
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, get_language_bidi
from django.utils.translation import gettext_lazy as _

from feedback import shortcuts
from feedback.models import Membership
from feedback.questions.registry import KINDS
from feedback.rendering import render_markdown

register = template.Library()

# What a manager moves between; a page that is not installed is left out.
PLACES = (
    ("annotation:campaign-list", _("Campaigns")),
    ("feedback:dataset-list", _("Datasets")),
    ("training:run-list", _("Runs")),
    ("training:round-list", _("Rounds")),
)
TONES = {
    "ok": {"active", "frozen", "succeeded", "passed", "admitted", "promoted"},
    "info": {"running", "starting", "freezing", "queued", "leased", "submitted"},
    "warn": {"paused", "cancelled", "stopping", "parked", "expired", "skipped"},
    "bad": {"failed", "refused", "withdrawn"},
}


@register.simple_tag
def icon(name: str) -> SafeString:
    """A picture from the sprite; it says nothing to a screen reader, so words stand beside it."""
    source = static("img/icons.svg")
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>', source, name)


@register.simple_tag
def badge(status: str, words: str = "") -> SafeString:
    """A state in words, toned by what it means."""
    tone = next((f" badge-{tone}" for tone, states in TONES.items() if status in states), "")
    return format_html('<span class="badge{}">{}</span>', tone, words or status)


@register.simple_tag
def markdown(text: str) -> SafeString:
    """Text a person or a model wrote, as sanitised HTML."""
    return render_markdown(text).html


@register.simple_tag(takes_context=True)
def own_keys(context: Context) -> str:
    """The person's own keys as JSON, escaped for an attribute: {declared key: own key}."""
    keys = shortcuts.own_keys(getattr(context.get("user"), "shortcut_keys", None))
    return json.dumps(keys) if keys else ""


@register.simple_tag
def screen_language() -> str:
    return get_language() or "en"


@register.simple_tag
def screen_direction() -> str:
    return "rtl" if get_language_bidi() else "ltr"


def _manages(user: Any) -> bool:
    """Whether there is anything for this person beyond labelling."""
    roles = (Membership.Role.MANAGER, Membership.Role.REVIEWER)
    own = Membership.objects.filter(user_id=user.pk, is_active=True, role__in=roles)
    return bool(user.opens_campaigns or own.exists())


def _entries(request: HttpRequest) -> Iterator[tuple[str, Any, bool]]:
    home = reverse("feedback:home")
    yield home, _("Home"), request.path == home
    if not _manages(request.user):
        return
    for name, words in PLACES:
        try:
            url = reverse(name)
        except NoReverseMatch:
            continue
        yield url, words, request.path.startswith(url)


@register.inclusion_tag("components/main_nav.html", takes_context=True)
def main_nav(context: Context) -> dict[str, Any]:
    request = context.get("request")
    return {"entries": list(_entries(request)) if request else []}


@register.inclusion_tag("components/field.html")
def field(bound: BoundField) -> dict[str, Any]:
    """A form field with label, help, error and the aria that ties them together."""
    described = [f"{bound.auto_id}-help"] if bound.help_text else []
    attrs: dict[str, str | bool] = {"aria-describedby": " ".join([*described, f"{bound.auto_id}-error"])}
    if bound.errors:
        attrs["aria-invalid"] = "true"
    grouped = isinstance(bound.field.widget, RadioSelect | CheckboxSelectMultiple)
    if grouped:
        attrs = {"class": "choices"}
    return {"field": bound, "control": bound.as_widget(attrs=attrs), "grouped": grouped}


@register.simple_tag
def kind_scripts() -> list[str]:
    """The scripts that question kinds bring, each once."""
    return list(dict.fromkeys(script for kind in KINDS.values() for script in kind.scripts))


@register.filter
def has_slot(errors: Mapping[str, str], slot: str) -> bool:
    """Whether an error is said in this slot."""
    return bool(errors.get(slot))


@register.filter
def of_response(rows: Mapping[str, Any], response: str) -> Any:
    """What a question shows beside one response."""
    return rows.get(response, ())


@register.simple_tag
def error_slot(screen: Any, slot: str) -> SafeString:
    """The place where the error of a field path is said; a refused post fills it and leaves the fields alone."""
    message = screen.errors.get(slot, "")
    return format_html('<p class="field-error" id="error.{}" data-error-slot>{}</p>', slot, message)
