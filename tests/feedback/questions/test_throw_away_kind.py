"""A kind is one Python file and one template (CONTRIBUTING.md): nothing else of the house has heard of this one."""

import copy
import json
import re
import sys
from pathlib import Path

import pytest
from django.urls import reverse

from annotation.models import Assignment
from feedback import questions
from feedback.models import Judgement, Preference, Task
from feedback.questions.form import read_answers
from feedback.questions.registry import KINDS, _find_kinds
from feedback.services.aggregation import aggregate_task
from feedback.services.freezing import freeze_dataset
from tests.factories import CampaignFactory, TaskFactory
from tests.feedback.datasets.freezing import all_rows, dataset_of

HERE = Path(__file__).parent / "throw_away"
BEST = {"key": "top", "kind": "best", "title": "Which is best?", "settings": {"words": "Choose"}}
CONTENT = {"prompt": "Why?", "responses": ["Because.", "So it is.", "Nobody knows."]}

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def kind(monkeypatch, settings):
    """Its file where the registry looks, its template where Django looks; gone after the test."""
    monkeypatch.setattr(questions, "__path__", [*questions.__path__, str(HERE)])
    found = _find_kinds()["best"]
    monkeypatch.setitem(KINDS, "best", found)
    templates = copy.deepcopy(settings.TEMPLATES)
    templates[0]["DIRS"].append(HERE / "templates")
    settings.TEMPLATES = templates
    yield found
    sys.modules.pop(f"{questions.__name__}.best")


@pytest.fixture
def campaign(alice, bob, carol):
    campaign = CampaignFactory(questions=[BEST], manager=alice, annotators=[bob, carol], overlap=2)
    TaskFactory(campaign=campaign, content=CONTENT)
    campaign.status = "active"
    campaign.save()
    return campaign


def open_task(client, user, campaign):
    client.force_login(user)
    page = client.get(reverse("annotation:work", args=[campaign.pk]), follow=True).content.decode()
    return Assignment.objects.get(rater__user=user, status="leased"), page


def post(client, assignment, **fields):
    return client.post(reverse("annotation:assignment-judgement", args=[assignment.pk]), {"key": "k", **fields})


def test_it_is_asked_shown_posted_stored_aggregated_and_exported(client, bob, carol, campaign):
    for user, best in ((bob, "r2"), (carol, "r3")):
        assignment, page = open_task(client, user, campaign)
        values = re.findall(r'name="q\.top\.best" value="(\w+)"', page)
        assert values == list(assignment.shown)
        assert "Choose: C" in page
        assert post(client, assignment, **{"q.top.best": best}).status_code == 302
    stored = Judgement.objects.order_by("pk")
    assert [one.answers["top"] for one in stored] == [
        {"state": "answered", "value": {"best": "r2"}},
        {"state": "answered", "value": {"best": "r3"}},
    ]
    aggregate_task(Task.objects.get())
    told = Preference.objects.values_list("question", "first", "second", "probability").order_by("first", "second")
    assert list(told) == [("top", "r1", "r2", 0.0), ("top", "r1", "r3", 0.0), ("top", "r2", "r3", 0.5)]
    version = freeze_dataset(dataset_of(campaign), actor=None)
    exported = [json.loads(row["answer"]) for row in all_rows(version, "judgement")]
    assert sorted(answer["best"] for answer in exported) == ["r2", "r3"]


def test_what_it_refuses_is_said_on_the_screen_with_the_answer_still_there(client, bob, campaign):
    assignment, _page = open_task(client, bob, campaign)
    missing = post(client, assignment).content.decode()
    assert "This question needs an answer." in missing
    wrong = post(client, assignment, **{"q.top.best": "r9"})
    assert wrong.status_code == 422
    assert re.search(r'id="error\.q\.top\.best"[^>]*>[^<]*This task has no such response\.', wrong.content.decode())
    assert not Judgement.objects.exists()


def test_a_judge_may_answer_it(kind, campaign):
    (question,) = campaign.form.questions
    content = Task.objects.get().content
    assert kind.json_schema(question.settings, content, "AB")["properties"] == {"best": {"enum": ["A", "B"]}}
    raw = kind.from_slots({"best": "A"}, {"A": "r3", "B": "r1"})
    assert read_answers([question], content, {"top": raw})["top"]["value"] == {"best": "r3"}


def test_managers_may_ask_it_and_see_what_was_answered(client, alice, bob, campaign):
    assignment, _page = open_task(client, bob, campaign)
    post(client, assignment, **{"q.top.best": "r1"})
    client.force_login(alice)
    builder = client.get(reverse("annotation:campaign-questions", args=[campaign.pk])).content.decode()
    assert "Best of several" in builder
    assert 'value="Choose"' in builder  # the form of its settings
    insights = client.get(reverse("annotation:campaign-insights", args=[campaign.pk])).content.decode()
    assert f"{'ABC'[list(assignment.shown).index('r1')]} is best" in insights
