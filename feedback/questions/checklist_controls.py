"""What a checklist puts on the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from feedback.questions.base import Criterion
from feedback.questions.controls import Display, Option, Slot

if TYPE_CHECKING:
    from feedback.questions.checklist import ChecklistSettings


@dataclass(frozen=True)
class CriterionRow:
    """One criterion of one response on the screen: a group of radios named `name`, and a note."""

    name: str
    criterion: Criterion
    options: tuple[Option, ...]
    note: str
    takes_note: bool

    @property
    def note_name(self) -> str:
        return f"{self.name}.note"


def checklist_row(criterion: Criterion, response: str, settings: ChecklistSettings, display: Display) -> CriterionRow:
    """Keys y, n, a and u answer the current row."""
    gettext = display.gettext
    words = {"yes": gettext("Yes"), "no": gettext("No"), "na": gettext("N. a."), "unsure": gettext("Unsure")}
    keys = {"yes": "y", "no": "n", "na": "a", "unsure": "u"}
    held = display.values(response, criterion.key)
    options = tuple(Option(verdict, words[verdict], keys[verdict], verdict in held) for verdict in settings.verdicts)
    note = display.text(response, criterion.key, "note")
    return CriterionRow(display.name(response, criterion.key), criterion, options, note, settings.notes)


def checklist_slots(rows: Mapping[str, Sequence[CriterionRow]], display: Display) -> Iterator[Slot]:
    gettext = display.gettext
    for response, row in ((response, row) for response, each in rows.items() for row in each):
        quoted = {"criterion": row.criterion.text}
        yield Slot(row.name, display.where(response, gettext("“%(criterion)s”") % quoted))
        if row.takes_note:
            yield Slot(row.note_name, display.where(response, gettext("note on “%(criterion)s”") % quoted))
