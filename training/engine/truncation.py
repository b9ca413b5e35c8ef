"""What becomes of a sequence with more tokens than the settings allow."""

from __future__ import annotations

from collections.abc import Sequence

from training.engine.rendering import Rendered
from training.recipes.reward import RewardConfig

Fitted = dict[int, list[int]]  # token ids by the response's index in its group


def fit_lengths(
    rendered: Sequence[Rendered], needed: set[int], config: RewardConfig, bos: int | None
) -> tuple[Fitted, set[int]]:
    """Token ids of the needed responses that fit into max_length, by index, and the indices of those that were cut.

    A response that is missing from the result did not fit: it is left out under "drop" and "refuse", and under the
    other policies where cutting would leave nothing of the prompt or of the response.
    """
    fitted = {index: rendered[index].ids for index in sorted(needed)}
    over = {index: len(ids) - config.max_length for index, ids in fitted.items() if len(ids) > config.max_length}
    if not over:
        return fitted, set()
    if config.truncation == "truncate_prompt_left":
        return _cut_prompt(rendered, fitted, over, bos)
    if config.truncation == "truncate_response":
        return _cut_responses(rendered, fitted, over)
    return {index: ids for index, ids in fitted.items() if index not in over}, set()


def _cut_prompt(
    rendered: Sequence[Rendered], fitted: Fitted, over: dict[int, int], bos: int | None
) -> tuple[Fitted, set[int]]:
    """Cut the same ids from the front of every prompt of the group, so that they stay shared; keep a leading BOS."""
    room = min(rendered[index].prompt_length for index in fitted)
    kept_bos = int(bool(room) and bos is not None and next(iter(fitted.values()))[0] == bos)
    excess = {index: amount for index, amount in over.items() if amount < room - kept_bos}
    cut = max(excess.values(), default=0)
    result = {
        index: ids[:kept_bos] + ids[kept_bos + cut :]
        for index, ids in fitted.items()
        if index not in over or index in excess
    }
    return result, set(result) if cut else set()


def _cut_responses(rendered: Sequence[Rendered], fitted: Fitted, over: dict[int, int]) -> tuple[Fitted, set[int]]:
    """Cut the end of each over-long response before its end token.  A response of which nothing is left is dropped."""
    cut = {
        index: fitted[index][: -1 - amount] + fitted[index][-1:]
        for index, amount in over.items()
        if len(fitted[index]) - 1 - amount > rendered[index].prompt_length
    }
    return {**{index: ids for index, ids in fitted.items() if index not in over}, **cut}, set(cut)
