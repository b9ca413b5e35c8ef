"""Loads the models a run starts from: tokenizer, trunk without a head, or the whole causal language model.

`base` is the `base_model` of `spec.json`: {"kind": "tiny" | "smollm2" | "path" | "hub", "name": str}.  Weights come
out in fp32 on the CPU; the caller moves them.  Only safetensors are read (nothing is unpickled) and no code that
comes with a model is run.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoTokenizer,
    LlamaConfig,
    LlamaForCausalLM,
    LlamaModel,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from training.recipes.base_models import (
    INSTALL_SMOLLM2,
    INSTALL_TRAIN,
    BaseModelMissing,
    hub_is_offline,
    smollm2_folder,
    smollm2_gguf,
)

EOS, PAD, START = "<|im_end|>", "<|pad|>", "<|im_start|>"
TINY_VOCABULARY = 2048
# One marker line per message and a closing token, as ChatML has it; no system message is made up.
TINY_CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def load_tokenizer(base: Mapping[str, Any], texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """The tokenizer of `base`.  `texts` is read only for "tiny", whose vocabulary is trained on it.

    Raises BaseModelMissing, with advice, when the model is not on this machine.
    """
    if base.get("kind") == "tiny":
        return train_tiny_tokenizer(texts)
    tokenizer: PreTrainedTokenizerFast = _from_pretrained(AutoTokenizer, base)
    return tokenizer


def load_trunk(base: Mapping[str, Any], tokenizer: PreTrainedTokenizerFast, seed: int) -> PreTrainedModel:
    """The causal trunk: token ids in, last hidden states [batch, length, hidden] out; no head.

    `seed` draws the weights of "tiny" and changes nothing else, not even the global random state.
    """
    if base.get("kind") == "tiny":
        return _seeded(LlamaModel, tiny_config(tokenizer), seed)
    trunk: PreTrainedModel = _from_pretrained(AutoModel, base, dtype=torch.float32, use_safetensors=True)
    return trunk


def load_causal_lm(
    base: Mapping[str, Any], tokenizer: PreTrainedTokenizerFast | None = None, seed: int = 0
) -> PreTrainedModel:
    """The model with its language-modelling head.  `tokenizer` and `seed` are needed for "tiny" only."""
    if base.get("kind") == "tiny":
        if tokenizer is None:
            raise BaseModelMissing("A tiny model has no vocabulary yet.", "Pass the tokenizer made by load_tokenizer.")
        return _seeded(LlamaForCausalLM, tiny_config(tokenizer), seed)
    model: PreTrainedModel = _from_pretrained(AutoModelForCausalLM, base, dtype=torch.float32, use_safetensors=True)
    return model


def train_tiny_tokenizer(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """A byte-level BPE with a ChatML-like template; every byte is in the alphabet, so no text is unknown.

    The padding token is not the end token: a model may see its end token in the loss (TRL issue 2758).
    """
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=TINY_VOCABULARY,
        special_tokens=[PAD, START, EOS],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    bpe.train_from_iterator(texts, trainer)
    wrapped: Any = PreTrainedTokenizerFast  # its constructor has no annotations
    tokenizer: PreTrainedTokenizerFast = wrapped(
        tokenizer_object=bpe,
        eos_token=EOS,
        pad_token=PAD,
        chat_template=TINY_CHAT_TEMPLATE,
        padding_side="right",
    )
    return tokenizer


def tiny_config(tokenizer: PreTrainedTokenizerFast) -> LlamaConfig:
    """Two Llama layers of width 128: about 0.7 M parameters at a vocabulary of 2,048."""
    return LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )


def _seeded(model_class: type[PreTrainedModel], config: LlamaConfig, seed: int) -> PreTrainedModel:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = model_class(config)
    model.eval()  # type: ignore[no-untyped-call]  # transformers leaves it without annotations
    return model


def _from_pretrained(loader: Any, base: Mapping[str, Any], **options: Any) -> Any:
    source = _source(base)
    try:
        return loader.from_pretrained(
            source,
            local_files_only=base["kind"] != "hub" or hub_is_offline(),
            trust_remote_code=False,
            **options,
        )
    except ImportError as error:
        raise BaseModelMissing(f"{source} needs a package that is not installed: {error}.", INSTALL_TRAIN) from error
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise BaseModelMissing(f"The model {source} cannot be loaded: {reason}", _advice(base)) from error


def _source(base: Mapping[str, Any]) -> str:
    kind, name = base.get("kind"), str(base.get("name") or "").strip()
    if kind == "smollm2":
        return str(ensure_smollm2())
    if kind == "hub" and name:
        return name
    if kind == "path" and name:
        if not (Path(name) / "config.json").is_file():
            raise BaseModelMissing(f"There is no model in the folder {name}.", _advice(base))
        return name
    known = "tiny, smollm2, path with a folder as name, hub with a model's name"
    raise BaseModelMissing(f"The base model {dict(base)!r} is not known.", f"Choose one of: {known}.")


def _advice(base: Mapping[str, Any]) -> str:
    if base.get("kind") == "hub" and hub_is_offline():
        return (
            "Downloads are switched off (HF_HUB_OFFLINE). Fetch it once on this machine with `hf download NAME`, "
            "or copy its folder here and choose it as a path."
        )
    if base.get("kind") == "hub":
        return "Check the name on the Hub and, for a gated model, that this machine is logged in (`hf auth login`)."
    return "Give the folder of a transformers model on this machine, with config.json and model.safetensors."


def ensure_smollm2() -> Path:
    """The folder of SmolLM2-135M-Instruct in fp32, converted from the package's GGUF at the first call.

    Written under a temporary name and renamed, so that the folder exists only when it is complete, and two
    processes that convert at once both end with the same folder.  Takes about 40 s and 540 MB.
    """
    folder = smollm2_folder()
    if (folder / "config.json").is_file():
        return folder
    gguf = smollm2_gguf()
    if gguf is None:
        raise BaseModelMissing("SmolLM2-135M-Instruct is not on this machine.", INSTALL_SMOLLM2)
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f"{folder.name}.unfinished-", dir=folder.parent))
    try:
        _convert_gguf(gguf, unfinished)
        unfinished.rename(folder)
    except OSError:
        if not (folder / "config.json").is_file():
            raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _convert_gguf(gguf: Path, folder: Path) -> None:
    """Dequantise one GGUF file into an ordinary trainable model folder (fp32: the 4-bit values stay exact)."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
        model: Any = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.float32)
    except ImportError as error:
        raise BaseModelMissing(f"SmolLM2's GGUF cannot be read: {error}.", INSTALL_TRAIN) from error
    # Without these three the saved folder still calls itself quantised and refuses to train.
    model.hf_quantizer = None
    model.is_quantized = False
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
        path.chmod(0o644)
    folder.chmod(0o755)
