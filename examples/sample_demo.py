"""Sample the demo's responses from SmolLM2-135M-Instruct: `python -m examples.sample_demo`.

Reads the prompts in examples/demo_prompts/ and writes the same tasks with responses to feedback/demo/.  Empty, broken
or repeated responses are drawn again; a task that stays short of distinct responses is left out and named.  Each part
has its own seeds, so that it can be made again alone, and a cap on the tokens drawn, what is thrown away included; the
caps add up to 20,000.  Not for large sets: everything is kept in memory.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from training.engine.base_models import load_causal_lm, load_tokenizer
from training.engine.sampling import Sample, Sampler, batch_seed

ROOT = Path(__file__).resolve().parent.parent
MODEL = "SmolLM2-135M-Instruct"
ROWS_PER_BATCH = 32
ROUNDS = 6


@dataclass(frozen=True)
class Part:
    """One file of the demo: responses per prompt, the most tokens of each, and the most tokens drawn in all."""

    name: str
    responses: int
    max_new_tokens: int
    cap: int


PARTS = (Part("checklist", 4, 72, 10_000), Part("pairwise", 2, 96, 6_000), Part("fresh", 4, 72, 4_000))


@dataclass
class Budget:
    """Tokens that may still be drawn, and the seed of the next batch."""

    cap: int
    seed: int
    spent: int = 0
    batches: int = 0

    def room(self, max_new_tokens: int) -> int:
        """How many responses can still be drawn without passing the cap, however long they get."""
        return (self.cap - self.spent) // max_new_tokens


@dataclass
class Draft:
    """A task while its responses are being collected."""

    task: dict[str, Any]
    wanted: int
    kept: list[Sample] = field(default_factory=list)

    @property
    def missing(self) -> int:
        return self.wanted - len(self.kept)

    def offer(self, sample: Sample) -> None:
        """Keep the sample if it is a text that this task does not have yet."""
        seen = {" ".join(other.text.casefold().split()) for other in self.kept}
        plain = " ".join(sample.text.casefold().split())
        whole = all(char.isprintable() or char in "\n\t" for char in sample.text) and "\ufffd" not in plain
        if self.missing and plain and whole and plain not in seen:
            self.kept.append(sample)

    def finished_task(self) -> dict[str, Any]:
        named = [(f"r{number}", sample) for number, sample in enumerate(self.kept, 1)]
        responses = [{"id": name, "text": sample.text, "model": MODEL} for name, sample in named]
        cut = [name for name, sample in named if not sample.finished]
        return {**self.task, "responses": responses, "metadata": {**self.task["metadata"], "cut": cut}}


def fill(drafts: list[Draft], sampler: Sampler, budget: Budget) -> None:
    """Draw in rounds until every draft is full, the rounds are over, or the budget has no room for a response."""
    for _ in range(ROUNDS):
        rows = [draft for draft in drafts for _ in range(draft.missing)]
        while rows:
            size = min(ROWS_PER_BATCH, budget.room(sampler.max_new_tokens))
            if not size:
                return
            batch, rows = rows[:size], rows[size:]
            prompts = [[{"role": "user", "content": draft.task["prompt"]}] for draft in batch]
            samples = sampler.draw(prompts, seed=batch_seed(budget.seed, budget.batches))
            budget.batches += 1
            budget.spent += sum(sample.tokens for sample in samples)
            for draft, sample in zip(batch, samples, strict=True):
                draft.offer(sample)
            print(f"  batch {budget.batches}: {budget.spent} of {budget.cap} tokens", flush=True)


def read_drafts(part: Part, folder: Path) -> list[Draft]:
    lines = (folder / f"{part.name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Draft(json.loads(line), part.responses) for line in lines]


def write_tasks(drafts: list[Draft], path: Path) -> None:
    """Write to a temporary name first, so that a broken run leaves the committed file as it was."""
    lines = [json.dumps(draft.finished_task(), ensure_ascii=False) for draft in drafts if not draft.missing]
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    unfinished.replace(path)


def make(part: Part, sampler: Sampler, options: argparse.Namespace) -> int:
    """Write one part's file and return the tokens it took."""
    print(f"{part.name}: {part.responses} responses per prompt", flush=True)
    drafts = read_drafts(part, options.prompts)
    budget = Budget(part.cap, seed=batch_seed(options.seed, PARTS.index(part)))
    fill(drafts, sampler, budget)
    write_tasks(drafts, options.out / f"{part.name}.jsonl")
    short = [draft.task["external_id"] for draft in drafts if draft.missing]
    print(f"  {len(drafts) - len(short)} tasks written; left out: {', '.join(short) or 'none'}", flush=True)
    return budget.spent


def parsed_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    names = [part.name for part in PARTS]
    parser.add_argument("--parts", nargs="+", choices=names, default=names)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--top-p", type=float, default=0.9)
    parser.add_argument("--prompts", type=Path, default=ROOT / "examples" / "demo_prompts")
    parser.add_argument("--out", type=Path, default=ROOT / "feedback" / "demo")
    return parser.parse_args()


def main() -> None:
    options = parsed_options()
    options.out.mkdir(parents=True, exist_ok=True)
    base = {"kind": "smollm2", "name": MODEL}
    tokenizer, model = load_tokenizer(base, []), load_causal_lm(base)
    spent = 0
    for part in PARTS:
        if part.name in options.parts:
            sampler = Sampler(model, tokenizer, part.max_new_tokens, options.temperature, options.top_p)
            spent += make(part, sampler, options)
    print(f"{spent} tokens drawn, seed {options.seed}")


if __name__ == "__main__":
    main()
