"""`make bench-train`: is the packed, prefix-shared training step faster than TRL's, and is it the same step?

Both trainers' own `compute_loss` and the backward pass, on the same weights and the same pairs, at prompt:response
8:1, 2:1 and 1:2.  Lengths are equal within a batch, so that TRL pads nothing: what is gained is sharing alone.  Repeats
are interleaved and the median counts; on the CPU it is CPU time of one thread, which other work on the machine disturbs
least.  A difference of loss or gradient fails the whole.  CUDA is measured too where there is a device.
"""

from __future__ import annotations

import copy
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(
    0, str(Path(__file__).resolve().parents[1])
)  # run as a file, so that `make bench-NAME` needs no package

from training.engine.environment import set_defaults

set_defaults()

import torch  # noqa: E402 - the environment must be set first
from transformers import LlamaConfig, LlamaForSequenceClassification  # noqa: E402

SHAPES = {"8:1": (256, 32, 1.5), "2:1": (192, 96, 1.4), "1:2": (96, 192, 1.1)}  # prompt, response, target
PAIRS, VOCABULARY, REPEATS = 4, 512, 9
CLOSE = 1e-5
Step = Callable[[], float]


def classifier() -> Any:
    """A Llama of 5 M parameters with a scalar head, weights far enough from zero to make scores differ."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=320,
        intermediate_size=864,
        num_hidden_layers=4,
        num_attention_heads=5,
        num_key_value_heads=5,
        pad_token_id=0,
    )
    config.num_labels = 1
    model: Any = LlamaForSequenceClassification(config)  # type: ignore[no-untyped-call]  # untyped there
    model.score.weight.data.normal_(0.0, 0.2)
    return model


def draw_pairs(prompt: int, response: int) -> list[tuple[list[int], list[int], list[int]]]:
    """Prompts with two responses of equal length; id 0, TRL's padding, is never drawn."""
    generator = torch.Generator().manual_seed(prompt)

    def ids(count: int) -> list[int]:
        drawn: list[int] = torch.randint(1, VOCABULARY, (count,), generator=generator).tolist()
        return drawn

    return [(ids(prompt), ids(response), ids(response)) for _ in range(PAIRS)]


def trl_trainer(model: Any, folder: str, pairs: list[tuple[list[int], list[int], list[int]]]) -> Any:
    """TRL's trainer without what would slow it down here: bf16 on a CPU, and recomputation."""
    from datasets import Dataset
    from trl.trainer.reward_config import RewardConfig
    from trl.trainer.reward_trainer import RewardTrainer

    from training.engine.base_models import train_tiny_tokenizer

    rows = [{"chosen_ids": prompt + good, "rejected_ids": prompt + bad} for prompt, good, bad in pairs]
    options = RewardConfig(
        output_dir=folder,
        bf16=False,
        gradient_checkpointing=False,
        max_length=None,
        report_to="none",
        use_cpu=not torch.cuda.is_available(),
    )
    tokenizer = train_tiny_tokenizer(["some text"])
    return RewardTrainer(model=model, args=options, train_dataset=Dataset.from_list(rows), processing_class=tokenizer)


def our_trainer(model: Any, folder: str, pairs: list[tuple[list[int], list[int], list[int]]]) -> Any:
    """Our trainer on the trunk and head of the same classifier."""
    from training.engine.forwards import choose_forward
    from training.engine.groups import Comparison
    from training.engine.preparation import EncodedGroup
    from training.engine.reward_model import RewardModel
    from training.engine.run_directory import RunDirectory
    from training.engine.schedule import plan
    from training.engine.specification import Spec
    from training.engine.stopping import Stop
    from training.engine.trainer import PreferenceTrainer, Prepared
    from training.recipes.reward import RewardConfig

    reward = RewardModel(model.model, model.config.hidden_size, seed=0)
    reward.head.weight.data.copy_(model.score.weight)
    pair = (Comparison(0, 1, probability=1.0),)
    groups = [
        EncodedGroup(str(number), number, tuple(prompt), (tuple(good), tuple(bad)), (1, 1), pair)
        for number, (prompt, good, bad) in enumerate(pairs)
    ]
    config = RewardConfig(batch_size=PAIRS, precision="fp32")
    spec = Spec("bench", 1, "reward", {}, config, "", "", "", "")
    forward = choose_forward(reward, "shared")
    schedule = plan(config, len(groups), 1)
    run = RunDirectory(Path(folder))
    return PreferenceTrainer(
        Prepared(spec, run, Stop(), reward, None, forward, groups, [], None, None, schedule, data_sha256="")
    )


def steps(prompt: int, response: int, device: str, folder: str) -> tuple[Step, Step, Callable[[], float]]:
    """TRL's step, ours, and the largest difference of a trunk gradient between the two after one of each."""
    pairs = draw_pairs(prompt, response)
    base = classifier().to(device)
    theirs = trl_trainer(copy.deepcopy(base), folder, pairs)
    ours = our_trainer(base, folder, pairs)

    def step(trainer: Any, examples: list[Any]) -> Step:
        batch = trainer._prepare_inputs(trainer.data_collator(examples))

        def run() -> float:
            trainer.model.zero_grad()
            trainer.model.train()
            loss = trainer.compute_loss(trainer.model, dict(batch))
            loss.backward()
            return float(loss.detach())

        return run

    def difference() -> float:
        trunks = zip(theirs.model.model.parameters(), ours.model.trunk.parameters(), strict=True)
        return max(float((one.grad - other.grad).abs().max()) for one, other in trunks)

    examples = [{"chosen_ids": prompt + good, "rejected_ids": prompt + bad} for prompt, good, bad in pairs]
    return step(theirs, examples), step(ours, list(range(PAIRS))), difference


def seconds(step: Step, device: str) -> float:
    """CPU seconds of this process, or seconds until CUDA has finished."""
    if device == "cpu":
        before = time.process_time()
        step()
        return time.process_time() - before
    torch.cuda.synchronize()
    before = time.perf_counter()
    step()
    torch.cuda.synchronize()
    return time.perf_counter() - before


def measure(shape: str, device: str, folder: str) -> list[dict[str, Any]]:
    """The parts of one shape: the ratio of times, and the largest difference of loss and gradients."""
    prompt, response, target = SHAPES[shape]
    theirs, ours, difference = steps(prompt, response, device, folder)
    apart = max(abs(theirs() - ours()), difference())  # also the warm-up
    taken = [(seconds(theirs, device), seconds(ours, device)) for _ in range(REPEATS)]
    trl, packed = (statistics.median(column) for column in zip(*taken, strict=True))
    ratio = trl / packed
    tokens = 2 * (prompt + response) / (prompt + 2 * response)
    times = f"{trl * 1e3:10.1f} {packed * 1e3:10.1f} {ratio:7.2f}"
    print(f"{device:5} {shape:>4} {times} {tokens:7.2f} {target:7.1f} {apart:9.1e}")
    aim = target if device == "cpu" else 1.0
    name = f"{device} {shape}"
    return [
        part(f"{name} speed", round(ratio, 3), "times", "TRL RewardTrainer", aim, ratio >= aim),
        part(f"{name} difference", apart, "loss and gradient", "TRL RewardTrainer", CLOSE, apart <= CLOSE),
    ]


def part(name: str, value: float, unit: str, against: str, target: float, ok: bool) -> dict[str, Any]:
    return {"name": name, "value": value, "unit": unit, "against": against, "target": target, "ok": ok}


def main() -> int:
    torch.set_num_threads(1)
    print(f"{'':5} {'P:R':>4} {'TRL ms':>10} {'ours ms':>10} {'ratio':>7} {'tokens':>7} {'target':>7} {'apart':>9}")
    devices = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    with tempfile.TemporaryDirectory() as folder:
        parts = [part for device in devices for shape in SHAPES for part in measure(shape, device, folder)]
    ok = all(part["ok"] for part in parts)
    print(json.dumps({"name": "train", "ok": ok, "parts": parts}))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
