"""What a training format is: its columns, and the rows that one group yields."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import pyarrow as pa

from feedback.datasets.votes import Group, Rating
from feedback.questions.base import Content, Range
from feedback.questions.form import Question

JSON = Any
MESSAGES = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))


class Format(ABC):
    """A training format: one Parquet file a split, in a folder of its name.  Instances carry no state."""

    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    schema: ClassVar[pa.Schema]

    @abstractmethod
    def rows(self, group: Group) -> Iterator[dict[str, JSON]]:
        """The rows of one group, in an order that depends on nothing but the group."""


def prompt_of(content: Content) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in content.prompt]


def prompt_text(content: Content) -> str:
    """For formats that know no messages: a single question as it is, a conversation with its roles."""
    if len(content.prompt) == 1:
        return content.prompt[0].content
    return "\n\n".join(f"{message.role}: {message.content}" for message in content.prompt)


def completion_of(content: Content, place: int) -> list[dict[str, str]]:
    """The response at this place, as the assistant's turn."""
    return [{"role": "assistant", "content": content.responses[place].text}]


def scored(group: Group) -> Iterator[tuple[Rating, Question, Range]]:
    """Every rating with its question and the ends of its scale."""
    for rating in group.ratings:
        question = group.question(rating.question)
        yield rating, question, question.kind.range(question.settings, rating.aspect)
