"""How figures of runs and rounds are said in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from training.models import Job

PHASES: dict[str, str | Promise] = {
    "waiting": gettext_lazy("Waiting for a GPU worker"),
    "preparing": gettext_lazy("Preparing the data"),
    "loading": gettext_lazy("Loading the model"),
    "tokenising": gettext_lazy("Tokenising: %(step)s of %(total)s groups"),
    "features": gettext_lazy("Reading with the frozen trunk: %(step)s of %(total)s groups"),
    "training": gettext_lazy("Training: step %(step)s of %(total)s"),
    "evaluating": gettext_lazy("Evaluating on the held-out prompts"),
    "storing": gettext_lazy("Storing the checkpoint"),
    "sampling": gettext_lazy("Sampling: %(step)s of %(total)s prompts"),
    "scoring": gettext_lazy("Scoring: %(step)s of %(total)s prompts"),
    "done": gettext_lazy("Done"),
    "failed": gettext_lazy("Failed"),
    "cancelled": gettext_lazy("Cancelled"),
}
REPORT_ROWS: dict[str, str | Promise] = {
    "groups": gettext_lazy("Groups (a prompt with its responses)"),
    "groups_kept": gettext_lazy("Groups kept"),
    "comparisons": gettext_lazy("Comparisons"),
    "kept": gettext_lazy("Comparisons kept"),
    "dropped": gettext_lazy("Comparisons dropped"),
    "truncated": gettext_lazy("Truncated"),
    "duplicates": gettext_lazy("Duplicates"),
    "prompt_repeated": gettext_lazy("Prompt repeated in a response"),
    "prompts_also_in_train": gettext_lazy("Prompts also in the training split"),
    "ties": gettext_lazy("Ties (P = ½)"),
    "label_balance": gettext_lazy("First preferred"),
    "longer_preferred": gettext_lazy("Longer preferred"),
    "tokens": gettext_lazy("Tokens"),
}
SHARES = ("label_balance", "longer_preferred")


def progress_words(progress: Mapping[str, Any]) -> str:
    """The phase and how far it is."""
    words = PHASES.get(str(progress.get("phase") or "waiting"), str(progress.get("phase")))
    return str(words) % {"step": progress.get("step", 0), "total": progress.get("total", 0)}


def duration(seconds: float) -> str:
    """About how long: 40 s, 3 min, 2.5 h."""
    if seconds < 90:
        return _("%(n)d s") % {"n": max(1, round(seconds))}
    if seconds < 90 * 60:
        return _("%(n)d min") % {"n": round(seconds / 60)}
    if seconds < 36 * 3600:
        return _("%(n).1f h") % {"n": seconds / 3600}
    return ngettext("%(n)d day", "%(n)d days", round(seconds / 86400)) % {"n": round(seconds / 86400)}


def time_taken(job: Job) -> str:
    """How long the last attempt took; "" while it lasts, or when none began."""
    if job.started_at is None or job.finished_at is None:
        return ""
    return duration((job.finished_at - job.started_at).total_seconds())


def seconds_left(metrics: list[tuple[int, dict[str, Any]]], progress: Mapping[str, Any]) -> float | None:
    """What the last steps' pace leaves to do; None before there is a pace.  metrics: (step, values) by step."""
    timed = [(step, float(values["time"])) for step, values in metrics[-50:] if values.get("time")]
    total = progress.get("total")
    if progress.get("phase") != "training" or len(timed) < 3 or not isinstance(total, int):
        return None
    (first, began), (last, ended) = timed[0], timed[-1]
    return max(0.0, (total - last) * (ended - began) / (last - first)) if last > first else None


def report_rows(report: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """The data report as table rows: words, and a cell a split (training, test)."""
    splits = [report.get(split) or {} for split in ("train", "test")]
    return [
        (str(words), [_cell(key, split.get(key)) for split in splits])
        for key, words in REPORT_ROWS.items()
        if any(key in split for split in splits)
    ]


def _cell(key: str, value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        total = sum(value.values())
        reasons = ", ".join(f"{n} {reason.replace('_', ' ')}" for reason, n in value.items() if n)
        return f"{total} ({reasons})" if reasons else str(total)
    return f"{value:.0%}" if key in SHARES else f"{value:,}"
