"""What an import did, or (dry run) would do."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from feedback.importing.layouts.base import ImportedTask
from feedback.importing.rows import RowError

MAX_REFUSED = 500
MAX_SAMPLE = 3


@dataclass
class ImportReport:
    """Counts that add up: n_rows = n_tasks_added + n_tasks_known + n_refused.

    n_tasks_known: rows whose task was there already (earlier, or above in the file).  refused: the first MAX_REFUSED.
    metadata_columns: columns the layout does not know, kept as metadata.  mended: {what was read otherwise: rows}.
    """

    layout: str = ""
    format: str = ""
    source: str = ""
    dry_run: bool = False
    n_rows: int = 0
    n_tasks_added: int = 0
    n_tasks_known: int = 0
    n_judgements_added: int = 0
    n_judgements_known: int = 0
    n_refused: int = 0
    refused: list[RowError] = field(default_factory=list)
    raters: set[str] = field(default_factory=set)
    metadata_columns: set[str] = field(default_factory=set)
    mended: Counter[str] = field(default_factory=Counter)
    sample: list[ImportedTask] = field(default_factory=list)

    @property
    def adds_nothing(self) -> bool:
        return not self.n_tasks_added and not self.n_judgements_added

    def refuse(self, error: RowError) -> None:
        self.n_refused += 1
        if len(self.refused) < MAX_REFUSED:
            self.refused.append(error)

    def take(self, task: ImportedTask) -> None:
        """Note what a row that is accepted shows of the file."""
        self.metadata_columns.update(task.metadata)
        self.mended.update(task.mended)
        if len(self.sample) < MAX_SAMPLE:
            self.sample.append(task)

    def counts(self) -> dict[str, int]:
        return {name: value for name, value in vars(self).items() if name.startswith("n_")}
