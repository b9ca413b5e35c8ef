"""The responses in order, best first; equals share a place.

InstructGPT (arXiv:2203.02155) ranks K = 4 … 9 and learns from every pair of a ranking.

Browser: one field a response, `q.<question>.<response>.rank` = 1 … K; equal numbers tie, and gaps close up.
`q.<question>.cannot_tell` = 1 instead of all of them.  Error paths are the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import ErrorDetails

from feedback.consensus import rankings
from feedback.questions.base import Consensus, Content, Kind, Problem, Strict
from feedback.questions.controls import Condition, Controls, Display, Option, Slot

JSON = Any
FEWEST, MOST = 2, 16


class RankingSettings(Strict):
    """Empty labels: the screen's own words for the ends."""

    allow_ties: bool = True
    allow_cannot_tell: bool = True
    best_label: str = ""
    worst_label: str = ""


class RankingAnswer(Strict):
    """groups: response ids, best first; those of one group tie.  With cannot_tell there are none."""

    groups: list[list[str]]
    cannot_tell: bool = False

    @property
    def places(self) -> dict[str, int]:
        """Response id → place, 0 the best."""
        return {id: place for place, group in enumerate(self.groups) for id in group}


@dataclass(frozen=True)
class RankRow:
    """One response on the screen: radios for its place, and how it begins."""

    response: str
    letter: str
    name: str
    options: tuple[Option, ...]
    begins: str


@dataclass(frozen=True)
class Order:
    """rows: in display order.  cannot_tell: None when it is not offered."""

    rows: tuple[RankRow, ...]
    cannot_tell: Option | None
    best: str
    worst: str


class Ranking(Kind[RankingSettings, RankingAnswer]):
    name = "ranking"
    title = "Ranking"
    scripts = ("js/ranking.js",)
    Settings = RankingSettings
    Answer = RankingAnswer

    def check(
        self, answer: RankingAnswer, settings: RankingSettings, content: Content, *, partial: bool = False
    ) -> list[Problem]:
        ranked = [id for group in answer.groups for id in group]
        if answer.cannot_tell:
            problems = [] if settings.allow_cannot_tell else [_at("cannot_tell", "This question wants a ranking.")]
            return problems + ([_at("cannot_tell", "Either rank or say that you cannot tell.")] if ranked else [])
        problems = [_rank(id, "This task has no such response.") for id in ranked if id not in content.ids]
        problems += [_rank(id, "Is ranked twice.") for id in dict.fromkeys(ranked) if ranked.count(id) > 1]
        if any(not group for group in answer.groups):
            problems.append(_at("groups", "A place without a response is not a place."))
        if not settings.allow_ties:
            tied = [id for group in answer.groups if len(group) > 1 for id in group]
            problems += [_rank(id, "Shares its place; this question has no ties.") for id in tied]
        if partial:
            return problems
        return problems + [_rank(id, "Give it a place.") for id in content.ids if id not in ranked]

    def check_content(self, settings: RankingSettings, content: Content) -> list[Problem]:
        n = len(content.responses)
        if FEWEST <= n <= MOST:
            return []
        return [Problem(("responses",), f"A ranking orders {FEWEST} to {MOST} responses; this task has {n}.")]

    def parse(
        self, fields: Mapping[str, Sequence[str]], settings: RankingSettings, content: Content
    ) -> dict[str, JSON] | None:
        given = {name: list(values) for name, values in fields.items() if any(value.strip() for value in values)}
        places: dict[str, list[str]] = {}
        unread: dict[str, JSON] = {}
        for id in content.ids:
            told = given.pop(f"{id}.rank", None)
            if told is None:
                continue
            if len(told) == 1 and told[0].strip() in _numbers(len(content.ids)):
                places.setdefault(told[0].strip(), []).append(id)
            else:
                unread[f"{id}.rank"] = told
        if given.get("cannot_tell") == ["1"]:
            unread["cannot_tell"] = bool(given.pop("cannot_tell"))
        if not (places or unread or given):
            return None
        return {"groups": [places[number] for number in sorted(places, key=int)], **unread, **given}

    def complete(self, raw: JSON, settings: RankingSettings, content: Content) -> JSON:
        """Those of one place in stored order, so that one opinion is stored in one way through every door."""
        groups = raw.get("groups") if isinstance(raw, Mapping) else None
        if not isinstance(groups, list) or not all(isinstance(group, list) for group in groups):
            return raw
        stored = {id: at for at, id in enumerate(content.ids)}
        return {**raw, "groups": [sorted(group, key=lambda id: stored.get(str(id), len(stored))) for group in groups]}

    def fields(self, answer: RankingAnswer, settings: RankingSettings, content: Content) -> dict[str, str]:
        if answer.cannot_tell:
            return {"cannot_tell": "1"}
        return {f"{id}.rank": str(place + 1) for id, place in answer.places.items()}

    def controls(self, settings: RankingSettings, display: Display) -> Controls:
        """`whole`: an Order.  Nothing is ranked until the person says so."""
        gettext = display.gettext
        cannot_tell = Option("1", gettext("Cannot tell"), "c", "1" in display.values("cannot_tell"))
        rows = tuple(_row(id, display) for id in display.shown)
        order = Order(
            rows,
            cannot_tell if settings.allow_cannot_tell else None,
            settings.best_label or gettext("best"),
            settings.worst_label or gettext("worst"),
        )
        where = gettext("place of response %(letter)s")
        slots = tuple(Slot(row.name, where % {"letter": row.letter}) for row in rows)
        return Controls(whole=order, slots=(*slots, Slot(display.name("cannot_tell"), cannot_tell.words)))

    def problem(self, error: ErrorDetails) -> Problem:
        path = tuple(map(str, error["loc"]))
        if len(path) == 1 and path[0].endswith(".rank"):
            return Problem(tuple(path[0].split(".")), "Choose one of the places offered.")
        return Problem(path, error["msg"])

    def json_schema(self, settings: RankingSettings, content: Content, slots: Sequence[str]) -> dict[str, JSON]:
        """`{"groups": [["B"], ["A", "C"]]}`, best first."""
        group = {"type": "array", "items": {"type": "string", "enum": list(slots)}, "minItems": 1}
        if not settings.allow_ties:
            group["maxItems"] = 1
        properties: dict[str, JSON] = {
            "groups": {"type": "array", "items": group, "description": "Best first; those of one group tie."}
        }
        if settings.allow_cannot_tell:
            properties["cannot_tell"] = {"type": "boolean"}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }

    def from_slots(self, reply: Mapping[str, JSON], slots: Mapping[str, str]) -> dict[str, JSON]:
        """A slot that does not exist stays, so that `check` refuses it."""
        raw = dict(reply)
        groups = reply.get("groups")
        if isinstance(groups, list) and all(isinstance(group, list) for group in groups):
            raw["groups"] = [[slots.get(name, f"slot:{name}") for name in group] for group in groups]
        return raw

    def code(self, answer: RankingAnswer, content: Content) -> dict[str, JSON]:
        """One unit a pair, `first|second` in stored order: 1 first better, −1 second, 0 tie.

        An order is what its pairs say (Kendall 1938, "A New Measure of Rank Correlation"), so agreement is that of the
        pairs: a unit a response would hold places, which move when any other response does.
        """
        told = rankings.compare_places(answer.places, content.ids)
        return {f"{first}|{second}": side for (first, second), side in told.items()}

    def distance(self, a: JSON, b: JSON) -> float:
        """Interval metric (Krippendorff 2011) on −1, 0, 1: opposite sides are four times as far as one and a tie."""
        return float((a - b) ** 2)

    def consensus(
        self, answers: Sequence[RankingAnswer], weights: Sequence[float], settings: RankingSettings, content: Content
    ) -> Consensus | None:
        """See feedback.consensus.rankings."""
        orders = [
            rankings.Order(answer.places, weight, voter)
            for voter, (answer, weight) in enumerate(zip(answers, weights, strict=True))
        ]
        return rankings.merge_orders(orders, content.ids)

    def tally(self, value: Mapping[str, JSON], shown: Sequence[str]) -> Iterable[tuple[str, str]]:
        """How often each place of the screen came first: a habit of position shows."""
        if value.get("cannot_tell"):
            yield "", "cannot_tell"
        for id in (value["groups"] or [[]])[0]:
            yield "", str(list(shown).index(id)) if id in shown else "unknown"

    def tally_words(self, settings: RankingSettings, gettext: Callable[[str], str]) -> dict[str, dict[str, str]]:
        words = {str(n): gettext("%(letter)s first") % {"letter": chr(ord("A") + n)} for n in range(MOST)}
        return {"": {**words, "unknown": gettext("first, place unknown"), "cannot_tell": gettext("cannot tell")}}

    def conditions(self, settings: RankingSettings, gettext: Callable[[str], str]) -> Iterable[Condition]:
        if settings.allow_cannot_tell:
            ranked, unable = gettext("ranked"), gettext("cannot tell")
            yield Condition("cannot_tell", gettext("the order"), ((False, ranked), (True, unable)))


def _at(field: str, message: str) -> Problem:
    return Problem((field,), message)


def _rank(response: str, message: str) -> Problem:
    return Problem((response, "rank"), message)


def _numbers(n: int) -> list[str]:
    return [str(number) for number in range(1, n + 1)]


def _row(id: str, display: Display) -> RankRow:
    held = display.values(id, "rank")
    numbers = _numbers(len(display.shown))
    options = tuple(Option(number, number, number if len(number) == 1 else "", number in held) for number in numbers)
    begins = " ".join(display.content.response(id).text[:400].split())[:90]
    return RankRow(id, display.letters[id], display.name(id, "rank"), options, begins)


KIND = Ranking()
