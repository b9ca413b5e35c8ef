"""PandaLM's test set (Wang et al. 2024, arXiv:2306.05087): two responses, and three people's verdicts.

`idx` is the identity (texts repeat), `cmp_key` names the two models, `annotator1` … hold 0 (tie), 1 or 2.  Each
annotator becomes an imported rater.  A response that the file spells as a boolean is the word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from feedback.importing.layouts.base import (
    PAIRWISE_FORM,
    ImportedJudgement,
    ImportedTask,
    Layout,
    content_of,
    external_id_of,
    other_columns,
    pairwise_question,
    preference,
)
from feedback.importing.rows import Row, RowRefused
from feedback.questions.form import Question

JSON = Any
_ANNOTATOR = re.compile(r"^annotator\d+\Z")
_COLUMNS = ("idx", "cmp_key", "instruction", "input", "response1", "response2")
_FIELDS = {"prompt": "instruction", "responses.0": "response1", "responses.1": "response2"}
_PREFERRED = {0: None, 1: "r1", 2: "r2"}


class PandaLM(Layout):
    name = "pandalm"
    title = "PandaLM"
    needs = "idx, cmp_key, instruction, input, response1, response2, annotator1 …"
    form = PAIRWISE_FORM

    def recognises(self, columns: Collection[str]) -> bool:
        return {"idx", "cmp_key", "instruction", "response1", "response2"} <= set(columns)

    def check_form(self, questions: Sequence[Question]) -> None:
        pairwise_question(questions)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        values = row.values
        identity = external_id_of(values, "idx")
        if not identity:
            raise RowRefused("idx", "Is missing; PandaLM's texts repeat, so that only idx tells rows apart.")
        texts = {name: values.get(name) for name in ("response1", "response2")}
        mended = tuple(f"{name} was a boolean" for name, text in texts.items() if isinstance(text, bool))
        annotators = [name for name in values if _ANNOTATOR.match(name)]
        return ImportedTask(
            external_id=identity,
            content=content_of({"prompt": _prompt(values), "responses": _responses(values, texts)}, _FIELDS),
            metadata=other_columns(values, {*_COLUMNS, *annotators}),
            judgements=_judgements(values, annotators, questions) if judged else (),
            mended=mended,
        )


def _prompt(values: Mapping[str, JSON]) -> JSON:
    """instruction, then the input after a blank line when there is one."""
    instruction, given = values.get("instruction"), values.get("input")
    if given is None or given == "":
        return instruction
    if not isinstance(instruction, str) or not isinstance(given, str):
        raise RowRefused("input", "Expected text in instruction and input.", given)
    return f"{instruction}\n\n{given}"


def _responses(values: Mapping[str, JSON], texts: Mapping[str, JSON]) -> list[JSON]:
    key = values.get("cmp_key")
    models = key.split("_") if isinstance(key, str) else []
    if len(models) != 2 or not all(models):
        raise RowRefused("cmp_key", "Expected the names of two models, modelA_modelB.", key)
    return [
        {"id": f"r{number}", "text": str(text) if isinstance(text, bool) else text, "model": model}
        for number, (text, model) in enumerate(zip(texts.values(), models, strict=True), start=1)
    ]


def _judgements(
    values: Mapping[str, JSON], annotators: Sequence[str], questions: Sequence[Question]
) -> tuple[ImportedJudgement, ...]:
    """An empty cell is an annotator who did not answer."""
    question = pairwise_question(questions)
    told = {name: values[name] for name in annotators if values[name] is not None and values[name] != ""}
    return tuple(
        ImportedJudgement(name, preference(question, _PREFERRED[_verdict(name, value)])) for name, value in told.items()
    )


def _verdict(column: str, value: JSON) -> int:
    if isinstance(value, str) and value.strip() in ("0", "1", "2"):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value not in _PREFERRED:
        raise RowRefused(column, "Expected 0 (tie), 1 or 2.", value)
    return value
