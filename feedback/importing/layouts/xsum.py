"""Google's XSum annotations (Maynez et al. 2020, arXiv:2005.00661): summaries whose articles are not in the set.

`xsum_factuality`: is the summary factual (yes or no), by three workers; NULL is no answer.  `xsum_hallucination`: spans
that the article does not support, intrinsic or extrinsic; NULL: the worker found none.  Its offsets count in three
ways, so a span is where its words stand, nearest to the offset; words that stand nowhere refuse the summary.  The rows
of one summary (bbcid, system) stand together and become one task, each worker's one judgement.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from feedback.importing.arranging import Rows, group_rows, rows_of
from feedback.importing.layouts.base import ImportedJudgement, ImportedTask, Layout, content_of, question_of
from feedback.importing.rows import Row, RowRefused
from feedback.importing.spans import critique, locate, span
from feedback.questions.base import Content
from feedback.questions.form import Question

JSON = Any
NULL = "NULL"
KINDS = {"intrinsic": "Intrinsic: contradicts the article", "extrinsic": "Extrinsic: is not in the article"}
_SUMMARY = ("bbcid", "system")
_FACTUAL, _HALLUCINATED = "whether each summary is factual", "what each summary invents"
_SCORES = {"yes": 1, "no": 0}


class _XSum(Layout):
    """What both files have in common."""

    def arrange(self, rows: Rows) -> Rows:
        return group_rows(rows, _SUMMARY)

    def _task(self, rows: Sequence[Mapping[str, JSON]], judgements: tuple[ImportedJudgement, ...]) -> ImportedTask:
        identity = "/".join(str(rows[0].get(name)) for name in _SUMMARY)
        return ImportedTask(external_id=identity, content=_content(rows), judgements=judgements)


class XSumFactuality(_XSum):
    name = "xsum_factuality"
    title = "XSum factuality"
    needs = "bbcid, system, summary, is_factual, worker_id"
    form = (
        {
            "key": "factual",
            "kind": "rating",
            "title": "Is the summary factual?",
            "settings": {"scale": "thumbs", "attributes": [{"key": "factual", "text": "Factual"}]},
        },
    )

    def recognises(self, columns: Collection[str]) -> bool:
        return {*_SUMMARY, "summary", "is_factual", "worker_id"} <= set(columns)

    def check_form(self, questions: Sequence[Question]) -> None:
        question_of(questions, "rating", _FACTUAL)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        rows = rows_of(row)
        if not judged:
            return self._task(rows, ())
        key = question_of(questions, "rating", _FACTUAL).key
        told = {_worker(values): _factual(values) for values in rows if values.get("is_factual") != NULL}
        return self._task(
            rows,
            tuple(
                ImportedJudgement(worker, {key: {"scores": {"r1": {"factual": score}}}})
                for worker, score in told.items()
            ),
        )


class XSumHallucination(_XSum):
    name = "xsum_hallucination"
    title = "XSum hallucinations"
    needs = "bbcid, system, summary, hallucination_type, hallucinated_span, hallucinated_span_start, worker_id"
    form = (
        {
            "key": "invented",
            "kind": "critique",
            "title": "Mark what the summary invents.",
            "settings": {
                "about": "response",
                "text": "off",
                "spans": "optional",
                "categories": [{"key": key, "text": text} for key, text in KINDS.items()],
            },
        },
    )

    def recognises(self, columns: Collection[str]) -> bool:
        return {*_SUMMARY, "summary", "hallucination_type", "hallucinated_span", "worker_id"} <= set(columns)

    def check_form(self, questions: Sequence[Question]) -> None:
        question_of(questions, "critique", _HALLUCINATED)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        rows = rows_of(row)
        if not judged:
            return self._task(rows, ())
        key = question_of(questions, "critique", _HALLUCINATED).key
        found: dict[str, list[dict[str, JSON]]] = {}
        for values in rows:
            spans = found.setdefault(_worker(values), [])
            spans += _spans(values)
        return self._task(
            rows,
            tuple(
                ImportedJudgement(worker, {key: {"responses": {"r1": critique(spans)}}})
                for worker, spans in found.items()
            ),
        )


def _content(rows: Sequence[Mapping[str, JSON]]) -> Content:
    summaries = {str(values.get("summary")) for values in rows}
    if len(summaries) > 1:
        raise RowRefused("summary", "The rows of this summary hold different texts.", sorted(summaries)[1])
    prompt = f"Summarise BBC article {rows[0].get('bbcid')} in one sentence."
    response = {"text": rows[0].get("summary"), "model": rows[0].get("system")}
    return content_of({"prompt": prompt, "responses": [response]}, {"responses.0": "summary"})


def _worker(values: Mapping[str, JSON]) -> str:
    worker = values.get("worker_id")
    if not isinstance(worker, str) or not worker.strip():
        raise RowRefused("worker_id", "Expected a name.", worker)
    return worker


def _factual(values: Mapping[str, JSON]) -> int:
    told = values.get("is_factual")
    if not isinstance(told, str) or told not in _SCORES:
        raise RowRefused("is_factual", "Expected yes, no or NULL.", told)
    return _SCORES[told]


def _spans(values: Mapping[str, JSON]) -> list[dict[str, JSON]]:
    kind, quote = values.get("hallucination_type"), values.get("hallucinated_span")
    if kind == NULL:
        return []
    if not isinstance(kind, str) or kind not in KINDS:
        raise RowRefused("hallucination_type", f"Expected {', '.join(KINDS)} or NULL.", kind)
    start = str(values.get("hallucinated_span_start") or "0")
    if not start.lstrip("-").isdecimal():
        raise RowRefused("hallucinated_span_start", "Expected a whole number.", start)
    text, quoted = str(values.get("summary")), str(quote or "")
    at = locate(text, quoted, int(start))
    if at is None:
        raise RowRefused("hallucinated_span", "These words are not in the summary.", quoted)
    return [{**span(text, at, at + len(quoted), "hallucinated_span"), "category": kind}]
