"""Turns a prompt and a response into token ids: one renderer for training, evaluation and scoring.

A sequence is the rendered prompt, the response and exactly one end token.  The score is read at that token, so that a
second one, or a missing one, would change what is scored (TRL issues 4481 and 2758).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from training.engine.exceptions import TokenizerUnusable

Messages = Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class Rendered:
    """`ids` ends with the one end token; its first `prompt_length` ids are the prompt's and the prompt's alone."""

    ids: list[int]
    prompt_length: int


class Renderer:
    """Renders with the tokenizer's own chat template; without one, as plain text with the roles named."""

    def __init__(self, tokenizer: Any) -> None:
        if tokenizer.eos_token_id is None:
            raise TokenizerUnusable(
                "The tokenizer has no end token, at which a response could be scored.",
                "Set eos_token in the model's tokenizer_config.json.",
            )
        self.tokenizer = tokenizer
        self.eos = int(tokenizer.eos_token_id)
        self._control = tuple(str(token) for token in tokenizer.added_tokens_decoder.values() if token.special)

    def prompt_text(self, prompt: Messages) -> str:
        """The prompt up to where the assistant's answer begins."""
        if self.tokenizer.chat_template:
            text: str = self.tokenizer.apply_chat_template(list(prompt), tokenize=False, add_generation_prompt=True)
            return text
        turns = "".join(f"{message['role'].capitalize()}: {message['content']}\n\n" for message in prompt)
        return f"{self.tokenizer.bos_token or ''}{turns}Assistant: "

    def render(self, prompt: Messages, responses: Sequence[str]) -> list[Rendered]:
        """Each response after the prompt.  Prompt and response are tokenised together, as at generation."""
        text = self.prompt_text(prompt)
        alone = self._encode(text)
        return [self._one(text, alone, response) for response in responses]

    def _one(self, text: str, alone: list[int], response: str) -> Rendered:
        body = response.removesuffix(self.tokenizer.eos_token or "")
        if any(token in body for token in self._control):
            # Untrusted text must not become a control token: it is spelt out, after the prompt's own ids.
            ids = alone + self._encode(body, split_special_tokens=True)
        else:
            ids = self._encode(text + body)
        return Rendered([*ids, self.eos], common_prefix(alone, ids))

    def _encode(self, text: str, *, split_special_tokens: bool = False) -> list[int]:
        ids: list[int] = self.tokenizer(
            text, add_special_tokens=False, split_special_tokens=split_special_tokens, verbose=False
        )["input_ids"]
        return ids


def common_prefix(one: Sequence[int], other: Sequence[int]) -> int:
    """How many leading ids two sequences share."""
    shortest = min(len(one), len(other))
    for index in range(shortest):
        if one[index] != other[index]:
            return index
    return shortest
