"""The annotator's screen without a browser: what is shown, what is stored, what is refused."""

import json
import re
import uuid

import pytest
from django.db import connection
from django.template.loader import get_template, render_to_string
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Assignment, Draft
from annotation.workbench.screen import preview_screen
from feedback.models import Judgement
from feedback.questions.registry import KINDS
from feedback.services.campaigns import move_campaign
from tests.factories import PAIRWISE, CampaignFactory, TaskFactory, task_content

HTMX = {"HX-Request": "true"}


@pytest.fixture
def client_bob(client, bob):
    client.force_login(bob)
    return client


def url(name, assignment):
    return reverse(f"annotation:assignment-{name}" if name else "annotation:assignment", args=[assignment.pk])


def start(client, campaign):
    """Claim through the page; the assignment that came of it."""
    response = client.get(reverse("annotation:work", args=[campaign.pk]))
    assert response.status_code == 302, response.content
    return Assignment.objects.filter(status="leased", campaign=campaign).latest("started_at")


def key_of(response):
    return re.search(r'name="key" value="([^"]+)"', response.content.decode()).group(1)


def verdict(assignment, position=0, **more):
    return {"q.better.verdict": f"prefer:1:{assignment.shown[position]}", "key": str(uuid.uuid4()), **more}


def test_without_javascript_the_whole_flow_works_by_redirects(client_bob, campaign):
    for _ in range(3):
        assignment = start(client_bob, campaign)
        page = client_bob.get(url("", assignment))
        posted = {**verdict(assignment), "key": key_of(page)}
        response = client_bob.post(url("judgement", assignment), posted, follow=True)
        assert response.status_code == 200
        assert b"Saved." in response.content
    assert b"All done here" in response.content
    assert Judgement.objects.filter(is_counted=True).count() == 3


def test_a_refused_answer_without_javascript_keeps_every_field(client_bob, checklist_campaign):
    assignment = start(client_bob, checklist_campaign)
    name = f"q.rules.{assignment.shown[0]}.kind"
    posted = {name: "no", f"{name}.note": "Rude\r\nand <loud>.", "key": "my-key"}
    response = client_bob.post(url("judgement", assignment), posted)
    page = response.content.decode()
    assert response.status_code == 422
    assert re.search(rf'name="{re.escape(name)}" value="no"[^>]* checked', page)
    assert "Rude\nand &lt;loud&gt;." in page
    assert 'value="my-key"' in page
    assert page.count("Answer this criterion.") == 2 * 5  # in the summary and at each field
    assert not Judgement.objects.exists()


def test_a_refused_answer_by_htmx_swaps_only_summary_and_slots(client_bob, checklist_campaign):
    assignment = start(client_bob, checklist_campaign)
    response = client_bob.post(url("judgement", assignment), {"key": "k"}, headers=HTMX)
    page = response.content.decode()
    assert response.status_code == 422
    assert (response["HX-Retarget"], response["HX-Reswap"]) == ("#errors", "innerHTML")
    assert "<input" not in page
    assert "<textarea" not in page
    assert page.count("hx-swap-oob") == 1 + 6 * 2


def test_a_submit_by_htmx_is_answered_with_the_next_task(client_bob, campaign):
    assignment = start(client_bob, campaign)
    response = client_bob.post(url("judgement", assignment), verdict(assignment), headers=HTMX)
    following = Assignment.objects.get(status="leased")
    assert response.status_code == 200
    assert response["HX-Push-Url"] == url("", following)
    assert json.loads(response["HX-Trigger"]) == {"touchstone:ended": {"assignment": str(assignment.pk)}}
    page = response.content.decode()
    assert page.lstrip().startswith('<div id="task"')
    assert "<html" not in page


def test_the_same_post_twice_is_one_judgement(client_bob, campaign):
    assignment = start(client_bob, campaign)
    posted = verdict(assignment)
    for _ in range(2):
        assert client_bob.post(url("judgement", assignment), posted, headers=HTMX).status_code == 200
    assert Judgement.objects.count() == 1


@pytest.mark.parametrize("seconds", ["-5", "nan", "inf", "1e9", "soon"])
def test_an_impossible_time_is_refused(client_bob, campaign, seconds):
    assignment = start(client_bob, campaign)
    response = client_bob.post(url("judgement", assignment), verdict(assignment, seconds=seconds), headers=HTMX)
    assert response.status_code == 422
    assert b"cannot be the time spent" in response.content
    assert not Judgement.objects.exists()


def test_a_verdict_that_is_not_offered_is_refused(client_bob, campaign):
    assignment = start(client_bob, campaign)
    for value in ("purple", "prefer:1:r9", "prefer:3:r1", "both_bad"):
        response = client_bob.post(url("judgement", assignment), {"q.better.verdict": value, "key": "k"}, headers=HTMX)
        assert response.status_code == 422
    assert not Judgement.objects.exists()


def test_the_page_shows_nothing_that_would_bias(client_bob, alice, bob, carol):
    campaign = CampaignFactory(manager=alice, annotators=[bob, carol], n_tasks=0, questions=[PAIRWISE], overlap=2)
    TaskFactory(
        campaign=campaign,
        external_id="EXTERNAL-77",
        gold={"better": {"secret": "GOLD"}},
        metadata={"origin": "METADATA"},
        content=task_content(reference="REFERENCE"),
    )
    move_campaign(campaign, "active", actor=alice)
    assignment = start(client_bob, campaign)
    page = client_bob.get(url("", assignment)).content.decode()
    for secret in ("model-one", "model-two", "EXTERNAL-77", "GOLD", "METADATA", "REFERENCE"):
        assert secret not in page


def test_responses_stand_in_the_order_of_the_assignment(client_bob, campaign, monkeypatch):
    for order in (["r1", "r2"], ["r2", "r1"], ["r1", "r2"]):
        monkeypatch.setattr("annotation.taking._shuffle", lambda shown, order=order: shown.sort(key=order.index))
        assignment = start(client_bob, campaign)
        page = client_bob.get(url("", assignment)).content.decode()
        texts = [assignment.task.content.response(id).text for id in order]
        assert page.index(texts[0]) < page.index(texts[1])
        client_bob.post(url("judgement", assignment), verdict(assignment))
        stored = Judgement.objects.latest("pk").answers["better"]["value"]["preferred"]
        assert stored == order[0]


def test_what_a_model_wrote_is_never_markup(client_bob, alice, bob):
    campaign = CampaignFactory(manager=alice, annotators=[bob])
    hostile = (
        "<script>alert(1)</script><img src=x onerror=alert(2)>[x](javascript:alert(3))![p](https://evil.example/p.png)"
    )
    content = {"prompt": hostile, "responses": [{"id": "r1", "text": hostile}, {"id": "r2", "text": "</div></form>"}]}
    TaskFactory(campaign=campaign, content=content)
    move_campaign(campaign, "active", actor=alice)
    page = client_bob.get(url("", start(client_bob, campaign))).content.decode()
    body = page[page.index('<div id="task"') :]
    for forbidden in ("<script>", "<img", 'javascript:alert(3)"', "</div></form>&", 'src="https://evil'):
        assert forbidden not in body


@pytest.mark.parametrize("name", ["", "revision", "judgement", "skip", "comeback", "draft", "heartbeat"])
def test_another_persons_assignment_does_not_exist(client_bob, client, campaign, carol, dave, name):
    assignment = start(client_bob, campaign)
    ask = client.get if name in ("", "revision") else client.post
    for stranger in (carol, dave):
        client.force_login(stranger)
        assert ask(url(name, assignment)).status_code == 404


def test_a_former_member_is_shut_out(client_bob, campaign, bob):
    assignment = start(client_bob, campaign)
    campaign.memberships.filter(user=bob).update(is_active=False)
    assert client_bob.get(url("", assignment)).status_code == 404
    assert client_bob.get(reverse("annotation:work", args=[campaign.pk])).status_code == 404


def test_an_expired_login_answers_htmx_with_a_fragment(client, client_bob, campaign):
    assignment = start(client_bob, campaign)
    client.logout()
    response = client.post(url("judgement", assignment), verdict(assignment), headers=HTMX)
    assert response.status_code == 401
    assert b"Please log in again" in response.content
    assert b"<html" not in response.content
    assert client.get(url("", assignment)).status_code == 302


def test_a_draft_comes_back_and_goes_with_the_submit(client_bob, campaign):
    assignment = start(client_bob, campaign)
    chosen = f"prefer:1:{assignment.shown[1]}"
    reply = client_bob.post(url("draft", assignment), {"q.better.verdict": chosen, "csrfmiddlewaretoken": "x"})
    assert reply.json() == {"saved": True, "hidden": []}
    assert Draft.objects.get().fields == {"q.better.verdict": [chosen]}
    assert f'value="{chosen}"' in client_bob.get(url("", assignment)).content.decode().split(" checked")[0]
    client_bob.post(url("judgement", assignment), verdict(assignment))
    assert not Draft.objects.exists()
    late = client_bob.post(url("draft", assignment), {"q.better.verdict": chosen})
    assert late.json()["saved"] is False


def test_a_heartbeat_keeps_the_seat(client_bob, campaign):
    assignment = start(client_bob, campaign)
    before = assignment.expires_at
    reply = client_bob.post(url("heartbeat", assignment)).json()
    assignment.refresh_from_db()
    assert reply == {"held": True, "seconds_left": campaign.lease_seconds, "ahead": ""}
    assert assignment.expires_at > before


def test_a_late_answer_without_a_free_seat_is_kept_and_the_person_told(client_bob, campaign, carol, client):
    assignment = start(client_bob, campaign)
    Assignment.objects.update(status="expired")
    task = assignment.task
    task.n_leased, task.n_counted = 0, 1
    task.save(update_fields=["n_leased", "n_counted"])
    response = client_bob.post(url("judgement", assignment), verdict(assignment), headers=HTMX)
    assert b"kept but not counted" in response.content
    assert Judgement.objects.get().is_surplus


def test_a_skip_frees_the_seat_and_can_be_taken_back(client_bob, campaign):
    assignment = start(client_bob, campaign)
    response = client_bob.post(url("skip", assignment), {"reason": " dull "}, headers=HTMX)
    assert response.status_code == 200
    assignment.refresh_from_db()
    assert (assignment.status, assignment.skip_reason) == ("skipped", "dull")
    assert b"You skipped this task" in client_bob.get(url("", assignment)).content
    client_bob.post(url("comeback", assignment))
    assignment.refresh_from_db()
    assert assignment.status == "leased"


def test_an_answer_is_changed_within_the_window_and_not_after(client_bob, campaign):
    assignment = start(client_bob, campaign)
    client_bob.post(url("judgement", assignment), verdict(assignment, 0))
    page = client_bob.get(url("revision", assignment))
    assert b"Change your answer" in page.content
    changed = {**verdict(assignment, 1), "key": key_of(page)}
    assert client_bob.post(url("judgement", assignment), changed).status_code == 302
    assert Judgement.objects.get(is_current=True).answers["better"]["value"]["preferred"] == assignment.shown[1]
    type(campaign).objects.update(undo_seconds=0)
    assert client_bob.get(url("revision", assignment)).status_code == 302
    refused = client_bob.post(url("judgement", assignment), verdict(assignment, 0), headers=HTMX)
    assert refused.status_code == 422
    assert b"ask the campaign" in refused.content


@pytest.mark.parametrize(
    ("status", "said"), [("paused", b"is paused"), ("closed", b"is closed"), ("active", b"being worked on by others")]
)
def test_nothing_to_do_says_why(client_bob, client, alice, bob, carol, status, said):
    campaign = CampaignFactory(manager=alice, annotators=[bob, carol], n_tasks=1, active=True)
    client.force_login(carol)
    start(client, campaign)
    if status != "active":
        move_campaign(campaign, status, actor=alice)
    client.force_login(bob)
    response = client.get(reverse("annotation:work", args=[campaign.pk]))
    assert response.status_code == 200
    assert said in response.content


def test_a_page_and_a_submit_cost_the_same_for_two_tasks_and_for_twenty(client_bob, alice, bob):
    costs = []
    for n_tasks in (2, 20):
        campaign = CampaignFactory(manager=alice, annotators=[bob], n_tasks=n_tasks, active=True)
        assignment = start(client_bob, campaign)
        with CaptureQueriesContext(
            connection,
        ) as page:
            client_bob.get(url("", assignment))
        with CaptureQueriesContext(connection) as submit:
            client_bob.post(url("judgement", assignment), verdict(assignment), headers=HTMX)
        costs.append((len(page), len(submit)))
    assert costs[0] == costs[1]
    assert costs[0][0] <= 12
    assert costs[0][1] <= 22


@pytest.mark.parametrize("kind", ["campaign", "checklist_campaign"])
def test_a_manager_previews_what_annotators_see_and_posts_nothing(request, kind):
    previewed = request.getfixturevalue(kind)
    page = render_to_string("annotation/_task.html", {"screen": preview_screen(previewed.tasks.first())})
    assert "First answer" in page
    assert 'type="radio"' in page
    assert "hx-post" not in page
    assert 'action="' not in page


def test_every_kind_has_its_place_on_the_screen():
    for kind in KINDS:
        get_template(f"annotation/questions/{kind}.html")
