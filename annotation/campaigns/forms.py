"""The forms of the manager's pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.campaigns.presets import PRESETS
from feedback.models import Campaign, Membership, User

SHORTEST_LEASE = 30
"""Seconds; the database says so too (`campaign_lease_range`)."""
LONGEST = 7 * 24 * 3600
"""Seconds: a week, for whatever is counted in seconds."""

if TYPE_CHECKING:
    CampaignForm = forms.ModelForm[Campaign]
else:
    CampaignForm = forms.ModelForm  # generic in the stubs only


class NewCampaignForm(CampaignForm):
    """What is asked is chosen first; the rest has its own pages."""

    preset = forms.ChoiceField(
        label=_("What you ask"),
        choices=[(preset.name, preset.title) for preset in PRESETS.values()],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose what people are asked; everything can be changed afterwards.")},
    )

    class Meta:
        model = Campaign
        fields = ["name", "description", "overlap"]
        labels = {"overlap": _("People per task")}
        help_texts = {
            "name": _("People see it on their first page."),
            "description": _("One sentence for the people who are asked."),
            "overlap": _("How many people judge each task. It can be changed later."),
        }
        widgets = {"description": forms.Textarea(attrs={"rows": 2})}

    def clean_overlap(self) -> int:
        return overlap_within_range(self.cleaned_data["overlap"])


class CampaignSettingsForm(CampaignForm):
    """What may change while people work: seats taken are kept."""

    time_limit = forms.IntegerField(
        label=_("Time for one task, in seconds"),
        required=False,
        min_value=5,
        max_value=LONGEST,
        help_text=_(
            "A clock counts down beside the task; an answer after that is marked as late and still counts. Empty: no "
            "limit. A change makes a new form version, since the time is part of what was asked."
        ),
    )

    class Meta:
        model = Campaign
        fields = [
            "name",
            "description",
            "overlap",
            "quota",
            "rater_quota",
            "max_leases",
            "lease_seconds",
            "park_after_skips",
            "undo_seconds",
        ]
        labels = {
            "overlap": _("People per task"),
            "quota": _("Stop after"),
            "rater_quota": _("At most from one person"),
            "max_leases": _("Tasks held at once"),
            "lease_seconds": _("Lease, in seconds"),
            "park_after_skips": _("Set aside after skips"),
            "undo_seconds": _("Time to change an answer, in seconds"),
        }
        help_texts = {
            "overlap": _("How many people judge each task. Verifiers and judges take no seat."),
            "quota": _("Counted judgements at which the campaign stops. Empty: when every seat is filled."),
            "rater_quota": _("Counted judgements that one person may give. Empty: as many as there are tasks."),
            "max_leases": _(
                "Tasks that one person may hold, in several windows or through the API. A lease that ran out is free."
            ),
            "lease_seconds": _("How long a task waits for somebody who stopped working on it."),
            "park_after_skips": _(
                "A task that so many people skip waits for you on the page of flagged tasks. Empty: never."
            ),
            "undo_seconds": _("How long after submitting an answer may still be revised. 0: not at all."),
        }
        widgets = {"description": forms.Textarea(attrs={"rows": 2})}

    def clean_overlap(self) -> int:
        return overlap_within_range(self.cleaned_data["overlap"])

    def clean_lease_seconds(self) -> int:
        seconds = int(self.cleaned_data["lease_seconds"])
        if seconds < SHORTEST_LEASE:
            raise forms.ValidationError(_("Give people at least %(n)d seconds.") % {"n": SHORTEST_LEASE})
        return seconds

    def clean_max_leases(self) -> int:
        most = int(self.cleaned_data["max_leases"])
        if not 1 <= most <= 20:
            raise forms.ValidationError(_("Choose a number from 1 to 20."))
        return most

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        for name in ("quota", "rater_quota", "park_after_skips"):
            if cleaned.get(name) == 0:
                self.add_error(name, _("Choose at least 1, or leave it empty."))
        return cleaned


def overlap_within_range(overlap: int) -> int:
    if not 1 <= overlap <= 100:
        raise forms.ValidationError(_("Choose a number from 1 to 100."))
    return overlap


class MemberForm(forms.Form):
    username = forms.CharField(label=_("Username"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=Membership.Role.choices, initial=Membership.Role.ANNOTATOR)

    def clean_username(self) -> User:
        user = User.objects.filter(username=self.cleaned_data["username"].strip(), is_active=True).first()
        if user is None:
            raise forms.ValidationError(_("Nobody here has this username. An administrator can add accounts."))
        return user


class GuidelinesForm(forms.Form):
    text = forms.CharField(
        label=_("Guidelines"), required=False, strip=False, widget=forms.Textarea(attrs={"rows": 18})
    )
