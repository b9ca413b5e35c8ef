"""WMT's MQM ratings (Freitag et al. 2021, arXiv:2104.14478): translation errors that professionals marked.

One error a row, in `source` or `target`, between `<v>` and `</v>`; a row without error says `No-error`.  The rows of
one translation (system, doc, doc_id, seg_id) stand together and become one task: the source is the prompt, the
translation the response, and each rater's marks one judgement.  The span's offsets are those of the marks, and every
row must hold the same text without them.  An error marked in the source (an omission) has no place in the translation:
it is told in words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from feedback.importing.arranging import Rows, group_rows, rows_of
from feedback.importing.layouts.base import ImportedJudgement, ImportedTask, Layout, content_of, question_of
from feedback.importing.rows import Row, RowRefused
from feedback.importing.spans import critique, span, unmark
from feedback.questions.form import Question

JSON = Any
CATEGORIES = (
    *(f"Accuracy/{what}" for what in ("Addition", "Omission", "Mistranslation", "Untranslated text")),
    "Accuracy/Creative Reinterpretation",
    *(f"Fluency/{what}" for what in ("Grammar", "Punctuation", "Spelling", "Register", "Inconsistency", "Display")),
    "Fluency/Character encoding",
    *(f"Locale convention/{what} format" for what in ("Address", "Currency", "Date", "Name", "Telephone", "Time")),
    *(f"Style/{what}" for what in ("Awkward", "Unnatural or awkward", "Bad sentence structure")),
    "Terminology/Inappropriate for context",
    "Terminology/Inconsistent use of terminology",
    "Non-translation!",
    "Source error",
    "Other",
)
SEVERITIES = ("Critical", "Major", "Minor", "Neutral")
NO_ERROR = "no-error"
_SEGMENT = ("system", "doc", "doc_id", "seg_id")
_TOLD = "where the errors of each translation are"


def key_of(name: str) -> str:
    """`Accuracy/Untranslated text` → `accuracy_untranslated_text`."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


class WMTMQM(Layout):
    name = "wmt_mqm"
    title = "WMT MQM"
    needs = "system, doc, doc_id, seg_id, rater, source, target, category, severity"
    form = (
        {
            "key": "errors",
            "kind": "critique",
            "title": "Mark every error of the translation.",
            "settings": {
                "about": "response",
                "spans": "optional",
                "text": "optional",
                "text_label": "Errors that have no place in the translation",
                "categories": [{"key": key_of(name), "text": name} for name in CATEGORIES],
                "severities": [{"key": key_of(name), "text": name} for name in SEVERITIES],
            },
        },
    )

    def recognises(self, columns: Collection[str]) -> bool:
        return {*_SEGMENT, "rater", "source", "target", "category", "severity"} <= set(columns)

    def arrange(self, rows: Rows) -> Rows:
        return group_rows(rows, _SEGMENT)

    def check_form(self, questions: Sequence[Question]) -> None:
        question_of(questions, "critique", _TOLD)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        rows = rows_of(row)
        plain = [(_plain(values, "source"), _plain(values, "target")) for values in rows]
        if len(set(plain)) > 1:
            raise RowRefused("target", "The rows of this translation hold different texts.", plain[1][1])
        source, target = plain[0]
        first = rows[0]
        response = {"id": "r1", "text": target, "model": first.get("system")}
        return ImportedTask(
            external_id="/".join(str(first.get(name)) for name in _SEGMENT),
            content=content_of({"prompt": source, "responses": [response]}),
            metadata={name: first.get(name) for name in ("doc", "doc_id", "seg_id")},
            judgements=_judgements(rows, target, questions) if judged else (),
        )


def _text(values: Mapping[str, JSON], column: str) -> str:
    text = values.get(column)
    if not isinstance(text, str) or not text.strip():
        raise RowRefused(column, "Expected text.", text)
    return text


def _plain(values: Mapping[str, JSON], column: str) -> str:
    text = _text(values, column)
    marked = unmark(text, column)
    return marked[0] if marked else text


def _judgements(
    rows: Sequence[Mapping[str, JSON]], target: str, questions: Sequence[Question]
) -> tuple[ImportedJudgement, ...]:
    key = question_of(questions, "critique", _TOLD).key
    found: dict[str, tuple[list[dict[str, JSON]], list[str]]] = {}
    for values in rows:
        spans, told = found.setdefault(_text(values, "rater"), ([], []))
        if key_of(_text(values, "severity")) == key_of(NO_ERROR):
            continue
        marked = unmark(_text(values, "target"), "target")
        if marked:
            spans.append({**span(target, *marked[1:], column="target"), **_kind(values)})
        else:
            told.append(_in_words(values))
    return tuple(
        ImportedJudgement(rater, {key: {"responses": {"r1": critique(spans, "\n".join(told))}}})
        for rater, (spans, told) in found.items()
    )


def _kind(values: Mapping[str, JSON]) -> dict[str, JSON]:
    kind = {column: key_of(_text(values, column)) for column in ("category", "severity")}
    comment = values.get("comment")
    return {**kind, "note": comment} if comment else kind


def _in_words(values: Mapping[str, JSON]) -> str:
    marked = unmark(_text(values, "source"), "source")
    if marked is None:
        raise RowRefused("target", "An error, but neither text has a stretch between <v> and </v>.", values["target"])
    whole, start, end = marked
    comment = f" {values['comment']}" if values.get("comment") else ""
    return (
        f"{_text(values, 'category')} ({values['severity']}), in the source at {start}: “{whole[start:end]}”.{comment}"
    )
