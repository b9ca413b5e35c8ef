"""Forms of the record's own pages: what a dataset selects, and what is imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from feedback.access import managed_campaigns
from feedback.datasets.selection import SelectionInvalid
from feedback.importing.layouts.registry import LAYOUTS
from feedback.importing.readers import FORMATS
from feedback.models import Campaign, Rater, User

_NEITHER = (
    ("half", _("counts one half for either side")),
    ("drop", _("leave out a pair when it is the verdict")),
    ("drop_votes", _("leave out such votes, keep the others")),
)


class CampaignsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # not subscriptable at run time
    """Campaigns of one name are told apart by their state and the day they were made."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.name} ({obj.get_status_display()}, {obj.created_at:%Y-%m-%d})"


class DatasetForm(forms.Form):
    """Which judgements, and what becomes of ties, splits and weights; `selection()` is what it amounts to."""

    name = forms.CharField(label=_("Name"), max_length=200)
    campaigns = CampaignsField(Campaign.objects.none(), label=_("Campaigns"), widget=forms.CheckboxSelectMultiple)
    questions = forms.MultipleChoiceField(
        label=_("Questions"),
        required=False,
        help_text=_("None ticked: all of them."),
        widget=forms.CheckboxSelectMultiple,
    )
    rater_kinds = forms.MultipleChoiceField(
        label=_("Raters"),
        required=False,
        choices=Rater.Kind.choices,
        help_text=_("None ticked: everyone who is admitted."),
        widget=forms.CheckboxSelectMultiple,
    )
    ties = forms.ChoiceField(label=_("A tie"), choices=_NEITHER, initial="half", widget=forms.RadioSelect)
    both_bad = forms.ChoiceField(label=_("“Both are bad”"), choices=_NEITHER, initial="half", widget=forms.RadioSelect)
    min_raters = forms.IntegerField(
        label=_("Raters a pair needs"),
        min_value=1,
        max_value=100,
        initial=1,
        help_text=_("Pairs with fewer are left out."),
    )
    weights = forms.ChoiceField(
        label=_("A comparison weighs"),
        choices=(("equal", _("the same as any other")), ("votes", _("as much as it has votes"))),
        initial="equal",
        widget=forms.RadioSelect,
    )
    test_fraction = forms.FloatField(
        label=_("Held out"),
        min_value=0,
        max_value=0.9,
        initial=0.2,
        help_text=_("Share of the prompts, from 0 to 0.9; a prompt is never on both sides."),
        widget=forms.NumberInput(attrs={"step": "0.05"}),
    )
    licence = forms.CharField(
        label=_("Licence"),
        max_length=100,
        required=False,
        help_text=_("For the card, as an SPDX name: apache-2.0, cc-by-4.0."),
    )
    salt = forms.CharField(
        label=_("Salt"), max_length=100, required=False, help_text=_("Another salt draws another split.")
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        mine = managed_campaigns(user).select_related("form").order_by("-created_at")
        campaigns: Any = self.fields["campaigns"]
        campaigns.queryset = mine
        asked: dict[str, str] = {}
        for campaign in mine:
            for question in campaign.form.questions if campaign.form else ():
                asked.setdefault(question.key, f"{question.spec.title} ({question.key})")
        questions: Any = self.fields["questions"]
        questions.choices = sorted(asked.items(), key=lambda pair: pair[1])

    def selection(self) -> dict[str, Any]:
        values = {name: value for name, value in self.cleaned_data.items() if name != "name"}
        return {**values, "campaigns": [str(campaign.pk) for campaign in values["campaigns"]]}

    def refuse(self, error: SelectionInvalid) -> None:
        """Say what the service found, at the field it found it at."""
        for name, message in error.errors.items():
            self.add_error(name if name in self.fields else None, message)


class ImportForm(forms.Form):
    """A file and how to read it; the defaults find out by themselves."""

    file = forms.FileField(label=_("File"), help_text=_("JSONL, JSON, CSV or TSV; gzipped too."))
    layout = forms.ChoiceField(label=_("Layout"), help_text=_("What the columns mean."))
    format = forms.ChoiceField(label=_("Format"), required=False)
    source = forms.CharField(
        label=_("Source"),
        max_length=200,
        required=False,
        help_text=_("Whose judgements these are: raters of one name in two sources are two raters."),
    )
    judgements = forms.BooleanField(label=_("Import the file's judgements too"), required=False, initial=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _choose(self, "layout", {"auto": _("find out"), **{name: layout.title for name, layout in LAYOUTS.items()}})
        _choose(self, "format", {"": _("by the file's name"), **{name: name.upper() for name in FORMATS}})


def _choose(form: forms.Form, name: str, choices: Mapping[str, Any]) -> None:
    field: Any = form.fields[name]
    field.choices = list(choices.items())
