"""What an engine reports while it runs, stored once per step however often it is read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from training.models import Metric, Run
from training.tailing import LineTail, read_object

METRICS = "metrics.jsonl"
PROGRESS = "progress.json"
REPORT = "report.json"


def store_metrics(run: Run, lines: Iterable[dict[str, Any]]) -> int:
    """Merge lines into the rows of their steps; returns how many rows were written.

    A step may have several lines (training, evaluation), and a resumed run repeats some: both are merges.
    """
    merged: dict[int, dict[str, Any]] = {}
    for line in lines:
        merged.setdefault(int(line["step"]), {}).update({k: v for k, v in line.items() if k != "step"})
    known = dict(run.metrics.filter(step__in=merged).values_list("step", "values"))
    rows = [
        Metric(run=run, step=step, values={**known.get(step, {}), **values})
        for step, values in sorted(merged.items())
        if {**known.get(step, {}), **values} != known.get(step)
    ]
    Metric.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["run", "step"], update_fields=["values"], batch_size=500
    )
    return len(rows)


class RunReport:
    """Follows what the engine says of a run: metrics line by line, progress and data report as they stand."""

    def __init__(self, run: Run, directory: Path) -> None:
        self._run = run
        self._tail = LineTail(directory / METRICS)
        self._progress = directory / PROGRESS
        self._report = directory / REPORT
        self._pending: list[dict[str, Any]] = []

    def drain(self) -> dict[str, Any]:
        """Store what is new; returns the columns to write.  What could not be stored is kept for next time."""
        self._pending += [line for line in self._tail.objects() if isinstance(line.get("step"), int)]
        store_metrics(self._run, self._pending)
        self._pending = []
        values: dict[str, Any] = {}
        if progress := read_object(self._progress):
            values["progress"] = progress
        if report := read_object(self._report):
            values["result"] = {"report": report}
        return values
