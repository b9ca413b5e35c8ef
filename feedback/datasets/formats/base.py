"""What a training format is: its columns, and the rows that one group yields."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import pyarrow as pa

from feedback.datasets.votes import Group
from feedback.questions.base import Content

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
