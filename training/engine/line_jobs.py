"""Commands over JSON lines: score responses, sample responses; and evaluate, which scores a run's held-out groups.

Output grows in `OUT.partial` and gets its name when it is complete, so that a reader never sees half of it.  A killed
command goes on after the last whole block whose ids are those of the input.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from training.engine.durable_files import sync_directory, write_json
from training.engine.exceptions import DataInvalid, EngineError
from training.engine.outcome import typed
from training.engine.stopping import Stop, stop_on_signals

Row = dict[str, Any]
BLOCK = 16

logger = logging.getLogger(__name__)


def score_command(checkpoint: Path, source: Path, target: Path) -> int:
    """Add `scores` to each line: one number per response, null with a reason in `unscored` where it has none."""
    from training.engine.scoring import Scorer

    def work() -> Callable[[Sequence[Row], int], Iterator[Row]]:
        scorer = Scorer(checkpoint)
        return lambda rows, start: scorer.score_rows(rows)

    return _guarded(lambda stop: _each_block(source, target, work, stop), target)


def sample_command(base_model: dict[str, Any], options: argparse.Namespace) -> int:
    """Add `responses` to each line."""

    def work() -> Callable[[Sequence[Row], int], Iterator[Row]]:
        return _sampling(base_model, options)

    return _guarded(lambda stop: _each_block(options.input, options.output, work, stop), options.output)


def evaluate_command(run: Path, checkpoint: Path) -> int:
    """Print the evaluation as the last line, and keep it in `evaluations/` of the run directory."""

    def evaluate(stop: Stop) -> None:
        from training.engine.scoring import evaluate_checkpoint

        evaluation = evaluate_checkpoint(run, checkpoint)
        (run / "evaluations").mkdir(exist_ok=True)
        write_json(run / "evaluations" / f"{checkpoint.resolve().name}.json", evaluation)
        sys.stdout.write(json.dumps(evaluation) + "\n")

    return _guarded(evaluate, run)


def _sampling(base_model: dict[str, Any], options: argparse.Namespace) -> Callable[[Sequence[Row], int], Iterator[Row]]:
    from training.engine.groups import messages
    from training.engine.sampling import sample_responses

    def sample(rows: Sequence[Row], start: int) -> Iterator[Row]:
        prompts = [[dict(message) for message in messages(row["prompt"])] for row in rows]
        drawn = sample_responses(
            base_model,
            prompts,
            k=options.k,
            max_new_tokens=options.max_new_tokens,
            seed=options.seed + start,
            temperature=options.temperature,
            top_p=options.top_p,
        )
        for row, responses in zip(rows, drawn, strict=True):
            yield {**row, "responses": responses}

    return sample


def _each_block(
    source: Path, target: Path, work: Callable[[], Callable[[Sequence[Row], int], Iterator[Row]]], stop: Stop
) -> None:
    """Pass the lines of `source` in blocks through the function that `work` makes, once there is anything to do."""
    partial = target.with_name(f"{target.name}.partial")
    done = _keep_whole_blocks(source, partial)
    process = None
    rows = _read(source)
    for _ in islice(rows, done):
        pass
    with partial.open("a", encoding="utf-8") as out:
        while block := list(islice(rows, BLOCK)):
            stop.check()
            process = process or work()
            out.writelines(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in process(block, done))
            out.flush()
            done += len(block)
            logger.info("%d lines done.", done)
        os.fsync(out.fileno())
    partial.replace(target)
    sync_directory(target.parent)


def _keep_whole_blocks(source: Path, partial: Path) -> int:
    """Cut `partial` after its last whole block that answers the input's lines; how many lines that leaves."""
    if not partial.is_file():
        return 0
    kept: list[str] = []
    with partial.open(encoding="utf-8") as stream:
        for line, row in zip(stream, _read(source), strict=False):
            if _id_of(line) != (True, row.get("id")):
                break
            kept.append(line)
    kept = kept[: len(kept) // BLOCK * BLOCK]
    partial.write_text("".join(kept), encoding="utf-8")
    return len(kept)


def _id_of(line: str) -> tuple[bool, Any]:
    try:
        return True, json.loads(line)["id"]
    except (ValueError, KeyError, TypeError):
        return False, None


def _read(source: Path) -> Iterator[Row]:
    """The objects of a JSONL file.  Raises DataInvalid with the number of the line at fault."""
    try:
        with source.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield _parse(line, number)
    except (OSError, UnicodeDecodeError) as error:
        raise DataInvalid(f"{source} cannot be read: {error}.", "Name a JSONL file in UTF-8.") from error


def _parse(line: str, number: int) -> Row:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise DataInvalid(f"Line {number} is not JSON: {error}.", "Correct the line.") from error
    if not isinstance(row, dict) or "id" not in row or "prompt" not in row:
        raise DataInvalid(f"Line {number} has no id or no prompt.", "Give every line an id and a prompt.")
    return row


def _guarded(command: Callable[[Stop], None], target: Path) -> int:
    """Run a command; the exit code, with what went wrong on standard error."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    with stop_on_signals() as stop:
        try:
            command(stop)
        except (EngineError, OSError, RuntimeError, ValueError, MemoryError) as error:
            known = typed(error, target)
            if known is None:
                raise
            logger.error("%s", known)
            return known.exit_code
    return 0
