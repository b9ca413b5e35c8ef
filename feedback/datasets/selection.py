"""What goes into a dataset: which judgements, and what becomes of ties, splits and weights.  Pure."""

from __future__ import annotations

import hashlib
import math
import uuid
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from feedback.exceptions import FieldsInvalid
from feedback.questions.base import Strict

JSON = Any
RaterKind = Literal["annotator", "judge", "verifier", "reward_model", "imported"]
Neither = Literal["half", "drop", "drop_votes"]
"""What to do with “neither”: half: each such vote counts one half for either side.  drop: a pair of which it is the
commonest verdict is left out.  drop_votes: such votes are left out before merging."""


class SelectionInvalid(FieldsInvalid):
    """A selection that contradicts itself."""


class Selection(Strict):
    """questions, rater_kinds (): all of them.  A question may be named with one aspect of it, `quality.helpfulness`: of
    several attributes not every one says which response is better.  weights: a comparison's weight is 1, or its number
    of votes.

    test_fraction: share of prompts held out, by a hash of salt and prompt: the same prompt always falls on the same
    side, in every version with this salt.  licence: what the card says (an SPDX name, lower case).
    """

    campaigns: tuple[str, ...] = Field(min_length=1, strict=False)
    questions: tuple[str, ...] = Field(default=(), strict=False)
    rater_kinds: tuple[RaterKind, ...] = Field(default=(), strict=False)
    ties: Neither = "half"
    both_bad: Neither = "half"
    min_raters: int = Field(default=1, ge=1, le=100)
    weights: Literal["equal", "votes"] = "equal"
    test_fraction: float = Field(default=0.2, ge=0, le=0.9, strict=False, allow_inf_nan=False)
    salt: str = Field(default="", max_length=100)
    licence: str = Field(default="", max_length=100, pattern=r"^[A-Za-z0-9.+-]*$")

    @field_validator("campaigns")
    @classmethod
    def _are_ids(cls, campaigns: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(str(uuid.UUID(id)) for id in campaigns)

    def asks(self, question: str) -> bool:
        """Whether anything of this question is wanted."""
        return not self.questions or any(name.partition(".")[0] == question for name in self.questions)

    def wants(self, question: str, aspect: str) -> bool:
        return not self.questions or not {question, aspect_name(question, aspect)}.isdisjoint(self.questions)

    @property
    def campaign_ids(self) -> list[uuid.UUID]:
        return [uuid.UUID(id) for id in self.campaigns]


def aspect_name(question: str, aspect: str) -> str:
    """What a question, or one aspect of it, is called in a dataset."""
    return f"{question}.{aspect}" if aspect else question


def read_selection(raw: Mapping[str, JSON]) -> Selection:
    """Raises SelectionInvalid with every problem at once."""
    try:
        return Selection.model_validate(dict(raw))
    except ValidationError as error:
        found = {str(e["loc"][0]) if e["loc"] else "": e["msg"] for e in reversed(error.errors(include_url=False))}
        raise SelectionInvalid(found) from None


def dump_selection(selection: Selection) -> dict[str, JSON]:
    """Its one stored form: lists sorted, so that equal selections are equal JSON."""
    raw = selection.model_dump(mode="json")
    return {key: sorted(set(value)) if isinstance(value, list) else value for key, value in raw.items()}


def place_of(salt: str, prompt_hash: str) -> float:
    """Where a prompt falls in [0, 1), uniformly; below `test_fraction` is the test side."""
    digest = hashlib.sha256(f"{salt}\0{prompt_hash}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


class Split:
    """Which side a prompt is on.  lowest: the smallest place of any prompt, held out when no other one is.

    So a small dataset has a test side too (unless none is wanted, or there is only one prompt).
    """

    def __init__(self, selection: Selection, *, lowest: float | None = None) -> None:
        self.salt, self.bound = selection.salt, selection.test_fraction
        if lowest is not None and self.bound > 0 and lowest >= self.bound:
            self.bound = math.nextafter(lowest, 1.0)

    def __call__(self, prompt_hash: str) -> str:
        return "test" if place_of(self.salt, prompt_hash) < self.bound else "train"
