"""Round pages, the lineage of a campaign, and who sees them."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from feedback.models import Membership
from feedback.services.campaigns import set_role
from tests.factories import CampaignFactory
from tests.training.conftest import finish_run
from training.models import Round
from training.services.checkpoints import promote_checkpoint
from training.services.round_execution import execute_round


@pytest.fixture
def checkpoint(run, alice):
    checkpoint = finish_run(run).checkpoints.get()
    promote_checkpoint(checkpoint, actor=alice)
    return checkpoint


@pytest.fixture
def manager(client, alice):
    client.force_login(alice)
    return client


def upload(*rows):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    return SimpleUploadedFile("fresh.jsonl", text.encode(), content_type="application/jsonl")


ROWS = [{"prompt": f"P{n}", "responses": ["<i>one</i>", "two words", "and three words"]} for n in range(5)]


@pytest.fixture
def opened(manager, checkpoint):
    fields = {"name": "Second", "n_pairs": 4, "kind": "file", "file": upload(*ROWS)}
    response = manager.post(reverse("training:round-new", args=[checkpoint.pk]), fields)
    assert response.status_code == 302
    round = Round.objects.get()
    execute_round(str(round.pk))
    round.refresh_from_db()
    return round


def test_a_file_of_fresh_responses_becomes_the_next_campaign(manager, opened):
    assert (opened.status, opened.error) == ("succeeded", "")
    text = manager.get(reverse("training:round-detail", args=[opened.pk])).text
    assert "Go to “Second”" in text
    assert "least sure" in text
    assert "random, selected with probability" in text
    assert "<i>one" not in text  # which responses are shown is drawn; markup of theirs never is
    assert "<i>one" not in text


def test_a_file_that_cannot_be_used_is_said_at_its_field(manager, checkpoint):
    fields = {"name": "Second", "n_pairs": 4, "kind": "file", "file": upload(ROWS[0], {"prompt": "p"})}
    response = manager.post(reverse("training:round-new", args=[checkpoint.pk]), fields)
    assert response.status_code == 422
    assert "row 2" in response.context["form"].errors["file"][0]
    assert not Round.objects.exists()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"kind": "file"}, "file"),
        ({"kind": "sample", "base_model": "tiny", "k": 99}, "k"),
        ({"kind": "sample", "base_model": "path", "base_name": "x"}, "base_name"),
    ],
)
def test_what_is_missing_or_out_of_range_is_said_at_its_field(manager, checkpoint, fields, field):
    given = {"name": "Second", "n_pairs": 4, **fields}
    response = manager.post(reverse("training:round-new", args=[checkpoint.pk]), given)
    assert field in response.context["form"].errors


def test_a_round_by_sampling_is_queued(manager, checkpoint):
    fields = {"name": "Second", "n_pairs": 4, "kind": "sample", "base_model": "tiny", "k": 3}
    manager.post(reverse("training:round-new", args=[checkpoint.pk]), fields)
    source = Round.objects.get().source
    assert (source["kind"], source["k"], source["n_prompts"]) == ("sample", 3, 50)


def test_a_round_is_cancelled_and_resumed(manager, opened):
    Round.objects.filter(pk=opened.pk).update(status="queued", campaign=None)
    manager.post(reverse("training:round-cancellation", args=[opened.pk]))
    assert Round.objects.get().status == "cancelled"
    manager.post(reverse("training:round-resumption", args=[opened.pk]))
    assert Round.objects.get().status == "queued"


def test_polling_stops_when_the_round_has_ended(manager, opened):
    assert manager.get(reverse("training:round-live", args=[opened.pk])).status_code == 286


def test_people_agree_or_not_with_the_model_once_they_have_judged(manager, opened):
    task = opened.campaign.tasks.exclude(metadata__reward__probability=0.5).first()
    reward = task.metadata["reward"]["probability"]
    values = {"question": "better", "first": "r1", "second": "r2", "agreement": 1.0, "n_raters": 1}
    task.preferences.create(probability=1.0 if reward > 0.5 else 0.0, **values)
    text = manager.get(reverse("training:round-detail", args=[opened.pk])).text
    assert "1 / 1" in text


def test_the_list_names_the_campaign_that_a_round_opened(manager, opened):
    text = manager.get(reverse("training:round-list")).text
    assert text.count("Second") == 2


def lineage_titles(client, campaign):
    response = client.get(reverse("training:campaign-lineage", args=[campaign.pk]))
    assert response.status_code == 200
    return [(str(stage.kind), [node.title for node in stage.nodes]) for stage in response.context["stages"]]


def test_lineage_leads_from_the_first_campaign_to_the_one_it_opened(manager, opened, campaign, run):
    stages = lineage_titles(manager, campaign)
    assert [kind for kind, _titles in stages] == ["Campaign", "Dataset", "Run", "Model", "Round", "Campaign"]
    assert stages[0][1] == [campaign.name]
    assert stages[-1][1] == ["Second"]


def test_lineage_leads_back_from_the_opened_campaign(manager, opened, campaign):
    stages = lineage_titles(manager, opened.campaign)
    assert [kind for kind, _titles in stages] == ["Campaign", "Dataset", "Run", "Model", "Round", "Campaign"]
    assert (stages[0][1], stages[-1][1]) == ([campaign.name], ["Second"])


def test_lineage_of_a_new_campaign_is_only_itself(manager, alice):
    assert lineage_titles(manager, CampaignFactory(manager=alice, name="Lonely")) == [("Campaign", ["Lonely"])]


def test_lineage_keeps_what_the_person_may_not_see(client, opened, campaign, dave, alice):
    set_role(opened.campaign, dave, Membership.Role.MANAGER, actor=alice)
    client.force_login(dave)
    assert lineage_titles(client, opened.campaign) == [("Campaign", ["Second"])]


@pytest.mark.parametrize("name", ["round-detail", "round-live"])
def test_rounds_do_not_exist_for_others(client, opened, bob, name):
    client.force_login(bob)
    assert client.get(reverse(f"training:{name}", args=[opened.pk])).status_code == 404
    assert "Second" not in client.get(reverse("training:round-list")).text


@pytest.mark.parametrize("name", ["round-cancellation", "round-resumption"])
def test_only_managers_move_rounds(client, opened, bob, name):
    client.force_login(bob)
    assert client.post(reverse(f"training:{name}", args=[opened.pk])).status_code == 404


def test_lineage_is_for_managers(client, campaign, bob, dave):
    url = reverse("training:campaign-lineage", args=[campaign.pk])
    client.force_login(bob)
    assert client.get(url).status_code == 403
    client.force_login(dave)
    assert client.get(url).status_code == 404
