"""Whole runs in this process on a tiny model: every setting counts, every weight moves, nothing is lost on the way."""

import dataclasses
import json
import shutil
from contextlib import ExitStack

import pytest
import torch
from safetensors.torch import load_file

from tests.training.engine.runs import comparison, group, make_run, metrics_of, polite_groups, result_of
from training.engine import checkpoints
from training.engine.batches import Collator
from training.engine.groups import read_groups
from training.engine.job import prepare, train
from training.engine.outcome import run_job
from training.engine.run_directory import RunDirectory
from training.engine.saved_model import load_model, load_tensors, merged_weights, save_tensors
from training.engine.scoring import Scorer
from training.engine.specification import read_spec
from training.engine.stopping import Stop
from training.engine.trainer import PreferenceTrainer
from training.recipes.reward import RewardConfig

RARELY = {"eval_every": 1000, "save_every": 1000}
TUNINGS = ["full", "lora", "frozen"]
# Ties, soft votes, weights, margins, a long prompt: whatever a setting may act on is there.
MIXED = [
    *polite_groups(6),
    group(90, "Soft.", ["please thanks", "boring never"], [comparison(probability=0.7, weight=3.0, margin=2.0)]),
    group(91, "Tied.", ["gladly kindly", "nope whatever"], [comparison(probability=0.5)]),
    group(92, " ".join(["Long."] * 60), ["please kindly", "rubbish"], [comparison(weight=2.0)]),
]


def trained(path, **settings):
    make_run(path, **settings)
    assert run_job(path, train) == 0, (path / "result.json").read_text()
    return path


def final(path):
    return path / result_of(path)["checkpoint"]


def weights(path):
    return load_file(final(path) / "model.safetensors")


@pytest.fixture
def trainer_for():
    """A trainer whose run directory is held until the test ends."""
    with ExitStack() as held:

        def make(path, **settings):
            run = RunDirectory(make_run(path, **settings))
            held.enter_context(run.held(1))
            return PreferenceTrainer(prepare(run, read_spec(path), Stop())[0])

        yield make


@pytest.mark.parametrize("tuning", TUNINGS)
def test_a_run_learns_to_tell_polite_from_rude(tmp_path, tuning):
    rate = {"full": 2e-3, "lora": 5e-3, "frozen": 2e-2}[tuning]
    path = trained(tmp_path / "run", train=polite_groups(48), tuning=tuning, learning_rate=rate, epochs=4.0)
    result = result_of(path)
    assert result["status"] == "succeeded"
    assert result["evaluation"]["test"]["accuracy"] >= 0.9
    rows = metrics_of(path)
    assert [row["step"] for row in rows] == list(range(1, 25))
    assert rows[-1]["loss"] < rows[0]["loss"] / 2
    assert {"step", "epoch", "loss", "accuracy", "learning_rate", "eval_loss", "eval_accuracy", "time"} == set(rows[-1])
    assert json.loads((path / "progress.json").read_text())["phase"] == "done"


@pytest.mark.parametrize("tuning", ["full", pytest.param("lora", marks=pytest.mark.slow), "frozen"])
def test_one_batch_can_be_learnt_by_heart(tmp_path, tuning):
    rate = {"full": 1e-3, "lora": 1e-2, "frozen": 0.1}[tuning]
    groups = polite_groups(4)
    path = trained(
        tmp_path / "run", train=groups, batch_size=4, epochs=40.0, tuning=tuning, learning_rate=rate, **RARELY
    )
    assert metrics_of(path)[-1]["loss"] < 0.01
    assert metrics_of(path)[-1]["accuracy"] == 1.0


def test_full_tuning_changes_every_weight(tmp_path, trainer_for):
    trainer = trainer_for(tmp_path / "run")
    before = {name: value.detach().clone() for name, value in trainer.model.named_parameters()}
    trainer.train()
    for name, value in trainer.model.named_parameters():
        assert not torch.equal(value, before[name]), f"{name} did not change"


@pytest.mark.parametrize("tuning", ["lora", "frozen"])
def test_other_tunings_change_what_they_train_and_nothing_else(tmp_path, trainer_for, tuning):
    trainer = trainer_for(tmp_path / "run", tuning=tuning, epochs=3.0)
    before = {name: value.detach().clone() for name, value in trainer.model.named_parameters()}
    trainer.train()
    for name, value in trainer.model.named_parameters():
        assert torch.equal(value, before[name]) != value.requires_grad, name
    assert trainer.model.head.weight.requires_grad


@pytest.mark.parametrize("tuning", TUNINGS)
def test_a_saved_model_scores_as_the_trained_one(tmp_path, trainer_for, tuning):
    """OpenRLHF 682, peft 577: the head of a LoRA reward model was not saved, and random after reloading."""
    trainer = trainer_for(tmp_path / "run", tuning=tuning, learning_rate=1e-2)
    trainer.train()
    expected = trainer.scores()
    checkpoint = checkpoints.latest_checkpoint(tmp_path / "run/checkpoints")
    model, _ = load_model(checkpoint)
    assert torch.equal(model.head.weight, trainer.model.head.weight)
    scorer = Scorer(checkpoint)
    for scores, row in zip(expected, read_groups(tmp_path / "run/data/test.parquet"), strict=True):
        found = list(scorer.score_rows([{"id": row.id, "prompt": list(row.prompt), "responses": list(row.responses)}]))
        assert found[0]["scores"] == pytest.approx(scores, abs=1e-5)


def test_transformers_reads_a_checkpoint_as_a_sequence_classifier(tmp_path):
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    path = trained(tmp_path / "run", tuning="lora", learning_rate=1e-2)
    model = AutoModelForSequenceClassification.from_pretrained(final(path))
    tokenizer = AutoTokenizer.from_pretrained(final(path))
    prompt = [{"role": "user", "content": "Tell me about bread."}]
    text = tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True) + "please<|im_end|>"
    logits = model(**tokenizer(text, return_tensors="pt", add_special_tokens=False)).logits
    score = next(Scorer(final(path)).score_rows([{"id": "a", "prompt": prompt, "responses": ["please"]}]))["scores"][0]
    assert logits.item() == pytest.approx(score, abs=1e-5)


def test_merging_adapters_leaves_the_training_model_alone(tmp_path, trainer_for):
    trainer = trainer_for(tmp_path / "run", tuning="lora", learning_rate=1e-2)
    trainer.train()
    before = {name: value.clone() for name, value in trainer.model.state_dict().items()}
    merged = merged_weights(trainer.model.trunk)
    assert all(torch.equal(value, before[name]) for name, value in trainer.model.state_dict().items())
    assert (
        any(
            not torch.equal(value, before.get(f"trunk.base_model.model.{name}", value))
            for name, value in merged.items()
        )
        or merged
    )


@pytest.mark.parametrize("tuning", ["full", "lora"])
def test_micro_batches_give_the_step_of_the_whole_batch(tmp_path, tuning):
    """TRL 2615, 4104: accumulated losses were scaled wrongly.  Weights and group sizes are uneven on purpose."""
    groups = [*polite_groups(7), *polite_groups(4, seed=3, k=3)]
    common = {"train": groups, "batch_size": 4, "tuning": tuning, "epochs": 2.0}
    whole = trained(tmp_path / "whole", **common)
    micro = trained(tmp_path / "micro", **common, micro_batch_size=1)
    for one, other in zip(metrics_of(whole), metrics_of(micro), strict=True):
        assert one["loss"] == pytest.approx(other["loss"], rel=1e-4)
        assert one["accuracy"] == other["accuracy"]
    for name, value in weights(whole).items():
        torch.testing.assert_close(value, weights(micro)[name], atol=1e-4, rtol=1e-3)


def test_features_of_a_frozen_trunk_are_computed_once(tmp_path, monkeypatch):
    path = trained(tmp_path / "run", tuning="frozen")
    first = (final(path) / "model.safetensors").read_bytes()
    (path / "result.json").unlink()
    shutil.rmtree(path / "checkpoints")
    monkeypatch.setattr("training.engine.features.last_hidden", lambda *a, **k: pytest.fail("computed again"))
    assert run_job(path, train) == 0
    assert (final(path) / "model.safetensors").read_bytes() == first


# What another value of each setting must change: the weights, or what the second word names.
EFFECTS = {
    "tuning": ({"tuning": "frozen"}, "weights"),
    "epochs": ({"epochs": 2.0}, "weights"),
    "learning_rate": ({"learning_rate": 5e-4}, "weights"),
    "batch_size": ({"batch_size": 2}, "weights"),
    "max_length": ({"max_length": 60}, "report"),
    "truncation": ({"max_length": 60, "truncation": "truncate_prompt_left"}, "weights", {"max_length": 60}),
    "lora_rank": ({"tuning": "lora", "lora_rank": 2}, "weights", {"tuning": "lora"}),
    "lora_alpha": ({"tuning": "lora", "lora_alpha": 64}, "weights", {"tuning": "lora"}),
    "lora_dropout": ({"tuning": "lora", "lora_dropout": 0.5}, "weights", {"tuning": "lora"}),
    "use_soft": ({"use_soft": False}, "weights"),
    "use_weights": ({"use_weights": False}, "weights"),
    "use_margin": ({"use_margin": True}, "weights"),
    "label_smoothing": ({"label_smoothing": 0.2}, "weights"),
    "centring": ({"centring": 0.1}, "weights"),
    "weight_decay": ({"weight_decay": 1.0}, "weights"),
    "max_grad_norm": ({"max_grad_norm": 0.01, "weight_decay": 0.0}, "weights"),
    "warmup": ({"warmup": 0.6}, "weights"),
    "schedule": ({"schedule": "constant"}, "weights"),
    "micro_batch_size": ({"micro_batch_size": 1}, "forwards"),
    "max_steps": ({"max_steps": 1}, "weights"),
    "eval_every": ({"eval_every": 3}, "evaluations"),
    "save_every": ({"save_every": 3, "keep_checkpoints": 9}, "checkpoints", {"keep_checkpoints": 9}),
    "keep_checkpoints": ({"keep_checkpoints": 1}, "checkpoints"),
    "log_every": ({"log_every": 2}, "lines"),
    "gradient_checkpointing": ({"gradient_checkpointing": True}, "recomputation"),
    "precision": ({"precision": "bf16"}, "weights"),
    "forward": ({"forward": "padded"}, "report"),
    "seed": ({"seed": 5}, "weights"),
}


def observe(path, monkeypatch, settings):
    """Everything that a setting may change, by the words of EFFECTS."""
    from training.engine import job
    from training.engine.reward_model import RewardModel

    calls = []
    forward = RewardModel.forward
    monkeypatch.setattr(RewardModel, "forward", lambda model, **batch: (calls.append(1), forward(model, **batch))[1])
    built = []
    build = job.build_reward_model
    monkeypatch.setattr(job, "build_reward_model", lambda *a: (built.append(build(*a)), built[-1])[1])
    trained(path, train=MIXED, test=polite_groups(3, seed=1), **{"batch_size": 4, "epochs": 1.0, **settings})
    monkeypatch.undo()
    lines = metrics_of(path)
    return {
        "weights": (final(path) / "model.safetensors").read_bytes(),
        "report": json.loads((path / "report.json").read_text()),
        "forwards": len(calls),
        "evaluations": [line["step"] for line in lines if "eval_loss" in line],
        "lines": [line["step"] for line in lines if "loss" in line],
        "checkpoints": sorted(entry.name for entry in (path / "checkpoints").iterdir()),
        "recomputation": any(getattr(module, "gradient_checkpointing", False) for module in built[0].modules()),
    }


@pytest.fixture(scope="module")
def observations():
    return {}


def test_every_setting_is_in_the_table_of_effects():
    assert set(EFFECTS) == {field.name for field in dataclasses.fields(RewardConfig)}


# What others have declared and then ignored is tried each time; the rest with the slow tests.
OFTEN = {"truncation", "max_length", "use_soft", "use_weights", "use_margin", "label_smoothing", "centring", "seed"}


@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n in OFTEN else pytest.mark.slow) for n in EFFECTS])
def test_every_setting_has_an_effect(tmp_path, monkeypatch, observations, name):
    """TRL 2538, 1271: a truncation mode that was declared and never used."""
    changed, seen, *given = EFFECTS[name]
    common = given[0] if given else {}
    key = json.dumps(common)
    if key not in observations:
        observations[key] = observe(tmp_path / "common", monkeypatch, common)
    assert observe(tmp_path / "changed", monkeypatch, changed)[seen] != observations[key][seen]


@pytest.mark.slow
def test_gradient_checkpointing_and_the_way_forward_do_not_change_the_result(tmp_path):
    plain = weights(trained(tmp_path / "plain", train=MIXED))
    for name, settings in {"less": {"gradient_checkpointing": True}, "padded": {"forward": "padded"}}.items():
        for key, value in weights(trained(tmp_path / name, train=MIXED, **settings)).items():
            torch.testing.assert_close(value, plain[key], atol=1e-4, rtol=1e-3)


def test_tied_weights_are_saved_under_both_names(tmp_path):
    tied = torch.arange(6.0).reshape(2, 3)
    save_tensors({"one": tied, "other": tied, "turned": tied.T}, tmp_path / "tied.safetensors")
    found = load_tensors(tmp_path / "tied.safetensors")
    assert torch.equal(found["one"], tied)
    assert torch.equal(found["other"], tied)
    assert torch.equal(found["turned"], tied.T)


def test_prompts_in_both_splits_are_reported(tmp_path):
    path = trained(tmp_path / "run", test=[*polite_groups(2), *polite_groups(3, seed=9)], max_steps=1)
    assert json.loads((path / "report.json").read_text())["test"]["prompts_also_in_train"] >= 2


def test_a_run_goes_through_its_epochs_in_their_own_orders(tmp_path, monkeypatch):
    seen = []
    collate = Collator.__call__
    monkeypatch.setattr(
        Collator, "__call__", lambda self, numbers: (seen.append(tuple(numbers)), collate(self, numbers))[1]
    )
    trained(tmp_path / "run", train=polite_groups(12), batch_size=4, epochs=3.0)
    epochs = [sum(seen[start : start + 3], ()) for start in (0, 3, 6)]
    assert all(sorted(epoch) == list(range(12)) for epoch in epochs)
    assert len(set(epochs)) == 3
