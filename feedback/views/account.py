"""Logging in again beside unsaved work, and a person's own settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from feedback.models import User
from feedback.shortcuts import DECLARED, GROUPS, own_keys, read_keys


class SettingsForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    class Meta:
        model = User
        fields = ["theme", "shortcuts"]
        widgets = {"theme": forms.RadioSelect}
        labels = {"theme": gettext_lazy("Colours")}
        help_texts = {
            "shortcuts": gettext_lazy(
                "One key answers, skips or submits. Switch this off if your software sends keys by itself."
            )
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["theme"].choices = User.Theme.choices  # type: ignore[attr-defined]


@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Colours, shortcuts and keys of one's own, for the person who is logged in."""
    user = cast(User, request.user)
    which = request.POST.get("save", "settings") if request.method == "POST" else ""
    form = SettingsForm(request.POST if which == "settings" else None, instance=user)
    posted = {declared: request.POST.get(f"key.{declared}", "") for declared in DECLARED} if which == "keys" else None
    keys, errors = read_keys(posted) if posted is not None else ({}, {})
    if which == "settings" and form.is_valid():
        form.instance.save(update_fields=["theme", "shortcuts"])
    elif which in ("keys", "own-keys-reset") and not errors:
        user.shortcut_keys = keys
        user.save(update_fields=["shortcut_keys"])
    refused = bool(form.errors or errors)
    if which and not refused:
        messages.success(request, _("Your settings are saved."))
        return redirect("feedback:account")
    held = posted if posted is not None else own_keys(user.shortcut_keys)
    context = {"form": form, "groups": _key_rows(held, errors), "refused_keys": errors}
    return render(request, "feedback/account.html", context, status=422 if refused else 200)


def _key_rows(held: Mapping[str, str], errors: Mapping[str, str]) -> list[tuple[Any, list[dict[str, Any]]]]:
    """By group: each command with its key, what is in its field, and what is wrong with that."""
    return [
        (
            group.title,
            [
                {"key": key, "does": does, "own": held.get(key, ""), "error": errors.get(key, "")}
                for key, does in group.commands
            ],
        )
        for group in GROUPS
    ]


@login_not_required
@never_cache
@require_http_methods(["GET", "POST"])
def login_again(request: HttpRequest) -> HttpResponse:
    """A login form as a fragment, for a page whose session or CSRF token went stale.

    Success answers with the event `touchstone:logged-in`, which carries the new token: the page puts it into its
    forms, and nothing that was typed is touched.
    """
    if request.method == "GET":
        if request.user.is_authenticated:
            return _logged_in(request, request.user)
        return render(request, "feedback/login_expired.html")
    form = AuthenticationForm(request, request.POST)
    if not form.is_valid():
        return render(request, "feedback/login_expired.html", {"form": form}, status=422)
    user = form.get_user()
    login(request, user)
    return _logged_in(request, user)


def _logged_in(request: HttpRequest, user: Any) -> HttpResponse:
    detail = {"token": get_token(request), "user": str(user.uid)}
    return HttpResponse(status=204, headers={"HX-Trigger": json.dumps({"touchstone:logged-in": detail})})
