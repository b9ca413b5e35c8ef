"""A run from its directory to its result: read, report, prepare, train or resume, evaluate, say how it went."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from training.engine import checkpoints
from training.engine.base_models import load_tokenizer, load_trunk
from training.engine.environment import device, is_first_rank, use_deterministic_kernels, wants_bf16
from training.engine.evaluation import evaluate_scores
from training.engine.exceptions import Cancelled
from training.engine.features import FeatureCache
from training.engine.forwards import choose_forward
from training.engine.groups import Group, read_groups
from training.engine.preparation import EncodedGroup, Preparation, require_comparisons, with_training_labels
from training.engine.rendering import Renderer
from training.engine.reward_model import RewardModel, build_reward_model
from training.engine.run_directory import RunDirectory
from training.engine.saved_model import MODEL, load_tokenizer_of
from training.engine.schedule import plan
from training.engine.specification import Spec, check_data
from training.engine.stopping import Stop
from training.engine.trainer import PreferenceTrainer, Prepared

logger = logging.getLogger(__name__)


def train(run: RunDirectory, spec: Spec, stop: Stop) -> dict[str, Any]:
    """Train, or resume from the last complete checkpoint; the value of result.json.  Raises EngineError."""
    use_deterministic_kernels()
    prepared, report = prepare(run, spec, stop)
    trainer = PreferenceTrainer(prepared)
    _train_from_last_checkpoint(trainer)
    if stop.requested:
        raise Cancelled
    run.progress("evaluating", 0, 1)
    evaluation = evaluate_scores(prepared.test, trainer.scores(), seed=spec.config.seed)
    run.progress("evaluating", 1, 1)
    final = checkpoints.step_directory(run.checkpoints, prepared.schedule.total)
    digest = checkpoints.read_meta(final)["files"][MODEL] if run.writes else ""
    logger.info("Held-out accuracy %s of %d comparisons.", evaluation["accuracy"], evaluation["n"])
    return {
        "status": "succeeded",
        "checkpoint": str(final.relative_to(run.path)),
        "sha256": digest,
        "forward": prepared.forward,
        "evaluation": {"test": evaluation},
        "report": report,
    }


def prepare(run: RunDirectory, spec: Spec, stop: Stop) -> tuple[Prepared, dict[str, Any]]:
    """Everything before the first step, and the data report, which is written first."""
    digest = check_data(run.path, spec)
    groups = read_groups(run.path / spec.train)
    held_out = read_groups(run.path / spec.test) if spec.test and (run.path / spec.test).is_file() else []
    run.progress("loading", 0, 1)
    tokenizer = _tokenizer(run, spec, groups)
    train_groups, test_groups, report = encode(run, spec, stop, tokenizer, groups, held_out)
    run.progress("loading", 1, 1)
    model = build_reward_model(load_trunk(spec.base_model, tokenizer, spec.config.seed), spec.config)
    model.to(device())
    stop.check()
    forward = choose_forward(model, spec.config.forward)
    report = {**report, "forward": forward, "parameters": _parameters(model)}
    run.write_report(report)
    features = _features(run, spec, stop, model, forward, {"train": train_groups, "test": test_groups}, digest)
    prepared = Prepared(
        spec=spec,
        run=run,
        stop=stop,
        model=model,
        tokenizer=tokenizer,
        forward=forward,
        train=with_training_labels(train_groups, spec.config),
        test=test_groups,
        train_features=features.get("train"),
        test_features=features.get("test"),
        schedule=plan(spec.config, len(train_groups), int(os.environ.get("WORLD_SIZE", "1"))),
        data_sha256=digest,
    )
    return prepared, report


def encode(
    run: RunDirectory, spec: Spec, stop: Stop, tokenizer: Any, groups: list[Group], held_out: list[Group]
) -> tuple[list[EncodedGroup], list[EncodedGroup], dict[str, Any]]:
    """Both splits as tokens, with their report.  Raises NothingToTrain, the report being written first."""
    total = len(groups) + len(held_out)
    renderer = Renderer(tokenizer)
    train = Preparation(renderer, spec.config)
    test = Preparation(renderer, spec.config, labels_as_given=True)
    train_groups = train.encode(groups, _ticker(run, stop, "tokenising", 0, total))
    test_groups = test.encode(held_out, _ticker(run, stop, "tokenising", len(groups), total))
    test.report.prompts_also_in_train = len(train.prompts() & test.prompts())
    report = {"train": train.report.to_json(), "test": test.report.to_json()}
    run.write_report(report)
    logger.info("Data: %s", report)
    require_comparisons(train.report)
    return train_groups, test_groups, report


def _train_from_last_checkpoint(trainer: PreferenceTrainer) -> None:
    prepared = trainer.prepared
    last = checkpoints.latest_checkpoint(prepared.run.checkpoints)
    step = 0
    if last is not None:
        checkpoints.check_identity(last, prepared.identity())
        step = int(checkpoints.read_meta(last)["step"])
        logger.info("Resuming from %s.", last.name)
    prepared.run.rewind_metrics(step)
    prepared.run.progress("training", step, prepared.schedule.total)
    prepared.stop.check()
    if last is None:
        trainer.train()
    elif step < prepared.schedule.total:
        trainer.train(resume_from_checkpoint=str(last))
    else:  # killed after its last step
        trainer.load_checkpoint(last)


def _tokenizer(run: RunDirectory, spec: Spec, groups: list[Group]) -> Any:
    """The tokenizer of an earlier attempt where there is one, so that it need not be trained alike once more."""
    kept = run.path / "cache" / "tokenizer"
    if kept.is_dir():
        return load_tokenizer_of(kept)
    texts = (text for group in groups for text in (*(m["content"] for m in group.prompt), *group.responses))
    tokenizer = load_tokenizer(spec.base_model, texts)
    run.publish(kept, tokenizer.save_pretrained)
    return load_tokenizer_of(kept) if run.writes else tokenizer


def _features(
    run: RunDirectory,
    spec: Spec,
    stop: Stop,
    model: RewardModel,
    forward: str,
    splits: dict[str, list[EncodedGroup]],
    digest: str,
) -> dict[str, Tensor]:
    """Features of both splits for a frozen trunk; nothing for the other tunings."""
    config = spec.config
    if config.tuning != "frozen":
        return {}
    bf16 = wants_bf16(config.precision)
    identity = [spec.base_model, digest, config.max_length, config.truncation, config.seed, forward, bf16]
    identity += [config.use_soft, config.use_weights, torch.__version__]  # they decide which groups are kept
    cache = FeatureCache(run.path / "cache" / "features", identity, writes=is_first_rank())
    total = sum(map(len, splits.values()))
    found, done = {}, 0
    for split, groups in splits.items():
        tick = _ticker(run, stop, "features", done, total)
        found[split] = cache.features(model, groups, forward, split, bf16=bf16, tick=tick)
        done += len(groups)
    return found


def _ticker(run: RunDirectory, stop: Stop, phase: str, before: int, total: int) -> Callable[[int], None]:
    """Reports progress of a phase and ends it when a stop was asked for."""

    def tick(done: int) -> None:
        stop.check()
        run.progress(phase, before + done, total)

    return tick


def _parameters(model: RewardModel) -> dict[str, int]:
    return {
        "all": sum(value.numel() for value in model.parameters()),
        "trained": sum(value.numel() for value in model.parameters() if value.requires_grad),
    }
