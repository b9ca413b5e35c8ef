"""A trunk with a scalar head.  Saved as an ordinary sequence-classification model with one label."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from training.engine.attention import PACKED
from training.engine.exceptions import OutOfMemory
from training.engine.packing import PADDED, Segments
from training.recipes.reward import RewardConfig

HEAD = "score"


class RewardModel(nn.Module):
    """Scores at the last tokens of responses.  `trunk` may be None when only cached features are scored."""

    def __init__(self, trunk: Any, hidden_size: int, seed: int) -> None:
        """The head's weights are drawn from `seed`, N(0, 1 / (hidden + 1)) as in Stiennon et al. 2020."""
        super().__init__()
        self.trunk = trunk
        self.head = nn.Linear(hidden_size, 1, bias=False, dtype=torch.float32)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            self.head.weight.normal_(0.0, (hidden_size + 1) ** -0.5, generator=generator)

    def forward(self, *, features: Tensor | None = None, **batch: Any) -> Tensor:
        """Scores [N] in fp32 from `features` [N, hidden], or from what `packing.pack` gives."""
        hidden = self.last_hidden(**batch) if features is None else features
        with torch.autocast(hidden.device.type, enabled=False):
            # A bf16 head has 8 bits for a difference of scores and flips close pairs.
            scores: Tensor = self.head(hidden.float()).squeeze(-1)
        return scores

    def last_hidden(
        self,
        *,
        input_ids: Tensor,
        last: Tensor,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        segments: Segments | None = None,
    ) -> Tensor:
        """The trunk's last hidden states [N, hidden] at the flat indices `last`."""
        extra: dict[str, Any] = {}
        if segments is not None:
            extra = {"segments": segments, "position_ids": position_ids, **segments.boundaries(input_ids.device)}
        output = self.trunk(input_ids=input_ids, attention_mask=attention_mask, use_cache=False, **extra)
        states: Tensor = output.last_hidden_state
        return states.flatten(0, 1).index_select(0, last)

    def use_forward(self, forward: str) -> None:
        """Set the trunk's attention to what a forward pass needs.  Raises ValueError where the model has none such."""
        trunk = getattr(self.trunk, "base_model", self.trunk)
        implementation = PACKED if forward != PADDED else "sdpa" if getattr(trunk, "_supports_sdpa", False) else "eager"
        self.trunk.set_attn_implementation(implementation)


def build_reward_model(trunk: Any, config: RewardConfig) -> RewardModel:
    """A reward model with what the tuning trains made trainable and everything else frozen."""
    hidden_size = int(trunk.config.get_text_config().hidden_size)
    if config.tuning == "lora":
        trunk = _with_adapters(trunk, config)
    model = RewardModel(trunk, hidden_size, config.seed)
    if config.tuning == "frozen":
        model.trunk.requires_grad_(False)
    elif config.tuning == "full":
        model.trunk.requires_grad_(True)
    if config.gradient_checkpointing:
        trunk.activation_checkpointing_enable(activation_checkpointing_kwargs={"use_reentrant": False})
    return model


def _with_adapters(trunk: Any, config: RewardConfig) -> Any:
    """Low-rank adapters on every linear layer of the trunk (Hu et al. 2021, arXiv:2106.09685); the head is not
    among them and stays trainable in full."""
    from peft import LoraConfig, get_peft_model  # 1 s of import that other tunings don't need

    options = LoraConfig(
        r=config.lora_rank,
        lora_alpha=config.lora_alpha,
        lora_dropout=config.lora_dropout,
        target_modules="all-linear",
        bias="none",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        return get_peft_model(trunk, options)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error is the device's, or the CPU allocator's, way of saying so."""
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or "can't allocate memory" in str(error)


def out_of_memory(error: BaseException) -> OutOfMemory:
    first_line = str(error).strip().partition("\n")[0]
    return OutOfMemory(
        f"Memory ran out: {first_line or type(error).__name__}.",
        "Set a smaller micro-batch (results stay the same), a shorter longest sequence, or gradient checkpointing.",
    )
