"""What is said about time and memory before a run."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from feedback.models import DatasetVersion
from tests.training.conftest import finish_run, make_run
from training.models import Run
from training.services.estimates import estimate_run, n_groups, parameters_of
from training.services.runs import read_settings


@pytest.fixture
def counted():
    return DatasetVersion(counts={"rows": {"group": {"train": 400, "test": 100}, "preference": {"train": 900}}})


def estimate(version, kind="smollm2", name="", **settings):
    return estimate_run(version, {"kind": kind, "name": name}, read_settings("reward", settings))


@pytest.mark.django_db
class TestRuleOfThumb:
    def test_time_grows_with_epochs_and_a_frozen_trunk_reads_once(self, counted):
        one, three = estimate(counted), estimate(counted, epochs=3)
        assert three.seconds - 15 == pytest.approx(3 * (one.seconds - 15))
        frozen = estimate(counted, tuning="frozen", epochs=20)
        assert frozen.seconds < one.seconds

    def test_memory_follows_what_is_trained(self, counted):
        full, lora, frozen = (estimate(counted, tuning=tuning).bytes for tuning in ("full", "lora", "frozen"))
        assert full > lora > frozen > 135e6 * 4

    def test_a_step_limit_bounds_the_time(self, counted):
        assert estimate(counted, epochs=100, max_steps=5).seconds < estimate(counted, epochs=1).seconds

    def test_nothing_is_said_of_what_is_not_known(self, counted):
        assert estimate(counted, kind="hub", name="a/b") is None
        assert estimate(DatasetVersion(counts={})) is None


def test_counts_of_any_age_are_read():
    assert n_groups(DatasetVersion(counts={"rows": {"train": 3}})) == 3
    assert n_groups(DatasetVersion(counts={"rows": {"group": {"test": 3}}})) == 0
    assert n_groups(DatasetVersion(counts={"rows": []})) == 0


def test_a_local_model_is_measured_by_its_weights(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"\0" * 4000)
    assert parameters_of({"kind": "path", "name": str(tmp_path)}) is None
    (tmp_path / "config.json").write_text(json.dumps({"dtype": "bfloat16"}))
    assert parameters_of({"kind": "path", "name": str(tmp_path)}) == 2000
    (tmp_path / "config.json").write_text("{}")
    assert parameters_of({"kind": "path", "name": str(tmp_path)}) == 1000


def test_an_earlier_run_of_the_kind_is_believed_before_the_rule(run, alice):
    finish_run(run)
    now = timezone.now()
    Run.objects.filter(pk=run.pk).update(started_at=now - timedelta(seconds=15 + 12), finished_at=now)
    found = estimate_run(run.dataset_version, run.base_model, {**run.settings, "epochs": 4.0})
    assert found.source == "earlier run"
    assert found.seconds == pytest.approx(15 + 12 * 2)  # twice the epochs of the earlier one


def test_another_base_model_has_no_earlier_run(run, alice):
    finish_run(run)
    other = make_run(run.dataset_version, alice, base_model={"kind": "smollm2"})
    assert estimate_run(other.dataset_version, other.base_model, other.settings).source == "rule of thumb"
