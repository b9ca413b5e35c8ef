import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from django.conf import settings
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from feedback.datasets.exporting import WRITERS
from feedback.importing.layouts.base import PAIRWISE_FORM
from feedback.models import Dataset, DatasetVersion, Task
from feedback.services.campaigns import create_campaign
from feedback.services.freezing import create_dataset, freeze_dataset
from feedback.services.importing import import_tasks

pytestmark = pytest.mark.django_db
HOSTILE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1).filter(str.strip)


def frozen(pairs, name="pairs", **policies):
    """A frozen version of a campaign that holds TRL rows (prompt, chosen, rejected)."""
    campaign = create_campaign(actor=None, name=name, questions=PAIRWISE_FORM)
    import_tasks(campaign, pairs, "trl_preference", actor=None)
    selection = {"campaigns": [str(campaign.pk)], **policies}
    return freeze_dataset(create_dataset(name=name, selection=selection, actor=None), actor=None)


def pairs(n=4):
    return [{"id": f"p{i}", "prompt": f"Why {i}?", "chosen": f"good {i}", "rejected": f"bad {i}"} for i in range(n)]


def folder_of(version):
    return Path(settings.MEDIA_ROOT) / version.path


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv"])
def test_an_export_can_be_imported_again_and_is_the_same(tmp_path, suffix):
    version = frozen(pairs(12))
    call_command("export_dataset", str(version.pk), "preference", str(tmp_path), suffix=suffix)
    again = create_campaign(actor=None, name="again", questions=PAIRWISE_FORM)
    for split in ("train", "test"):
        import_tasks(again, tmp_path / "preference" / f"{split}.{suffix}", "trl_preference", actor=None)
    same = freeze_dataset(
        create_dataset(name="again", selection={"campaigns": [str(again.pk)]}, actor=None), actor=None
    )
    assert same.sha256 == version.sha256
    card = (tmp_path / "README.md").read_text()
    (config,) = yaml.safe_load(card.split("---")[1])["configs"]
    assert config["config_name"] == "preference"
    assert all((tmp_path / entry["path"]).is_file() for entry in config["data_files"])
    assert card.partition("\n---\n")[2] == (folder_of(version) / "README.md").read_text().partition("\n---\n")[2]


@hypothesis_settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(prompt=HOSTILE, chosen=HOSTILE, rejected=HOSTILE)
def test_hostile_text_comes_out_as_it_went_in(tmp_path, prompt, chosen, rejected):
    if chosen == rejected:
        return
    version = frozen(
        [{"prompt": prompt, "chosen": chosen, "rejected": rejected}],
        name=f"d{Dataset.objects.count()}",
        test_fraction=0,
    )
    for suffix, delimiter in (("jsonl", ""), ("csv", ","), ("tsv", "\t")):
        call_command("export_dataset", str(version.pk), "preference", str(tmp_path), suffix=suffix)
        text = (tmp_path / "preference" / f"train.{suffix}").read_bytes().decode()
        if delimiter:
            (row,) = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
            row = {key: json.loads(row[key]) for key in ("prompt", "chosen", "rejected")}
        else:
            row = json.loads(text)
        assert (row["chosen"][0]["content"], row["rejected"][0]["content"]) == (chosen, rejected)
        if not prompt.lstrip().startswith("[{"):
            assert row["prompt"][0]["content"] == prompt


def test_text_is_not_written_as_escapes():
    (line,) = WRITERS["jsonl"](["a"], [{"a": "naïve 🦜 שלום"}])
    assert "naïve 🦜 שלום" in line
    assert list(WRITERS["csv"](["a"], [{"a": ["é"]}]))[1] == '"[""é""]"\r\n'


def test_parquet_is_exported_byte_for_byte(tmp_path):
    version = frozen(pairs())
    call_command("export_dataset", str(version.pk), "group", str(tmp_path), suffix="parquet")
    exported = (tmp_path / "group" / "train.parquet").read_bytes()
    assert exported == (folder_of(version) / "group" / "train.parquet").read_bytes()


def test_the_card_names_every_config_its_files_and_the_licence():
    version = frozen(pairs(), name='Odd "name"\u2028<b> 🦜', licence="apache-2.0")
    text = (folder_of(version) / "README.md").read_text()
    front = yaml.safe_load(text.split("---")[1])
    assert front["license"] == "apache-2.0"
    assert front["pretty_name"] == 'Odd "name" <b> 🦜'
    named = [config["config_name"] for config in front["configs"]]
    assert named == ["preference", "group", "prompt_completion", "judgement"]  # those that have rows
    for config in front["configs"]:
        for entry in config["data_files"]:
            assert pq.ParquetFile(folder_of(version) / entry["path"]).schema_arrow is not None
    assert "<b>" not in text.split("---")[2]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_the_datasets_library_loads_an_export(tmp_path, suffix):
    version = frozen(pairs(20))
    call_command("export_dataset", str(version.pk), "preference", str(tmp_path / "out"), suffix=suffix)
    loaded = load_with_datasets(tmp_path / "out", ["preference"], tmp_path)
    assert loaded == {"preference": {split: n for split, n in version.counts["rows"]["preference"].items() if n}}


def load_with_datasets(folder, names, home):
    """{config: {split: rows}} as `load_dataset` finds them, in a process of its own."""
    script = (
        "import json, sys; from datasets import load_dataset; "
        "print(json.dumps({name: {split: rows.num_rows for split, rows in load_dataset(sys.argv[1], name).items()} "
        "for name in sys.argv[2:]}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(folder), *names],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(home), "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("test_fraction", [0.3, 0.0])
def test_the_datasets_library_loads_every_config(tmp_path, test_fraction):
    version = frozen(pairs(20), test_fraction=test_fraction)
    rows = {name: {split: n for split, n in rows.items() if n} for name, rows in version.counts["rows"].items()}
    full = {name: splits for name, splits in rows.items() if splits}
    assert load_with_datasets(folder_of(version), full, tmp_path) == full


def test_the_freeze_command_saves_a_selection_and_freezes_it(capsys):
    frozen(pairs())
    campaign = Task.objects.first().campaign
    call_command("freeze_dataset", new="by hand", campaign=[str(campaign.pk)], ties="drop", licence="mit")
    version = DatasetVersion.objects.get(dataset__name="by hand")
    assert version.selection["ties"] == "drop"
    assert version.sha256 in capsys.readouterr().out
    call_command("freeze_dataset", "by hand")
    assert version.dataset.versions.count() == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "There is no dataset"),
        ([], "Name a dataset"),
        (["--new", "x"], "campaigns"),
        (["--new", "x", "--campaign", "nonsense"], "campaigns"),
    ],
)
def test_a_wrong_selection_is_one_clear_line(arguments, said):
    with pytest.raises(CommandError, match=said):
        call_command("freeze_dataset", *arguments)


def test_what_is_not_frozen_is_not_exported(tmp_path):
    version = frozen(pairs())
    waiting = DatasetVersion.objects.create(dataset=version.dataset, number=2, selection={})
    for id, said in ((str(waiting.pk), "is not frozen"), ("nonsense", "There is no dataset version")):
        with pytest.raises(CommandError, match=said):
            call_command("export_dataset", id, "group", str(tmp_path))
