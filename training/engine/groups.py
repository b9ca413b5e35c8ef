"""The unit of data: a prompt, its responses and their comparisons, read from Parquet and checked row by row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from training.engine.exceptions import DataInvalid

FREEZE_AGAIN = "Freeze the dataset version again, or correct the file."
COLUMNS = ("id", "prompt", "responses", "comparisons")


@dataclass(frozen=True)
class Comparison:
    """Two responses of a group by index.  probability: P(first preferred), .5 for a tie; margin: strength, >= 0."""

    first: int
    second: int
    probability: float
    margin: float = 0.0
    weight: float = 1.0


@dataclass(frozen=True)
class Group:
    """A prompt (messages with role and content), its responses and what raters said of them."""

    id: str
    prompt: tuple[Mapping[str, str], ...]
    responses: tuple[str, ...]
    comparisons: tuple[Comparison, ...]

    def prompt_key(self) -> tuple[tuple[str, str], ...]:
        """Equal for equal prompts: what intervals are clustered by."""
        return tuple((message["role"], message["content"]) for message in self.prompt)


def read_groups(path: Path) -> list[Group]:
    """Every group of a Parquet file.  Raises DataInvalid naming the row and what is wrong with it."""
    try:
        file = pyarrow.parquet.ParquetFile(path)
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise DataInvalid(f"{path.name} is not a Parquet file: {error}.", FREEZE_AGAIN) from error
    missing = [name for name in COLUMNS if name not in file.schema_arrow.names]
    if missing:
        raise DataInvalid(f"{path.name} has no column {', '.join(missing)}.", FREEZE_AGAIN)
    return list(_groups(file, path.name))


def _groups(file: Any, name: str) -> Iterator[Group]:
    number = 0
    for batch in file.iter_batches(batch_size=512, columns=list(COLUMNS)):
        for row in batch.to_pylist():
            number += 1
            try:
                yield group_from_row(row)
            except (DataInvalid, KeyError, TypeError, ValueError) as error:
                reason = error.message if isinstance(error, DataInvalid) else f"it lacks or mistypes {error}."
                raise DataInvalid(f"Row {number} of {name} ({row.get('id')}): {reason}", FREEZE_AGAIN) from error


def group_from_row(row: Mapping[str, Any]) -> Group:
    """One row in the group format as a Group.  Raises DataInvalid, KeyError or TypeError."""
    responses = tuple(row["responses"])
    if any(not isinstance(response, str) for response in responses):
        raise DataInvalid("a response is not text.", FREEZE_AGAIN)
    comparisons = tuple(_comparison(entry, len(responses)) for entry in row["comparisons"] or ())
    return Group(str(row["id"]), messages(row["prompt"]), responses, comparisons)


def messages(prompt: Any) -> tuple[Mapping[str, str], ...]:
    """A prompt as messages; plain text is one user message.  Raises DataInvalid."""
    if isinstance(prompt, str):
        return ({"role": "user", "content": prompt},)
    if not prompt:
        raise DataInvalid("the prompt is empty.", FREEZE_AGAIN)
    found = tuple({"role": message["role"], "content": message["content"]} for message in prompt)
    if any(not isinstance(text, str) for message in found for text in message.values()):
        raise DataInvalid("a message of the prompt has no role or no content.", FREEZE_AGAIN)
    return found


def _comparison(entry: Mapping[str, Any], count: int) -> Comparison:
    first, second = int(entry["first"]), int(entry["second"])
    if not (0 <= first < count and 0 <= second < count) or first == second:
        raise DataInvalid(f"it compares responses {first} and {second} of {count}.", FREEZE_AGAIN)
    probability = float(entry["probability"])
    margin, weight = (  # null: not given
        float(default if entry.get(name) is None else entry[name])
        for name, default in (("margin", 0.0), ("weight", 1.0))
    )
    if not 0 <= probability <= 1:
        raise DataInvalid(f"a probability is {probability}, not between 0 and 1.", FREEZE_AGAIN)
    for name, value in (("margin", margin), ("weight", weight)):
        if not (math.isfinite(value) and value >= 0):
            raise DataInvalid(f"a {name} is {value}; it must be 0 or more.", FREEZE_AGAIN)
    return Comparison(first, second, probability, margin, weight)
