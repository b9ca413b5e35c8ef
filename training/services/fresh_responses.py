"""The fresh responses of a round, read from a file in our layout (or `{"prompt", "responses"}`), and their scores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from feedback.importing.layouts.touchstone import Touchstone
from feedback.importing.readers import read_rows, sniff_format
from feedback.importing.rows import FileUnreadable, Row, RowError, RowRefused
from feedback.questions.base import Content
from training.exceptions import SourceInvalid
from training.tailing import storable

JSON = Any
CORRECT = "Correct the file and open the round again."


@dataclass(frozen=True)
class Fresh:
    """One prompt with its responses, before scoring.  identity: the file's own id, else the row's number."""

    identity: str
    content: Content


def read_fresh(stream: BinaryIO, name: str) -> Iterator[Fresh]:
    """Every row of a file with at least two responses.  Raises SourceInvalid at the first row that cannot be used."""
    try:
        for row in read_rows(stream, sniff_format(name, stream)):
            if isinstance(row, RowError):
                raise SourceInvalid(str(row), CORRECT)
            yield _read_one(row)
    except FileUnreadable as error:
        raise SourceInvalid(str(error), "Give JSONL or CSV with a prompt and its responses a row.") from error


def _read_one(row: Row) -> Fresh:
    try:
        task = Touchstone().read(row, (), judged=False)
        if len(task.content.responses) < 2:
            raise RowRefused("responses", "A pair needs two responses at least.")
    except RowRefused as refusal:
        raise SourceInvalid(str(refusal.at(row.number)), CORRECT) from refusal
    return Fresh(task.external_id or f"row {row.number}", task.content)


def check_fresh(stream: BinaryIO, name: str) -> int:
    """How many prompts a file holds.  Raises SourceInvalid, also when it holds none."""
    n = sum(1 for _fresh in read_fresh(stream, name))
    if not n:
        raise SourceInvalid("The file holds no row.", "Give JSONL with a prompt and its responses a row.")
    return n


def write_for_scoring(fresh: Sequence[Fresh], target: Path) -> None:
    """The engine's input: `{"id", "prompt": [messages], "responses": [texts]}` a line."""
    with target.open("w", encoding="utf-8") as stream:
        for number, entry in enumerate(fresh):
            prompt = [{"role": message.role, "content": message.content} for message in entry.content.prompt]
            row = {"id": str(number), "prompt": prompt, "responses": [r.text for r in entry.content.responses]}
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def read_scores(path: Path, n: int) -> list[list[float | None]]:
    """The scores of each prompt's responses, by its number.  A score that is not finite is None.

    Raises SourceInvalid when a prompt is missing from the engine's output.
    """
    scores: dict[int, list[float | None]] = {}
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            row: dict[str, JSON] = storable(json.loads(line))
            scores[int(row["id"])] = row["scores"]
    if missing := set(range(n)) - scores.keys():
        raise SourceInvalid(f"{len(missing)} of {n} prompts were not scored.", "Read the log, then resume the round.")
    return [scores[number] for number in range(n)]
