"""The builder: what is in its form is what is published; what is wrong stands at its field; nothing typed is lost."""

import html
import json
import re

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from annotation.campaigns.builder.checking import find_wrongs, same_forms
from annotation.campaigns.builder.posted import read_posted
from annotation.campaigns.presets import PRESETS, questions_of
from annotation.workbench.screen import preview_screen
from feedback.access import rater_of
from tests.annotation.queueing import claim, submit
from tests.factories import PAIRWISE, CampaignFactory

pytestmark = pytest.mark.django_db
CONTROL = re.compile(r"<(input|textarea|select)\b([^>]*)>(?:(.*?)</\1>)?", re.DOTALL)


def url(name, campaign) -> str:
    return reverse(f"annotation:campaign-{name}", args=[campaign.pk])


@pytest.fixture
def alices(client, alice):
    client.force_login(alice)
    return client


def fields_in(page: str) -> QueryDict:
    """What a browser would post of the builder's form on this page."""
    form = page[page.index('id="builder"') : page.index("</form>", page.index('id="builder"'))]
    data = QueryDict(mutable=True)
    for tag, attrs, inside in CONTROL.findall(form):
        said = {name: html.unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', attrs)}
        name, flags = said.get("name"), re.sub(r'"[^"]*"', "", attrs).split()
        if not name or "disabled" in flags or name == "csrfmiddlewaretoken":
            continue
        if said.get("type") in ("radio", "checkbox") and "checked" not in flags:
            continue
        if tag == "select":
            chosen = re.search(r'<option value="([^"]*)" selected', inside)
            data.appendlist(name, html.unescape(chosen.group(1)) if chosen else "")
        else:
            data.appendlist(name, html.unescape(inside) if tag == "textarea" else said.get("value", ""))
    return data


def send(client: Client, address: str, data: QueryDict, **more):
    """Every value of a name, as a browser sends them."""
    return client.post(address, data.urlencode(), content_type="application/x-www-form-urlencoded", **more)


def opened(client: Client, campaign) -> QueryDict:
    return fields_in(client.get(url("questions", campaign)).content.decode())


def made_of(name, alice):
    preset = PRESETS[name]
    return CampaignFactory(manager=alice, questions=questions_of(preset))


@pytest.mark.parametrize("name", PRESETS)
def test_the_form_of_every_preset_reads_back_as_it_was(name, alices, alice):
    campaign = made_of(name, alice)

    posted = opened(alices, campaign)

    assert same_forms(read_posted(dict(posted.lists())), campaign.form.questions_raw)
    send(alices, url("questions", campaign), posted)
    assert campaign.forms.count() == 1


def test_publishing_makes_a_version_and_old_answers_keep_theirs(alices, campaign, bob, carol):
    judgement = submit(claim(rater_of(bob), campaign)).judgement
    held = claim(rater_of(carol), campaign)
    old = campaign.form
    posted = opened(alices, campaign)
    posted["f.0.title"] = "Which one is kinder?"
    said = send(alices, url("questions-draft", campaign), posted, headers={"HX-Request": "true"}).content.decode()
    assert "1 judgement keeps form 1;" in said
    assert "1 task at hand keeps the form" in said
    assert "Which one is kinder?" in said

    assert send(alices, url("questions", campaign), posted).status_code == 302

    campaign.refresh_from_db()
    assert (campaign.form.number, campaign.form.questions[0].spec.title) == (2, "Which one is kinder?")
    judgement.refresh_from_db()
    held.refresh_from_db()
    assert judgement.form == old == held.form
    page = alices.get(url("forms", campaign)).content.decode()
    assert "<ins>" in page
    assert "kinder" in page


def test_a_time_limit_alone_makes_a_version(alices, campaign):
    posted = opened(alices, campaign)
    posted["time_limit"] = "90"

    send(alices, url("questions", campaign), posted)

    campaign.refresh_from_db()
    assert (campaign.form.number, campaign.form.time_limit) == (2, 90)


@pytest.mark.parametrize("limit", ["4", "x", "-1", "99999999"])
def test_a_time_limit_that_cannot_be_is_refused_at_its_field(alices, campaign, limit):
    posted = opened(alices, campaign)
    posted["time_limit"] = limit

    response = send(alices, url("questions", campaign), posted)

    assert response.status_code == 422
    assert f'value="{limit}"' in response.content.decode()
    assert campaign.forms.count() == 1


def test_errors_stand_at_their_fields_and_nothing_typed_is_lost(alices, alice):
    campaign = made_of("rating-5", alice)
    posted = opened(alices, campaign)
    posted["f.0.settings.low"] = "many"
    posted["f.0.settings.attributes.1.text"] = ""
    posted["f.0.help"] = "Typed & kept"

    response = send(alices, url("questions", campaign), posted)

    page = response.content.decode()
    assert response.status_code == 422
    assert re.search(r'id="error.f.0.settings.low"[^>]*>Write a whole number.<', page)
    assert re.search(r'id="error.f.0.settings.attributes.1.text"[^>]*>Write something here.<', page)
    assert fields_in(page)["f.0.settings.low"] == "many"
    assert fields_in(page)["f.0.help"] == "Typed & kept"


def checklist(**criterion):
    criteria = [{"key": "short", "text": "Is short.", **criterion}]
    return {"key": "rules", "kind": "checklist", "title": "Rules", "settings": {"criteria": criteria}}


def test_a_verifiers_params_have_fields_of_their_own(alices, alice):
    question = checklist(verifier="word_count", params={"max": 50})
    campaign = CampaignFactory(manager=alice, questions=[question])

    posted = opened(alices, campaign)

    assert posted["f.0.settings.criteria.0.params.max"] == "50"
    posted["f.0.settings.criteria.0.params.max"] = "40"
    assert read_posted(dict(posted.lists()))[0]["settings"]["criteria"][0]["params"] == {"max": 40}


def test_a_row_without_a_key_gets_one_from_its_text(alices, alice):
    campaign = CampaignFactory(manager=alice, questions=[checklist()])
    posted = opened(alices, campaign)
    posted["do"] = "row-add:f.0.settings.criteria"
    page = send(alices, url("questions-draft", campaign), posted).content.decode()
    posted = fields_in(page)
    posted["f.0.settings.criteria.1.text"] = "Is short."

    criteria = read_posted(dict(posted.lists()))[0]["settings"]["criteria"]

    assert criteria[0]["key"] == "short"
    assert find_wrongs(read_posted(dict(posted.lists()))) == []


def test_a_condition_is_chosen_from_the_answers_there_are(alices, alice):
    campaign = CampaignFactory(manager=alice, questions=[PAIRWISE, {**checklist(), "required": False}])
    posted = opened(alices, campaign)
    posted["f.1.shown_if.question"] = "better"
    posted["do"] = "renew"
    page = send(alices, url("questions-draft", campaign), posted).content.decode()
    posted = fields_in(page)
    assert posted.getlist("f.1.shown_if.value") == ['"prefer"']
    posted.setlist("f.1.shown_if.value", ['"tie"', '"cannot_tell"'])

    send(alices, url("questions", campaign), posted)

    campaign.refresh_from_db()
    rule = campaign.form.questions[1].spec.shown_if
    assert (rule.question, rule.field, rule.value) == ("better", "verdict", ["tie", "cannot_tell"])


def test_as_json_and_back(alices, alice):
    campaign = made_of("safe-rlhf", alice)
    posted = opened(alices, campaign)
    posted["do"] = "json"
    page = send(alices, url("questions-draft", campaign), posted).content.decode()
    as_json = fields_in(page)
    assert same_forms(json.loads(as_json["json"]), campaign.form.questions_raw)

    as_json["json"] = '[{"key": '
    response = send(alices, url("questions", campaign), as_json)
    assert response.status_code == 422
    assert fields_in(response.content.decode())["json"] == '[{"key": '
    as_json["json"] = json.dumps([{**PAIRWISE, "title": "By hand"}])
    as_json["do"] = "form"
    back = fields_in(send(alices, url("questions-draft", campaign), as_json).content.decode())
    assert back["f.0.title"] == "By hand"


@pytest.mark.parametrize("text", ["{}", "[1]", "[{}]", '[{"key": 3, "kind": [], "title": {}}]', "[]"])
def test_json_that_is_no_form_stays_as_it_is(alices, campaign, text):
    posted = QueryDict(mutable=True)
    posted.update({"mode": "json", "json": text, "base": "1", "do": "form"})

    page = send(alices, url("questions-draft", campaign), posted).content.decode()

    assert 'name="mode" value="json"' in page
    assert campaign.forms.count() == 1


def test_what_was_removed_can_be_put_back(alices, alice):
    campaign = made_of("safe-rlhf", alice)
    posted = opened(alices, campaign)
    posted["do"] = "remove:0"
    page = send(alices, url("questions-draft", campaign), posted).content.decode()
    posted = fields_in(page)
    assert posted["f.0.key"] == "helpful"
    posted["do"] = "undo"

    back = fields_in(send(alices, url("questions-draft", campaign), posted).content.decode())

    assert same_forms(read_posted(dict(back.lists())), campaign.form.questions_raw)


def test_tasks_that_cannot_be_asked_stop_a_form_until_they_are_withdrawn(alices, campaign):
    posted = QueryDict(mutable=True)
    posted.update({"mode": "json", "base": "1"})
    posted["json"] = json.dumps([{"key": "r", "kind": "checklist", "title": "R", "settings": {"from_task": True}}])

    refused = send(alices, url("questions", campaign), posted)
    assert refused.status_code == 422
    assert "3 open tasks cannot be asked this." in refused.content.decode()
    assert campaign.forms.count() == 1

    posted["withdraw"] = "1"
    assert send(alices, url("questions", campaign), posted).status_code == 302
    assert set(campaign.tasks.values_list("status", flat=True)) == {"withdrawn"}
    assert campaign.events.filter(verb="tasks.withdrawn").exists()


def test_two_managers_do_not_overwrite_each_other_unawares(alices, campaign):
    mine, theirs = opened(alices, campaign), opened(alices, campaign)
    theirs["f.0.title"], mine["f.0.title"] = "Theirs", "Mine"
    send(alices, url("questions", campaign), theirs)

    response = send(alices, url("questions", campaign), mine)

    assert response.status_code == 422
    assert "Form 2 was published while you were editing." in response.content.decode()
    again = fields_in(response.content.decode())
    assert (again["f.0.title"], again["base"]) == ("Mine", "2")
    assert send(alices, url("questions", campaign), again).status_code == 302
    assert campaign.forms.count() == 3


def test_the_preview_shows_ones_own_tasks_and_a_sample_when_there_is_none(alices, alice, campaign):
    posted = opened(alices, campaign)
    posted["go"] = "1"
    said = send(alices, url("questions-draft", campaign), posted, headers={"HX-Request": "true"}).content.decode()
    second = campaign.tasks.order_by("pk")[1]
    assert "Task 2 of 3" in said
    assert second.content.responses[0].text.split(":")[0] in said

    empty = CampaignFactory(manager=alice)
    assert "Why is the sky blue by day" in alices.get(url("questions-screen", empty)).content.decode()


def test_the_frame_may_stand_in_our_own_pages_only(alices, campaign):
    response = alices.get(url("questions-screen", campaign))

    assert response["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in response["Content-Security-Policy"]


def test_the_preview_is_the_annotators_screen(alices, campaign):
    screen = preview_screen(campaign.tasks.order_by("pk").first())
    page = alices.get(url("questions-screen", campaign)).content.decode()

    assert all(f'name="{slot}.verdict"' in page for slot, _said in screen.slots)
    assert "model-one" not in page


def test_a_copy_has_the_questions_guidelines_and_settings_and_no_people_or_tasks(alices, alice, campaign):
    alices.post(url("copy", campaign))

    made = alice.campaigns.exclude(pk=campaign.pk).get()
    assert made.status == "draft"
    assert made.form.questions_raw == campaign.form.questions_raw
    assert made.guideline.text == campaign.guideline.text
    assert not made.tasks.exists()
    assert [member.user for member in made.memberships.all()] == [alice]
