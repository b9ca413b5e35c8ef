"""`spec.json`: what a run directory asks the engine to do."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.engine.durable_files import sha256_of
from training.engine.exceptions import DataInvalid, SpecInvalid
from training.recipes.base import ConfigInvalid
from training.recipes.registry import RECIPES
from training.recipes.reward import RewardConfig

FORMAT = 1
SPEC = "spec.json"
WRITE_AGAIN = "Write the run directory again from the run's page."


@dataclass(frozen=True)
class Spec:
    """A run as it was asked for.  Paths are relative to the run directory; `sha256` is the training file's."""

    run: str
    attempt: int
    recipe: str
    base_model: dict[str, Any]
    config: RewardConfig
    train: str
    test: str
    sha256: str
    git_sha: str

    def identity(self) -> dict[str, Any]:
        """What must be the same for a checkpoint to be resumed: all that decides the weights, and nothing else."""
        return {
            "recipe": self.recipe,
            "base_model": self.base_model,
            "settings": self.config.to_json(),
            "data_sha256": self.sha256,
        }


def read_spec(run_directory: Path) -> Spec:
    """Parse spec.json.  Raises SpecInvalid naming what is wrong."""
    path = run_directory / SPEC
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SpecInvalid(f"{SPEC} cannot be read: {error}.", WRITE_AGAIN) from error
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise SpecInvalid(f"{SPEC} is not of format {FORMAT}.", "Use the engine of the version that wrote it.")
    try:
        return _parse(values)
    except KeyError as error:
        raise SpecInvalid(f"{SPEC} has no {error}.", WRITE_AGAIN) from error
    except (TypeError, ValueError) as error:
        raise SpecInvalid(f"{SPEC} has a value of the wrong kind: {error}.", WRITE_AGAIN) from error


def asked_attempt(run_directory: Path) -> int:
    """The attempt that spec.json asks for, 0 where it doesn't say.  Raises SpecInvalid when there is no spec.json.

    Told apart from the rest, so that an attempt whose settings are wrong can say so in its result.
    """
    path = run_directory / SPEC
    if not path.is_file():
        raise SpecInvalid(f"There is no {SPEC} in {run_directory}.", "Name a run directory.")
    try:
        return int(json.loads(path.read_text(encoding="utf-8"))["attempt"])
    except (ValueError, KeyError, TypeError):
        return 0


def _parse(values: dict[str, Any]) -> Spec:
    if values["recipe"] not in RECIPES:
        raise SpecInvalid(f"There is no recipe {values['recipe']!r}.", f"There are: {', '.join(RECIPES)}.")
    settings = dict(values.get("settings") or {})
    if values.get("seed") is not None:
        settings["seed"] = values["seed"]  # the run's own seed; the setting is the form's
    try:
        config = RewardConfig.from_mapping(settings)
    except ConfigInvalid as error:
        raise SpecInvalid(f"The setting {error.field} cannot be used: {error.message}", "Correct it.") from error
    data = values["data"]
    return Spec(
        run=str(values["run"]),
        attempt=int(values.get("attempt") or 0),
        recipe=values["recipe"],
        base_model=dict(values["base_model"]),
        config=config,
        train=str(data["train"]),
        test=str(data.get("test") or ""),
        sha256=str(data.get("sha256") or ""),
        git_sha=str(values.get("git_sha") or ""),
    )


def check_data(run_directory: Path, spec: Spec) -> str:
    """The sha256 of the training file, which must be the spec's where it names one.  Raises DataInvalid."""
    path = run_directory / spec.train
    if not path.is_file():
        raise DataInvalid(f"There is no {spec.train} in the run directory.", WRITE_AGAIN)
    found = sha256_of(path)
    if spec.sha256 and spec.sha256 != found:
        raise DataInvalid(
            f"{spec.train} has the sha256 {found[:12]}…, not the {spec.sha256[:12]}… of {SPEC}.", WRITE_AGAIN
        )
    return found
