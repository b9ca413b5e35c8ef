"""Scores per response on one or more attributes: thumbs, a Likert scale, or a slider.

Likert scales have 2 to 11 points (`low` … `high`; HelpSteer2, arXiv:2406.08673, grades 0–4, SummEval, arXiv:2007.12626,
1–5).  Thumbs are 0 and 1 (KTO, arXiv:2402.01306, learns from such).  A slider runs from `low` to `high` in whole
numbers.

Browser: `q.<question>.<response>.<attribute>` holds the score, or `na`.  On a scale within 0 … 9 the key is the score
that stands on the button; elsewhere it is the position, 0 for the tenth.  What is stored is the button's value, never
the key that pressed it.  Error paths are the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import ErrorDetails

from feedback.consensus.ratings import Told, merge_ratings
from feedback.questions.base import ID, Consensus, Content, Kind, Problem, Range, Strict
from feedback.questions.controls import Condition, Controls, Display, Option, Slot

JSON = Any
NA = "na"
MOST_POINTS = 11
BINS = 10
"""A slider's values are counted in so many bins."""


class AttributeSettings(Strict):
    """One thing that is scored.  anchors: score → what it means; empty: those of the question."""

    key: str = Field(pattern=ID.pattern.replace(r"\Z", "$"))
    text: str = Field(min_length=1, max_length=300)
    help: str = Field(default="", max_length=2000)
    anchors: dict[str, str] = Field(default_factory=dict)


class RatingSettings(Strict):
    """low, high: the ends of a Likert scale or slider; thumbs are always 0 and 1."""

    scale: Literal["likert", "thumbs", "slider"] = "likert"
    low: int = 1
    high: int = 5
    attributes: tuple[AttributeSettings, ...] = Field(default=(), strict=False)
    anchors: dict[str, str] = Field(default_factory=dict)
    allow_na: bool = False

    @property
    def span(self) -> range:
        """Every score that may be given."""
        return range(2) if self.scale == "thumbs" else range(self.low, self.high + 1)

    def anchor(self, attribute: AttributeSettings, score: int) -> str:
        return (attribute.anchors or self.anchors).get(str(score), "")

    @model_validator(mode="after")
    def _agree(self) -> Self:
        keys = [attribute.key for attribute in self.attributes]
        if not keys:
            raise ValueError("A rating needs at least one attribute to score.")
        if repeated := sorted({key for key in keys if keys.count(key) > 1}):
            raise ValueError(f"Attributes share a key: {', '.join(repeated)}.")
        if len(self.span) < 2:
            raise ValueError("The highest score must be above the lowest.")
        if self.scale == "likert" and len(self.span) > MOST_POINTS:
            raise ValueError(f"A Likert scale has at most {MOST_POINTS} points; choose the slider for more.")
        if self.scale == "slider" and len(self.span) > 1001:
            raise ValueError("A slider has at most 1001 positions.")
        named = {score for one in (self.anchors, *(a.anchors for a in self.attributes)) for score in one}
        if wrong := sorted(named - {str(score) for score in self.span}):
            raise ValueError(f"Anchors name scores that the scale does not have: {', '.join(wrong)}.")
        return self


class RatingAnswer(Strict):
    """scores: {response id: {attribute key: score, or "na"}}."""

    scores: dict[str, dict[str, int | Literal["na"]]]

    def each(self) -> Iterator[tuple[str, str, int | Literal["na"]]]:
        for response, row in self.scores.items():
            for attribute, score in row.items():
                yield response, attribute, score


@dataclass(frozen=True)
class AttributeRow:
    """One attribute of one response on the screen: radios, or a slider that holds `value`."""

    name: str
    attribute: AttributeSettings
    options: tuple[Option, ...]
    value: str
    low: int
    high: int
    ends: tuple[str, str]


class Rating(Kind[RatingSettings, RatingAnswer]):
    name = "rating"
    title = "Rating"
    scripts = ("js/slider.js",)
    Settings = RatingSettings
    Answer = RatingAnswer

    def is_per_response(self, settings: RatingSettings) -> bool:
        return True

    def check(
        self, answer: RatingAnswer, settings: RatingSettings, content: Content, *, partial: bool = False
    ) -> list[Problem]:
        known = {attribute.key for attribute in settings.attributes}
        problems = [Problem((id,), "This task has no such response.") for id in answer.scores if id not in content.ids]
        for response, attribute, score in answer.each():
            where = (response, attribute)
            if response not in content.ids:
                continue
            if attribute not in known:
                problems.append(Problem(where, "This question has no such attribute."))
            elif score == NA and not settings.allow_na:
                problems.append(Problem(where, "This question does not offer “na”."))
            elif score != NA and score not in settings.span:
                span = settings.span
                problems.append(Problem(where, f"Must be a whole number from {span[0]} to {span[-1]}."))
        if partial:
            return problems
        return problems + [
            Problem((response, attribute.key), "Give a score.")
            for response in content.ids
            for attribute in settings.attributes
            if attribute.key not in answer.scores.get(response, {})
        ]

    def check_content(self, settings: RatingSettings, content: Content) -> list[Problem]:
        return [] if content.responses else [Problem(("responses",), "There is no response to rate.")]

    def parse(
        self, fields: Mapping[str, Sequence[str]], settings: RatingSettings, content: Content
    ) -> dict[str, JSON] | None:
        # A slider's number is sent empty beside its “na”.
        given = {name: told for name, values in fields.items() if (told := [v for v in values if v.strip()])}
        scores: dict[str, dict[str, JSON]] = {}
        for response in content.ids:
            for attribute in settings.attributes:
                if told := given.pop(f"{response}.{attribute.key}", []):
                    scores.setdefault(response, {})[attribute.key] = _read_score(told)
        return {"scores": scores, **given} if scores or given else None

    def fields(self, answer: RatingAnswer, settings: RatingSettings, content: Content) -> dict[str, str]:
        return {f"{response}.{attribute}": str(score) for response, attribute, score in answer.each()}

    def controls(self, settings: RatingSettings, display: Display) -> Controls:
        """`by_response`: one AttributeRow an attribute."""
        rows = {
            response: tuple(_row(attribute, response, settings, display) for attribute in settings.attributes)
            for response in display.shown
        }
        slots = (
            Slot(row.name, display.where(id, f"“{row.attribute.text}”")) for id, each in rows.items() for row in each
        )
        return Controls(by_response=rows, slots=tuple(slots))

    def problem(self, error: ErrorDetails) -> Problem:
        """`scores.r1.helpfulness` → the radio group `r1.helpfulness`."""
        path = tuple(map(str, error["loc"]))
        if path[:1] == ("scores",) and len(path) >= 3:
            return Problem(path[1:3], "Must be a whole number of the scale, or “na”.")
        return Problem(path, error["msg"])

    def json_schema(self, settings: RatingSettings, content: Content, slots: Sequence[str]) -> dict[str, JSON]:
        """`{"A": {attribute: score}}`."""
        scores: list[JSON] = [*settings.span, *([NA] if settings.allow_na else [])]
        row = _object({a.key: {"enum": scores, "description": _described(a, settings)} for a in settings.attributes})
        return _object(dict.fromkeys(slots, row))

    def from_slots(self, reply: Mapping[str, JSON], slots: Mapping[str, str]) -> dict[str, JSON]:
        raw: dict[str, JSON] = {f"slot:{name}": value for name, value in reply.items() if name not in slots}
        raw["scores"] = {slots[name]: row for name, row in reply.items() if name in slots}
        return raw

    def code(self, answer: RatingAnswer, content: Content) -> dict[str, JSON]:
        return {f"{response}.{attribute}": score for response, attribute, score in answer.each() if score != NA}

    def range(self, settings: RatingSettings, aspect: str) -> Range:
        return Range(settings.span[0], settings.span[-1], is_verdict=settings.scale == "thumbs")

    def distance(self, a: JSON, b: JSON) -> float:
        """Interval metric of Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": (a − b)²."""
        return float((a - b) ** 2)

    def consensus(
        self, answers: Sequence[RatingAnswer], weights: Sequence[float], settings: RatingSettings, content: Content
    ) -> Consensus | None:
        """See feedback.consensus.ratings; na is left out."""
        told = [
            Told({(id, key): score for id, key, score in answer.each() if isinstance(score, int)}, weight, voter)
            for voter, (answer, weight) in enumerate(zip(answers, weights, strict=True))
        ]
        return merge_ratings(told, [attribute.key for attribute in settings.attributes], content.ids)

    def tally(self, value: Mapping[str, JSON], shown: Sequence[str]) -> Iterable[tuple[str, str]]:
        for row in value["scores"].values():
            for attribute, score in row.items():
                yield attribute, str(score)

    def tally_words(self, settings: RatingSettings, gettext: Callable[[str], str]) -> dict[str, dict[str, str]]:
        """One group an attribute; every score by itself, so that a scale's unused ends show."""
        words = {str(score): str(score) for score in settings.span}
        if settings.scale == "thumbs":
            words = {"1": gettext("thumbs up"), "0": gettext("thumbs down")}
        if settings.allow_na:
            words[NA] = gettext("n.a.")
        return {attribute.key: words for attribute in settings.attributes}

    def plot_words(self, settings: RatingSettings, gettext: Callable[[str], str]) -> dict[str, dict[str, str]]:
        """A slider's scores in BINS bins of one width."""
        words = self.tally_words(settings, gettext)
        if settings.scale != "slider" or len(settings.span) <= BINS:
            return words
        return {attribute: {**each, **_bins(settings.span)} for attribute, each in words.items()}

    def conditions(self, settings: RatingSettings, gettext: Callable[[str], str]) -> Iterable[Condition]:
        if settings.scale == "slider":
            return
        for attribute in settings.attributes:
            words = self.tally_words(settings, gettext)[attribute.key]
            values: list[JSON] = [*settings.span, *([NA] if settings.allow_na else [])]
            said = tuple((value, _said(words[str(value)], settings.anchor(attribute, value))) for value in values)
            yield Condition(f"scores.*.{attribute.key}", attribute.text, said)


def _bins(span: range) -> dict[str, str]:
    """Score → the ends of its bin; as numpy.histogram has them, the last includes the highest score."""
    place = {score: min(BINS - 1, (score - span[0]) * BINS // (span[-1] - span[0])) for score in span}
    inside = {bin: [score for score in span if place[score] == bin] for bin in range(BINS)}
    return {str(score): _range(inside[place[score]]) for score in span}


def _range(scores: Sequence[int]) -> str:
    return f"{scores[0]}–{scores[-1]}" if len(scores) > 1 else str(scores[0])


def _said(score: str, anchor: str) -> str:
    return f"{score} ({anchor})" if anchor else score


def _read_score(told: Sequence[str]) -> JSON:
    """A whole number as a number; anything else as it was sent, for `Answer` to refuse."""
    text = ", ".join(told).strip()
    return int(text) if text.lstrip("-").isascii() and text.lstrip("-").isdigit() and len(text) < 10 else text


def _row(attribute: AttributeSettings, response: str, settings: RatingSettings, display: Display) -> AttributeRow:
    gettext, held, span = display.gettext, display.values(response, attribute.key), settings.span
    thumbs = {1: gettext("Good"), 0: gettext("Bad")}
    scores = (1, 0) if settings.scale == "thumbs" else span if settings.scale == "likert" else ()
    options = []
    for place, score in enumerate(scores, start=1):
        anchor = settings.anchor(attribute, score)
        words = (anchor or thumbs[score]) if settings.scale == "thumbs" else str(score)
        options.append(Option(str(score), words, _key(score, place, settings), str(score) in held, anchor))
    if settings.allow_na:
        options.append(Option(NA, gettext("N. a."), "a", NA in held))
    ends = (settings.anchor(attribute, span[0]), settings.anchor(attribute, span[-1]))
    if settings.scale == "thumbs":  # whose words stand on the buttons
        ends = ("", "")
    name = display.name(response, attribute.key)
    value = next((value for value in held if value != NA), "")
    return AttributeRow(name, attribute, tuple(options), value, span[0], span[-1], ends)


def _key(score: int, place: int, settings: RatingSettings) -> str:
    if settings.scale == "likert" and settings.low >= 0 and settings.high <= 9:
        return str(score)
    return str(place % 10) if place <= 10 else ""


def _described(attribute: AttributeSettings, settings: RatingSettings) -> str:
    anchors = [f"{score} = {words}" for score in settings.span if (words := settings.anchor(attribute, score))]
    return " ".join(filter(None, (attribute.text, attribute.help, "; ".join(anchors)))).strip()


def _object(properties: Mapping[str, JSON]) -> dict[str, JSON]:
    names = list(properties)
    return {"type": "object", "properties": dict(properties), "required": names, "additionalProperties": False}


KIND = Rating()
