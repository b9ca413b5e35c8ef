"""Invitation links: the manager's list, and the page that a link leads to."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, cast

from django import forms
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import BaseUserCreationForm
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from feedback.access import MANAGER, access_campaign
from feedback.models import Invitation, Membership, User
from feedback.services.invitations import (
    MOST_DAYS,
    MOST_USES,
    InvitationUnusable,
    find_invitation,
    invite,
    redeem,
    revoke,
)

BACKEND = "django.contrib.auth.backends.ModelBackend"

if TYPE_CHECKING:
    SignUpBase = BaseUserCreationForm[User]
else:
    SignUpBase = BaseUserCreationForm  # generic in the stubs only


class InvitationForm(forms.Form):
    role = forms.ChoiceField(
        label=gettext_lazy("Role"), choices=Membership.Role.choices, initial=Membership.Role.ANNOTATOR
    )
    n_uses = forms.IntegerField(label=gettext_lazy("For how many people"), min_value=1, max_value=MOST_USES, initial=1)
    days = forms.IntegerField(label=gettext_lazy("Good for days"), min_value=1, max_value=MOST_DAYS, initial=7)
    note = forms.CharField(
        label=gettext_lazy("Note"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("For you: whom it is for.  Nobody else sees it."),
    )


class SignUpForm(SignUpBase):
    """An account for somebody who was invited."""

    class Meta(BaseUserCreationForm.Meta):
        model = User
        fields = ("username",)


@never_cache
@require_http_methods(["GET", "POST"])
def campaign_invitations(request: HttpRequest, campaign: uuid.UUID) -> HttpResponse:
    """The links of a campaign; a new one is shown in full once, right after it was made."""
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    form = InvitationForm(request.POST or None)
    link = ""
    if request.method == "POST" and form.is_valid():
        _invitation, token = invite(found, actor=user, **form.cleaned_data)
        link = request.build_absolute_uri(reverse("annotation:invitation", args=[token]))
    context = {"campaign": found, "form": form, "link": link, "invitations": found.invitations.all()[:100]}
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "annotation/campaign_invitations.html", context, status=status)


@require_POST
def invitation_revocation(request: HttpRequest, campaign: uuid.UUID, id: uuid.UUID) -> HttpResponse:
    user = cast(User, request.user)
    found = access_campaign(user, campaign, MANAGER)
    meant = Invitation.objects.filter(pk=id, campaign=found).select_related("campaign").first()
    if meant is None:
        raise Http404("No such invitation.")
    revoke(meant, actor=user)
    messages.success(request, _("Withdrawn: nobody joins by this link any more."))
    return redirect("annotation:campaign-invitations", found.pk)


@never_cache
@login_not_required
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Join by a link: log in and say yes, or make an account.  A link that cannot be used says why."""
    try:
        found = find_invitation(token)
    except InvitationUnusable as error:
        return render(request, "annotation/invitation.html", {"refusal": str(error)}, status=410)
    form = None if request.user.is_authenticated else SignUpForm(request.POST or None)
    if request.method == "POST" and (form is None or form.is_valid()):
        try:
            return _join(request, token, form)
        except InvitationUnusable as error:
            return render(request, "annotation/invitation.html", {"refusal": str(error)}, status=410)
    context = {"invitation": found, "campaign": found.campaign, "form": form, "path": request.path}
    return render(request, "annotation/invitation.html", context, status=422 if form and form.errors else 200)


def _join(request: HttpRequest, token: str, form: SignUpForm | None) -> HttpResponse:
    """An account that is made here and the use of the link stand or fall together."""
    with transaction.atomic():
        user = form.save() if form is not None else cast(User, request.user)
        membership = redeem(token, user)
    if form is not None:
        login(request, user, backend=BACKEND)
    messages.success(request, _("Welcome to “%(name)s”.") % {"name": membership.campaign.name})
    return redirect("feedback:home")
