"""One's own history, hours and flags; the manager's hours as CSV."""

import csv
import io
from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from annotation.flags import flag_task, reply_to_flag
from annotation.mywork import history
from annotation.queue import skip_assignment
from feedback.access import rater_of
from tests.annotation.queueing import claim, submit
from tests.factories import JudgementFactory, RaterFactory, prefer

pytestmark = pytest.mark.django_db


def text(response):
    return " ".join(response.content.decode().split())


def test_a_person_sees_what_they_did_and_may_change_it_while_the_window_is_open(client, campaign, bob, dave):
    mine = claim(rater_of(bob), campaign)
    submit(mine, seconds=3.0)
    others = claim(rater_of(dave), campaign)
    submit(others, seconds=5.0)
    client.force_login(bob)
    page = text(client.get(reverse("annotation:my-work")))
    assert reverse("annotation:assignment-revision", args=[mine.pk]) in page
    assert str(others.pk) not in page
    assert "counted" in page
    with time_machine.travel(timezone.now() + timedelta(seconds=campaign.undo_seconds + 60)):
        client.force_login(bob)
        later = text(client.get(reverse("annotation:my-work")))
    assert reverse("annotation:assignment-revision", args=[mine.pk]) not in later


def test_the_answer_is_said_in_the_words_of_the_form(campaign):
    judgement = JudgementFactory(task=campaign.tasks.first(), answers=prefer("r2"), shown=["r2", "r1"])
    assert history.answer_in_words(campaign.form.questions, judgement) == "shown as A"


def test_a_skip_is_listed_with_its_reason_and_the_way_back(client, campaign, bob):
    assignment = claim(rater_of(bob), campaign)
    skip_assignment(assignment_id=assignment.pk, rater=assignment.rater, reason="Not my language")
    client.force_login(bob)
    page = text(client.get(reverse("annotation:my-work")))
    assert "Not my language" in page
    assert "Take back" in page


def test_a_reply_to_a_flag_reaches_who_flagged_and_nobody_else(client, campaign, alice, bob, dave):
    assignment = claim(rater_of(bob), campaign)
    flag = flag_task(assignment_id=assignment.pk, rater=assignment.rater, note="The second answer is cut off.")
    reply_to_flag(flag, "Judge what is there.", actor=alice)
    client.force_login(bob)
    assert "Judge what is there." in text(client.get(reverse("annotation:my-work")))
    client.force_login(dave)
    assert "cut off" not in text(client.get(reverse("annotation:my-work")))


def test_no_model_name_gold_or_other_answer_is_on_the_page(client, campaign, bob):
    assignment = claim(rater_of(bob), campaign)
    submit(assignment)
    client.force_login(bob)
    page = text(client.get(reverse("annotation:my-work")))
    for response in assignment.task.content.responses:
        assert not response.model or response.model not in page
    assert "gold" not in page


def test_older_work_is_pages_further_back_and_nothing_is_listed_twice(client, campaign, bob, monkeypatch):
    monkeypatch.setattr("annotation.mywork.history.PAGE", 2)
    monkeypatch.setattr("annotation.mywork.views.PAGE", 2)
    rater = rater_of(bob)
    done = []
    for _ in range(3):
        assignment = claim(rater, campaign)
        submit(assignment)
        done.append(assignment.pk)
    client.force_login(bob)
    first = client.get(reverse("annotation:my-work"))
    older = client.get(reverse("annotation:my-work"), {"before": first.context["older"].isoformat()})
    seen = [row.assignment.pk for response in (first, older) for row in response.context["done"]]
    assert seen == done[::-1]


def rows_of(response):
    content = b"".join(response.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(content)))


def test_hours_add_up_per_person_and_day(client, campaign, alice, bob, dave):
    for who, seconds in ((bob, 30.0), (bob, 60.5), (dave, 3600.0)):
        task = campaign.tasks.order_by("pk")[int(seconds == 60.5)]
        JudgementFactory(task=task, rater=rater_of(who), seconds=seconds, is_counted=who is bob)
    JudgementFactory(task=campaign.tasks.last(), rater=RaterFactory(name="a program"), seconds=99.0)
    client.force_login(alice)
    rows = rows_of(client.get(reverse("annotation:campaign-hours", args=[campaign.pk])))
    assert [(row["person"], row["judgements"], row["counted"], row["active_seconds"]) for row in rows] == [
        ("bob", "2", "2", "90.5"),
        ("dave", "1", "0", "3600.0"),
    ]
    assert rows[1]["active_hours"] == "1.0"


def test_hours_are_bounded_by_days_and_a_wrong_date_is_said(client, campaign, alice, bob):
    JudgementFactory(task=campaign.tasks.first(), rater=rater_of(bob), seconds=30.0)
    client.force_login(alice)
    url = reverse("annotation:campaign-hours", args=[campaign.pk])
    today = timezone.now().date()
    assert len(rows_of(client.get(url, {"from": today.isoformat(), "to": today.isoformat()}))) == 1
    assert rows_of(client.get(url, {"to": (today - timedelta(days=1)).isoformat()})) == []
    for wrong in ("yesterday", "2026-02-30"):
        refused = client.get(url, {"from": wrong})
        assert refused.status_code == 400
        assert b"is no date" in refused.content


def test_a_name_that_is_a_formula_is_quoted(client, campaign, alice, bob):
    bob.username = "=cmd()"
    bob.save()
    JudgementFactory(task=campaign.tasks.first(), rater=rater_of(bob), seconds=30.0)
    client.force_login(alice)
    (row,) = rows_of(client.get(reverse("annotation:campaign-hours", args=[campaign.pk])))
    assert row["person"] == "'=cmd()"
