"""FineGrainedRLHF's long-form QA feedback (Wu et al. 2023, arXiv:2306.01693): one row holds two kinds of judgement.

`feedback` is about `prediction 1` alone: spans with an error type (offsets from 0, end excluded), what is missing, and
a corrected text.  `preference` compares the four predictions in pairs, 1v2, 1v3, 1v4, 2v3, 2v4, 3v4 (1: the first is
better, 2: the second, 0: neither); in 22 of the 500 development rows no order of the four fits it, so it stays pairs.
Hence two layouts: `fine_grained` makes one critique task a row, `fine_grained_pairs` six pairwise tasks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from feedback.importing.arranging import Rows, spread_rows
from feedback.importing.layouts.base import (
    PAIRWISE_FORM,
    ImportedJudgement,
    ImportedTask,
    Layout,
    content_of,
    pairwise_question,
    preference,
    question_of,
)
from feedback.importing.rows import Row, RowRefused
from feedback.importing.spans import critique, span
from feedback.questions.content import sha256_of
from feedback.questions.form import Question

JSON = Any
RATER = "annotator"
ERROR_TYPES = {
    "Irrelevant": "irrelevant",
    "Redundant": "redundant",
    "Incoherent": "incoherent",
    "Wrong-Grounding": "wrong_grounding",
    "Unverifiable": "unverifiable",
}
PREDICTIONS = tuple(f"prediction {number}" for number in (1, 2, 3, 4))
_FIELDS = {"prompt": "question", "reference": "gold", "responses.0": "prediction 1"}
_TOLD = "where prediction 1 is wrong"
_PREFERRED = {0: None, 1: "r1", 2: "r2"}


class FineGrained(Layout):
    name = "fine_grained"
    title = "FineGrainedRLHF, errors of prediction 1"
    needs = "question, passages, prediction 1, feedback"
    form = (
        {
            "key": "errors",
            "kind": "critique",
            "title": "Mark what is wrong with the answer, and write it as it should be.",
            "settings": {
                "about": "response",
                "spans": "optional",
                "text": "optional",
                "revision": "optional",
                "text_label": "What is missing",
                "revision_label": "The corrected answer",
                "categories": [{"key": key, "text": text} for text, key in ERROR_TYPES.items()],
            },
        },
    )

    def recognises(self, columns: Collection[str]) -> bool:
        return {"question", "passages", "prediction 1", "feedback"} <= set(columns)

    def check_form(self, questions: Sequence[Question]) -> None:
        question_of(questions, "critique", _TOLD)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        values = row.values
        content = content_of(
            {"prompt": _prompt(values), "responses": [values.get("prediction 1")], "reference": values.get("gold")},
            _FIELDS,
        )
        judgements: tuple[ImportedJudgement, ...] = ()
        if judged:
            told = _critique(_object(values.get("feedback"), "feedback"), content.responses[0].text, values)
            key = question_of(questions, "critique", _TOLD).key
            judgements = (ImportedJudgement(RATER, {key: {"responses": {"r1": told}}}),)
        return ImportedTask(external_id="", content=content, judgements=judgements)


class FineGrainedPairs(Layout):
    name = "fine_grained_pairs"
    title = "FineGrainedRLHF, pairs of predictions"
    needs = "question, passages, prediction 1 … 4, preference (choose this layout by name)"
    form = PAIRWISE_FORM

    def recognises(self, columns: Collection[str]) -> bool:
        return {"question", "passages", "preference", *PREDICTIONS} <= set(columns) and "feedback" not in columns

    def arrange(self, rows: Rows) -> Rows:
        return spread_rows(rows, _pairs)

    def check_form(self, questions: Sequence[Question]) -> None:
        pairwise_question(questions)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        values = row.values
        judgements: tuple[ImportedJudgement, ...] = ()
        if judged:
            answers = preference(pairwise_question(questions), _PREFERRED[_verdict(values["preference"])])
            judgements = (ImportedJudgement(RATER, answers),)
        raw = {"prompt": _prompt(values), "responses": values["responses"], "reference": values.get("gold")}
        columns = {f"responses.{place}": name for place, name in enumerate(values["pair"])}
        return ImportedTask(
            external_id=f"{sha256_of(values.get('question'))[:16]}/{' v '.join(values['pair'])}",
            content=content_of(raw, {**_FIELDS, **columns}),
            metadata={"pair": list(values["pair"])},
            judgements=judgements,
        )


def _object(value: JSON, column: str) -> Mapping[str, JSON]:
    if not isinstance(value, Mapping):
        raise RowRefused(column, "Expected an object with named fields.", value)
    return value


def _list(feedback: Mapping[str, JSON], name: str) -> list[JSON]:
    value = feedback.get(name) or []
    if not isinstance(value, list):
        raise RowRefused(f"feedback.{name}", "Expected a list.", value)
    return value


def _passages(values: Mapping[str, JSON]) -> list[list[str]]:
    """[title, sentence, …] each."""
    passages = values.get("passages")
    if not isinstance(passages, list):
        raise RowRefused("passages", "Expected a list of [title, sentence, …].", passages)
    for index, passage in enumerate(passages):
        if not isinstance(passage, list) or not passage or not all(isinstance(part, str) for part in passage):
            raise RowRefused(f"passages.{index}", "Expected [title, sentence, …].", passage)
    return passages


def _prompt(values: Mapping[str, JSON]) -> str:
    question = values.get("question")
    if not isinstance(question, str) or not question.strip():
        raise RowRefused("question", "Expected text.", question)
    numbered = enumerate(_passages(values), start=1)
    passages = [f"Passage {number}, {title}:\n{' '.join(said)}" for number, (title, *said) in numbered]
    return "\n\n".join([question, *passages])


def _critique(feedback: Mapping[str, JSON], text: str, values: Mapping[str, JSON]) -> dict[str, JSON]:
    """A corrected text that corrects nothing is no revision."""
    errors = [_span(error, text, n) for n, error in enumerate(_list(feedback, "errors"))]
    missing = [_missing(entry, _passages(values), n) for n, entry in enumerate(_list(feedback, "missing-info"))]
    corrected = feedback.get("corrected-prediction") or ""
    if not isinstance(corrected, str):
        raise RowRefused("feedback.corrected-prediction", "Expected text.", corrected)
    changes = corrected.strip() not in ("", text.strip())
    return critique(errors, "\n".join(missing), corrected if changes else "")


def _span(error: JSON, text: str, number: int) -> dict[str, JSON]:
    column = f"feedback.errors.{number}"
    told = _object(error, column)
    start, end, type = told.get("start"), told.get("end"), told.get("error type")
    if not isinstance(start, int) or not isinstance(end, int):
        raise RowRefused(column, "Expected whole numbers in start and end.", error)
    if not isinstance(type, str) or type not in ERROR_TYPES:
        raise RowRefused(f"{column}.error type", f"Expected one of {', '.join(ERROR_TYPES)}.", type)
    note = told.get("explanation")
    return {
        **span(text, start, end, column),
        "category": ERROR_TYPES[type],
        **({"note": note} if isinstance(note, str) and note.strip() else {}),
    }


def _missing(entry: JSON, passages: Sequence[Sequence[str]], number: int) -> str:
    """Passages and sentences count from 1, and a passage's title stands before its first sentence."""
    column = f"feedback.missing-info.{number}"
    told = _object(entry, column)
    passage, sentences = told.get("passage_id"), told.get("sentence_id")
    if not isinstance(passage, int) or not isinstance(sentences, list) or not 1 <= passage <= len(passages):
        raise RowRefused(column, "Names no passage of this row.", entry)
    said = passages[passage - 1]
    if not all(isinstance(sentence, int) and 0 <= sentence < len(said) for sentence in sentences):
        raise RowRefused(column, f"Names no sentence of passage {passage}.", entry)
    quoted = " ".join(said[sentence].strip() for sentence in sentences)
    return f"{told.get('error type')}, passage {passage}: “{quoted}”"


def _pairs(row: Row) -> Iterator[Row]:
    values = row.values
    pairs = list(combinations(PREDICTIONS, 2))
    told = values.get("preference")
    if not isinstance(told, list) or len(told) != len(pairs):
        raise RowRefused("preference", "Expected six numbers: 1v2, 1v3, 1v4, 2v3, 2v4, 3v4.", told)
    for pair, verdict in zip(pairs, told, strict=True):
        responses = [values.get(name) for name in pair]
        yield Row(row.number, {**values, "pair": pair, "responses": responses, "preference": verdict})


def _verdict(value: JSON) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value not in _PREFERRED:
        raise RowRefused("preference", "Expected 0 (no preference), 1 or 2.", value)
    return value
