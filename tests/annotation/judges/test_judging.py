"""A judge answers tasks end to end, against a scripted endpoint: what is stored, what is absent, what is paid."""

import json
from decimal import Decimal

import pytest
from django.db import IntegrityError, connection
from django.db.utils import InternalError

from annotation.judges.calls import Asking, make_call
from annotation.judges.client import CallFailed
from annotation.judges.judging import MOST_ATTEMPTS, ask_again, judge_task
from annotation.judges.prompting import render
from annotation.judges.registering import make_judge
from annotation.models import JudgeCall, Judging
from feedback.models import Judgement

pytestmark = pytest.mark.django_db(transaction=True)

PAIR = {"key": "better", "kind": "pairwise", "title": "Which is better?"}
ONE = {"prompt": "Why?", "responses": ["good"]}


def good_wins(body, data):
    """A judge that knows: the response that says good."""
    slot = next(slot for slot, text in data["responses"].items() if "good" in text)
    return json.dumps({"verdict": slot})


def always(text):
    return lambda body, data: text if isinstance(text, str) else json.dumps(text)


def measures(judging):
    return judging.judgement.measures


def test_a_pair_is_asked_in_both_orders_and_stored_by_id(served, judge_at, task_of):
    endpoint = served(good_wins)
    judge, task = judge_at(endpoint), task_of(PAIR)
    judging = judge_task(judge, task)
    assert judging.status == "judged"
    assert judging.judgement.answers["better"]["value"] == {"verdict": "prefer", "preferred": "r1"}
    assert (judging.judgement.rater, judging.judgement.is_counted) == (judge.rater, False)
    assert measures(judging)["better"] == {"probability": 1.0, "consistent": True, "first_shown": 0.5, "n": 2}
    orders = [call.order for call in judging.calls.order_by("pk")]
    assert orders == [["r1", "r2"], ["r2", "r1"]]
    task.refresh_from_db()
    assert (task.n_counted, task.n_leased) == (0, 0)  # it takes no seat
    assert not judge.rater.admitted


def test_a_judge_that_takes_the_first_contradicts_itself_and_that_is_a_tie(served, judge_at, task_of):
    judging = judge_task(judge_at(served()), task_of(PAIR))
    assert judging.judgement.answers["better"]["value"] == {"verdict": "tie"}
    assert measures(judging)["better"] == {"probability": 0.5, "consistent": False, "first_shown": 1.0, "n": 2}


def test_where_no_tie_is_offered_a_contradiction_is_an_absence(served, judge_at, task_of):
    judging = judge_task(judge_at(served()), task_of({**PAIR, "settings": {"points": 2}}))
    assert (judging.status, judging.judgement) == ("absent", None)
    assert "cancel out" in judging.reasons["better"]
    assert not Judgement.objects.exists()


def test_the_ledger_is_what_the_server_counted(served, judge_at, task_of):
    endpoint = served(good_wins)
    judging = judge_task(judge_at(endpoint), task_of(PAIR))
    calls = list(judging.calls.all())
    assert sum(call.prompt_tokens for call in calls) == endpoint.tokens["prompt_tokens"]
    assert sum(call.completion_tokens for call in calls) == endpoint.tokens["completion_tokens"]
    assert calls[0].cost == Decimal(2 * calls[0].prompt_tokens) / 1_000_000
    assert {call.rung for call in calls} == {"json"}


@pytest.mark.parametrize(("fault", "rung"), [("fenced", "stripped"), ("think", "stripped")])
def test_odd_replies_are_read(served, judge_at, task_of, fault, rung):
    judging = judge_task(judge_at(served(good_wins, lambda n, body: fault)), task_of(PAIR))
    assert judging.status == "judged"
    assert {call.rung for call in judging.calls.all()} == {rung}


def test_a_cut_reply_is_asked_for_once_more_with_twice_the_tokens(served, judge_at, task_of):
    endpoint = served(good_wins, lambda n, body: "truncated" if n == 1 else "")
    judging = judge_task(judge_at(endpoint, sampling={"max_tokens": 9}), task_of(PAIR))
    assert judging.status == "judged"
    assert [body["max_tokens"] for body in endpoint.bodies] == [9, 18, 9]


def test_a_reply_that_cannot_be_read_is_asked_for_once_more(served, judge_at, task_of):
    endpoint = served(good_wins, lambda n, body: "garbage" if n == 1 else "")
    judging = judge_task(judge_at(endpoint), task_of(PAIR))
    assert judging.status == "judged"
    assert [call.stage for call in judging.calls.order_by("pk")] == ["verdict", "repair", "verdict"]
    assert "could not be read" in endpoint.bodies[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("fault", "reason"), [("garbage", "no verdict that is offered"), ("refused", "refused"), ("truncated", "cut")]
)
def test_what_never_comes_is_an_absence_with_its_true_reason(served, judge_at, task_of, fault, reason):
    judging = judge_task(judge_at(served(good_wins, lambda n, body: fault)), task_of(PAIR))
    assert judging.status == "absent"
    assert reason in judging.reasons["better"]
    assert not Judgement.objects.exists()


@pytest.mark.parametrize("fault", ["429", "500", "html", "no_choices", "dropped"])
def test_a_failure_that_may_pass_is_tried_again_later_and_what_was_answered_is_not(served, judge_at, task_of, fault):
    endpoint = served(good_wins, lambda n, body: fault if n == 2 else "")
    judge, task = judge_at(endpoint), task_of(PAIR)
    judging = judge_task(judge, task)
    assert (judging.status, judging.attempts) == ("pending", 1)
    assert judging.not_before is not None
    assert judging.reasons[""]
    assert judge_task(judge, task).status == "judged"
    assert endpoint.n_calls == 3  # the first order is paid for once
    states = sorted(JudgeCall.objects.values_list("status", flat=True))
    assert states == ["answered", "answered", "unknown" if fault == "dropped" else "failed"]


def test_the_last_attempt_is_final(served, judge_at, task_of):
    judge, task = judge_at(served(good_wins, lambda n, body: "500")), task_of(PAIR)
    for _ in range(MOST_ATTEMPTS):
        judging = judge_task(judge, task)
    assert judging.status == "absent"
    assert "unavailable" in judging.reasons["better"]
    assert judge_task(judge, task).status == "absent"


def test_a_refused_key_stops_and_nothing_is_absent(served, judge_at, task_of):
    judge, task = judge_at(served(good_wins, key="right")), task_of(PAIR)
    with pytest.raises(CallFailed, match="unauthorised"):
        judge_task(judge, task)
    assert Judging.objects.get().status == "pending"


def test_absences_can_be_asked_again_and_their_calls_stay_booked(served, judge_at, task_of):
    faults = {"now": "garbage"}
    endpoint = served(good_wins, lambda n, body: faults["now"])
    judge, task = judge_at(endpoint), task_of(PAIR)
    assert judge_task(judge, task).status == "absent"
    faults["now"] = ""
    assert ask_again(judge, task.campaign) == 1
    assert judge_task(judge, task).status == "judged"
    assert JudgeCall.objects.filter(status="failed", completion_tokens__gt=0).count() == 2


@pytest.mark.parametrize("text", ["", "Thought process:", "…"])
def test_a_master_key_costs_no_call(served, judge_at, task_of, text):
    endpoint = served()
    judging = judge_task(judge_at(endpoint), task_of(PAIR, content={"prompt": "Why?", "responses": ["good", text]}))
    assert (judging.status, endpoint.n_calls) == ("absent", 0)
    assert "response" in judging.reasons["better"]


def test_a_judge_does_not_judge_its_own_model_unless_it_may(served, judge_at, task_of):
    own = {"prompt": "Why?", "responses": [{"text": "good", "model": "m"}, "bad"]}
    judging = judge_task(judge_at(served(good_wins)), task_of(PAIR, content=own))
    assert "own model" in judging.reasons["better"]
    allowed = judge_at(served(good_wins), judges_own=True)
    assert judge_task(allowed, task_of(PAIR, content=own)).status == "judged"


def rates(body, data):
    return json.dumps({"A": {"good": 3 if body["seed"] % 2 else 4}})


def test_scores_are_the_mean_of_the_votes_and_the_mean_is_kept(served, judge_at, task_of):
    question = {
        "key": "q",
        "kind": "rating",
        "title": "?",
        "settings": {"attributes": [{"key": "good", "text": "Good"}]},
    }
    judge = judge_at(served(rates), n_samples=3, sampling={"temperature": 1.0, "seed": 10})
    judging = judge_task(judge, task_of(question, content=ONE))
    assert judging.judgement.answers["q"]["value"] == {"scores": {"r1": {"good": 4}}}
    assert measures(judging)["q"]["expected"] == {"r1.good": pytest.approx(11 / 3)}


KINDS = [
    ("ranking", {}, {"groups": [["A"], ["B"]], "cannot_tell": False}, {"groups": [["r1", "r2"]], "cannot_tell": False}),
    (
        "checklist",
        {"criteria": [{"key": "kind", "text": "Is kind"}], "notes": False},
        {"A": {"kind": {"verdict": "yes"}}, "B": {"kind": {"verdict": "no"}}},
        {"verdicts": {"r1": {"kind": {"verdict": "yes"}}, "r2": {"kind": {"verdict": "no"}}}},
    ),
    ("steps", {}, {"A": ["correct"], "B": ["wrong"]}, {"labels": {"r1": ["correct"], "r2": ["wrong"]}}),
    ("steps", {"mode": "first_error"}, {"A": None, "B": 1}, {"labels": {"r1": ["correct"], "r2": ["wrong"]}}),
    (
        "critique",
        {"spans": "optional", "text": "optional"},
        {"A": {"text": "Fine.", "spans": []}, "B": {"text": "Rude.", "spans": [{"quote": "bad", "note": "rude"}]}},
        {
            "responses": {
                "r1": {"text": "Fine.", "spans": [], "nothing": True},
                "r2": {
                    "text": "Rude.",
                    "spans": [{"start": 0, "end": 3, "quote": "bad", "note": "rude"}],
                    "nothing": False,
                },
            }
        },
    ),
]


@pytest.mark.parametrize(("kind", "asked", "reply", "stored"), KINDS, ids=[f"{k[0]}-{n}" for n, k in enumerate(KINDS)])
def test_every_kind_is_answered_through_its_own_schema(served, judge_at, task_of, kind, asked, reply, stored):
    """The ranking contradicts itself between the two orders: a tie."""
    question = {"key": "q", "kind": kind, "title": "?", "settings": asked}
    judging = judge_task(judge_at(served(always(reply))), task_of(question))
    assert judging.status == "judged", judging.reasons
    assert judging.judgement.answers["q"]["value"] == stored


def test_several_questions_are_asked_in_turn_and_hidden_ones_are_not(served, judge_at, task_of):
    follow = {"question": "better", "field": "verdict", "value": "tie"}
    why = {"key": "why", "kind": "critique", "title": "Why a tie?", "settings": {"about": "task"}, "shown_if": follow}
    endpoint = served(good_wins)
    judging = judge_task(judge_at(endpoint), task_of(PAIR, why))
    assert judging.judgement.answers["why"] == {"state": "not_shown"}
    assert endpoint.n_calls == 2


def test_a_question_that_an_earlier_answer_shows_is_asked(served, judge_at, task_of):
    follow = {"question": "better", "field": "verdict", "value": "prefer"}
    why = {"key": "why", "kind": "critique", "title": "Why?", "settings": {"about": "task"}, "shown_if": follow}
    endpoint = served(
        lambda body, data: (
            '{"text": "It is kinder."}' if "Why?" in body["messages"][1]["content"] else good_wins(body, data)
        )
    )
    judging = judge_task(
        judge_at(endpoint), task_of(PAIR, why, content={"prompt": "Say.", "responses": ["good", "bad"]})
    )
    assert judging.judgement.answers["why"] == {
        "state": "answered",
        "value": {"text": "It is kinder.", "responses": {}},
    }


@pytest.mark.parametrize("protocol", ["critique_first", "branch_rethink"])
def test_a_thinking_protocol_shows_its_own_words_as_data(served, judge_at, task_of, protocol):
    def answer(body, data):
        return good_wins(body, data) if "what you found" in data else 'A is good. {"verdict": "B"}'

    endpoint = served(answer)
    judging = judge_task(judge_at(endpoint, protocol=protocol), task_of(PAIR))
    assert judging.judgement.answers["better"]["value"]["preferred"] == "r1"
    assert [call.stage for call in judging.calls.order_by("pk")] == ["thinking", "verdict"] * 2
    assert "response_format" not in endpoint.bodies[0]


def test_what_a_dead_worker_left_is_booked_and_asked_anew(served, judge_at, task_of):
    endpoint = served(good_wins)
    judge, task = judge_at(endpoint), task_of(PAIR)
    judging = Judging.objects.create(judge=judge, task=task, form=task.campaign.form)

    def dies(*args, **kwargs):
        raise KeyboardInterrupt

    asking = Asking("better", ("r1", "r2"), 0, "verdict")
    call = render(task.campaign.form.questions[0], task.content, ("r1", "r2"))
    with pytest.raises(KeyboardInterrupt):
        make_call(judging, asking, call.messages, key=call.expected.key, schema=None, sampling={}, send=dies)
    assert JudgeCall.objects.get().status == "sent"
    assert judge_task(judge, task).status == "judged"
    assert sorted(JudgeCall.objects.values_list("status", flat=True)) == ["answered", "answered", "unknown"]


def test_two_answered_calls_of_one_request_are_refused_by_the_database(served, judge_at, task_of):
    judging = judge_task(judge_at(served(good_wins)), task_of(PAIR))
    call = judging.calls.first()
    call.pk = None
    with pytest.raises(IntegrityError, match="judgecall_paid_once"):
        call.save(force_insert=True)


def test_a_judge_that_has_been_asked_never_changes(served, judge_at, task_of):
    judge = judge_at(served(good_wins))
    judge.instruction = "Be strict."
    judge.save()  # nobody has asked it yet
    judge_task(judge, task_of(PAIR))
    judge.instruction = "Be kind."
    with pytest.raises((IntegrityError, InternalError), match="make a new version"):
        judge.save()
    connection.close()
    later = make_judge(name=judge.name, endpoint=judge.endpoint, model="m", instruction="Be kind.")
    assert (later.number, later.rater.version) == (2, "2")
