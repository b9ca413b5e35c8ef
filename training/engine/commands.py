"""The engine's command line."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

EPILOG = "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 cancelled, 4 the directory belongs to another process."


def main(words: list[str]) -> int:
    """Run one command and return the exit code."""
    if words and words[0] not in {"train", "evaluate", "score", "sample", "-h", "--help"}:
        words = ["train", *words]
    options = _parser().parse_args(words)
    if options.command == "train":
        from training.engine.job import train
        from training.engine.outcome import run_job

        return run_job(options.run, train)
    from training.engine.line_jobs import evaluate_command, sample_command, score_command

    if options.command == "evaluate":
        return evaluate_command(options.run, options.checkpoint)
    if options.command == "score":
        return score_command(options.checkpoint, options.input, options.output)
    return sample_command(_base_model(options.base), options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training.engine", description=__doc__, epilog=EPILOG)
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="train or resume a run (the word train may be left out)")
    train.add_argument("run", type=Path)
    evaluate = commands.add_parser("evaluate", help="evaluate a checkpoint on the run's held-out groups")
    evaluate.add_argument("run", type=Path)
    evaluate.add_argument("checkpoint", type=Path)
    score = commands.add_parser(
        "score", help="score responses: JSONL with id, prompt, responses to the same with scores"
    )
    score.add_argument("checkpoint", type=Path)
    sample = commands.add_parser("sample", help="sample responses: JSONL with id, prompt to the same with responses")
    sample.add_argument("base", help='{"kind": …, "name": …} as JSON, or a file that holds it (spec.json too)')
    for command in (score, sample):
        command.add_argument("input", type=Path)
        command.add_argument("output", type=Path)
    sample.add_argument("--k", type=int, default=2, help="responses per prompt")
    sample.add_argument("--max-new-tokens", type=int, default=256)
    sample.add_argument("--seed", type=int, default=0)
    sample.add_argument("--temperature", type=float, default=1.0)
    sample.add_argument("--top-p", type=float, default=1.0)
    return parser


def _base_model(text: str) -> dict[str, str]:
    """The base model from JSON text or a file.  Ends the process with usage error 2 when it is neither."""
    try:
        value = json.loads(text if text.lstrip().startswith("{") else Path(text).read_text(encoding="utf-8"))
        found: dict[str, str] = value.get("base_model", value)
    except (OSError, ValueError, AttributeError) as error:
        sys.stderr.write(f"The base model {text!r} cannot be read: {error}\n")
        raise SystemExit(2) from error
    return found
