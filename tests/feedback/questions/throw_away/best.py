"""A kind that the product does not have: which of the responses is best?  What CONTRIBUTING asks of a kind, no more.

Browser: `q.<question>.best` = a response id (a radio group).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from feedback.consensus.pairs import FIRST, SECOND, Vote, merge_votes
from feedback.questions.base import Consensus, Content, Kind, Problem, Strict
from feedback.questions.controls import Controls, Display, Option, Slot


class BestSettings(Strict):
    words: str = "This one"


class BestAnswer(Strict):
    best: str


class Best(Kind[BestSettings, BestAnswer]):
    name = "best"
    title = "Best of several"
    Settings = BestSettings
    Answer = BestAnswer

    def check(
        self, answer: BestAnswer, settings: BestSettings, content: Content, *, partial: bool = False
    ) -> list[Problem]:
        return [] if answer.best in content.ids else [Problem(("best",), "This task has no such response.")]

    def check_content(self, settings: BestSettings, content: Content) -> list[Problem]:
        return [] if len(content.ids) > 1 else [Problem(("responses",), "There is only one.")]

    def parse(
        self, fields: Mapping[str, Sequence[str]], settings: BestSettings, content: Content
    ) -> dict[str, Any] | None:
        given = {name: ", ".join(values) for name, values in fields.items() if any(values)}
        return given or None

    def fields(self, answer: BestAnswer, settings: BestSettings, content: Content) -> dict[str, str]:
        return {"best": answer.best}

    def controls(self, settings: BestSettings, display: Display) -> Controls:
        held = display.values("best")
        options = tuple(
            Option(id, f"{settings.words}: {letter}", str(place), id in held)
            for place, (id, letter) in enumerate(display.letters.items(), start=1)
        )
        return Controls(whole=options, slots=(Slot(display.name("best"), "best"),))

    def json_schema(self, settings: BestSettings, content: Content, slots: Sequence[str]) -> dict[str, Any]:
        return {"type": "object", "properties": {"best": {"enum": list(slots)}}, "required": ["best"]}

    def from_slots(self, reply: Mapping[str, Any], slots: Mapping[str, str]) -> dict[str, Any]:
        return {**reply, "best": slots.get(reply["best"], reply["best"])}

    def code(self, answer: BestAnswer, content: Content) -> dict[str, Any]:
        return {"": answer.best}

    def consensus(
        self, answers: Sequence[BestAnswer], weights: Sequence[float], settings: BestSettings, content: Content
    ) -> Consensus | None:
        pairs = []
        for at, first in enumerate(content.ids):
            for second in content.ids[at + 1 :]:
                votes = [
                    Vote(FIRST if answer.best == first else SECOND, weight=weight, voter=voter)
                    for voter, (answer, weight) in enumerate(zip(answers, weights, strict=True))
                    if answer.best in (first, second)
                ]
                pairs.append(merge_votes(first, second, votes))
        return Consensus(pairs=tuple(pair for pair in pairs if pair))

    def tally(self, value: Mapping[str, Any], shown: Sequence[str]) -> Iterable[tuple[str, str]]:
        yield "", str(list(shown).index(value["best"]))

    def tally_words(self, settings: BestSettings, gettext: Callable[[str], str]) -> dict[str, dict[str, str]]:
        return {"": {str(place): f"{letter} is best" for place, letter in enumerate("ABC")}}


KIND = Best()
