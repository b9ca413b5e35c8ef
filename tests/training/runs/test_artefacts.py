"""Files between a storage and a job's directory, on one machine and on two."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from training.exceptions import JobFailed
from training.services.artefacts import fetch_file, local_folder, publish_folder


@pytest.fixture(params=["same machine", "another machine"])
def storage(request, settings):
    """The files of this machine, or a storage without paths, as a remote one is."""
    if request.param == "another machine":
        settings.STORAGES = {**settings.STORAGES, "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"}}
    return request.param


def no_pulse():
    return None


def test_what_is_published_comes_back_whole(storage, tmp_path):
    source = tmp_path / "step_3"
    (source / "tokenizer").mkdir(parents=True)
    (source / "model.safetensors").write_bytes(b"weights")
    (source / "tokenizer" / "vocab.json").write_text("{}")
    (source / "training_state.json").write_text("{}")
    size = publish_folder(source, "checkpoints/r/step_3", no_pulse, leave_out=lambda path: "state" in path.name)
    assert size == 9
    folder = local_folder("checkpoints/r/step_3", tmp_path / "copy", no_pulse)
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert found == {"model.safetensors", "tokenizer/vocab.json"}
    assert (folder / "model.safetensors").read_bytes() == b"weights"
    assert (folder == tmp_path / "copy") == (storage == "another machine")


def test_publishing_again_replaces_and_leaves_no_second_copy(storage, tmp_path):
    (tmp_path / "model").write_bytes(b"one")
    publish_folder(tmp_path, "there", no_pulse, leave_out=lambda path: False)
    (tmp_path / "model").write_bytes(b"two")
    publish_folder(tmp_path, "there", no_pulse, leave_out=lambda path: False)
    assert default_storage.listdir("there") == ([], ["model"])
    assert default_storage.open("there/model").read() == b"two"


def test_a_half_copied_file_is_fetched_again(storage, tmp_path):
    default_storage.save("data", ContentFile(b"all of it"))
    (tmp_path / "data").write_bytes(b"all")
    pulses = []
    fetch_file("data", tmp_path / "data", lambda: pulses.append(1))
    assert (tmp_path / "data").read_bytes() == b"all of it"
    assert pulses


def test_what_is_missing_says_so_with_advice(storage, tmp_path):
    with pytest.raises(JobFailed, match="nothing is missing") as failure:
        fetch_file("nothing", tmp_path / "x", no_pulse)
    assert failure.value.advice


def test_a_missing_checkpoint_folder_says_so(tmp_path):
    with pytest.raises(JobFailed, match="missing from the storage"):
        local_folder("checkpoints/none", tmp_path, no_pulse)
