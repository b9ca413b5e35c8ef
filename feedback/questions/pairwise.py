"""Which of two responses is better, how strongly, or why neither.

Scale: `points` 2 is a plain A/B, 3 adds the middle (tie), 5 and 7 grade the preference in 2 and 3
strengths on either side of the middle.  `allow_tie=False` takes the middle out of an odd scale
(Christiano et al. 2017, arXiv:1706.03741, allow ties; HelpSteer2-Preference, arXiv:2410.01257, grades
-3..3).

Browser: one radio group, field `q.<question>.verdict`, whose value is `prefer:<strength>:<response id>`
(strength 1 on a scale that does not grade), `tie`, `both_bad` or `cannot_tell`.  `Pairwise.choices` lists
the values on offer, in the order of the screen.  Every error path of this kind belongs to that one group,
whatever follows the question's key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import ErrorDetails

from feedback.consensus.pairs import FIRST, NEITHER, SECOND, Vote, merge_votes
from feedback.questions.base import Consensus, Content, Kind, Problem, Strict
from feedback.questions.controls import Condition, Controls, Display, Option, Scale

JSON = Any
Verdict = Literal["prefer", "tie", "both_bad", "cannot_tell"]


class PairwiseSettings(Strict):
    """allow_tie None: as the scale says.  Empty labels: the screen's own words; strengths rise."""

    points: Literal[2, 3, 5, 7] = 3
    allow_tie: bool | None = None
    allow_both_bad: bool = False
    allow_cannot_tell: bool = True
    strength_labels: tuple[str, ...] = Field(default=(), strict=False)
    tie_label: str = ""
    both_bad_label: str = ""
    cannot_tell_label: str = ""

    @property
    def levels(self) -> int:
        """How many strengths there are on one side."""
        return max(1, self.points // 2)

    @property
    def has_tie(self) -> bool:
        return self.points != 2 and self.allow_tie is not False

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.points == 2 and self.allow_tie:
            raise ValueError("A 2-point scale has no tie; choose 3 points, or leave the tie out.")
        if self.strength_labels and len(self.strength_labels) != self.levels:
            raise ValueError(f"This scale has {self.levels} strengths, but {len(self.strength_labels)} labels.")
        return self


class PairwiseAnswer(Strict):
    """preferred: a response id, with `prefer` only.  strength: 1 (slightly) … levels (much), if graded."""

    verdict: Verdict
    preferred: str | None = None
    strength: int | None = None


@dataclass(frozen=True)
class Choice:
    """One button of the screen; `value` is what it posts."""

    value: str
    verdict: Verdict
    preferred: str = ""
    strength: int = 0
    label: str = ""


class Pairwise(Kind[PairwiseSettings, PairwiseAnswer]):
    name = "pairwise"
    title = "Pairwise preference"
    fits_bar = True
    Settings = PairwiseSettings
    Answer = PairwiseAnswer

    def choices(self, settings: PairwiseSettings, shown: Sequence[str]) -> tuple[Choice, ...]:
        """What may be answered, left to right.  shown: the two response ids in display order.

        The first's strengths from much to slight, the tie, the second's from slight to much, then both bad
        and cannot tell.
        """
        labels = settings.strength_labels or ("",) * settings.levels
        left, right = (
            [
                Choice(f"prefer:{strength}:{id}", "prefer", id, strength, labels[strength - 1])
                for strength in range(1, settings.levels + 1)
            ]
            for id in shown
        )
        middle = [Choice("tie", "tie", label=settings.tie_label)] if settings.has_tie else []
        last = []
        if settings.allow_both_bad:
            last.append(Choice("both_bad", "both_bad", label=settings.both_bad_label))
        if settings.allow_cannot_tell:
            last.append(Choice("cannot_tell", "cannot_tell", label=settings.cannot_tell_label))
        return (*reversed(left), *middle, *right, *last)

    def check(
        self, answer: PairwiseAnswer, settings: PairwiseSettings, content: Content, *, partial: bool = False
    ) -> list[Problem]:
        if answer.verdict == "prefer":
            return self._check_preferred(answer, settings, content)
        offered = {
            "tie": settings.has_tie,
            "both_bad": settings.allow_both_bad,
            "cannot_tell": settings.allow_cannot_tell,
        }
        problems = []
        if not offered[answer.verdict]:
            problems.append(Problem(("verdict",), f"This question does not offer “{answer.verdict}”."))
        if answer.preferred is not None:
            problems.append(Problem(("preferred",), f"“{answer.verdict}” prefers no response."))
        if answer.strength is not None:
            problems.append(Problem(("strength",), f"“{answer.verdict}” has no strength."))
        return problems

    def _check_preferred(self, answer: PairwiseAnswer, settings: PairwiseSettings, content: Content) -> list[Problem]:
        problems = []
        if answer.preferred is None:
            problems.append(Problem(("preferred",), "Say which response is preferred."))
        elif answer.preferred not in content.ids:
            problems.append(Problem(("preferred",), "This task has no such response."))
        if answer.strength is None and settings.levels > 1:
            problems.append(Problem(("strength",), f"Say how strongly, 1 (slightly) to {settings.levels}."))
        elif answer.strength is not None and not 1 <= answer.strength <= settings.levels:
            problems.append(Problem(("strength",), f"Must be 1 to {settings.levels}."))
        return problems

    def check_content(self, settings: PairwiseSettings, content: Content) -> list[Problem]:
        if len(content.responses) == 2:
            return []
        found = len(content.responses)
        return [Problem(("responses",), f"A pairwise question compares 2 responses; this task has {found}.")]

    def parse(
        self, fields: Mapping[str, Sequence[str]], settings: PairwiseSettings, content: Content
    ) -> dict[str, JSON] | None:
        unknown: dict[str, JSON] = {name: list(values) for name, values in fields.items() if name != "verdict"}
        given = [value for value in fields.get("verdict", ()) if value]
        if not given:
            return unknown or None
        by_value = {choice.value: choice for choice in self.choices(settings, content.ids)}
        if len(given) > 1 or given[0] not in by_value:
            return {"verdict": ", ".join(given), **unknown}
        choice = by_value[given[0]]
        if choice.verdict != "prefer":
            return {"verdict": choice.verdict, **unknown}
        graded = {"strength": choice.strength} if settings.levels > 1 else {}
        return {"verdict": "prefer", "preferred": choice.preferred, **graded, **unknown}

    def fields(self, answer: PairwiseAnswer, settings: PairwiseSettings, content: Content) -> dict[str, str]:
        if answer.verdict != "prefer":
            return {"verdict": answer.verdict}
        return {"verdict": f"prefer:{answer.strength or 1}:{answer.preferred}"}

    def controls(self, settings: PairwiseSettings, display: Display) -> Controls:
        """`whole`: a Scale, left to right.  Keys 1 … n along the scale; b for both bad, c for cannot tell."""
        held = display.values("verdict")
        options = []
        for number, choice in enumerate(self.choices(settings, display.shown), start=1):
            key = {"both_bad": "b", "cannot_tell": "c"}.get(choice.verdict, str(number))
            side = {"tie": "middle", "both_bad": "other", "cannot_tell": "other"}.get(choice.verdict)
            side = side or ("left" if choice.preferred == display.shown[0] else "right")
            words = _words(choice, settings.levels, display)
            options.append(Option(choice.value, words, key, choice.value in held, side))
        return Controls(whole=Scale(tuple(options)))

    def problem(self, error: ErrorDetails) -> Problem:
        path = tuple(map(str, error["loc"]))
        return Problem(path, "Choose one of the options offered." if path == ("verdict",) else error["msg"])

    def json_schema(self, settings: PairwiseSettings, content: Content, slots: Sequence[str]) -> dict[str, JSON]:
        """`{"verdict": "A" | "B" | "tie" | …}`; on a graded scale also `"strength"`: 1..n or null."""
        others = [choice.verdict for choice in self.choices(settings, content.ids) if choice.verdict != "prefer"]
        properties: dict[str, JSON] = {"verdict": {"type": "string", "enum": [*slots, *others]}}
        if settings.levels > 1:
            properties["strength"] = {
                "type": ["integer", "null"],
                "enum": [*range(1, settings.levels + 1), None],
                "description": f"1 = slightly … {settings.levels} = much better; null without a preference.",
            }
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }

    def from_slots(self, reply: Mapping[str, JSON], slots: Mapping[str, str]) -> dict[str, JSON]:
        """A reply that names a response by its id or adds fields stays invalid: only slots are translated."""
        verdict = reply.get("verdict")
        raw: dict[str, JSON] = {f"slot:{name}": reply[name] for name in reply if name not in ("verdict", "strength")}
        if reply.get("strength") is not None:
            raw["strength"] = reply["strength"]
        if isinstance(verdict, str) and verdict in slots:
            return {"verdict": "prefer", "preferred": slots[verdict], **raw}
        return {"verdict": verdict, **raw}

    def code(self, answer: PairwiseAnswer, content: Content) -> dict[str, JSON]:
        """0 neither (tie and both bad alike), 1 first, 2 second in stored order; cannot tell is missing."""
        if answer.verdict == "cannot_tell":
            return {}
        return {"": _side(answer, content)}

    def consensus(
        self,
        answers: Sequence[PairwiseAnswer],
        weights: Sequence[float],
        settings: PairwiseSettings,
        content: Content,
    ) -> Consensus | None:
        """Both bad counts as one half, like a tie, and is counted apart; cannot tell is no vote.

        Strength is in steps of the scale (an ungraded preference is 1), averaged with 0 for neither.
        """
        votes = [
            _vote(answer, weight, content, voter)
            for voter, (answer, weight) in enumerate(zip(answers, weights, strict=True))
            if answer.verdict != "cannot_tell"
        ]
        pair = merge_votes(content.ids[0], content.ids[1], votes)
        return Consensus(pairs=(pair,) if pair else ())

    def tally(self, value: Mapping[str, JSON], shown: Sequence[str]) -> Iterable[tuple[str, str]]:
        if value["verdict"] != "prefer":
            yield "", value["verdict"]
        elif value["preferred"] in shown:
            yield "", ("shown_a", "shown_b")[list(shown).index(value["preferred"])]
        else:
            yield "", "prefer"

    def tally_words(self, settings: PairwiseSettings, gettext: Callable[[str], str]) -> dict[str, dict[str, str]]:
        """Which side was preferred as displayed, so that a habit of position shows."""
        words = {
            "shown_a": gettext("shown as A"),
            "prefer": gettext("one preferred"),
            "tie": settings.tie_label or gettext("tie"),
            "shown_b": gettext("shown as B"),
            "both_bad": settings.both_bad_label or gettext("both bad"),
            "cannot_tell": settings.cannot_tell_label or gettext("cannot tell"),
        }
        return {"": words}

    def conditions(self, settings: PairwiseSettings, gettext: Callable[[str], str]) -> Iterable[Condition]:
        """Never which of the two: a later question is about the task, and not about a place."""
        words = {"prefer": gettext("one is better"), **self.tally_words(settings, gettext)[""]}
        offered = dict.fromkeys(choice.verdict for choice in self.choices(settings, ("", "")))
        yield Condition("verdict", gettext("the verdict"), tuple((verdict, words[verdict]) for verdict in offered))


def _words(choice: Choice, levels: int, display: Display) -> str:
    gettext = display.gettext
    if choice.verdict != "prefer":
        usual = {
            "tie": gettext("About equal"),
            "both_bad": gettext("Both are bad"),
            "cannot_tell": gettext("Cannot tell"),
        }
        return choice.label or usual[choice.verdict]
    letter = display.letters[choice.preferred]
    if choice.label:
        return f"{letter}: {choice.label}"
    slightly, much = gettext("%(letter)s slightly better"), gettext("%(letter)s much better")
    graded = {
        1: (gettext("%(letter)s is better"),),
        2: (slightly, much),
        3: (slightly, gettext("%(letter)s better"), much),
    }
    return graded[levels][choice.strength - 1] % {"letter": letter}


def _side(answer: PairwiseAnswer, content: Content) -> int:
    if answer.verdict != "prefer":
        return NEITHER
    return FIRST if answer.preferred == content.ids[0] else SECOND


def _vote(answer: PairwiseAnswer, weight: float, content: Content, voter: int) -> Vote:
    side = _side(answer, content)
    signed = {NEITHER: 0.0, FIRST: 1.0, SECOND: -1.0}[side] * (answer.strength or 1)
    return Vote(side, signed, weight, both_bad=answer.verdict == "both_bad", voter=voter)


KIND = Pairwise()
