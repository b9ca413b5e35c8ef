"""TRL's preference layout: `prompt`?, `chosen`, `rejected`; texts, or lists of messages.

Without `prompt` (TRL's implicit prompt) it is what both sides begin with: the common messages, the common turns of a
`\\n\\nHuman: … \\n\\nAssistant: …` transcript, or the common text up to its last blank.  The two responses are stored
in the order of a hash, so that nothing about a task tells which one was chosen; the choice becomes a judgement by an
imported rater named by the source.
"""

from __future__ import annotations

import hashlib
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
    structured,
)
from feedback.importing.rows import Row, RowRefused
from feedback.questions.content import canonical
from feedback.questions.form import Question

JSON = Any
Messages = list[dict[str, str]]
_TURN = re.compile(r"\n\n(Human|Assistant): ?")
_SPEAKER = {"Human": "user", "Assistant": "assistant"}
_KNOWN = {"external_id", "id", "prompt", "chosen", "rejected"}


class TRLPreference(Layout):
    name = "trl_preference"
    title = "TRL preference"
    needs = "chosen, rejected (and prompt, unless both sides repeat it)"
    form = PAIRWISE_FORM

    def recognises(self, columns: Collection[str]) -> bool:
        return {"chosen", "rejected"} <= set(columns)

    def check_form(self, questions: Sequence[Question]) -> None:
        pairwise_question(questions)

    def read(self, row: Row, questions: Sequence[Question], *, judged: bool) -> ImportedTask:
        values = row.values
        prompt, chosen, rejected = split_row(values)
        best_first = sorted((chosen, rejected), key=lambda text: _place(prompt, text))
        models = {side: _model(values, side) for side in ("chosen", "rejected")}
        responses: list[JSON] = []
        for number, text in enumerate(best_first, start=1):
            side = "chosen" if text == chosen else "rejected"
            responses.append({"id": f"r{number}", "text": text, "model": values.get(models[side]) or ""})
        preferred = "r1" if best_first[0] == chosen else "r2"
        answers = preference(pairwise_question(questions), preferred) if judged else {}
        return ImportedTask(
            external_id=external_id_of(values, "external_id", "id"),
            content=content_of({"prompt": prompt, "responses": responses}),
            metadata=other_columns(values, {*_KNOWN, *models.values()}),
            judgements=(ImportedJudgement("", answers),) if judged else (),
        )


def _model(values: Mapping[str, JSON], side: str) -> str:
    return f"{side}-model" if f"{side}-model" in values else f"{side}_model"


def _place(prompt: JSON, text: str) -> bytes:
    """However the prompt is spelt, as text or as messages, the order of the responses is the same."""
    messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    said = [[message.get("role"), message.get("content")] for message in messages or ()]
    return hashlib.sha256(canonical([said, text]).encode()).digest()


def split_row(values: Mapping[str, JSON]) -> tuple[JSON, str, str]:
    """(prompt as text or messages, chosen text, rejected text).  Raises RowRefused."""
    chosen, rejected = _side(values, "chosen"), _side(values, "rejected")
    prompt = _conversation_or_text(values.get("prompt"))
    if prompt and not isinstance(prompt, str) and not _is_conversation(prompt):
        raise RowRefused("prompt", "Expected text or a list of messages.", prompt)
    if isinstance(chosen, str) and isinstance(rejected, str):
        return (prompt, chosen, rejected) if prompt else _split_texts(chosen, rejected)
    if isinstance(chosen, str) or isinstance(rejected, str):
        raise RowRefused("rejected", "One side is text and the other a conversation.", values.get("rejected"))
    if not prompt:
        length = min(_n_common(chosen, rejected), len(chosen) - 1, len(rejected) - 1)
        if length < 1:
            raise RowRefused("prompt", "Is missing, and the two sides begin with no common message.")
        prompt = chosen[:length]
    return prompt, _response(chosen, prompt, "chosen"), _response(rejected, prompt, "rejected")


def _conversation_or_text(value: JSON) -> JSON:
    """In a CSV file a cell may hold messages as JSON; text that merely begins with “[” stays text."""
    parsed = structured(value)
    return parsed if _is_conversation(parsed) else value


def _is_conversation(value: JSON) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(m, dict) and "role" in m for m in value)


def _side(values: Mapping[str, JSON], column: str) -> str | Messages:
    value = _conversation_or_text(values.get(column))
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not value:
        raise RowRefused(column, "Expected text or a list of messages.", value)
    for message in value:
        if not isinstance(message, dict) or not isinstance(message.get("content"), str) or "role" not in message:
            raise RowRefused(column, "Expected messages with role and content (text).", message)
    return [{"role": message["role"], "content": message["content"]} for message in value]


def _response(side: Messages, prompt: JSON, column: str) -> str:
    """The one assistant message after the prompt, which the side may repeat."""
    given = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    opening = [{"role": message.get("role"), "content": message.get("content")} for message in given]
    rest = side[len(opening) :] if side[: len(opening)] == opening else side
    if len(rest) != 1 or rest[0]["role"] != "assistant":
        roles = ", ".join(str(message["role"]) for message in rest) or "nothing"
        raise RowRefused(column, f"A response is one assistant message after the prompt; found {roles}.", rest)
    return rest[0]["content"]


def _n_common(a: Sequence[object], b: Sequence[object]) -> int:
    """How many parts (characters, messages) the two begin with in common."""
    differing = (index for index, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
    return next(differing, min(len(a), len(b)))


def _split_texts(chosen: str, rejected: str) -> tuple[JSON, str, str]:
    turns = [_transcript(text) for text in (chosen, rejected)]
    if turns[0] and turns[1]:
        if turns[0][:-1] != turns[1][:-1]:
            raise RowRefused("rejected", "The two transcripts differ before their last turn.", rejected)
        return turns[0][:-1], turns[0][-1]["content"], turns[1][-1]["content"]
    prefix = chosen[: _n_common(chosen, rejected)]
    blank = max(prefix.rfind(" "), prefix.rfind("\n"))
    if not prefix[:blank].strip() or blank < 1:
        raise RowRefused("prompt", "Is missing, and the two sides do not begin alike.", chosen)
    return prefix[:blank], chosen[blank:], rejected[blank:]


def _transcript(text: str) -> Messages:
    """Anthropic's `\\n\\nHuman: …` transcripts as messages; [] when the text is none that ends with the assistant."""
    pieces = _TURN.split(text if text.startswith("\n\n") else f"\n\n{text}")
    if pieces[0].strip() or len(pieces) < 5:
        return []
    turns = [
        {"role": _SPEAKER[who], "content": said.strip()} for who, said in zip(pieces[1::2], pieces[2::2], strict=True)
    ]
    return turns if turns[-1]["role"] == "assistant" else []
