"""The builder's form as data: what its templates show for one question, with every error at its field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from annotation.campaigns.builder.shapes import Shape, as_json, fields_of, settings_shape
from annotation.campaigns.builder.words import ONE_ROW, Words, label_of, option_of
from feedback.questions.registry import KINDS
from feedback.verifiers.registry import VERIFIERS

JSON = Any
Errors = Mapping[str, str]
"""Full field name → what is wrong there."""
WORDING = ("_label", "_labels")
"""How names of settings end that only change words of the screen."""


@dataclass(frozen=True)
class Choice:
    value: str
    words: Words
    checked: bool


@dataclass(frozen=True)
class Row:
    """One entry of a list.  face: the fields that are always in sight; more: the others."""

    name: str
    face: tuple[Control, ...]
    more: tuple[Control, ...] = ()
    is_first: bool = False
    is_last: bool = False

    @property
    def says_error(self) -> bool:
        return any(control.says_error for control in self.more)

    @property
    def words(self) -> str:
        """What the entry says, for the names of its buttons."""
        return next((control.value for control in self.face if control.value), _("this row"))


@dataclass(frozen=True)
class Control:
    """One setting.  form: as in Shape.  value: what its field holds."""

    name: str
    form: str
    label: Words
    help: Words = ""
    value: str = ""
    checked: bool = False
    choices: tuple[Choice, ...] = ()
    rows: tuple[Row, ...] = ()
    fields: tuple[Control, ...] = ()
    error: str = ""
    is_long: bool = False
    least: float | None = None
    most: float | None = None
    add_words: Words = ""
    renews: bool = False

    @property
    def says_error(self) -> bool:
        below = (*self.fields, *(control for row in self.rows for control in (*row.face, *row.more)))
        return bool(self.error) or any(control.says_error for control in below)

    def __iter__(self) -> Any:
        """Itself and everything below."""
        yield self
        for control in (*self.fields, *(inner for row in self.rows for inner in (*row.face, *row.more))):
            yield from control


@dataclass(frozen=True)
class Settings:
    """main: what changes the question.  wording: what only changes words."""

    main: tuple[Control, ...] = ()
    wording: tuple[Control, ...] = ()
    errors: Errors = field(default_factory=dict)


def settings_controls(question: Mapping[str, JSON], at: str, errors: Errors) -> Settings:
    """The settings of one question whose fields begin with `at` (`f.0`)."""
    kind = KINDS.get(str(question.get("kind")))
    if kind is None:
        return Settings()
    given = question.get("settings")
    value = given if isinstance(given, Mapping) else {}
    controls = _group(settings_shape(kind), value, f"{at}.settings", errors, in_row=False)
    wording = tuple(control for control in controls if control.name.endswith(WORDING))
    return Settings(tuple(control for control in controls if control not in wording), wording)


def _group(shape: Shape, value: Mapping[str, JSON], name: str, errors: Errors, *, in_row: bool) -> tuple[Control, ...]:
    return tuple(
        _control(inner, value.get(key, inner.default), f"{name}.{key}", key, errors, in_row=in_row)
        for key, inner in fields_of(shape, value).items()
        if inner.form != "group" or inner.fields
    )


def _control(shape: Shape, value: JSON, name: str, key: str, errors: Errors, *, in_row: bool) -> Control:
    label, help = label_of(key, in_row=in_row)
    common: dict[str, Any] = {
        "name": name,
        "form": shape.form,
        "label": shape.title or label,
        "help": shape.help or help,
        "error": errors.get(name, ""),
        "is_long": shape.is_long,
        "least": shape.least,
        "most": shape.most,
        "renews": key == "verifier",
    }
    if shape.form in ("rows", "texts", "pairs"):
        rows = _rows(shape, value, name, errors)
        return Control(**common, rows=rows, add_words=ONE_ROW.get(key, _("Add a row")))
    if shape.form == "group":
        fields = _group(shape, value if isinstance(value, Mapping) else {}, name, errors, in_row=True)
        return Control(**common, fields=fields)
    return Control(**common, **_held(shape, value, key))


def _held(shape: Shape, value: JSON, key: str) -> dict[str, Any]:
    if shape.form == "flag":
        return {"checked": value is True}
    if shape.form == "maybe":
        said = ((None, "", _("as the scale says")), (True, "yes", _("yes")), (False, "no", _("no")))
        return {"choices": tuple(Choice(posted, words, value is told) for told, posted, words in said)}
    if shape.form == "choice":
        return {"choices": tuple(Choice(str(o), _option(key, o), str(o) == str(value)) for o in shape.options)}
    if shape.form == "json":
        return {"value": as_json(value)}
    if isinstance(value, float) and value.is_integer():
        return {"value": str(int(value))}
    return {"value": "" if value is None else str(value)}


def _option(key: str, value: JSON) -> Words:
    return VERIFIERS[value].title if key == "verifier" and value in VERIFIERS else option_of(key, value)


def _rows(shape: Shape, value: JSON, name: str, errors: Errors) -> tuple[Row, ...]:
    entries: Sequence[JSON] = []
    if shape.form == "pairs" and isinstance(value, Mapping):
        entries = list(value.items())
    elif isinstance(value, list | tuple):
        entries = value
    last = len(entries) - 1
    return tuple(
        Row(f"{name}.{at}", *_faces(shape, entry, f"{name}.{at}", errors), at == 0, at == last)
        for at, entry in enumerate(entries)
    )


def _faces(shape: Shape, entry: JSON, name: str, errors: Errors) -> tuple[tuple[Control, ...], tuple[Control, ...]]:
    if shape.form == "texts":
        return (Control(name, "text", _("Words"), value=str(entry), error=errors.get(name, "")),), ()
    if shape.form == "pairs":
        key, text = entry
        score = Control(f"{name}.key", "text", _("Score"), value=str(key))
        return (score, Control(f"{name}.text", "text", _("Means"), value=str(text))), ()
    controls = _group(shape, entry if isinstance(entry, Mapping) else {}, name, errors, in_row=True)
    face = tuple(control for control in controls if control.name.endswith(".text"))
    return face, tuple(control for control in controls if control not in face)
