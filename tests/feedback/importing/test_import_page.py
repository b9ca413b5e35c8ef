import json
from datetime import timedelta

import pytest
import time_machine
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from feedback.importing.layouts.base import PAIRWISE_FORM
from feedback.importing.layouts.registry import LAYOUTS
from feedback.models import Judgement, Task
from feedback.services.campaigns import create_campaign

pytestmark = pytest.mark.django_db
PAIR = {"prompt": "Why?", "chosen": "Because.", "rejected": "Dunno."}


def text(response):
    return " ".join(response.content.decode().split())


@pytest.fixture
def draft(alice):
    return create_campaign(actor=alice, name="Pairs", questions=PAIRWISE_FORM)


@pytest.fixture
def alices(client, alice):
    client.force_login(alice)
    return client


def url(campaign):
    return reverse("annotation:campaign-imports", args=[campaign.pk])


def send(client, campaign, *rows, name="pairs.jsonl", **fields):
    file = SimpleUploadedFile(name, "\n".join(json.dumps(row) for row in rows).encode())
    return client.post(url(campaign), {"file": file, "layout": "auto", "judgements": "on", **fields})


def token(response):
    return response.context["upload"].token


def test_a_file_is_tried_first_and_then_imported(alices, draft):
    tried = send(alices, draft, PAIR, {**PAIR, "prompt": "How?"})
    page = text(tried)
    assert "What this file would add" in page
    assert "pairs.jsonl, read as jsonl in the layout “trl_preference”" in page
    assert "<dd>2 <small>0 here already</small></dd>" in page
    assert not Task.objects.exists()
    done = alices.post(url(draft), {"token": token(tried)}, follow=True)
    assert "2 tasks were added, 2 judgements." in text(done)
    assert Task.objects.filter(campaign=draft).count() == 2
    assert default_storage.listdir(f"imports/{draft.pk}")[1] == []


def test_refused_rows_are_listed_and_left_out_only_on_demand(alices, draft):
    tried = send(alices, draft, PAIR, {**PAIR, "chosen": "<b>\u202e" + "x" * 200, "rejected": 5})
    page = text(tried)
    assert "Some rows cannot be imported" in page
    assert "Expected text or a list of messages." in page
    refused = alices.post(url(draft), {"token": token(tried)}, follow=True)
    assert "Nothing was imported: 1 of 2 rows are refused" in text(refused)
    assert not Task.objects.exists()
    alices.post(url(draft), {"token": token(tried), "skip": "1"})
    assert Task.objects.count() == 1


def test_a_file_that_is_nothing_we_know_is_said_at_the_field(alices, draft):
    response = send(alices, draft, {"question": "?", "answer": "!"})
    assert response.status_code == 422
    assert "are of no known layout" in text(response)
    assert send(alices, draft, name="empty.jsonl").status_code == 422
    assert default_storage.listdir(f"imports/{draft.pk}")[1] == []


def test_judgements_can_be_left_out_and_the_source_can_be_named(alices, draft):
    tried = send(alices, draft, PAIR, judgements="")
    alices.post(url(draft), {"token": token(tried)})
    assert not Judgement.objects.exists()
    tried = send(alices, draft, PAIR, source="ultra")
    alices.post(url(draft), {"token": token(tried)})
    assert Judgement.objects.get().rater.source == "ultra"


def test_the_same_file_again_says_that_it_adds_nothing(alices, draft):
    alices.post(url(draft), {"token": token(send(alices, draft, PAIR))})
    again = send(alices, draft, PAIR)
    assert "Nothing new in this file" in text(again)


def test_a_token_that_is_forged_old_used_or_of_another_campaign_is_refused(alices, draft, alice):
    good = token(send(alices, draft, PAIR))
    other = create_campaign(actor=alice, name="Other", questions=PAIRWISE_FORM)
    for campaign, given in ((draft, "nonsense"), (draft, good[:-2] + "xx"), (other, good)):
        assert "not here any more" in text(alices.post(url(campaign), {"token": given}, follow=True))
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        alices.force_login(alice)
        assert "not here any more" in text(alices.post(url(draft), {"token": good}, follow=True))
    alices.force_login(alice)
    alices.post(url(draft), {"token": good})
    assert "not here any more" in text(alices.post(url(draft), {"token": good}, follow=True))
    assert Task.objects.count() == 1


def test_hostile_text_in_a_file_is_escaped_on_the_page(alices, draft):
    page = text(send(alices, draft, {**PAIR, "prompt": "<script>alert(1)</script>"}))
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page


def test_the_page_says_what_each_layout_needs(alices, draft):
    page = alices.get(url(draft)).content.decode()
    assert all(escape(layout.needs) in page for layout in LAYOUTS.values())
