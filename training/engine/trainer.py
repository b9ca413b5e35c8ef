"""The one subclass of transformers' Trainer: preference loss over groups, checkpoints that resume bit for bit.

Supports full, LoRA and frozen-trunk tuning on one device, and data parallel under torchrun (rank 0 writes).  Assumes
that groups, features and forward pass are ready; `training.engine.job` makes them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainingArguments

from training.engine import checkpoints
from training.engine.batches import Collator, GroupNumbers, GroupOrder
from training.engine.environment import wants_bf16
from training.engine.evaluation import accuracy_and_loss
from training.engine.exceptions import LossNotFinite
from training.engine.losses.bradley_terry import bradley_terry_loss
from training.engine.preparation import EncodedGroup
from training.engine.reward_model import RewardModel
from training.engine.run_directory import RunDirectory
from training.engine.saved_model import load_weights, save_model
from training.engine.schedule import Schedule
from training.engine.score_groups import score_groups, split_by_group
from training.engine.specification import Spec
from training.engine.stopping import Stop

COMPARISON = ("first", "second", "probability", "margin", "weight")


@dataclass(frozen=True)
class Prepared:
    """All that training needs.  Features are set for a frozen trunk only."""

    spec: Spec
    run: RunDirectory
    stop: Stop
    model: RewardModel
    tokenizer: Any
    forward: str
    train: list[EncodedGroup]
    test: list[EncodedGroup]
    train_features: Tensor | None
    test_features: Tensor | None
    schedule: Schedule
    data_sha256: str

    def identity(self) -> dict[str, Any]:
        """What must be the same for a checkpoint to be resumed."""
        return {**self.spec.identity(), "data_sha256": self.data_sha256, "forward": self.forward}


class PreferenceTrainer(Trainer):
    """Trains `prepared.model`; writes metrics, progress and checkpoints to `prepared.run`."""

    loss_is_scaled_for_ga = True  # by compute_loss, over all micro-batches and ranks of a step

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.config = prepared.spec.config
        self.order = GroupOrder(len(prepared.train), self.config.seed)
        self._row: dict[str, Any] = {}
        self._right = torch.zeros(2, dtype=torch.float64)  # comparisons scored rightly, and decided ones
        super().__init__(
            model=prepared.model,
            args=_arguments(prepared),
            train_dataset=GroupNumbers(len(prepared.train)),
            data_collator=Collator(prepared.train, prepared.forward, prepared.train_features),
            callbacks=[_Conduct(self)],
        )
        self.remove_callback(PrinterCallback)

    def _get_train_sampler(self, train_dataset: Any = None) -> GroupOrder:
        return self.order

    def get_batch_samples(
        self, epoch_iterator: Iterator[dict[str, Any]], num_batches: int, device: torch.device
    ) -> tuple[list[dict[str, Any]], Tensor]:
        """The micro-batches of one step with the sum of all their weights, over all ranks."""
        batches, _ = super().get_batch_samples(epoch_iterator, num_batches, device)
        total = sum((batch["weight"].double().sum() for batch in batches), torch.zeros((), dtype=torch.float64))
        return batches, self.accelerator.reduce(total.float().to(device), "sum")

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Tensor | int | None = None,
    ) -> Any:
        """Weighted mean loss over the whole step's comparisons, of which this micro-batch gives its share.

        Ranks average their gradients, hence the factor of their number.  Raises LossNotFinite.
        """
        pair = {name: inputs[name] for name in COMPARISON}
        scores = model(**{name: value for name, value in inputs.items() if name not in COMPARISON})
        first, second = scores[pair["first"]], scores[pair["second"]]
        losses = bradley_terry_loss(
            first,
            second,
            pair["probability"],
            margin=pair["margin"],
            label_smoothing=self.config.label_smoothing,
            centring=self.config.centring,
        )
        total = pair["weight"].sum() if num_items_in_batch is None else num_items_in_batch
        loss = (losses * pair["weight"]).sum() / total * self.args.world_size
        if not torch.isfinite(loss):
            raise self._not_finite("The loss")
        self._count(first - second, pair["probability"])
        return (loss, scores) if return_outputs else loss

    @torch.no_grad()
    def _count(self, difference: Tensor, label: Tensor) -> None:
        decided = label != 0.5
        right = (1 + difference.sign() * (label - 0.5).sign())[decided] / 2
        self._right += torch.stack((right.sum(), decided.sum())).double().cpu()

    def _clip_grad_norm(self, model: Any) -> Any:
        norm = super()._clip_grad_norm(model)  # type: ignore[no-untyped-call]  # untyped there
        if not torch.isfinite(torch.as_tensor(norm)):
            raise self._not_finite("A gradient")
        return norm

    def _not_finite(self, what: str) -> LossNotFinite:
        return LossNotFinite(
            f"{what} became infinite or not a number after step {self.state.global_step}.",
            "Lower the learning rate or lengthen the warm-up, and start a new run.",
        )

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Collect a line of metrics.  It is written once evaluation has added to it, and before any checkpoint."""
        if "loss" in logs:
            right, decided = self.accelerator.reduce(self._right.to(self.args.device), "sum").tolist()
            self._right.zero_()
            rate = float(logs["learning_rate"])
            self._row |= {"loss": logs["loss"], "accuracy": right / decided if decided else None, "learning_rate": rate}

    def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Loss and accuracy on the held-out groups, labels as given, for the same line of metrics."""
        figures = accuracy_and_loss(self.prepared.test, self.scores())
        found = {"eval_loss": figures["loss"], "eval_accuracy": figures["accuracy"]}
        self._row |= found
        self.control.should_evaluate = False  # done: the end of an epoch asks once more
        return found

    def scores(self) -> list[list[float]]:
        """The model's scores of the held-out groups."""
        prepared = self.prepared
        if prepared.test_features is None:
            return score_groups(prepared.model, prepared.test, prepared.forward, bf16=self.args.bf16)
        with torch.no_grad():
            features = prepared.test_features.to(prepared.model.head.weight.device)
            return split_by_group(prepared.model(features=features), prepared.test)

    def _maybe_log_save_evaluate(self, *args: Any, **kwargs: Any) -> None:
        super()._maybe_log_save_evaluate(*args, **kwargs)
        self._write_row()

    def _write_row(self) -> None:
        if self._row:
            step, epoch = self.state.global_step, round(float(self.state.epoch or 0.0), 6)
            self.prepared.run.append_metrics({"step": step, "epoch": epoch, **self._row, "time": round(time.time(), 3)})
        self._row = {}

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        """Publish a checkpoint under its final name, complete or not at all."""
        self._write_row()  # a resumed run starts after this step, and would never write its line
        run = self.prepared.run
        run.check_fence()
        if run.writes:
            run.publish(checkpoints.step_directory(run.checkpoints, self.state.global_step), self._fill)
            checkpoints.remove_old(run.checkpoints, self.config.keep_checkpoints)
        self.accelerator.wait_for_everyone()

    def _fill(self, directory: Path) -> None:
        prepared, step = self.prepared, self.state.global_step
        whole = self.config.tuning == "full" or step >= prepared.schedule.total or prepared.stop.requested
        if whole:
            save_model(prepared.model, prepared.tokenizer, directory)
        if self.config.tuning != "full":
            checkpoints.save_trained(prepared.model, directory)
        checkpoints.save_training_state(directory, self.optimizer, self.lr_scheduler)
        self.state.save_to_json(str(directory / "trainer_state.json"))
        meta = {
            "run": prepared.spec.run,
            "attempt": prepared.run.attempt,
            "recipe": prepared.spec.recipe,
            "step": step,
            "total": prepared.schedule.total,
            "whole_model": whole,
            "identity": prepared.identity(),
            "seed": self.config.seed,
            "git_sha": prepared.spec.git_sha,
            "world_size": self.args.world_size,
        }
        checkpoints.write_meta(directory, meta)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        self.load_checkpoint(Path(resume_from_checkpoint))

    def load_checkpoint(self, directory: Path) -> None:
        """Put the weights of a checkpoint into the model.  Raises CheckpointInvalid."""
        if self.config.tuning == "full":
            load_weights(self.prepared.model, directory)
        else:
            checkpoints.load_trained(self.prepared.model, directory)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        if checkpoint is not None:
            checkpoints.load_optimizer(Path(checkpoint), self.optimizer, self.lr_scheduler)

    def _load_rng_state(self, checkpoint: str | None) -> None:
        if checkpoint is not None:
            checkpoints.load_random_state(Path(checkpoint))


class _Conduct(TrainerCallback):
    """Says at each step what is due, and brings a request to stop to all ranks at once."""

    def __init__(self, trainer: PreferenceTrainer) -> None:
        self.trainer = trainer

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self.trainer.order.set_epoch(int(state.epoch or 0))

    def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        prepared, step = self.trainer.prepared, state.global_step
        schedule = prepared.schedule
        stopping = torch.tensor(int(prepared.stop.requested), device=args.device)
        prepared.stop.requested = bool(self.trainer.accelerator.reduce(stopping, "sum") > 0)
        control.should_log = schedule.logs(step) or prepared.stop.requested
        control.should_evaluate = bool(prepared.test) and schedule.evaluates(step)
        control.should_save = schedule.saves(step) or prepared.stop.requested
        control.should_training_stop = prepared.stop.requested or step >= schedule.total
        prepared.run.progress("training", step, schedule.total)


def _arguments(prepared: Prepared) -> TrainingArguments:
    config, schedule = prepared.spec.config, prepared.schedule
    return TrainingArguments(
        output_dir=str(prepared.run.path),
        per_device_train_batch_size=schedule.micro_batch_size,
        gradient_accumulation_steps=schedule.accumulation,
        max_steps=schedule.total,
        learning_rate=config.learning_rate,
        weight_decay=config.weight_decay,
        max_grad_norm=config.max_grad_norm,
        warmup_steps=schedule.warmup,
        lr_scheduler_type="constant_with_warmup" if config.schedule == "constant" else config.schedule,
        bf16=wants_bf16(config.precision),
        use_cpu=not torch.cuda.is_available(),
        seed=config.seed,
        logging_strategy="no",
        save_strategy="no",
        eval_strategy="no",
        remove_unused_columns=False,
        dataloader_pin_memory=False,
        disable_tqdm=True,
        report_to="none",
    )
