"""The reward recipe: a scalar score per response, learnt from comparisons by the Bradley–Terry loss."""

from __future__ import annotations

from dataclasses import dataclass

from training.recipes.base import ConfigInvalid, Recipe, RecipeConfig, setting

TRUNCATION = {
    "drop": "Leave the response out, with its comparisons, and count it",
    "refuse": "Stop before training and say how many are too long",
    "truncate_prompt_left": "Cut the beginning of the prompt; responses stay whole",
    "truncate_response": "Cut the end of the response; the prompt stays whole",
}
TUNING = {
    "full": "Full: every weight is trained",
    "lora": "LoRA: low-rank adapters and the head are trained",
    "frozen": "Frozen trunk: only the head is trained, on features computed once",
}
FORWARD = {
    "auto": "The fastest that gives this model's own scores",
    "shared": "Packed, the prompt computed once per group",
    "padding_free": "Packed, every response with its own prompt",
    "padded": "One padded row per response",
}
SCHEDULE = {"linear": "Linear decay", "cosine": "Cosine decay", "constant": "Constant"}
PRECISION = {"auto": "bf16 where the device has it, else fp32", "bf16": "bf16", "fp32": "fp32"}


@dataclass(frozen=True)
class RewardConfig(RecipeConfig):
    """Settings of a reward run.  A group is one prompt with its responses and all their comparisons."""

    tuning: str = setting("full", "What is trained", "Frozen is the quickest, full the strongest.", choices=TUNING)
    epochs: float = setting(1.0, "Epochs", "How often each group is seen.", minimum=0.01, maximum=1000)
    learning_rate: float = setting(
        1e-5, "Learning rate", "The highest rate, reached after the warm-up.", minimum=1e-9, maximum=1.0
    )
    batch_size: int = setting(
        16, "Batch size", "Groups per optimiser step, over all devices.", minimum=1, maximum=65536
    )
    max_length: int = setting(
        1024, "Longest sequence", "Tokens of prompt and response together.", minimum=4, maximum=1_000_000
    )
    truncation: str = setting(
        "drop", "When a sequence is too long", "What is dropped or cut is counted in the report.", choices=TRUNCATION
    )
    lora_rank: int = setting(16, "LoRA rank", "Only for LoRA.", minimum=1, maximum=1024)
    lora_alpha: int = setting(
        32, "LoRA alpha", "Only for LoRA: updates are scaled by alpha / rank.", minimum=1, maximum=65536
    )
    lora_dropout: float = setting(0.0, "LoRA dropout", "Only for LoRA.", minimum=0.0, below=1.0, advanced=True)
    use_soft: bool = setting(
        True, "Soft labels", "Learn the share of raters who preferred a response; off: the majority, ties left out."
    )
    use_weights: bool = setting(True, "Weights", "Weigh each comparison by the dataset's weight column.")
    use_margin: bool = setting(
        False, "Margin", "Ask for a score difference of at least the strength of the preference (Llama 2, eq. 2)."
    )
    label_smoothing: float = setting(
        0.0, "Label smoothing", "The share of labels taken to be wrong.", minimum=0.0, below=0.5
    )
    centring: float = setting(
        0.0,
        "Centring",
        "Weight of (first score + second score)², which keeps scores near zero.",
        minimum=0.0,
        maximum=10,
    )
    weight_decay: float = setting(0.0, "Weight decay", "AdamW's.", minimum=0.0, maximum=10.0, advanced=True)
    max_grad_norm: float = setting(
        1.0, "Gradient clipping", "Longest gradient; 0 switches it off.", minimum=0.0, maximum=1e6, advanced=True
    )
    warmup: float = setting(
        0.03, "Warm-up", "Share of the steps in which the learning rate rises.", minimum=0.0, below=1.0, advanced=True
    )
    schedule: str = setting("linear", "Schedule", "After the warm-up.", choices=SCHEDULE, advanced=True)
    micro_batch_size: int = setting(
        0, "Micro-batch", "Groups per forward pass; 0: the whole batch. Results do not depend on it.", minimum=0,
        maximum=65536, advanced=True,
    )  # fmt: skip
    max_steps: int = setting(0, "Step limit", "Stop after so many steps; 0: by epochs.", minimum=0, maximum=10**9)
    eval_every: int = setting(
        0, "Evaluate every … steps", "0: four times a run, and at its end.", minimum=0, maximum=10**9, advanced=True
    )
    save_every: int = setting(
        0, "Checkpoint every … steps", "0: ten times a run, and at its end.", minimum=0, maximum=10**9, advanced=True
    )
    keep_checkpoints: int = setting(
        2, "Checkpoints kept", "Older ones are removed.", minimum=1, maximum=1000, advanced=True
    )
    log_every: int = setting(1, "Log every … steps", "One line of metrics.", minimum=1, maximum=10**6, advanced=True)
    gradient_checkpointing: bool = setting(False, "Gradient checkpointing", "Less memory for more time.", advanced=True)
    precision: str = setting("auto", "Precision", "Scores and loss are always fp32.", choices=PRECISION, advanced=True)
    forward: str = setting("auto", "Forward pass", "All give the same scores.", choices=FORWARD, advanced=True)
    seed: int = setting(
        0, "Seed", "Fixes the head's first weights and the order of groups.", minimum=0, maximum=2**32 - 1
    )

    def validate(self) -> None:
        """Limits of each field, and that micro-batches fill the batch."""
        super().validate()
        if self.micro_batch_size and self.batch_size % self.micro_batch_size:
            raise ConfigInvalid(
                "micro_batch_size",
                f"{self.batch_size} groups cannot be split into micro-batches of {self.micro_batch_size}.",
            )
        if self.gradient_checkpointing and self.tuning == "frozen":
            raise ConfigInvalid("gradient_checkpointing", "a frozen trunk has no backward pass; switch it off.")


REWARD = Recipe(
    name="reward",
    title="Reward model",
    paper="Bradley & Terry 1952, Biometrika 39; Ouyang et al. 2022, arXiv:2203.02155 eq. 1; margin: Touvron et al. "
    "2023, arXiv:2307.09288 eq. 2; centring: Eisenstein et al. 2023, arXiv:2312.09244.",
    config=RewardConfig,
    dataset_format="group",
    description="Learns one score per response so that the difference of two scores is the log-odds of the preference.",
)
