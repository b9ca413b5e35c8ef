"""Yes/no criteria, answered per response: does this response keep this requirement?

Criteria come from the campaign (`Settings.criteria`), from the task (`content.criteria`, with
`from_task`), or from both, in that order; `criteria_of` lists them.  Some may be answered by a program
(`verifier`).

Browser: `q.<question>.<response>.<criterion>` = yes | no | na | unsure (a radio group), and
`q.<question>.<response>.<criterion>.note` (text).  Error paths are the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import ErrorDetails

from feedback.consensus.checklists import ToldVerdicts, merge_checklists
from feedback.questions.base import ID, UNSTORABLE, Consensus, Content, Criterion, Kind, Problem, Strict
from feedback.questions.checklist_controls import checklist_row, checklist_slots
from feedback.questions.controls import Condition, Controls, Display

JSON = Any
Verdict = Literal["yes", "no", "na", "unsure"]
NOTE_MAX = 10_000


class CriterionSettings(Strict):
    """One criterion of a campaign; `verifier` and `params` name the program that may answer it."""

    key: str = Field(pattern=ID.pattern.replace(r"\Z", "$"))
    text: str = Field(min_length=1, max_length=2000)
    weight: float = Field(default=1.0, gt=0, lt=1e6)
    verifier: str = ""
    params: dict[str, JSON] = Field(default_factory=dict)


class ChecklistSettings(Strict):
    """from_task: tasks bring their own criteria.  ask_verified: people also answer what verifiers answer."""

    criteria: tuple[CriterionSettings, ...] = Field(default=(), strict=False)
    from_task: bool = False
    allow_na: bool = True
    allow_unsure: bool = True
    notes: bool = True
    ask_verified: bool = True

    @model_validator(mode="after")
    def _agree(self) -> Self:
        keys = [criterion.key for criterion in self.criteria]
        if repeated := sorted({key for key in keys if keys.count(key) > 1}):
            raise ValueError(f"Criteria share a key: {', '.join(repeated)}.")
        if not keys and not self.from_task:
            raise ValueError("A checklist needs criteria: list them, or let the tasks bring them (from_task).")
        return self

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What may be answered, in the order of the screen."""
        na: tuple[Verdict, ...] = ("na",) if self.allow_na else ()
        unsure: tuple[Verdict, ...] = ("unsure",) if self.allow_unsure else ()
        return ("yes", "no", *na, *unsure)


class CriterionVerdict(Strict):
    verdict: Verdict
    note: str | None = Field(default=None, max_length=NOTE_MAX)


class ChecklistAnswer(Strict):
    """verdicts: {response id: {criterion key: verdict}}."""

    verdicts: dict[str, dict[str, CriterionVerdict]]

    def each(self) -> Iterator[tuple[str, str, CriterionVerdict]]:
        for response, row in self.verdicts.items():
            for key, told in row.items():
                yield response, key, told


def criteria_of(settings: ChecklistSettings, content: Content) -> tuple[Criterion, ...]:
    """Every criterion asked about this task: the campaign's, then the task's own."""
    own = tuple(Criterion(c.key, c.text, c.weight, c.verifier, c.params) for c in settings.criteria)
    return (*own, *content.criteria) if settings.from_task else own


def asked_of_people(settings: ChecklistSettings, content: Content) -> tuple[Criterion, ...]:
    """The criteria a person or a judge must answer; verifiers may answer the others (`ask_verified` off)."""
    criteria = criteria_of(settings, content)
    return criteria if settings.ask_verified else tuple(c for c in criteria if not c.verifier)


class Checklist(Kind[ChecklistSettings, ChecklistAnswer]):
    name = "checklist"
    title = "Checklist"
    Settings = ChecklistSettings
    Answer = ChecklistAnswer

    def is_per_response(self, settings: ChecklistSettings) -> bool:
        return True

    def check(
        self, answer: ChecklistAnswer, settings: ChecklistSettings, content: Content, *, partial: bool = False
    ) -> list[Problem]:
        keys = {criterion.key for criterion in criteria_of(settings, content)}
        problems = [
            Problem((response,), "This task has no such response.")
            for response in answer.verdicts
            if response not in content.ids
        ]
        for response, key, told in answer.each():
            if response in content.ids:
                problems += _check_told((response, key), told, settings, known=key in keys)
        if partial:
            empty = not any(answer.verdicts.values())
            return [*problems, *([Problem((), "No criterion is answered.")] if empty else [])]
        return problems + [
            Problem((response, criterion.key), "Answer this criterion.")
            for response in content.ids
            for criterion in asked_of_people(settings, content)
            if criterion.key not in answer.verdicts.get(response, {})
        ]

    def check_content(self, settings: ChecklistSettings, content: Content) -> list[Problem]:
        keys = [criterion.key for criterion in criteria_of(settings, content)]
        problems = [] if content.responses else [Problem(("responses",), "There is no response to check.")]
        if not keys:
            problems.append(Problem(("criteria",), "The checklist takes its criteria from the task; it has none."))
        if repeated := sorted({key for key in keys if keys.count(key) > 1}):
            shared = ", ".join(repeated)
            problems.append(Problem(("criteria",), f"The campaign has criteria with these keys: {shared}."))
        return problems

    def parse(
        self, fields: Mapping[str, Sequence[str]], settings: ChecklistSettings, content: Content
    ) -> dict[str, JSON] | None:
        given = {name: list(values) for name, values in fields.items() if any(value.strip() for value in values)}
        verdicts: dict[str, dict[str, JSON]] = {}
        for response in content.ids:
            for criterion in criteria_of(settings, content):
                name = f"{response}.{criterion.key}"
                told, note = given.pop(name, []), given.pop(f"{name}.note", [])
                if told or note:
                    entry = {"verdict": ", ".join(told), **({"note": "\n".join(note)} if note else {})}
                    verdicts.setdefault(response, {})[criterion.key] = entry
        return {"verdicts": verdicts, **given} if verdicts or given else None

    def fields(self, answer: ChecklistAnswer, settings: ChecklistSettings, content: Content) -> dict[str, str]:
        found: dict[str, str] = {}
        for response, key, told in answer.each():
            found[f"{response}.{key}"] = told.verdict
            if told.note is not None:
                found[f"{response}.{key}.note"] = told.note
        return found

    def controls(self, settings: ChecklistSettings, display: Display) -> Controls:
        """`by_response`: one CriterionRow a criterion that people are asked."""
        asked = asked_of_people(settings, display.content)
        rows = {
            response: tuple(checklist_row(criterion, response, settings, display) for criterion in asked)
            for response in display.shown
        }
        return Controls(by_response=rows, slots=tuple(checklist_slots(rows, display)))

    def problem(self, error: ErrorDetails) -> Problem:
        """`verdicts.r1.c1.verdict` → the radio group `r1.c1`; `verdicts.r1.c1.note` → `r1.c1.note`."""
        path = tuple(map(str, error["loc"]))
        if path[:1] == ("verdicts",):
            path = path[1:]
        if len(path) == 3 and path[2] == "verdict":
            return Problem(path[:2], "Choose one of the verdicts offered.")
        return Problem(path, error["msg"])

    def json_schema(self, settings: ChecklistSettings, content: Content, slots: Sequence[str]) -> dict[str, JSON]:
        """`{"A": {criterion: {"note", "verdict"}}}`; note first: a model reasons, then decides."""
        note = {"note": {"type": "string"}} if settings.notes else {}
        verdict = {"type": "string", "enum": list(settings.verdicts)}
        row = _object(
            {
                criterion.key: {**_object({**note, "verdict": verdict}), "description": criterion.text}
                for criterion in asked_of_people(settings, content)
            }
        )
        return _object(dict.fromkeys(slots, row))

    def from_slots(self, reply: Mapping[str, JSON], slots: Mapping[str, str]) -> dict[str, JSON]:
        """A reply that names a response by its id stays invalid: only slots are translated."""
        raw: dict[str, JSON] = {f"slot:{name}": value for name, value in reply.items() if name not in slots}
        raw["verdicts"] = {slots[name]: _without_blank_notes(row) for name, row in reply.items() if name in slots}
        return raw

    def code(self, answer: ChecklistAnswer, content: Content) -> dict[str, JSON]:
        """yes, no and na are values (na disagrees with yes); unsure is missing."""
        return {f"{response}.{key}": told.verdict for response, key, told in answer.each() if told.verdict != "unsure"}

    def consensus(
        self,
        answers: Sequence[ChecklistAnswer],
        weights: Sequence[float],
        settings: ChecklistSettings,
        content: Content,
    ) -> Consensus | None:
        """See feedback.consensus.checklists; na and unsure are left out of every mean."""
        told = [
            ToldVerdicts({(response, key): t.verdict for response, key, t in answer.each()}, weight, voter)
            for voter, (answer, weight) in enumerate(zip(answers, weights, strict=True))
        ]
        return merge_checklists(told, {c.key: c.weight for c in criteria_of(settings, content)}, content.ids)

    def tally(self, value: Mapping[str, JSON], shown: Sequence[str]) -> Iterable[tuple[str, str]]:
        for row in value["verdicts"].values():
            for told in row.values():
                yield "", told["verdict"]

    def tally_words(self, settings: ChecklistSettings, gettext: Callable[[str], str]) -> dict[str, dict[str, str]]:
        words = {
            "yes": gettext("yes"),
            "no": gettext("no"),
            "na": gettext("n.a."),
            "unsure": gettext("unsure"),
        }
        return {"": words}

    def conditions(self, settings: ChecklistSettings, gettext: Callable[[str], str]) -> Iterable[Condition]:
        words = self.tally_words(settings, gettext)[""]
        offered = tuple((verdict, words[verdict]) for verdict in settings.verdicts)
        if settings.from_task:
            yield Condition("verdicts.*.*.verdict", gettext("any requirement"), offered)
        for criterion in settings.criteria:
            yield Condition(f"verdicts.*.{criterion.key}.verdict", criterion.text, offered)


def _object(properties: Mapping[str, JSON]) -> dict[str, JSON]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _without_blank_notes(row: JSON) -> JSON:
    """A judge must fill every field it is asked for; a blank note means none."""
    if not isinstance(row, Mapping):
        return row
    return {
        key: {name: value for name, value in told.items() if name != "note" or value not in ("", None)}
        if isinstance(told, Mapping)
        else told
        for key, told in row.items()
    }


def _check_told(
    path: tuple[str, str], told: CriterionVerdict, settings: ChecklistSettings, *, known: bool
) -> list[Problem]:
    if not known:
        return [Problem(path, "This checklist has no such criterion.")]
    problems = []
    if told.verdict not in settings.verdicts:
        problems.append(Problem(path, f"This question does not offer “{told.verdict}”."))
    if told.note is not None and not settings.notes:
        problems.append(Problem((*path, "note"), "This question takes no notes."))
    elif told.note is not None and UNSTORABLE.search(told.note):
        problems.append(Problem((*path, "note"), "Holds a character that cannot be stored; delete it."))
    return problems


KIND = Checklist()
