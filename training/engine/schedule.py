"""How many steps a run takes and what happens at which of them.  Pure arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass

from training.engine.exceptions import SpecInvalid
from training.recipes.reward import RewardConfig


@dataclass(frozen=True)
class Schedule:
    """Steps of the optimiser.  `micro_batch_size` is in groups per rank and forward pass."""

    total: int
    micro_batch_size: int
    accumulation: int
    warmup: int
    log_every: int
    eval_every: int
    save_every: int

    def logs(self, step: int) -> bool:
        return step % self.log_every == 0 or step >= self.total

    def evaluates(self, step: int) -> bool:
        return step % self.eval_every == 0 or step >= self.total

    def saves(self, step: int) -> bool:
        return step % self.save_every == 0 or step >= self.total


def plan(config: RewardConfig, groups: int, world_size: int) -> Schedule:
    """The schedule for so many groups on so many ranks.  Raises SpecInvalid when a batch can't be split among them."""
    micro = config.micro_batch_size or config.batch_size // world_size
    if not micro or config.batch_size % (micro * world_size):
        raise SpecInvalid(
            f"{config.batch_size} groups cannot be split among {world_size} ranks.",
            "Choose a batch size that is a multiple of micro-batch times ranks.",
        )
    accumulation = config.batch_size // (micro * world_size)
    steps_per_epoch = max(1, math.ceil(math.ceil(groups / world_size / micro) / accumulation))
    total = max(1, math.ceil(config.epochs * steps_per_epoch))
    if config.max_steps:
        total = min(total, config.max_steps)
    return Schedule(
        total=total,
        micro_batch_size=micro,
        accumulation=accumulation,
        warmup=round(config.warmup * total),
        log_every=config.log_every,
        eval_every=config.eval_every or max(1, math.ceil(total / 4)),
        save_every=config.save_every or max(1, math.ceil(total / 10)),
    )
