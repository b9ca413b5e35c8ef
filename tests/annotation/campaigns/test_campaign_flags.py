"""The manager's list of flagged and parked tasks."""

import pytest
from django.urls import reverse

from annotation.flags import flag_task
from annotation.models import Flag
from annotation.queue import skip_assignment
from feedback.access import rater_of
from feedback.models import AuditEvent, Task
from tests.annotation.queueing import claim, submit


@pytest.fixture
def troubled(client, campaign, alice, bob, carol):
    """Bob flagged one task; another was skipped by both and is parked; Alice looks."""
    campaign.park_after_skips = 2
    campaign.save(update_fields=["park_after_skips"])
    first = claim(rater_of(bob), campaign)
    flag_task(assignment_id=first.pk, rater=first.rater, note="The prompt <b>ends</b> here.")
    skip_assignment(assignment_id=first.pk, rater=first.rater)
    second = claim(first.rater, campaign)
    skip_assignment(assignment_id=second.pk, rater=first.rater, reason="In Dutch.")
    while (held := claim(rater_of(carol), campaign)).task_id != second.task_id:
        submit(held)
    skip_assignment(assignment_id=held.pk, rater=held.rater)
    client.force_login(alice)
    return campaign


def test_parked_and_flagged_tasks_are_listed_with_notes_and_reasons(client, troubled):
    page = client.get(reverse("annotation:campaign-flags", args=[troubled.pk])).content.decode()
    assert "1 flag without a reply" in page
    assert "The prompt &lt;b&gt;ends&lt;/b&gt; here." in page
    assert "In Dutch." in page
    assert "no reason given" in page


def test_a_reply_takes_a_flag_off_the_list_and_is_kept(client, troubled, alice):
    flag = Flag.objects.get()
    address = reverse("annotation:campaign-flags-reply", args=[troubled.pk, flag.pk])
    client.post(address, {"reply": ""})
    assert not Flag.objects.get().reply
    client.post(address, {"reply": "It is meant to be."})
    flag.refresh_from_db()
    assert (flag.reply, flag.replied_by) == ("It is meant to be.", alice)
    listed = reverse("annotation:campaign-flags", args=[troubled.pk])
    assert b"0 flags without a reply" in client.get(listed).content
    assert b"It is meant to be." in client.get(listed, {"answered": "1"}).content


@pytest.mark.parametrize(("to", "status"), [("open", "open"), ("withdrawn", "withdrawn")])
def test_a_parked_task_is_opened_again_or_withdrawn(client, troubled, to, status):
    task = Task.objects.get(status="parked")
    address = reverse("annotation:campaign-flags-task", args=[troubled.pk, task.pk])
    client.post(address, {"to": to})
    task.refresh_from_db()
    assert task.status == status
    assert AuditEvent.objects.filter(verb=f"task.{status}", campaign=troubled).exists()
    assert client.post(address, {"to": "open"}, follow=True).status_code == 200  # again: says that it is changed


def test_another_campaigns_flag_is_not_to_be_found(client, troubled, alice):
    from tests.factories import CampaignFactory

    other = CampaignFactory(manager=alice)
    flag = Flag.objects.get()
    address = reverse("annotation:campaign-flags-reply", args=[other.pk, flag.pk])
    assert client.post(address, {"reply": "No."}).status_code == 404
    assert not Flag.objects.get().reply


def test_the_list_costs_the_same_for_one_and_for_ten(client, troubled, bob, django_assert_max_num_queries):
    address = reverse("annotation:campaign-flags", args=[troubled.pk])
    flag = Flag.objects.get()
    for n in range(10):
        Flag.objects.create(campaign=troubled, task=flag.task, rater=flag.rater, note=f"And {n}.")
    with django_assert_max_num_queries(12):
        client.get(address)


def test_the_campaign_s_tabs_lead_there_and_say_how_many_wait(client, troubled):
    listed = reverse("annotation:campaign-flags", args=[troubled.pk])
    page = client.get(reverse("annotation:campaign-detail", args=[troubled.pk])).content.decode()
    link = page.partition(f'href="{listed}"')[2].partition("</a>")[0]
    assert "Flags" in link
    assert ">2<" in link
    assert reverse("annotation:campaign-assign", args=[troubled.pk]) in page
    Flag.objects.update(reply="Fine.", replied_at="2026-01-01T00:00Z", replied_by=troubled.created_by)
    Task.objects.filter(status="parked").update(status="open")
    assert "badge" not in client.get(listed).content.decode().partition(f'href="{listed}"')[2].partition("</a>")[0]
