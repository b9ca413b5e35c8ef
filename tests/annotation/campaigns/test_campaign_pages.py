"""The manager's pages of a campaign: what they show, what they change, and whom they refuse."""

import pytest
from django.urls import reverse

from annotation.models import Absence
from annotation.queue import skip_assignment
from feedback.access import rater_of
from feedback.models import AuditEvent, Campaign, Membership
from feedback.services.campaigns import move_campaign, set_role
from tests.annotation.queueing import claim, statements, submit
from tests.factories import CampaignFactory, JudgementFactory, RaterFactory, TaskFactory, prefer

pytestmark = pytest.mark.django_db


def url(name, *args) -> str:
    return reverse(f"annotation:campaign-{name}", args=args)


@pytest.fixture
def alices(client, alice):
    client.force_login(alice)
    return client


def text(response) -> str:
    return " ".join(response.content.decode().split())


def test_the_list_shows_the_campaigns_one_manages_or_reviews_and_no_others(alices, alice, campaign, bob):
    reviewed = CampaignFactory(name="Reviewed", manager=bob)
    set_role(reviewed, alice, Membership.Role.REVIEWER, actor=bob)
    labelled = CampaignFactory(name="Only labelled", manager=bob, annotators=[alice])
    CampaignFactory(name="Foreign", manager=bob)

    page = text(alices.get(url("list")))

    assert campaign.name in page
    assert "Reviewed" in page
    assert labelled.name not in page
    assert "Foreign" not in page
    assert "0 / 3" in page


def test_the_list_costs_the_same_for_two_campaigns_and_twenty(alices, alice):
    CampaignFactory(manager=alice, n_tasks=1)
    alices.get(url("list"))
    few = len(statements(lambda: alices.get(url("list"))))
    for _ in range(6):
        CampaignFactory(manager=alice, n_tasks=2)

    assert len(statements(lambda: alices.get(url("list")))) == few


def test_a_long_list_has_pages(alices, alice, monkeypatch):
    monkeypatch.setattr("annotation.campaigns.pages.PAGE", 2)
    names = [CampaignFactory(manager=alice, name=f"No. {n}!").name for n in range(3)]

    first, second = text(alices.get(url("list"))), text(alices.get(url("list"), {"page": 2}))

    assert [name in first for name in names] == [False, True, True]
    assert [name in second for name in names] == [True, False, False]


def test_an_empty_list_says_what_to_do(alices):
    assert "Make one, import tasks, and open it." in text(alices.get(url("list")))


def test_a_new_campaign_is_a_draft_with_its_questions_and_guidelines(alices, alice):
    given = {"name": "Kind?", "preset": "timed-correctness", "overlap": "3"}

    response = alices.post(url("new"), given)

    campaign = Campaign.objects.get(name="Kind?")
    assert response.url == url("questions", campaign.pk)
    assert (campaign.status, campaign.overlap, campaign.quota) == ("draft", 3, None)
    assert [question.key for question in campaign.form.questions] == ["correct", "sure"]
    assert campaign.form.time_limit == 180
    assert "before the time is over" in campaign.guideline.text
    assert campaign.memberships.get().user == alice


def test_a_campaign_that_cannot_be_made_keeps_what_was_typed(alices):
    response = alices.post(url("new"), {"name": "", "preset": "sparrow", "overlap": "3"})

    assert response.status_code == 422
    assert 'value="sparrow" checked' in text(response)
    assert 'value="3"' in text(response)
    assert not Campaign.objects.exists()


def test_opening_campaigns_needs_the_permission(client, bob):
    client.force_login(bob)

    assert client.get(url("new")).status_code == 403
    assert client.post(url("new"), {"name": "x", "preset": "pairwise-3", "overlap": 1}).status_code == 403


def test_the_page_shows_how_the_campaign_stands(alices, campaign, bob, carol):
    submit(claim(rater_of(bob), campaign))
    skipped = claim(rater_of(carol), campaign)
    skip_assignment(assignment_id=skipped.pk, rater=skipped.rater, reason="")
    Absence.objects.create(task=campaign.tasks.first(), rater=RaterFactory(), question="better", reason="Fell over.")

    page = text(alices.get(url("detail", campaign.pk)))

    assert "1 <small>of 3 · 33 %</small>" in page
    assert "Fell over." in page
    assert "Opened · Alice" in page
    assert 'hx-trigger="every 5s"' in page
    assert "shown as" in text(alices.get(url("insights", campaign.pk)))


def test_the_page_costs_the_same_with_more_tasks_and_raters(alices, campaign):
    alices.get(url("detail", campaign.pk))
    few = len(statements(lambda: alices.get(url("detail", campaign.pk))))
    for n in range(8):
        JudgementFactory(task=TaskFactory(campaign=campaign, external_id=f"more-{n}"))

    assert len(statements(lambda: alices.get(url("detail", campaign.pk)))) == few


def test_the_figures_are_polled_until_the_campaign_is_not_open_any_more(alices, alice, campaign):
    polled = alices.get(url("figures", campaign.pk))
    assert (polled.status_code, "<html" in text(polled)) == (200, False)
    assert 'hx-trigger="every 5s"' in text(polled)

    move_campaign(campaign, Campaign.Status.PAUSED, actor=alice)

    stopped = alices.get(url("figures", campaign.pk))
    assert stopped.status_code == 286  # htmx stops polling
    assert "hx-trigger" not in text(stopped)


def test_agreement_is_a_table_of_its_own(alices, campaign):
    task = campaign.tasks.first()
    JudgementFactory(task=task, answers=prefer("r1"))
    JudgementFactory(task=task, answers=prefer("r2"))

    page = text(alices.get(url("agreement", campaign.pk)))

    assert "Which response is better?" in page
    assert "<html" not in page
    assert "0.0000" in page or "-" in page


def test_a_reviewer_sees_the_page_without_the_buttons(client, dave, alice, campaign):
    set_role(campaign, dave, Membership.Role.REVIEWER, actor=alice)
    client.force_login(dave)

    page = text(client.get(url("detail", campaign.pk)))

    assert campaign.name in page
    assert "<form" not in page.split('id="main"')[1]
    assert url("settings", campaign.pk) not in page
    assert client.get(url("settings", campaign.pk)).status_code == 403


def test_a_model_name_or_a_task_never_becomes_markup(alices, alice):
    campaign = CampaignFactory(manager=alice, name="<script>alert(1)</script>", description="<b>x</b>")
    JudgementFactory(task=TaskFactory(campaign=campaign), rater=RaterFactory(name="<img src=x>"))

    for name in ("list", "new"):
        assert "<script>alert" not in text(alices.get(url(name)))
    for name in ("detail", "guidelines", "members", "settings"):
        page = text(alices.get(url(name, campaign.pk)))
        assert "<script>alert" not in page
        assert "<b>x</b>" not in page
        assert "<img src=x" not in page


def test_every_change_is_in_the_audit(alices, alice, campaign, dave):
    alices.post(url("members", campaign.pk), {"username": "dave", "role": "annotator"})
    alices.post(url("guidelines", campaign.pk), {"text": "New."})
    alices.post(url("state", campaign.pk, "pause"))

    verbs = list(AuditEvent.objects.filter(campaign=campaign, actor=alice).values_list("verb", flat=True)[:3])
    assert verbs == ["campaign.paused", "guidelines.published", "member.set"]


def test_a_draft_says_what_is_missing_before_people_can_start(alices, alice, bob):
    draft = CampaignFactory(manager=alice, n_tasks=0, guidelines="")
    page = text(alices.get(url("detail", draft.pk)))
    assert "Before people can start" in page
    assert page.count('class="ready-done"') == 1  # the questions
    assert "none yet; import a file" in page
    set_role(draft, bob, Membership.Role.ANNOTATOR, actor=alice)
    TaskFactory(campaign=draft)
    assert text(alices.get(url("detail", draft.pk))).count('class="ready-done"') == 3
    opened = CampaignFactory(manager=alice, n_tasks=1, active=True)
    assert "Before people can start" not in text(alices.get(url("detail", opened.pk)))


def test_nothing_is_drawn_before_there_are_answers_but_the_names_of_models(alices, alice):
    campaign = CampaignFactory(manager=alice, n_tasks=1)
    page = text(alices.get(url("insights", campaign.pk)))
    assert "Pace" not in page
    JudgementFactory(task=campaign.tasks.get(), answers=prefer("r1"))
    assert "Pace" in text(alices.get(url("insights", campaign.pk)))
