"""A judge answers a task: the same questions as people, through the same door, with every call booked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.judges.calls import Asking, CallInFlight, Send, alone_with, book_lost, book_rung, known_call, make_call
from annotation.judges.client import CallFailed, ask
from annotation.judges.combining import Heard, combine, orders_of
from annotation.judges.exceptions import JudgeError, NotConfigured, NothingToJudge, Unparseable
from annotation.judges.guard import why_not_judged
from annotation.judges.ladder import Parsed, read_reply
from annotation.judges.prompting import Rendered, render
from annotation.judges.protocols.registry import PROTOCOLS
from annotation.models import Judge, JudgeCall, Judging
from feedback.models import Campaign, FormVersion, Task
from feedback.questions.form import AnswersInvalid, Question, hidden_questions, read_answer
from feedback.services.judgements import submit_program_judgement

JSON = Any
MOST_ATTEMPTS = 6
FIRST_WAIT_S, LONGEST_WAIT_S = 2.0, 600.0
DEFAULT_MAX_TOKENS = 512
REPAIR = "That could not be read: {reason}. Reply with the JSON object that was asked for, and nothing else."


@dataclass
class Told:
    """What the judge has said so far: raw answers, why others are missing, and what is measured, by question."""

    raw: dict[str, JSON] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    measures: dict[str, JSON] = field(default_factory=dict)


def judge_task(judge: Judge, task: Task, *, send: Send = ask) -> Judging:
    """Ask everything that is missing; the state that the task is in then.

    One that somebody else is at just now is left to them.  A failure that may pass leaves it pending, with a time
    before which it is not tried again; the sixth is final.  What was answered before is not asked again.

    Raises NotConfigured, and CallFailed for a refused key: nothing is wrong with the task, and it stays pending.
    """
    form = task.campaign.form
    assert form is not None, "a campaign that has tasks has a form"  # noqa: S101  (create_campaign)
    judging, _made = Judging.objects.get_or_create(judge=judge, task=task, form=form)
    if judging.status != Judging.Status.PENDING:
        return judging
    with alone_with(judging) as alone:
        if alone:
            book_lost(judging)
            return _judge(judging, form, send)
    return judging


def _judge(judging: Judging, form: FormVersion, send: Send) -> Judging:
    judge, task, told = judging.judge, judging.task, Told()
    try:
        _refuse_unfit(judge, task)
        for question in form.questions:
            if question.key not in hidden_questions(form.questions, task.content, told.raw):
                _ask_question(judging, question, told, send)
    except NothingToJudge as error:
        told.reasons = {question.key: error.reason for question in form.questions}
    except CallFailed as failure:
        if failure.kind == "unauthorised":
            raise
        if failure.may_pass and judging.attempts + 1 < MOST_ATTEMPTS:
            return _later(judging, failure)
        told.reasons = {question.key: failure.reason for question in form.questions if question.key not in told.raw}
    return _settle(judging, form, told)


def _refuse_unfit(judge: Judge, task: Task) -> None:
    for response in task.content.responses:
        if why := why_not_judged(response.text):
            raise NothingToJudge(why)
        if response.model and response.model == judge.model and not judge.judges_own:
            raise NothingToJudge("a response is by the judge's own model")


def _ask_question(judging: Judging, question: Question, told: Told, send: Send) -> None:
    """Every order and sample; an unparseable or refused one leaves the question without an answer."""
    content = judging.task.content
    asked = [(order, n) for order in orders_of(question, content) for n in range(judging.judge.n_samples)]
    try:
        heard = [_hear(judging, question, order, sample, send) for order, sample in asked]
    except (CallInFlight, NotConfigured):
        raise
    except CallFailed as failure:
        if failure.may_pass or failure.kind == "unauthorised":
            raise
        told.reasons[question.key] = failure.reason
        return
    except JudgeError as error:
        told.reasons[question.key] = error.reason
        return
    found = combine(question, content, heard)
    told.measures[question.key] = found.measures
    if found.raw is None:
        told.reasons[question.key] = found.reason
    else:
        told.raw[question.key] = found.raw


def _hear(judging: Judging, question: Question, order: tuple[str, ...], sample: int, send: Send) -> Heard:
    """One verdict: the protocol's calls, then what the ladder makes of the last.  Raises JudgeError."""
    judge, content = judging.judge, judging.task.content
    protocol = PROTOCOLS[judge.protocol]
    guideline = judging.task.campaign.guideline
    shared = {"instruction": judge.instruction, "guidelines": guideline.text if guideline else ""}
    thought = ""
    if protocol.thinking:
        first = render(question, content, order, thinking=protocol.thinking, **shared)
        call = _call(judging, Asking(question.key, order, sample, "thinking"), first, send, wants_json=False)
        thought = call.text
    call_for = Asking(question.key, order, sample, "verdict")
    rendered = render(question, content, order, thought=thought, **shared)
    call = _call(judging, call_for, rendered, send, after=thought)
    parsed = _read(judging, call_for, rendered, call, send)
    raw = question.kind.from_slots(parsed.value, rendered.slots)
    try:
        return Heard(order, read_answer(question, content, raw, partial=True))
    except AnswersInvalid as error:
        message = f"the reply does not fit the question: {error}"
        raise Unparseable(message[:300]) from None


def _call(
    judging: Judging,
    asking: Asking,
    rendered: Rendered,
    send: Send,
    *,
    after: str = "",
    wants_json: bool = True,
) -> JudgeCall:
    """The call, from the ledger or made now; once more with twice the tokens when it was cut.  Raises JudgeError."""
    sampling = {"max_tokens": DEFAULT_MAX_TOKENS, **judging.judge.sampling}
    sent = rendered.expected.asked if wants_json else None
    for stage, factor in ((asking.stage, 1), (f"{asking.stage} longer", 2)):
        this = replace(asking, stage=stage)
        more = {**sampling, "max_tokens": sampling["max_tokens"] * factor, "seed": _seed(judging, asking)}
        call = known_call(judging, this, after) or make_call(
            judging,
            this,
            rendered.messages,
            key=rendered.expected.key,
            schema=sent,
            sampling=more,
            after=after,
            send=send,
        )
        if call.finish_reason in ("refusal", "content_filter"):
            raise Unparseable(f"refused: {call.reason or call.text[:200] or 'without a word'}")
        if call.finish_reason != "length":
            return call
    raise Unparseable("the reply was cut at the token limit, twice; raise max_tokens")


def _read(judging: Judging, asking: Asking, rendered: Rendered, call: JudgeCall, send: Send) -> Parsed:
    """The ladder; when nothing holds, one call that asks for the JSON again.  Raises Unparseable."""
    expected = rendered.expected.with_key(call.key)
    try:
        parsed = read_reply(call.text, expected)
    except Unparseable as error:
        words = {"role": "user", "content": REPAIR.format(reason=error.reason)}
        said = {"role": "assistant", "content": call.text}
        again = replace(rendered, messages=(*rendered.messages, said, words))
        call = _call(judging, replace(asking, stage="repair"), again, send, after=call.text)
        parsed = read_reply(call.text, expected.with_key(call.key))
    book_rung(call, parsed.rung)
    return parsed


def _seed(judging: Judging, asking: Asking) -> int:
    """The same for the same request, another for every sample."""
    return int(judging.judge.sampling.get("seed") or 0) + asking.sample


def _later(judging: Judging, failure: CallFailed) -> Judging:
    wait = min(LONGEST_WAIT_S, max(failure.retry_after or 0.0, FIRST_WAIT_S * 2**judging.attempts))
    judging.attempts += 1
    judging.not_before = timezone.now() + timedelta(seconds=wait)
    judging.reasons = {"": failure.reason}
    judging.save(update_fields=["attempts", "not_before", "reasons", "updated_at"])
    return judging


@transaction.atomic
def _settle(judging: Judging, form: FormVersion, told: Told) -> Judging:
    """Submitted when every question that needs an answer has one; else absent, with a reason a question."""
    hidden = hidden_questions(form.questions, judging.task.content, told.raw)
    needed = {q.key for q in form.questions if q.spec.required and q.key not in hidden}
    missing = {key: told.reasons.get(key, "was not asked") for key in needed if key not in told.raw}
    row = Judging.objects.select_for_update(no_key=True).get(pk=judging.pk)
    if row.status != Judging.Status.PENDING:
        return row
    row.reasons = {**told.reasons, **missing}
    if missing or not told.raw:
        row.status = Judging.Status.ABSENT
    else:
        row.status = Judging.Status.JUDGED
        row.judgement = submit_program_judgement(
            task=judging.task,
            rater=judging.judge.rater,
            raw_answers=told.raw,
            key=f"judge:{row.pk}",
            form=form,
            partial=False,
            measures=told.measures,
        )
    row.save(update_fields=["status", "judgement", "reasons", "updated_at"])
    return row


@transaction.atomic
def ask_again(judge: Judge, campaign: Campaign) -> int:
    """Make pending what ended absent; how many.  Replies that could not be read stay booked and are asked for anew."""
    absent = Judging.objects.filter(judge=judge, task__campaign=campaign, status=Judging.Status.ABSENT)
    unread = JudgeCall.objects.filter(judging__in=absent, status=JudgeCall.Status.ANSWERED, rung="")
    unread.update(status=JudgeCall.Status.FAILED)
    return absent.update(status=Judging.Status.PENDING, attempts=0, not_before=None, reasons={})
