"""A round from a file of fresh responses to an open campaign, with the fake engine's scores (length in words)."""

import json

import pytest
from django.core.files.base import ContentFile

from feedback.exceptions import WrongState
from feedback.models import Membership, Task
from feedback.questions.form import read_form
from feedback.services.campaigns import set_role
from tests.factories import PAIRWISE
from tests.training.conftest import finish_run
from training.exceptions import SettingsInvalid, SourceInvalid
from training.models import Round
from training.services.checkpoints import promote_checkpoint
from training.services.next_campaign import reward_answer
from training.services.round_execution import execute_round
from training.services.rounds import open_round, store_rows, store_source


@pytest.fixture
def checkpoint(run, alice):
    """A promoted checkpoint of a run on Alice's campaign."""
    checkpoint = finish_run(run).checkpoints.get()
    promote_checkpoint(checkpoint, actor=alice)
    return checkpoint


def rows(n=8):
    """Responses of 1, 2, 3 and 3 words; the last two differ, so the model cannot tell them apart."""
    texts = ["one", "two words", "in three words", "again in three"]
    return [{"external_id": f"p{i}", "prompt": f"Prompt {i}?", "responses": texts} for i in range(n)]


@pytest.fixture
def round(checkpoint, alice):
    source = store_rows(rows(), "fresh.jsonl")
    return open_round(checkpoint=checkpoint, source=source, n_pairs=6, name="Second", actor=alice, send=False)


def test_a_round_opens_an_active_campaign_with_the_least_sure_pairs(round, campaign, bob, carol, alice):
    assert execute_round(str(round.pk))
    round.refresh_from_db()
    assert (round.status, round.error) == ("succeeded", "")
    opened = round.campaign
    assert opened.status == "active"
    assert opened.form.questions_raw[0]["title"] == PAIRWISE["title"]
    assert opened.guideline.text == campaign.guideline.text
    roles = {(m.user.username, m.role) for m in opened.memberships.all()}
    assert roles == {("alice", "manager"), ("bob", "annotator"), ("carol", "annotator")}
    assert round.report["selected"] == opened.tasks.count() == 6
    assert (round.report["unsure"], round.report["random"]) == (4, 2)
    assert round.report["pairs"] + round.report["left_out"] == 8 * 6
    unsure = [task for task in opened.tasks.all() if task.metadata["selection"]["how"] == "unsure"]
    assert {task.metadata["reward"]["probability"] for task in unsure} == {0.5}
    assert sum(round.report["sureness"]["all"]) == round.report["pairs"]


def test_the_stored_order_does_not_tell_which_response_the_model_prefers(checkpoint, alice):
    source = store_rows(rows(40), "fresh.jsonl")
    round = open_round(checkpoint=checkpoint, source=source, n_pairs=100, name="Second", actor=alice, send=False)
    execute_round(str(round.pk))
    round.refresh_from_db()
    leans = [
        task.metadata["reward"]["scores"]["r1"] - task.metadata["reward"]["scores"]["r2"]
        for task in round.campaign.tasks.all()
    ]
    assert any(lean > 0 for lean in leans)
    assert any(lean < 0 for lean in leans)


def test_what_the_reward_model_thinks_is_a_judgement_that_no_consensus_uses(round, checkpoint):
    execute_round(str(round.pk))
    round.refresh_from_db()
    checkpoint.refresh_from_db()
    assert checkpoint.rater.admitted is False
    judged = checkpoint.rater.judgements.all()
    told = {task.pk: task.metadata["reward"] for task in round.campaign.tasks.all()}
    assert judged.count() == sum(reward["probability"] != 0.5 for reward in told.values()) > 0
    for judgement in judged:
        scores = told[judgement.task_id]["scores"]
        preferred = judgement.answers[PAIRWISE["key"]]["value"]["preferred"]
        assert scores[preferred] == max(scores.values())
    assert not Task.objects.filter(n_counted__gt=0, campaign=round.campaign).exists()


def test_a_person_without_an_active_membership_does_not_come_along(round, campaign, carol, alice):
    set_role(campaign, carol, Membership.Role.ANNOTATOR, actor=alice, active=False)
    execute_round(str(round.pk))
    round.refresh_from_db()
    assert not round.campaign.memberships.filter(user=carol).exists()


def test_an_executed_round_opens_no_second_campaign(round):
    assert execute_round(str(round.pk))
    assert not execute_round(str(round.pk))
    assert Round.objects.get(pk=round.pk).attempt == 1


def test_only_a_promoted_checkpoint_ranks(run, alice):
    finish_run(run)
    source = store_rows(rows(), "fresh.jsonl")
    with pytest.raises(WrongState, match="Promote"):
        open_round(checkpoint=run.checkpoints.get(), source=source, n_pairs=6, name="Second", actor=alice)


def test_promoting_twice_makes_one_rater(checkpoint, alice):
    first = promote_checkpoint(checkpoint, actor=alice)
    assert promote_checkpoint(checkpoint, actor=alice) == first
    assert first.version == checkpoint.sha256[:12]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"prompt": "p", "responses": ["one"]}\n', "two responses"),
        ('{"prompt": "p", "responses": ["a", "b"]}\n{"prompt": "p"}\n', "row 2"),
        ("not json\n", "row 1"),
        ("", "no row"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_at_its_row(db, text, said):
    with pytest.raises(SourceInvalid, match=said):
        store_source(ContentFile(text.encode()), "fresh.jsonl")


def test_numbers_out_of_range_are_refused_by_field(checkpoint, alice):
    source = {"kind": "sample", "base_model": {"kind": "tiny"}, "k": 1}
    with pytest.raises(SettingsInvalid) as refused:
        open_round(checkpoint=checkpoint, source=source, n_pairs=6, name="Second", actor=alice)
    assert refused.value.field == "k"


def test_a_round_whose_responses_are_all_alike_fails_and_opens_nothing(checkpoint, alice):
    source = store_rows([{"prompt": "p", "responses": ["same", "same "]}], "fresh.jsonl")
    round = open_round(checkpoint=checkpoint, source=source, n_pairs=6, name="Second", actor=alice, send=False)
    execute_round(str(round.pk))
    round.refresh_from_db()
    assert round.status == "failed"
    assert round.campaign is None
    assert json.dumps(round.report) == "{}"


def test_fresh_responses_can_be_sampled_for_the_parents_prompts(checkpoint, alice, campaign):
    source = {"kind": "sample", "base_model": {"kind": "tiny"}, "k": 3, "n_prompts": 2, "seed": 4}
    round = open_round(checkpoint=checkpoint, source=source, n_pairs=4, name="Third", actor=alice, send=False)
    execute_round(str(round.pk))
    round.refresh_from_db()
    assert (round.status, round.error) == ("succeeded", "")
    assert round.report["prompts"] == 2
    prompts = {task.content_raw["prompt"][0]["content"] for task in round.campaign.tasks.all()}
    assert prompts <= {task.content_raw["prompt"][0]["content"] for task in campaign.tasks.all()}
    assert {r["model"] for task in round.campaign.tasks.all() for r in task.content_raw["responses"]} == {"tiny-llama"}


def question(**settings):
    (read,) = read_form([{**PAIRWISE, "settings": settings}])
    return read


@pytest.mark.parametrize(
    ("probability", "points", "expected"),
    [
        (0.51, 3, {"verdict": "prefer", "preferred": "r1"}),
        (0.49, 2, {"verdict": "prefer", "preferred": "r2"}),
        (0.5, 3, None),
        (0.55, 7, {"verdict": "prefer", "preferred": "r1", "strength": 1}),
        (0.25, 7, {"verdict": "prefer", "preferred": "r2", "strength": 2}),
        (1.0, 7, {"verdict": "prefer", "preferred": "r1", "strength": 3}),
    ],
)
def test_the_models_verdict_is_given_in_the_questions_own_scale(probability, points, expected):
    assert reward_answer(question(points=points), {"probability": probability}) == expected


def test_without_a_pairwise_question_before_the_next_campaign_asks_the_plain_one(checkpoint, alice, checklist_campaign):
    checkpoint.run.dataset_version.dataset.campaigns.set([checklist_campaign])
    source = store_rows(rows(), "fresh.jsonl")
    round = open_round(checkpoint=checkpoint, source=source, n_pairs=4, name="Second", actor=alice, send=False)
    execute_round(str(round.pk))
    round.refresh_from_db()
    assert (round.status, round.error) == ("succeeded", "")
    assert round.parent == checklist_campaign
    assert [entry["kind"] for entry in round.campaign.form.questions_raw] == ["pairwise"]
