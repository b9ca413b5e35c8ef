"""Held-out accuracy of a reward model with its interval, beside the baseline that the longer response wins.

Pure numpy.  Intervals are percentiles of a bootstrap over prompts (Efron & Tibshirani 1993, ch. 13), since comparisons
of one prompt are not independent; all three figures use the same resamples, so that the difference is paired.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.engine.preparation import EncodedGroup

RESAMPLES = 2000
CHUNK_CELLS = 4_000_000  # resamples x prompts held at once
Floats = NDArray[np.float64]


def evaluate_scores(groups: Sequence[EncodedGroup], scores: Sequence[Sequence[float]], *, seed: int) -> dict[str, Any]:
    """Pairwise accuracy and log loss of `scores` (one list per group) on the groups' comparisons.

    A comparison whose label is .5 has no right answer: it is counted in `ties` and left out of the accuracy.  Equal
    scores count half.  Figures are None when no comparison is left.
    """
    clusters, label, difference, longer = _columns(groups, scores)
    decided = label != 0.5
    right = _agreement(difference[decided], label[decided])
    baseline = _agreement(longer[decided], label[decided])
    intervals = _intervals(clusters[decided], right, baseline, seed)
    accuracy, length, gap = (dict(zip(("value", "low", "high"), figures, strict=True)) for figures in intervals)
    return {
        "accuracy": accuracy["value"],
        "low": accuracy["low"],
        "high": accuracy["high"],
        "n": int(decided.sum()),
        "prompts": len(np.unique(clusters[decided])),
        "ties": int((~decided).sum()),
        "score_ties": int((difference[decided] == 0).sum()),
        "loss": _log_loss(difference, label),
        "baseline_length": {"accuracy": length["value"], "low": length["low"], "high": length["high"]},
        "difference": gap,
        "interval": {"level": 0.95, "method": "bootstrap over prompts", "resamples": RESAMPLES, "seed": seed},
        "scores": _spread(scores),
    }


def accuracy_and_loss(groups: Sequence[EncodedGroup], scores: Sequence[Sequence[float]]) -> dict[str, float | None]:
    """The two figures that are followed during a run: over comparisons, never a mean of batch means."""
    _, label, difference, _ = _columns(groups, scores)
    decided = label != 0.5
    right = _agreement(difference[decided], label[decided])
    return {"accuracy": float(right.mean()) if len(right) else None, "loss": _log_loss(difference, label)}


def _columns(
    groups: Sequence[EncodedGroup], scores: Sequence[Sequence[float]]
) -> tuple[NDArray[np.int64], Floats, Floats, Floats]:
    """Per comparison: number of its prompt, P(first preferred), score difference, length difference in characters."""
    rows = [
        (group.key, entry.probability, values[entry.first] - values[entry.second],
         group.characters[entry.first] - group.characters[entry.second])
        for group, values in zip(groups, scores, strict=True)
        for entry in group.comparisons
    ]  # fmt: skip
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    return table[:, 0].astype(np.int64), table[:, 1], table[:, 2], table[:, 3]


def _agreement(difference: Floats, label: Floats) -> Floats:
    """1 where the sign of the difference is the label's, 0 where it is the other, .5 where there is no difference."""
    return (1 + np.sign(difference) * np.sign(label - 0.5)) / 2


def _intervals(clusters: NDArray[np.int64], right: Floats, baseline: Floats, seed: int) -> list[list[float | None]]:
    """Value, low and high of accuracy, baseline and their difference."""
    if not len(right):
        return [[None, None, None]] * 3
    _, number = np.unique(clusters, return_inverse=True)
    columns = (np.ones_like(right), right, baseline)
    sums = np.stack([np.bincount(number, weights=column) for column in columns]).astype(np.float64)
    counts, model, length = _resample(sums, np.random.default_rng(seed))
    drawn = (model / counts, length / counts, (model - length) / counts)
    values = (right.mean(), baseline.mean(), (right - baseline).mean())
    return [
        [float(value), *(float(edge) for edge in np.quantile(samples, (0.025, 0.975)))]
        for value, samples in zip(values, drawn, strict=True)
    ]


def _resample(sums: Floats, generator: np.random.Generator) -> Floats:
    """Sums [3, prompts] over prompts drawn with replacement: [3, RESAMPLES]."""
    prompts = sums.shape[1]
    chunk = max(1, CHUNK_CELLS // prompts)
    parts = []
    for start in range(0, RESAMPLES, chunk):
        size = min(chunk, RESAMPLES - start)
        drawn = generator.multinomial(prompts, np.full(prompts, 1 / prompts), size=size)
        parts.append(sums @ drawn.T.astype(np.float64))
    return np.concatenate(parts, axis=1)


def _log_loss(difference: Floats, label: Floats) -> float | None:
    """Mean cross-entropy of the labels as given, ties too."""
    if not len(label):
        return None
    losses = label * np.logaddexp(0, -difference) + (1 - label) * np.logaddexp(0, difference)
    return float(losses.mean())


def _spread(scores: Sequence[Sequence[float]]) -> dict[str, float | None]:
    """Mean and standard deviation over all responses, in double precision."""
    values = [value for row in scores for value in row]
    if not values:
        return {"mean": None, "sd": None}
    mean = math.fsum(values) / len(values)
    return {"mean": mean, "sd": math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))}
