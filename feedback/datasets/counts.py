"""Where every judgement went, and what came of it.  Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from feedback.datasets.votes import EXPORTED, REASONS, Group, Weighed
from feedback.exceptions import FeedbackError

JSON = Any


class CountsDisagree(FeedbackError):
    """The judgements seen are not those that are there: nothing may be frozen on such counts."""


@dataclass
class Tally:
    """fates: EXPORTED or a reason → judgements.  pairs: the same → pairs.  prompts: split → distinct prompts."""

    fates: Counter[str] = field(default_factory=Counter)
    pairs: Counter[str] = field(default_factory=Counter)
    even_pairs: int = 0
    tasks: int = 0
    exported_tasks: int = 0
    raters: dict[str, str] = field(default_factory=dict)
    prompts: dict[str, set[str]] = field(default_factory=lambda: {"train": set(), "test": set()})

    def task(self, weighed: Weighed, unusable: Sequence[str]) -> None:
        """unusable: why the task's other judgements never reached the scales."""
        self.tasks += 1
        self.fates.update(weighed.fates)
        self.fates.update(unusable)
        self.pairs.update(weighed.pairs)

    def group(self, group: Group, prompt_hash: str) -> None:
        self.exported_tasks += 1
        self.even_pairs += sum(abs(comparison.probability - 0.5) < 1e-9 for comparison in group.comparisons)
        self.raters.update({vote.told.rater: vote.told.kind for vote in group.votes})
        self.prompts[group.split].add(prompt_hash)

    def counts(self, n_judgements: int, n_rows: Mapping[str, int]) -> dict[str, JSON]:
        """What is stored with the version.  Raises CountsDisagree unless every judgement is accounted for."""
        seen = self.fates.total()
        if seen != n_judgements:
            message = f"{n_judgements} judgements are stored, but {seen} were seen while freezing; freeze again."
            raise CountsDisagree(message)
        rows: dict[str, dict[str, int]] = {}
        for name, n in sorted(n_rows.items()):
            format, split = name.removesuffix(".parquet").split("/")
            rows.setdefault(format, {})[split] = n
        return {
            "judgements": n_judgements,
            "exported": self.fates[EXPORTED],
            "dropped": {reason: self.fates[reason] for reason in REASONS if self.fates[reason]},
            "pairs": {fate: self.pairs[fate] for fate in (EXPORTED, *REASONS) if self.pairs[fate]},
            "even_pairs": self.even_pairs,
            "tasks": {"judged": self.tasks, "exported": self.exported_tasks},
            "prompts": {split: len(found) for split, found in self.prompts.items()},
            "raters": dict(sorted(Counter(self.raters.values()).items())),
            "rows": rows,
        }
