"""What the page of one run shows, gathered for its template."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from feedback.models import User
from feedback.plots import interval_chart, line_chart
from training.models import Checkpoint, Evaluation, Job, Round, Run
from training.recipes.base import SettingDescription, describe_settings
from training.recipes.base_models import describe_base_model
from training.recipes.registry import RECIPES
from training.services.lineage import lineage_of
from training.services.train_extra import train_extra
from training.views.wording import duration, progress_words, report_rows, seconds_left, time_taken

Series = list[tuple[float, float]]
LINES = {
    "loss": {"loss": "training", "eval_loss": "held out"},
    "accuracy": {"accuracy": "training", "eval_accuracy": "held out"},
}
SMOOTHED_FROM = 40


def live_etag(run: Run) -> str:
    """Changes whenever the page would."""
    last = run.metrics.order_by("-step").values_list("step", flat=True).first()
    extra = train_extra() if run.status == Run.Status.QUEUED else None
    seen = (run.status, run.attempt, run.progress, last, run.log_tail, run.error, bool(run.cancel_requested_at), extra)
    rater = list(run.checkpoints.values_list("rater", flat=True))
    return '"' + hashlib.sha256(repr((seen, rater)).encode()).hexdigest()[:24] + '"'


def live_context(run: Run, user: User) -> dict[str, Any]:
    """The part of the page that is polled while the run lives."""
    metrics = list(run.metrics.values_list("step", "values"))
    checkpoint = run.checkpoints.select_related("rater").first()
    left = seconds_left(metrics, run.progress)
    return {
        "run": run,
        "stages": lineage_of(run, user),
        "extra": train_extra() if run.status == Run.Status.QUEUED else None,
        "progress": progress_words(run.progress),
        "n_ahead": jobs_ahead(run) if run.status == Run.Status.QUEUED else 0,
        "left": duration(left) if left is not None else "",
        "took": time_taken(run),
        "plots": [plot(metrics, name) for name in LINES] if metrics else [],
        "latest": latest_figures(metrics),
        "checkpoint": checkpoint,
        "manifest": json.dumps(checkpoint.manifest, indent=1, ensure_ascii=False) if checkpoint else "",
        "evaluation": evaluation_context(checkpoint) if checkpoint else None,
        "report": report_rows(run.result.get("report") or {}),
        "rounds": checkpoint.rounds.select_related("campaign") if checkpoint else (),
    }


def jobs_ahead(run: Run) -> int:
    """Jobs that a single GPU worker would do before this one."""
    earlier = {"status__in": Job.LIVE, "created_at__lt": run.created_at}
    return Run.objects.filter(**earlier).count() + Round.objects.filter(**earlier).count()


def page_context(run: Run, user: User) -> dict[str, Any]:
    recipe = RECIPES.get(run.recipe)
    return {
        **live_context(run, user),
        "recipe": recipe,
        "base_model": describe_base_model(run.base_model),
        "settings": stated_settings(run),
    }


def plot(metrics: list[tuple[int, dict[str, Any]]], name: str) -> SafeString:
    """Loss or accuracy over steps; a long training line is smoothed, and says so."""
    series: dict[str, Series] = {}
    for key, words in LINES[name].items():
        points = [(float(step), float(values[key])) for step, values in metrics if values.get(key) is not None]
        if points:
            long = not key.startswith("eval") and len(points) >= SMOOTHED_FROM
            label = _("training, smoothed") if long else _(words)
            series[label] = smoothed(points) if long else points
    titles = {"loss": _("Loss"), "accuracy": _("Accuracy")}
    return line_chart(series, title=titles[name], x_label=_("step"), y_label="", height=240)


def smoothed(points: Series, half_life: float = 8.0) -> Series:
    """Exponential moving average, corrected for its start (Kingma & Ba 2015, arXiv:1412.6980 §3)."""
    keep = 0.5 ** (1 / half_life)
    total, weight, out = 0.0, 0.0, []
    for x, y in points:
        total, weight = keep * total + (1 - keep) * y, keep * weight + (1 - keep)
        out.append((x, total / weight))
    return out


def latest_figures(metrics: list[tuple[int, dict[str, Any]]]) -> dict[str, float]:
    """The last value of each figure, for the table beside the plots."""
    found: dict[str, float] = {}
    for _step, values in metrics:
        found.update({key: value for key, value in values.items() if isinstance(value, int | float)})
    return found


@dataclass(frozen=True)
class EvaluationView:
    """An evaluation in words and as a picture, beside the baseline that the longer response wins."""

    evaluation: Evaluation
    picture: SafeString
    verdict: str
    beats_length: bool


def evaluation_context(checkpoint: Checkpoint) -> EvaluationView | None:
    evaluation = checkpoint.evaluations.filter(split="test").first()
    if evaluation is None:
        return None
    rows = {_("this model"): (evaluation.accuracy, evaluation.low, evaluation.high)}
    baseline = evaluation.report.get("baseline_length") or {}
    if baseline.get("accuracy") is not None:
        rows[_("longer wins")] = (baseline["accuracy"], baseline["low"], baseline["high"])
    picture = interval_chart(rows, title=_("Held-out accuracy with 95 % interval"), x_label=_("accuracy"))
    difference = evaluation.report.get("difference") or {}
    low, high = difference.get("low"), difference.get("high")
    return EvaluationView(evaluation, picture, verdict(low, high), low is not None and low > 0)


def verdict(low: float | None, high: float | None) -> str:
    """What the interval of the paired difference to the length baseline says."""
    if low is None or high is None:
        return ""
    if low > 0:
        return _("Better than always preferring the longer response.")
    if high < 0:
        return _("Worse than always preferring the longer response.")
    return _("No better, as far as this test set can tell, than always preferring the longer response.")


def stated_settings(run: Run) -> list[tuple[str, str]]:
    """The run's settings in words, in the order of the form; one that its recipe no longer has keeps its name."""
    recipe = RECIPES.get(run.recipe)
    described = describe_settings(recipe.config) if recipe else []
    known = [(d.label, stated_value(d, run.settings[d.name])) for d in described if d.name in run.settings]
    unknown = run.settings.keys() - {d.name for d in described}
    return known + [(name, str(run.settings[name])) for name in sorted(unknown)]


def stated_value(description: SettingDescription, value: Any) -> str:
    if isinstance(value, bool):
        return _("on") if value else _("off")
    return (description.choices or {}).get(str(value), str(value))
