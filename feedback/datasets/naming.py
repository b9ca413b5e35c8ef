"""Names within one version: ids of tasks, pseudonyms of raters.  They depend on content, not on the database.  Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

ID_CHARS = 20


@dataclass(frozen=True)
class RaterIdentity:
    """Who a rater is, wherever the record lives: a person is his user name."""

    kind: str
    source: str
    name: str
    version: str


def pseudonyms(raters: Mapping[int, RaterIdentity], salt: str) -> dict[int, str]:
    """rater-1, rater-2, … in the order of a hash, so that the number says nothing about the name."""

    def place(id: int) -> str:
        rater = raters[id]
        source = "" if rater.kind == "annotator" else rater.source
        return hashlib.sha256("\0".join((salt, rater.kind, source, rater.name, rater.version)).encode()).hexdigest()

    return {id: f"rater-{number}" for number, id in enumerate(sorted(raters, key=place), start=1)}


class TaskNames:
    """The external id, else the beginning of the content hash; made unique where campaigns use one id twice."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def name(self, external_id: str, content_hash: str) -> str:
        base = external_id or content_hash[:ID_CHARS]
        for candidate in self._candidates(base, content_hash):
            if candidate not in self._taken:
                self._taken.add(candidate)
                return candidate
        raise AssertionError  # the candidates never end

    def _candidates(self, base: str, content_hash: str) -> Iterable[str]:
        yield base
        yield f"{base}~{content_hash[:8]}"
        number = 2
        while True:
            yield f"{base}~{content_hash[:8]}~{number}"
            number += 1
