"""Small random models and a tokenizer, made on the spot; one thread, as the engine's own processes have it."""

import gc
import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

TEXTS = [
    "Tell me about bread and rivers in 5 words.",
    "please thanks kindly certainly gladly welcome whatever nope boring",
]


@pytest.fixture(autouse=True, scope="session")
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    gc.freeze()  # every run collects garbage, which takes seconds over all that is imported here
    yield
    gc.unfreeze()
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch):
    """These tests kill processes, not machines."""
    monkeypatch.setattr(os, "fsync", lambda number: None)


@pytest.fixture(scope="session")
def tokenizer():
    from training.engine.base_models import load_tokenizer  # needs the train extra

    return load_tokenizer({"kind": "tiny", "name": "tiny"}, TEXTS)


SIZES = {
    "vocab_size": 300,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}


def random_trunk(family, **changes):
    """A two-layer trunk of a family with weights that are far enough from zero to tell right from wrong."""
    import transformers

    torch.manual_seed(3)
    config = getattr(transformers, f"{family}Config")(**{**SIZES, "initializer_range": 0.2, **changes})
    return getattr(transformers, f"{family}Model")(config)


@pytest.fixture
def trunk_of():
    return random_trunk
