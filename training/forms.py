"""The forms of training.  A run's settings are generated from its recipe's dataclass, limits and words included."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from feedback.models import DatasetVersion, User
from training.access import visible_versions
from training.exceptions import SettingsInvalid
from training.recipes.base import SettingDescription, describe_settings
from training.recipes.base_models import available_base_models
from training.recipes.hardware import defaults_for
from training.recipes.registry import RECIPES
from training.services.rounds import MOST_PAIRS, SAMPLE_LIMITS
from training.services.runs import read_base_model, read_settings

PREFIX = "setting_"
NAMED_KINDS = ("path", "hub")


class BaseModelField(forms.ChoiceField):
    """Which model a run starts from, or samples come from."""

    def __init__(self, **kwargs: Any) -> None:
        choices = [(choice["kind"], f"{choice['title']}. {choice['note']}") for choice in available_base_models()]
        super().__init__(choices=choices, widget=forms.RadioSelect, **kwargs)


class RunForm(forms.Form):
    """A new run.  `clean` leaves `base` (a base model) and `settings` as `queue_run` takes them."""

    dataset_version: forms.ModelChoiceField[DatasetVersion] = forms.ModelChoiceField(
        queryset=DatasetVersion.objects.none(), label=gettext_lazy("Dataset version"), empty_label=None
    )
    name = forms.CharField(label=gettext_lazy("Name"), max_length=200, required=False)
    recipe = forms.ChoiceField(label=gettext_lazy("Recipe"))
    base_model = BaseModelField(label=gettext_lazy("Base model"))
    base_name = forms.CharField(
        label=gettext_lazy("Folder or name on the hub"),
        required=False,
        max_length=400,
        help_text=gettext_lazy("Only for a model folder or a model from the hub."),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["dataset_version"].queryset = visible_versions(user)  # type: ignore[attr-defined]  # a ModelChoiceField
        self.fields["recipe"].choices = [(r.name, r.title) for r in RECIPES.values()]  # type: ignore[attr-defined]  # a ChoiceField
        chosen = self._chosen("recipe", next(iter(RECIPES)))
        self.chosen_recipe = RECIPES.get(chosen, next(iter(RECIPES.values())))
        kind = self._chosen("base_model", "tiny")
        defaults = defaults_for({"kind": kind}).to_json()
        self.descriptions = describe_settings(self.chosen_recipe.config)
        for description in self.descriptions:
            initial = self.initial.get("settings", {}).get(description.name, defaults[description.name])
            self.fields[PREFIX + description.name] = setting_field(description, initial)
        if not self.initial.get("dataset_version"):
            self.initial["dataset_version"] = visible_versions(user).values_list("pk", flat=True).first()
        self.initial.setdefault("recipe", self.chosen_recipe.name)
        self.initial.setdefault("base_model", kind)

    def _chosen(self, name: str, default: str) -> str:
        return str(self.data.get(name) or self.initial.get(name) or default)

    @property
    def basic_settings(self) -> list[forms.BoundField]:
        return [self[PREFIX + d.name] for d in self.descriptions if not d.advanced]

    @property
    def advanced_settings(self) -> list[forms.BoundField]:
        return [self[PREFIX + d.name] for d in self.descriptions if d.advanced]

    @property
    def has_advanced_errors(self) -> bool:
        return any(field.errors for field in self.advanced_settings)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        try:
            values["base"] = read_base_model(
                {"kind": values.get("base_model"), "name": values.get("base_name") if self._names_a_model else ""}
            )
        except SettingsInvalid as error:
            self.add_error(error.field, error.message)
        given = {d.name: values[PREFIX + d.name] for d in self.descriptions if PREFIX + d.name in values}
        self._read_settings(values, given)
        return values

    @property
    def _names_a_model(self) -> bool:
        return self.cleaned_data.get("base_model") in NAMED_KINDS

    def _read_settings(self, values: dict[str, Any], given: dict[str, Any]) -> None:
        """Every wrong field by itself, then what contradicts itself across fields."""
        for name, value in given.items():
            self._read({name: value})
        if not self.errors:
            values["settings"] = self._read(given)

    def _read(self, settings: dict[str, Any]) -> dict[str, Any]:
        try:
            return read_settings(self.chosen_recipe.name, settings)
        except SettingsInvalid as error:
            field = PREFIX + error.field
            self.add_error(field if field in self.fields else None, error.message)
            return {}


def setting_field(description: SettingDescription, initial: Any) -> forms.Field:
    """The form field of one setting.  Its limits are checked by the recipe itself, which words the error."""
    shared = {"label": description.label, "help_text": description.help, "initial": initial}
    if description.kind == "bool":
        return forms.BooleanField(required=False, **shared)
    if description.choices:
        widget = forms.RadioSelect if description.name == "tuning" else forms.Select
        return forms.ChoiceField(choices=list(description.choices.items()), widget=widget, **shared)
    limits = {"min": description.min, "max": description.max}
    attrs = {name: f"{limit:g}" for name, limit in limits.items() if limit is not None}
    if description.kind == "int":
        return forms.IntegerField(widget=forms.NumberInput(attrs=attrs), **shared)
    if description.kind == "float":
        return forms.FloatField(widget=forms.NumberInput(attrs={"step": "any", **attrs}), **shared)
    return forms.CharField(**shared)


class RoundForm(forms.Form):
    """A new round: where the fresh responses come from, how many pairs, and the next campaign's name."""

    name = forms.CharField(label=gettext_lazy("Name of the next campaign"), max_length=200)
    n_pairs = forms.IntegerField(
        label=gettext_lazy("Pairs to ask about"),
        min_value=1,
        max_value=MOST_PAIRS,
        initial=20,
        help_text=gettext_lazy("Three quarters are those the model is least sure of, one quarter is drawn at random."),
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Fresh responses"),
        widget=forms.RadioSelect,
        initial="file",
        choices=[
            ("file", gettext_lazy("From a file: JSONL with a prompt and two or more responses a line")),
            ("sample", gettext_lazy("Sampled from a model, for prompts of the campaign the dataset came from")),
        ],
    )
    file = forms.FileField(
        label=gettext_lazy("File"),
        required=False,
        help_text=gettext_lazy("The demo’s is feedback/demo/fresh.jsonl in the project’s folder."),
    )
    base_model = BaseModelField(label=gettext_lazy("Model to sample from"), initial="smollm2", required=False)
    base_name = forms.CharField(label=gettext_lazy("Folder or name on the hub"), required=False, max_length=400)
    n_prompts = forms.IntegerField(label=gettext_lazy("Prompts"), initial=20, required=False)
    k = forms.IntegerField(label=gettext_lazy("Responses per prompt"), initial=4, required=False)
    max_new_tokens = forms.IntegerField(label=gettext_lazy("Longest response, in tokens"), initial=96, required=False)
    temperature = forms.FloatField(
        label=gettext_lazy("Temperature"), initial=1.0, min_value=0.0, max_value=5.0, required=False
    )
    seed = forms.IntegerField(label=gettext_lazy("Seed"), initial=0, min_value=0, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, (low, high) in SAMPLE_LIMITS.items():
            self.fields[name].widget.attrs.update({"min": low, "max": high})

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if values.get("kind") == "file" and not values.get("file"):
            self.add_error("file", _("Choose a file of fresh responses."))
        return values

    def sample_source(self) -> dict[str, Any]:
        """What `open_round` takes when responses are to be sampled; numbers left empty take their defaults."""
        values = self.cleaned_data
        name = values.get("base_name") if values.get("base_model") in NAMED_KINDS else ""
        given = {key: values.get(key) for key in (*SAMPLE_LIMITS, "temperature", "seed")}
        return {"kind": "sample", "base_model": {"kind": values.get("base_model"), "name": name}, **given}
