"""Scores by a saved checkpoint, with the same renderer, limits and forward pass as in training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from training.engine import checkpoints
from training.engine.environment import device, use_deterministic_kernels, wants_bf16
from training.engine.evaluation import evaluate_scores
from training.engine.exceptions import DataInvalid
from training.engine.forwards import choose_forward
from training.engine.groups import messages, read_groups
from training.engine.preparation import EncodedGroup, Preparation, share_prefix
from training.engine.rendering import Renderer
from training.engine.saved_model import load_model
from training.engine.score_groups import score_groups
from training.engine.specification import read_spec
from training.engine.truncation import fit_lengths
from training.recipes.reward import RewardConfig


class Scorer:
    """A reward model loaded from a checkpoint directory.  Raises CheckpointInvalid."""

    def __init__(self, checkpoint: Path) -> None:
        use_deterministic_kernels()
        meta = checkpoints.read_meta(checkpoint)
        self.config = RewardConfig.from_mapping(meta["identity"]["settings"])
        self.model, tokenizer = load_model(checkpoint)
        self.model.to(device())
        self.renderer = Renderer(tokenizer)
        self.forward = choose_forward(self.model, "auto")
        self.bf16 = wants_bf16(self.config.precision)

    def score_rows(self, rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Each row with `scores`, one per response.

        A response that does not fit the model's limit has no score: null, with the reason by index in `unscored`.
        """
        fitted = [self._fit(row) for row in rows]
        groups = [share_prefix(str(row["id"]), fit) for row, fit in zip(rows, fitted, strict=True) if fit]
        scores = iter(self.score(groups))
        for row, fit in zip(rows, fitted, strict=True):
            found = dict(zip(sorted(fit), next(scores), strict=True)) if fit else {}
            missing = {str(index): "too_long" for index in range(len(row["responses"])) if index not in found}
            result = {**row, "scores": [found.get(index) for index in range(len(row["responses"]))]}
            yield {**result, "unscored": missing} if missing else result

    def score(self, groups: Sequence[EncodedGroup]) -> list[list[float]]:
        """Scores of encoded groups."""
        return score_groups(self.model, groups, self.forward, bf16=self.bf16)

    def _fit(self, row: dict[str, Any]) -> dict[int, list[int]]:
        responses = row.get("responses")
        if not isinstance(responses, list) or any(not isinstance(text, str) for text in responses):
            raise DataInvalid(
                f"The line with id {row['id']} has no list of responses.", "Give each line its responses."
            )
        try:
            rendered = self.renderer.render(messages(row["prompt"]), responses)
        except (KeyError, TypeError) as error:
            raise DataInvalid(
                f"The prompt of id {row['id']} is neither text nor messages.", "Give messages with role and content."
            ) from error
        bos = self.renderer.tokenizer.bos_token_id
        return fit_lengths(rendered, set(range(len(responses))), self.config, bos)[0]


def evaluate_checkpoint(run: Path, checkpoint: Path) -> dict[str, Any]:
    """How a checkpoint does on the run's held-out groups.  Raises EngineError."""
    spec = read_spec(run)
    scorer = Scorer(checkpoint)
    preparation = Preparation(scorer.renderer, scorer.config, labels_as_given=True)
    groups = preparation.encode(read_groups(run / spec.test)) if spec.test else []
    evaluation = evaluate_scores(groups, scorer.score(groups), seed=scorer.config.seed)
    return {"test": evaluation, "report": preparation.report.to_json()}
