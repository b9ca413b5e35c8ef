"""Samples responses from a base model: what the loop's next campaign and the demo data are made of.

Seeded and batched.  A batch is drawn from its own seed, made of the caller's seed and the number of its first prompt,
so that a caller who stops and starts again at a batch boundary gets the same texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import torch

from training.engine.base_models import load_causal_lm, load_tokenizer

Message = Mapping[str, str]
ROWS_PER_BATCH = 16


@dataclass(frozen=True)
class Sample:
    """One sampled response.  `tokens` counts what was drawn, the end token included."""

    text: str
    tokens: int
    finished: bool  # drew the end token, and was not cut at max_new_tokens


@dataclass(frozen=True)
class Sampler:
    """A loaded model with its way of drawing.  `temperature` 0 is greedy."""

    model: Any
    tokenizer: Any
    max_new_tokens: int
    temperature: float = 1.0
    top_p: float = 1.0

    def __post_init__(self) -> None:
        if self.max_new_tokens < 1:
            raise ValueError(f"max_new_tokens is {self.max_new_tokens}; ask for at least 1.")
        if self.temperature < 0 or not 0 < self.top_p <= 1:
            raise ValueError("temperature must be 0 or more, and top_p above 0 and at most 1.")

    def draw(self, prompts: Sequence[Sequence[Message]], seed: int) -> list[Sample]:
        """One sample per prompt, all in one batch; the same prompts, seed and machine give the same samples."""
        rendered = [
            self.tokenizer.apply_chat_template(list(prompt), tokenize=False, add_generation_prompt=True)
            for prompt in prompts
        ]
        rows = [self.tokenizer(text, add_special_tokens=False)["input_ids"] for text in rendered]
        return [self._cut(ids) for ids in self._generate(rows, seed)]

    def _generate(self, rows: list[list[int]], seed: int) -> list[list[int]]:
        """Pad on the left, so that every row's last token is its prompt's last; return the new ids per row."""
        longest = max(len(row) for row in rows)
        device = next(self.model.parameters()).device
        ids = [[self._pad_id()] * (longest - len(row)) + row for row in rows]
        mask = [[0] * (longest - len(row)) + [1] * len(row) for row in rows]
        devices = [device.index or 0] if device.type == "cuda" else []
        with torch.random.fork_rng(devices=devices), torch.inference_mode():
            torch.manual_seed(seed)
            out = self.model.generate(
                input_ids=torch.tensor(ids, device=device),
                attention_mask=torch.tensor(mask, device=device),
                max_new_tokens=self.max_new_tokens,
                eos_token_id=self.tokenizer.eos_token_id,
                pad_token_id=self._pad_id(),
                **self._drawing(),
            )
        drawn: list[list[int]] = out[:, longest:].tolist()
        return drawn

    def _drawing(self) -> dict[str, Any]:
        if self.temperature == 0:
            return {"do_sample": False}
        # top_k is 50 unless it is switched off, which would quietly not be the distribution asked for.
        return {"do_sample": True, "temperature": self.temperature, "top_p": self.top_p, "top_k": 0}

    def _cut(self, ids: list[int]) -> Sample:
        """End at the first end token; what a batch drew after it is padding, even where pad and end are one id."""
        end = self.tokenizer.eos_token_id
        finished = end in ids
        drawn = ids[: ids.index(end) + 1] if finished else ids
        text = self.tokenizer.decode(drawn, skip_special_tokens=True).strip()
        # A cut may fall inside a character of several bytes, which decodes to a replacement mark.
        return Sample(text if finished else text.rstrip("\ufffd"), tokens=len(drawn), finished=finished)

    def _pad_id(self) -> int:
        pad = self.tokenizer.pad_token_id
        return int(self.tokenizer.eos_token_id if pad is None else pad)


def sample_responses(
    base_model: Mapping[str, Any],
    prompts: list[list[dict[str, str]]],
    *,
    k: int,
    max_new_tokens: int,
    seed: int,
    temperature: float,
    top_p: float,
) -> Iterator[list[str]]:
    """Yield, for each prompt in order, its k sampled texts (which may be empty or equal: the caller decides).

    Raises BaseModelMissing when the model is not here and ValueError for impossible settings.
    """
    if k < 1:
        raise ValueError(f"k is {k}; ask for at least 1 response per prompt.")
    texts = (message["content"] for message in chain.from_iterable(prompts))
    tokenizer = load_tokenizer(base_model, texts)
    model: Any = load_causal_lm(base_model, tokenizer, seed)
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    sampler = Sampler(model.eval(), tokenizer, max_new_tokens, temperature, top_p)
    step = max(1, ROWS_PER_BATCH // k)
    for start in range(0, len(prompts), step):
        batch = [prompt for prompt in prompts[start : start + step] for _ in range(k)]
        drawn = [sample.text for sample in sampler.draw(batch, seed=batch_seed(seed, start))]
        yield from (drawn[row : row + k] for row in range(0, len(drawn), k))


def batch_seed(seed: int, number: int) -> int:
    """A seed of 63 bits for one batch, far from its neighbours' (splitmix64's finaliser, Steele et al. 2014)."""
    mixed = (seed * 0x9E3779B97F4A7C15 + number + 1) & (2**64 - 1)
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
    return (mixed ^ (mixed >> 31)) >> 1
