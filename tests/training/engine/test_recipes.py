"""Settings know their own limits, and say which field is wrong."""

import dataclasses

import pytest

from training.recipes.base import ConfigInvalid, describe_settings
from training.recipes.hardware import defaults_for
from training.recipes.registry import RECIPES
from training.recipes.reward import RewardConfig


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"epochs": 0.0}, "epochs"),
        ({"epochs": float("nan")}, "epochs"),
        ({"learning_rate": 2.0}, "learning_rate"),
        ({"batch_size": 0}, "batch_size"),
        ({"batch_size": 2.5}, "batch_size"),
        ({"batch_size": "many"}, "batch_size"),
        ({"label_smoothing": 0.5}, "label_smoothing"),
        ({"tuning": "half"}, "tuning"),
        ({"use_soft": "perhaps"}, "use_soft"),
        ({"use_soft": 1}, "use_soft"),
        ({"seed": -1}, "seed"),
        ({"batch_size": 8, "micro_batch_size": 3}, "micro_batch_size"),
        ({"tuning": "frozen", "gradient_checkpointing": True}, "gradient_checkpointing"),
        ({"learning_rte": 1e-4}, "learning_rte"),
    ],
)
def test_a_wrong_setting_is_refused_by_its_name(values, field):
    with pytest.raises(ConfigInvalid) as caught:
        RewardConfig.from_mapping(values)
    assert caught.value.field == field


def test_a_form_and_json_give_the_same_settings():
    form = {"epochs": "2", "batch_size": "32", "use_margin": "on", "use_soft": "", "tuning": "lora"}
    json = {"epochs": 2, "batch_size": 32.0, "use_margin": True, "use_soft": False, "tuning": "lora"}
    assert RewardConfig.from_mapping(form) == RewardConfig.from_mapping(json)


def test_settings_survive_json():
    config = RewardConfig(tuning="lora", learning_rate=3e-4)
    assert RewardConfig.from_mapping(config.to_json()) == config


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_every_setting_of_every_recipe_can_be_shown_in_a_form(recipe):
    described = describe_settings(recipe.config)
    assert [entry.name for entry in described] == [field.name for field in dataclasses.fields(recipe.config)]
    for entry in described:
        assert entry.label
        assert entry.help
        assert entry.kind in {"bool", "int", "float", "str"}
        assert entry.kind != "str" or entry.choices
        assert entry.kind not in {"int", "float"} or entry.min is not None
    recipe.config().validate()


@pytest.mark.parametrize("kind", ["tiny", "smollm2", "path"])
@pytest.mark.parametrize("gpu_bytes", [0, 16 * 2**30, 80 * 2**30])
def test_defaults_for_any_machine_are_valid(kind, gpu_bytes):
    defaults_for({"kind": kind}, gpu_bytes=gpu_bytes).validate()


def test_a_pretrained_model_on_a_cpu_starts_with_a_frozen_trunk():
    assert defaults_for({"kind": "smollm2"}).tuning == "frozen"
