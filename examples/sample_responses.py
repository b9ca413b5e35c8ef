"""Put sampled responses beside the prompts of a set that has none: `python -m examples.sample_responses FILE OUT`.

Reads any file that imports can read (IFEval, FollowBench, BiGGen-Bench, …), draws one or more responses to each of the
first rows from SmolLM2-135M-Instruct, and writes the rows as JSON Lines with `response1`, `model1`, …, which those
layouts take.  Everything drawn is kept, good or bad: people and verifiers are to judge it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from examples.sample_demo import MODEL, ROWS_PER_BATCH
from feedback.importing.readers import read_rows, sniff_format
from feedback.importing.rows import Row
from training.engine.base_models import load_causal_lm, load_tokenizer
from training.engine.sampling import Sampler, batch_seed

JSON = Any
PROMPT_COLUMNS = ("prompt", "instruction", "input")


def read_first(path: Path, limit: int) -> list[dict[str, JSON]]:
    with path.open("rb") as stream:
        rows = (row for row in read_rows(stream, sniff_format(path.name, stream)) if isinstance(row, Row))
        return [dict(row.values) for row in islice(rows, limit)]


def messages_of(values: Mapping[str, JSON]) -> list[dict[str, str]]:
    """The row's prompt, after its system prompt if it has one."""
    asked = next((values[name] for name in PROMPT_COLUMNS if isinstance(values.get(name), str)), None)
    if asked is None:
        raise SystemExit(f"A row has no text in {', '.join(PROMPT_COLUMNS)}: {str(values)[:200]}")
    system = values.get("system_prompt")
    return [*([{"role": "system", "content": system}] if system else []), {"role": "user", "content": asked}]


def sample_into(rows: list[dict[str, JSON]], sampler: Sampler, *, per_row: int, seed: int) -> None:
    """Adds response1, model1, … to the rows."""
    wanted = [(row, number) for row in rows for number in range(1, per_row + 1)]
    for start in range(0, len(wanted), ROWS_PER_BATCH):
        batch = wanted[start : start + ROWS_PER_BATCH]
        samples = sampler.draw([messages_of(row) for row, _number in batch], seed=batch_seed(seed, start))
        for (row, number), sample in zip(batch, samples, strict=True):
            row[f"response{number}"], row[f"model{number}"] = sample.text, MODEL
        print(f"{min(start + ROWS_PER_BATCH, len(wanted))} of {len(wanted)} responses", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--limit", type=int, default=24, help="rows to take from the file's beginning")
    parser.add_argument("--responses", type=int, default=1, help="to each prompt")
    parser.add_argument("--max-new-tokens", type=int, default=128)
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    rows = read_first(options.file, options.limit)
    base = {"kind": "smollm2", "name": MODEL}
    tokenizer, model = load_tokenizer(base, []), load_causal_lm(base)
    sampler = Sampler(model, tokenizer, options.max_new_tokens, options.temperature)
    sample_into(rows, sampler, per_row=options.responses, seed=options.seed)
    options.out.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
