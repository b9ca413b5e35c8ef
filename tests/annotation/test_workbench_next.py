"""What stands around the task: guidelines to acknowledge, the task fetched ahead, flags, time, why there is none."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Assignment, Flag
from annotation.queue import NothingToDo
from feedback.models import FormVersion, GuidelineReading, Judgement
from feedback.services.campaigns import publish_guidelines
from tests.annotation.test_workbench_views import HTMX, client_bob, key_of, start, url, verdict  # noqa: F401
from tests.factories import CampaignFactory


def work_url(campaign):
    return reverse("annotation:work", args=[campaign.pk])


@pytest.fixture
def unread(alice, bob):
    return CampaignFactory(manager=alice, annotators=[bob], n_tasks=4, active=True, unread=True)


def test_guidelines_come_before_the_first_task_and_take_no_seat(client_bob, unread, bob):  # noqa: F811
    page = client_bob.get(work_url(unread))
    assert b"Before you start" in page.content
    assert not Assignment.objects.exists()

    for _ in range(2):  # a double click
        reply = client_bob.post(reverse("annotation:work-guidelines", args=[unread.pk]), {"number": "1"})
        assert reply.status_code == 302
    assert GuidelineReading.objects.get().user == bob
    assert start(client_bob, unread).guideline == unread.guideline


def test_changed_guidelines_show_what_changed_once_between_two_tasks(client_bob, campaign):  # noqa: F811
    assignment = start(client_bob, campaign)
    newer = publish_guidelines(campaign, "Prefer the **shorter** answer.\n\n* Read both.\n* Then decide.", actor=None)
    assert client_bob.get(url("", assignment)).status_code == 200  # what is under way goes on under its own version

    shown = client_bob.post(url("judgement", assignment), verdict(assignment), headers=HTMX).content.decode()

    assert Judgement.objects.get().guideline.number == 1
    assert "The guidelines have changed" in shown
    assert "<ins" in shown
    assert "**shorter**" in shown
    assert "**true**" in shown.split("<del")[1]
    assert "* Then decide." not in shown.split("</section>")[0]  # unchanged, and away from the change
    client_bob.post(reverse("annotation:work-guidelines", args=[campaign.pk]), {"number": str(newer.number)})
    assert start(client_bob, campaign).guideline == newer


def test_acknowledging_an_older_version_does_not_pass_for_the_newer(client_bob, unread):  # noqa: F811
    publish_guidelines(unread, "Something else.", actor=None)
    page = client_bob.post(reverse("annotation:work-guidelines", args=[unread.pk]), {"number": "1"}, headers=HTMX)
    assert b"The guidelines have changed" in page.content


def test_no_guidelines_ask_for_nothing(client_bob, alice, bob):  # noqa: F811
    campaign = CampaignFactory(manager=alice, annotators=[bob], n_tasks=1, active=True, unread=True, guidelines="")
    assert start(client_bob, campaign)


@pytest.fixture
def wide(alice, bob):
    return CampaignFactory(manager=alice, annotators=[bob], n_tasks=9, active=True)


def test_the_next_screen_is_fetched_ahead_and_begun_by_the_submit(client_bob, wide):  # noqa: F811
    first = start(client_bob, wide)
    kept = client_bob.post(url("ahead", first), headers=HTMX)
    later = Assignment.objects.get(is_ahead=True)
    assert kept["Touchstone-Ahead"] == str(later.pk)
    assert f'data-task="{later.pk}"' in kept.content.decode()
    assert f'data-seconds-left="{wide.lease_seconds}"' in kept.content.decode()

    with CaptureQueriesContext(connection) as spent:
        reply = client_bob.post(url("judgement", first), verdict(first, ahead=str(later.pk)), headers=HTMX)

    page = reply.content.decode()
    assert reply["Touchstone-Ahead"] == str(later.pk)
    assert reply["HX-Push-Url"] == url("", later)
    assert str(first.pk) in reply["HX-Trigger"]
    assert "Task 2" in page
    assert url("revision", first) in page
    assert "<form" not in page
    assert len(page) < 2500
    later.refresh_from_db()
    assert not later.is_ahead
    own = [query["sql"] for query in spent if "SAVEPOINT" not in query["sql"] and "session" not in query["sql"]]
    assert len(own) <= 12

    posted = {**verdict(later), "key": key_of(kept)}
    assert client_bob.post(url("judgement", later), posted, headers=HTMX).status_code == 200
    assert Judgement.objects.count() == 2


def test_a_lease_that_was_lost_meanwhile_sends_a_whole_screen(client_bob, wide):  # noqa: F811
    first = start(client_bob, wide)
    client_bob.post(url("ahead", first), headers=HTMX)
    later = Assignment.objects.get(is_ahead=True)
    assert client_bob.delete(url("ahead", first)).status_code == 204

    reply = client_bob.post(url("judgement", first), verdict(first, ahead=str(later.pk)), headers=HTMX)

    assert "Touchstone-Ahead" not in reply
    assert 'id="answer"' in reply.content.decode()


@pytest.mark.parametrize("ahead", ["", "nonsense", "00000000-0000-0000-0000-000000000000"])
def test_no_value_of_ahead_can_lose_an_answer(client_bob, wide, ahead):  # noqa: F811
    first = start(client_bob, wide)
    reply = client_bob.post(url("judgement", first), verdict(first, ahead=ahead), headers=HTMX)
    assert 'id="answer"' in reply.content.decode()
    assert Judgement.objects.get().is_counted


def test_a_skip_is_followed_by_what_was_fetched_ahead_and_can_be_undone(client_bob, wide):  # noqa: F811
    first = start(client_bob, wide)
    client_bob.post(url("ahead", first), headers=HTMX)
    later = Assignment.objects.get(is_ahead=True)
    reply = client_bob.post(url("skip", first), {"ahead": str(later.pk), "seconds": "0"}, headers=HTMX)
    assert reply["Touchstone-Ahead"] == str(later.pk)
    assert url("comeback", first) in reply.content.decode()


def test_nothing_is_fetched_ahead_when_the_seats_are_few(client_bob, alice, bob):  # noqa: F811
    campaign = CampaignFactory(manager=alice, annotators=[bob], n_tasks=1, active=True)
    assert client_bob.post(url("ahead", start(client_bob, campaign)), headers=HTMX).status_code == 204


def test_a_flag_is_kept_once_and_the_work_goes_on(client_bob, campaign):  # noqa: F811
    assignment = start(client_bob, campaign)
    for _ in range(2):  # a double click
        reply = client_bob.post(url("flag", assignment), {"note": "The prompt is cut off."}, headers=HTMX)
        assert reply["HX-Trigger"] == "touchstone:flagged"
        assert "You can go on." in reply.content.decode()
    flag = Flag.objects.get()
    assert (flag.task, flag.rater, flag.note) == (assignment.task, assignment.rater, "The prompt is cut off.")
    assignment.refresh_from_db()
    assert assignment.status == "leased"


@pytest.mark.parametrize("note", ["", "   ", "x" * 2001, "a\0b"])
def test_a_note_that_cannot_be_kept_is_refused_with_the_reason(client_bob, campaign, note):  # noqa: F811
    reply = client_bob.post(url("flag", start(client_bob, campaign)), {"note": note}, headers=HTMX)
    assert reply.status_code == 422
    assert b"field-error" in reply.content
    assert not Flag.objects.exists()


def test_a_heartbeat_brings_the_time_at_work_and_the_page_goes_on_from_it(client_bob, campaign):  # noqa: F811
    assignment = start(client_bob, campaign)
    Assignment.objects.update(started_at=assignment.started_at.replace(year=2020))
    assert client_bob.post(url("heartbeat", assignment), {"seconds": "33.5"}).status_code == 200
    assert client_bob.post(url("heartbeat", assignment), {"seconds": "-4"}).status_code == 422
    assert 'data-active-seconds="33.5"' in client_bob.get(url("", assignment)).content.decode()


def test_a_time_limit_is_shown_and_a_late_answer_is_kept_and_told(client_bob, campaign):  # noqa: F811
    campaign.form = FormVersion.objects.create(
        campaign=campaign, number=2, questions_raw=campaign.form.questions_raw, time_limit=180
    )
    campaign.save(update_fields=["form"])
    assignment = start(client_bob, campaign)
    page = client_bob.get(url("", assignment)).content.decode()
    assert 'data-limit="180"' in page
    assert "an answer after that is marked as late" in page

    Assignment.objects.update(started_at=assignment.started_at.replace(year=2020))
    reply = client_bob.post(url("judgement", assignment), verdict(assignment), headers=HTMX)

    assert "marked as late" in reply.content.decode()
    assert Judgement.objects.get().seconds > 180


@pytest.mark.parametrize("reason", NothingToDo.values)
def test_every_reason_for_nothing_to_do_has_its_words(client_bob, campaign, monkeypatch, reason):  # noqa: F811
    """Field case 12: “all done” was said for a queue where nothing was."""
    from annotation.queue import Claim

    monkeypatch.setattr("annotation.workbench.pages.claim_assignment", lambda **_: Claim(None, NothingToDo(reason)))
    page = client_bob.get(work_url(campaign)).content.decode()
    assert str(NothingToDo(reason).label).replace("'", "&#x27;") in page
    assert ("All done here" in page) == (reason in ("all_done", "yours_done", "your_quota_reached"))
