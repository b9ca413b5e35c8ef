"""Errors of the record.  A message says what happened and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from feedback.importing.report import ImportReport


class FeedbackError(Exception):
    """Base of everything this room raises on purpose."""


class WrongState(FeedbackError):
    """The object is not (or no longer) in a state that allows this."""


class FieldsInvalid(FeedbackError):
    """What was entered cannot be used; `errors` is {field: message}."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        self.errors = dict(errors)
        super().__init__("; ".join(f"{name}: {message}" for name, message in errors.items()))


class ImportRefused(FeedbackError):
    """Nothing was imported; the report says which rows and why."""

    def __init__(self, report: ImportReport) -> None:
        self.report = report
        first = "; ".join(str(error) for error in report.refused[:3])
        more = f" … and {report.n_refused - 3} more" if report.n_refused > 3 else ""
        super().__init__(
            f"Nothing was imported: {report.n_refused} of {report.n_rows} rows are refused ({first}{more}). "
            "Mend them, or import the others only (on_error=skip)."
        )


class NothingToExport(FeedbackError):
    """The selection holds no row after its policies; `counts` says where the judgements went."""

    def __init__(self, counts: Mapping[str, Any]) -> None:
        self.counts = dict(counts)
        gone = ", ".join(f"{reason.replace('_', ' ')}: {n}" for reason, n in counts["dropped"].items())
        why = f"all {counts['judgements']} judgements are left out ({gone})" if gone else "there is no judgement yet"
        super().__init__(f"Nothing to export: {why}. Collect more, or choose other policies.")
