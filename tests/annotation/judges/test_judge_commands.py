"""Making judges and letting them work from the command line: what is refused, what is said, what is stored."""

from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from annotation.judges.registering import JudgeInvalid
from annotation.models import Judge, Judging
from feedback.models import Judgement, Task
from tests.annotation.judges.test_judging import PAIR, good_wins

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"name": " "}, "name"),
        ({"model": ""}, "model"),
        ({"protocol": "guess"}, "protocol"),
        ({"n_samples": 0}, "n_samples"),
        ({"n_samples": 3}, "sampling"),
        ({"sampling": {"temprature": 1}}, "sampling"),
        ({"sampling": {"max_tokens": "9"}}, "sampling"),
    ],
)
def test_a_judge_that_cannot_work_is_refused_with_its_field(served, judge_at, fields, named):
    with pytest.raises(JudgeInvalid) as caught:
        judge_at(served(), **fields)
    assert set(caught.value.errors) == {named}
    assert not Judge.objects.exists()


def test_the_commands_make_a_judge_and_let_it_work(served, task_of, capsys, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", "right")
    endpoint = served(good_wins, lambda n, body: "500" if n == 1 else "", key="right")
    campaign = task_of(PAIR).campaign
    where = {"base_url": endpoint.base_url, "key_variable": "JUDGE_KEY", "prompt_price": Decimal(1)}
    call_command("add_judge", "Strict", "m", **where)
    judge = Judge.objects.get()
    call_command("judge_tasks", judge.pk, str(campaign.pk), at_once=2)
    told = capsys.readouterr().out
    assert "1 judged, 0 absent, 0 pending" in told
    assert "3 calls (0 of unknown end)" in told
    assert Judgement.objects.get().rater == judge.rater


def test_a_key_that_is_not_set_is_said_and_nothing_is_absent(served, task_of, monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    campaign = task_of(PAIR).campaign
    call_command("add_judge", "Strict", "m", base_url=served().base_url, key_variable="NO_SUCH_KEY")
    with pytest.raises(CommandError, match="NO_SUCH_KEY"):
        call_command("judge_tasks", Judge.objects.get().pk, str(campaign.pk))
    assert Judging.objects.get().status == "pending"
    assert Task.objects.get().judgements.count() == 0


@pytest.mark.parametrize("where", [("9999", None), (None, "9999"), (None, "6f9619ff-8b86-4d01-b42d-00c04fc964ff")])
def test_a_judge_or_campaign_that_is_not_there_is_said(served, judge_at, task_of, where):
    judge, task = judge_at(served()), task_of(PAIR)
    with pytest.raises(CommandError, match="There is no"):
        call_command("judge_tasks", where[0] or judge.pk, where[1] or str(task.campaign_id))
