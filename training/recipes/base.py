"""What every recipe has in common: settings that know their own labels and limits, and the registry of recipes.

Standard library only: the web form, the REST API and the engine all read the same dataclass, so that none of them can
disagree on what a setting means or which values it takes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from typing import Any, Self, get_type_hints

Value = bool | int | float | str


class ConfigInvalid(Exception):
    """A setting that cannot be used; `field` is its name, so that a form can show the message beside it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


def setting(
    default: Value,
    label: str,
    help: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    below: float | None = None,
    choices: Mapping[str, str] | None = None,
    advanced: bool = False,
) -> Any:
    """A dataclass field that says what it is.  `maximum` is included, `below` is not; `choices` maps value to label."""
    metadata = {
        "label": label,
        "help": help,
        "min": minimum,
        "max": maximum,
        "below": below,
        "choices": dict(choices) if choices else None,
        "advanced": advanced,
    }
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class RecipeConfig:
    """Base of every recipe's settings.  Built from JSON or a form by `from_mapping`, which refuses the unknown."""

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Self:
        """Settings from JSON or form values; text is converted.  Raises ConfigInvalid naming the first wrong field."""
        known = {entry.name: entry for entry in fields(cls)}
        for name in values:
            if name not in known:
                raise ConfigInvalid(str(name), f"is no setting of this recipe; it has: {', '.join(known)}.")
        types = get_type_hints(cls)
        config = cls(**{name: _convert(name, value, types[name]) for name, value in values.items()})
        config.validate()
        return config

    def validate(self) -> None:
        """Raise ConfigInvalid for the first field out of its limits."""
        types = get_type_hints(type(self))
        for entry in fields(self):
            value = getattr(self, entry.name)
            _check_type(entry.name, value, types[entry.name])
            _check_limits(entry, value)

    def to_json(self) -> dict[str, Value]:
        """Every field with its value, ready for spec.json."""
        return asdict(self)


@dataclass(frozen=True)
class SettingDescription:
    """One line of a settings form.  `kind` is the Python type's name: bool, int, float or str."""

    name: str
    kind: str
    default: Value
    label: str
    help: str
    min: float | None
    max: float | None
    below: float | None
    choices: dict[str, str] | None
    advanced: bool


def describe_settings(config_class: type[RecipeConfig]) -> list[SettingDescription]:
    """The fields of a recipe's settings in the order a form shows them."""
    types = get_type_hints(config_class)
    return [
        SettingDescription(name=entry.name, kind=types[entry.name].__name__, default=entry.default, **entry.metadata)
        for entry in fields(config_class)
        if entry.default is not MISSING
    ]


@dataclass(frozen=True)
class Recipe:
    """A way of training.  `dataset_format` is the name of the dataset format it reads; `paper` is its source."""

    name: str
    title: str
    paper: str
    config: type[RecipeConfig]
    dataset_format: str
    description: str


def _convert(name: str, value: Any, kind: type) -> Value:
    """A form sends text; JSON sends 1 where 1.0 is meant.  Anything else stays as it is and is judged by validate."""
    if isinstance(value, str) and kind is not str:
        return _parse(name, value.strip(), kind)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    return value  # type: ignore[no-any-return]  # validate() checks the type and names the field


def _parse(name: str, text: str, kind: type) -> Value:
    if kind is bool:
        words = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False, "": False}
        if text.lower() not in words:
            raise ConfigInvalid(name, f"“{text}” is neither true nor false.")
        return words[text.lower()]
    try:
        return int(text) if kind is int else float(text)
    except ValueError as error:
        wanted = "a whole number" if kind is int else "a number"
        raise ConfigInvalid(name, f"“{text}” is not {wanted}.") from error


def _check_type(name: str, value: Any, kind: type) -> None:
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
    if type(value) is not kind:
        raise ConfigInvalid(name, f"must be {words[kind]}, not {value!r}.")
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigInvalid(name, f"must be a finite number, not {value}.")


def _check_limits(entry: Field[Any], value: Value) -> None:
    limits = entry.metadata
    if limits.get("choices") and value not in limits["choices"]:
        raise ConfigInvalid(entry.name, f"“{value}” is not one of {', '.join(limits['choices'])}.")
    if isinstance(value, str):
        return
    if limits.get("min") is not None and value < limits["min"]:
        raise ConfigInvalid(entry.name, f"must be at least {limits['min']:,}, not {value:,}.")
    if limits.get("max") is not None and value > limits["max"]:
        raise ConfigInvalid(entry.name, f"must be at most {limits['max']:,}, not {value:,}.")
    if limits.get("below") is not None and value >= limits["below"]:
        raise ConfigInvalid(entry.name, f"must be below {limits['below']:,}, not {value:,}.")
