"""The list of a campaign's tasks, and everything that is known of one, for managers and reviewers."""

import pytest
from django.urls import reverse

from annotation.flags import flag_task
from feedback.access import rater_of
from feedback.models import Membership
from feedback.services.campaigns import set_role
from tests.annotation.queueing import claim, statements, submit
from tests.factories import CampaignFactory, TaskFactory


def content(prompt, first="one", **more):
    return {
        "prompt": [{"role": "user", "content": prompt}],
        "responses": [{"id": "r1", "text": first, "model": "model-x"}, {"id": "r2", "text": "two"}],
        **more,
    }


@pytest.fixture
def tasks(client, alice, bob):
    campaign = CampaignFactory(manager=alice, annotators=[bob], n_tasks=0)
    for n, prompt in enumerate(["Why is the sky blue?", '100% sure? a_b "quoted"', "<script>alert(1)</script>"]):
        TaskFactory(campaign=campaign, external_id=f"idx-{n}", content=content(prompt))
    campaign.status = "active"
    campaign.save()
    client.force_login(alice)
    return campaign


def listed(client, campaign, **query):
    page = client.get(reverse("annotation:campaign-tasks", args=[campaign.pk]), query)
    assert page.status_code == 200
    return [task.external_id for task in page.context["tasks"]], page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["idx-0", "idx-1", "idx-2"]),
        ({"q": "SKY"}, ["idx-0"]),
        ({"q": "100%"}, ["idx-1"]),  # no wildcard
        ({"q": "a_b"}, ["idx-1"]),
        ({"q": "idx-2"}, ["idx-2"]),
        ({"q": "two"}, ["idx-0", "idx-1", "idx-2"]),
        ({"q": "nowhere"}, []),
        ({"q": "content"}, []),  # a key is no word
        ({"q": "role"}, []),
        ({"q": '"quoted"'}, ["idx-1"]),
        ({"q": "a\x00b"}, []),
        ({"q": "#99999999999999999999"}, []),
        ({"state": "filled"}, []),
        ({"state": "waiting"}, ["idx-0", "idx-1", "idx-2"]),
        ({"state": "unknown"}, ["idx-0", "idx-1", "idx-2"]),
        ({"after": "no number"}, ["idx-0", "idx-1", "idx-2"]),
    ],
)
def test_tasks_are_found_by_words_id_and_state(client, tasks, query, found):
    names, page = listed(client, tasks, **query)
    assert names == found
    assert b"<script>alert" not in page.content


def test_a_task_is_found_by_its_number(client, tasks):
    task = tasks.tasks.get(external_id="idx-1")
    assert listed(client, tasks, q=f"#{task.pk}")[0] == ["idx-1"]


def test_pages_go_on_where_the_last_ended(client, tasks, monkeypatch):
    monkeypatch.setattr("annotation.campaigns.tasks.PAGE", 2)
    first, page = listed(client, tasks)
    second, end = listed(client, tasks, after=page.context["following"])
    assert (first, second, end.context["following"]) == (["idx-0", "idx-1"], ["idx-2"], None)


def test_one_task_shows_everything_that_is_known_of_it(client, tasks, bob):
    held = claim(rater_of(bob), tasks)
    flag_task(assignment_id=held.pk, rater=held.rater, note="Cut off?")
    submit(held)
    page = client.get(reverse("annotation:campaign-task", args=[tasks.pk, held.task_id])).content.decode()
    for known in ("model-x", "Cut off?", "bob", ", ".join(held.shown), "&quot;verdict&quot;:&quot;prefer&quot;"):
        assert known in page
    assert listed(client, tasks, state="filled")[0] == [held.task.external_id]


def test_a_task_of_another_campaign_is_not_there(client, tasks, alice):
    other = CampaignFactory(manager=alice, n_tasks=1)
    url = reverse("annotation:campaign-task", args=[tasks.pk, other.tasks.get().pk])
    assert client.get(url).status_code == 404


def test_a_reviewer_finds_the_tasks_but_no_way_to_assign_them(client, tasks, alice, carol):
    set_role(tasks, carol, Membership.Role.REVIEWER, actor=alice)
    client.force_login(carol)
    _names, page = listed(client, tasks)
    task = tasks.tasks.first()
    shown = client.get(reverse("annotation:campaign-task", args=[tasks.pk, task.pk])).content.decode()
    assign = reverse("annotation:campaign-assign", args=[tasks.pk])
    assert assign not in page.content.decode() + shown


def test_the_list_costs_the_same_for_three_tasks_and_thirty(client, tasks):
    few = len(statements(lambda: listed(client, tasks)))
    for n in range(27):
        TaskFactory(campaign=tasks, external_id=f"more-{n}", content=content(f"{n}?"))
    assert len(statements(lambda: listed(client, tasks))) == few


def test_the_link_to_assign_names_the_task(client, tasks):
    task = tasks.tasks.first()
    page = client.get(reverse("annotation:campaign-assign", args=[tasks.pk]), {"tasks": f"#{task.pk}"})
    assert f"#{task.pk}</textarea>" in page.content.decode()
