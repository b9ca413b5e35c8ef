"""The majority of the votes per unit, and what becomes of ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from feedback.consensus.levels import factorise

Ties: TypeAlias = Literal["none", "lowest"]


@dataclass(frozen=True)
class Majorities:
    """One entry per unit, units in ascending order.

    units: (n,).  labels: (n,), the value with the greatest weight.  share: (n,), its share of the unit's weight.
    tied: (n,), whether another value has the same weight; with ties="none" such a unit has no majority
    (`decided` is False) and its label must not be read.
    """

    units: NDArray[Any]
    labels: NDArray[Any]
    share: NDArray[np.float64]
    tied: NDArray[np.bool_]
    decided: NDArray[np.bool_]
    n_votes: NDArray[np.int64]


def majority_of(
    units: ArrayLike, labels: ArrayLike, weights: ArrayLike | None = None, *, ties: Ties = "none"
) -> Majorities:
    """units, labels, weights: (n_votes,).  ties="lowest" decides a tie for the smallest label.

    Votes of weight 0 do not count.  Raises ValueError for lengths that differ or a negative weight.
    """
    unit, label = np.asarray(units), np.asarray(labels)
    weight = np.ones(len(unit)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not unit.shape == label.shape == weight.shape or unit.ndim != 1:
        message = f"One label and weight per vote: got {unit.shape}, {label.shape} and {weight.shape}."
        raise ValueError(message)
    if (weight < 0).any():
        raise ValueError("A vote cannot weigh less than 0.")
    counts = weight > 0
    (names, at), (values, code) = factorise(unit[counts]), factorise(label[counts])
    cell, inverse = factorise(at * max(len(values), 1) + code)
    owner, value = np.divmod(cell, max(len(values), 1))
    total = np.bincount(inverse, weights=weight[counts])
    order = np.lexsort((value, -total, owner))  # per unit: heaviest first, then the lowest label
    first = np.searchsorted(owner[order], np.arange(len(names)))
    best = order[first]
    runner_up = np.append(order, -1)[first + 1]
    tied = (owner[runner_up] == owner[best]) & (runner_up >= 0) & np.isclose(total[runner_up], total[best], atol=0)
    return Majorities(
        units=names,
        labels=values[value[best]],
        share=total[best] / np.bincount(at, weights=weight[counts], minlength=len(names)),
        tied=tied,
        decided=~tied if ties == "none" else np.ones(len(names), bool),
        n_votes=np.bincount(at, minlength=len(names)),
    )
