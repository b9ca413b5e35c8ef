"""Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability"), sparse.

One row per judgement, so that missing values cost nothing.  With m_u values in unit u (units with fewer than two
are left out), n = Σ m_u and n_c how often value c occurs among them:

    D_o = 1/n Σ_u 1/(m_u − 1) Σ_{i≠j in u} δ(v_i, v_j)      D_e = 1/(n(n − 1)) Σ_{c,k} n_c n_k δ(c, k)

and alpha = 1 − D_o/D_e.  nominal, ordinal and interval have closed forms in one pass over the rows (ordinal is
interval on mid-ranks); ratio and a function go through the sparse coincidence matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from feedback.consensus.levels import Ints, factorise

Distance: TypeAlias = Callable[[Any, Any], float]
Metric: TypeAlias = str | Distance  # nominal, ordinal, interval, ratio, or a function
Floats: TypeAlias = NDArray[np.float64]

_BLOCK = 1024  # rows of the value × value distances held at once


@dataclass(frozen=True)
class Agreement:
    """alpha: 1 is perfect, 0 is chance, below 0 is systematic disagreement; None where nothing can be compared.

    n_units, n_judgements: what could be compared (units with at least two values, and their values).
    """

    alpha: float | None
    n_units: int
    n_judgements: int
    note: str = ""


def krippendorff_alpha(units: ArrayLike, values: ArrayLike, metric: Metric = "nominal") -> Agreement:
    """units, values: (n_rows,), row i says that somebody gave unit `units[i]` the value `values[i]`; NaN is missing.

    Who said it does not matter to alpha.  A function as metric gets two of the values and returns their squared
    difference.  Raises ValueError for lengths that differ, an unknown metric, or ratio with negative values.
    """
    unit, value = _present(np.asarray(units), np.asarray(values))
    unit = factorise(unit)[1]
    comparable = np.bincount(unit) >= 2
    if not comparable.any():
        return Agreement(None, 0, 0, "No unit has two raters, so nothing can be compared.")
    kept, n_units = comparable[unit], int(comparable.sum())
    unit = (np.cumsum(comparable) - 1)[unit[kept]]
    levels, code = factorise(value[kept])
    if len(levels) == 1:
        return Agreement(1.0, n_units, len(code), "Everybody gave the same value everywhere; alpha says little.")
    observed, expected = _disagreements(unit, code, levels, metric)
    if expected == 0:
        return Agreement(1.0, n_units, len(code), "The values differ, but this metric sees no difference.")
    return Agreement(1.0 - (len(code) - 1) * observed / expected, n_units, len(code))


def _present(units: NDArray[Any], values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    if units.shape != values.shape or units.ndim != 1:
        message = f"One unit per value, in one dimension: got shapes {units.shape} and {values.shape}."
        raise ValueError(message)
    present = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), bool)
    return units[present], values[present]


def _disagreements(unit: Ints, code: Ints, levels: NDArray[Any], metric: Metric) -> tuple[float, float]:
    """n·D_o and n(n − 1)·D_e; their ratio times (n − 1) is D_o/D_e."""
    if metric == "nominal":
        return _nominal(unit, code)
    if metric == "interval":
        return _squares(unit, levels.astype(np.float64)[code])
    if metric == "ordinal":
        counts = np.bincount(code)
        # Σ_{g=c..k} n_g − (n_c + n_k)/2 is the distance of the mid-ranks of c and k.
        return _squares(unit, (np.cumsum(counts) - counts / 2)[code])
    if metric == "ratio":
        if levels[0] < 0:
            raise ValueError("The ratio metric needs values of at least 0.")
        return _by_coincidence(unit, code, levels, _ratio)
    if isinstance(metric, str):
        message = f"Unknown metric {metric!r}: nominal, ordinal, interval, ratio or a function."
        raise ValueError(message)
    return _by_coincidence(unit, code, levels, np.vectorize(metric, otypes=[float]))


def _nominal(unit: Ints, code: Ints) -> tuple[float, float]:
    """Pairs that differ = all pairs − pairs that agree, per unit and overall."""
    size = np.bincount(unit)
    n_levels = int(code.max()) + 1
    cell, times = np.unique(unit * n_levels + code, return_counts=True)
    agreeing = np.bincount(cell // n_levels, weights=times.astype(np.float64) * (times - 1))
    observed = ((size * (size - 1.0) - agreeing) / (size - 1.0)).sum()
    counts = np.bincount(code).astype(np.float64)
    return float(observed), float(len(code) ** 2 - (counts**2).sum())


def _squares(unit: Ints, score: Floats) -> tuple[float, float]:
    """Σ_{i≠j} (x_i − x_j)² = 2 m Σ (x_i − mean)², per unit and overall."""
    size = np.bincount(unit)
    centred = score - (np.bincount(unit, weights=score) / size)[unit]
    observed = (np.bincount(unit, weights=centred**2) * 2 * size / (size - 1.0)).sum()
    return float(observed), float(2 * len(score) * ((score - score.mean()) ** 2).sum())


def _by_coincidence(
    unit: Ints, code: Ints, levels: NDArray[Any], squared: Callable[[NDArray[Any], NDArray[Any]], Floats]
) -> tuple[float, float]:
    """Observed over the non-zero coincidences only; expected over all pairs of values, a block of rows at a time."""
    size = np.bincount(unit)
    table = sparse.csr_array((np.ones(len(code)), (unit, code)), shape=(len(size), len(levels)))
    weighted = sparse.csr_array((1.0 / (size[unit] - 1.0), (unit, code)), shape=table.shape)
    coincidences = sparse.coo_array(table.T @ weighted)  # a value paired with itself is at distance 0: no correction
    rows, columns = coincidences.coords
    unequal = rows != columns
    rows, columns = rows[unequal], columns[unequal]
    observed = (coincidences.data[unequal] * squared(levels[rows], levels[columns])).sum() if len(rows) else 0.0
    counts = np.bincount(code).astype(np.float64)
    expected = 0.0
    for start in range(0, len(levels), _BLOCK):
        block = slice(start, start + _BLOCK)
        distances = squared(levels[block, None], levels[None, :])
        expected += float(counts[block] @ distances @ counts)
    return float(observed), expected


def _ratio(a: NDArray[Any], b: NDArray[Any]) -> Floats:
    """((a − b)/(a + b))²; two zeros do not differ."""
    total = (a + b).astype(np.float64)
    share: Floats = np.divide(a - b, total, out=np.zeros(total.shape), where=total != 0)
    return share**2
