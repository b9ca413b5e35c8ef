import json
import re
from pathlib import Path

import pytest
from django.conf import settings

from feedback.access import rater_of
from feedback.consensus.agreement import krippendorff_alpha
from feedback.datasets.folder import sha256_of_rows
from feedback.models import AuditEvent, DatasetVersion, Judgement, Preference
from feedback.services.aggregation import aggregate_preferences
from feedback.services.freezing import freeze_dataset
from feedback.services.importing import import_tasks
from tests.factories import JudgementFactory, prefer
from tests.feedback.datasets.freezing import all_rows, dataset_of, imported, open_campaign, reconciles, rows_of

pytestmark = pytest.mark.django_db
PANDALM = Path(settings.TOUCHSTONE_DATA) / "pairwise_pandalm" / "testset-v1.json"


def test_every_judgement_is_exported_or_dropped_for_a_reason(mixed):
    version = freeze_dataset(dataset_of(mixed), actor=None)
    counts = version.counts
    assert counts["judgements"] == Judgement.objects.count() == 23
    assert counts["dropped"] == {"superseded": 1, "surplus": 1, "withdrawn_task": 2, "gold": 2, "not_admitted": 1}
    assert counts["exported"] == 16
    assert reconciles(counts)
    assert counts["rows"]["group"]["train"] + counts["rows"]["group"]["test"] == 8 == len(all_rows(version))
    assert counts["raters"] == {"imported": 2}
    assert version.status == DatasetVersion.Status.FROZEN
    assert AuditEvent.objects.filter(verb="dataset_version.frozen").exists()


def test_a_revision_counts_instead_of_what_it_revised(mixed):
    version = freeze_dataset(dataset_of(mixed), actor=None)
    by_id = {row["id"]: row for row in all_rows(version)}
    assert by_id["t03"]["comparisons"][0]["probability"] == pytest.approx(0.25)
    assert by_id["t04"]["comparisons"][0]["probability"] == pytest.approx(0.75)


def test_a_preference_row_has_the_chosen_side_and_what_is_known_about_it(mixed):
    version = freeze_dataset(dataset_of(mixed), actor=None)
    row = next(row for row in all_rows(version, "preference") if row["id"] == "t04")
    assert row["prompt"] == [{"role": "user", "content": "Why 4?"}]
    assert row["chosen"] == [{"role": "assistant", "content": "one 4"}]
    assert row["rejected"] == [{"role": "assistant", "content": "two 4"}]
    assert (row["margin"], row["probability"], row["weight"], row["votes"]) == (0.5, 0.75, 1.0, 2)


def test_raters_of_other_kinds_can_be_left_out(mixed, alice):
    task = mixed.tasks.order_by("external_id").first()
    JudgementFactory(task=task, rater=rater_of(alice), answers=prefer("r2"))
    version = freeze_dataset(dataset_of(mixed, rater_kinds=["annotator"]), actor=None)
    assert version.counts["exported"] == 1
    assert version.counts["dropped"]["rater_kind"] == 17
    assert reconciles(version.counts)


def test_no_prompt_is_on_both_sides_whatever_its_case_and_spacing():
    campaign = open_campaign()
    rows = [
        {
            "prompt": prompt,
            "responses": [f"one {n}", f"two {m}"],
            "judgements": [{"rater": "ann", "answers": {"better": {"verdict": "prefer", "preferred": "r1"}}}],
        }
        for n in range(60)
        for m, prompt in enumerate((f"Why {n}?", f"why  {n}?"))
    ]
    import_tasks(campaign, rows, actor=None)
    version = freeze_dataset(dataset_of(campaign, test_fraction=0.3), actor=None)
    sides = {
        split: {" ".join(row["prompt"][0]["content"].lower().split()) for row in rows}
        for split, rows in rows_of(version).items()
    }
    assert not sides["train"] & sides["test"]
    assert len(sides["train"]) + len(sides["test"]) == 60
    assert version.counts["prompts"] == {split: len(prompts) for split, prompts in sides.items()}
    assert 5 < len(sides["test"]) < 35


def test_the_same_selection_has_the_same_hash_in_any_order_of_the_database():
    raters = ["ann", "ben", "cid"]
    rows = [
        {
            **({"external_id": f"t{n}"} if n % 2 else {}),
            "prompt": f"Why {n}? 🦜",
            "responses": ["one", "two"],
            "judgements": [
                {"rater": rater, "answers": {"better": {"verdict": "prefer", "preferred": f"r{(n + k) % 2 + 1}"}}}
                for k, rater in enumerate(raters)
            ],
        }
        for n in range(50)
    ]
    versions = [freeze_dataset(dataset_of(imported(f"c{n}", rows, n), name=f"d{n}"), actor=None) for n in range(3)]
    assert len({version.sha256 for version in versions}) == 1
    rows[7]["judgements"][0]["answers"]["better"] = {"verdict": "tie"}
    changed = freeze_dataset(dataset_of(imported("c9", rows, 9), name="d9"), actor=None)
    assert changed.sha256 != versions[0].sha256


def test_the_hash_can_be_computed_again_from_the_files_alone(mixed):
    version = freeze_dataset(dataset_of(mixed), actor=None)
    folder = Path(settings.MEDIA_ROOT) / version.path
    assert sha256_of_rows(folder) == version.sha256
    assert json.loads((folder / "counts.json").read_text()) == {"sha256": version.sha256, **version.counts}
    assert version.sha256 in (folder / "README.md").read_text()


def test_one_task_in_two_campaigns_is_two_rows_with_two_ids():
    rows = [{"external_id": "t", "prompt": "Why?", "responses": ["one", "two"]}]
    said = {"rater": "ann", "answers": {"better": {"verdict": "prefer", "preferred": "r1"}}}
    one, two = (imported(name, [{**rows[0], "judgements": [said]}], 0) for name in ("c1", "c2"))
    version = freeze_dataset(dataset_of(one, two), actor=None)
    assert min(row["id"] for row in all_rows(version)) == "t"
    assert len({row["id"] for row in all_rows(version)}) == 2


def test_pseudonyms_stand_where_names_stood(mixed):
    version = freeze_dataset(dataset_of(mixed), actor=None)
    raters = {row["rater"] for row in all_rows(version, "judgement")}
    assert all(re.fullmatch(r"rater-\d+", rater) for rater in raters)
    folder = Path(settings.MEDIA_ROOT) / version.path
    assert not any(b"ann" in path.read_bytes() for path in folder.glob("judgement/*.parquet"))


@pytest.mark.skipif(not PANDALM.exists(), reason="the shared data is not here ($TOUCHSTONE_DATA)")
def test_pandalm_freezes_to_the_figures_computed_independently():
    campaign = open_campaign()
    import_tasks(campaign, PANDALM, actor=None)
    told = Judgement.objects.filter(campaign=campaign).values_list("task_id", "answers")
    codes = [(task, answers["better"]["value"].get("preferred", "tie")) for task, answers in told]
    assert krippendorff_alpha(*map(list, zip(*codes, strict=True))).alpha == pytest.approx(0.8642, abs=5e-5)
    version = freeze_dataset(dataset_of(campaign, ties="drop"), actor=None)
    assert version.counts["pairs"] == {"exported": 894, "tie": 105}
    assert reconciles(version.counts)
    assert (version.counts["judgements"], version.counts["exported"]) == (2997, 2682)
    sides = [row["comparisons"][0]["probability"] > 0.5 for row in all_rows(version)]
    assert (sides.count(True), sides.count(False)) == (422, 472)
    longer = [
        0.5 if len(a) == len(b) else float((len(a) > len(b)) == (row["comparisons"][0]["probability"] > 0.5))
        for row in all_rows(version)
        for a, b in [row["responses"]]
    ]
    assert round(sum(longer) / len(longer), 3) == 0.674
    soft = freeze_dataset(dataset_of(campaign, name="soft"), actor=None)
    assert soft.counts["rows"]["group"]["train"] + soft.counts["rows"]["group"]["test"] == 999
    assert (soft.counts["exported"], soft.counts["dropped"]) == (2997, {})


def test_a_frozen_probability_is_the_one_that_aggregation_shows(mixed):
    aggregate_preferences(mixed)
    version = freeze_dataset(dataset_of(mixed), actor=None)
    shown = {
        preference.task.external_id: (preference.probability, abs(preference.strength))
        for preference in Preference.objects.select_related("task")
    }
    rows = {row["id"]: row["comparisons"][0] for row in all_rows(version)}
    assert len(rows) == 8
    for id, comparison in rows.items():
        assert (comparison["probability"], comparison["margin"]) == pytest.approx(shown[id])
