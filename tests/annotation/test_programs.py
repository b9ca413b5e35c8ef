"""Verifiers as raters: the same door as people, no seat, and an absence with a reason instead of a guess."""

import pytest

from annotation.models import Absence
from annotation.programs import verify_campaign, verify_task
from annotation.services import open_campaign, send_verifiers
from annotation.tasks import run_verifiers
from feedback.access import rater_of
from feedback.models import Campaign, Preference, Rater, Score, Task
from feedback.services.aggregation import aggregate_task
from feedback.services.campaigns import move_campaign, publish_form
from feedback.verifiers.registry import VERIFIERS
from tests.annotation.queueing import claim, statements
from tests.factories import CampaignFactory, TaskFactory, task_content

pytestmark = pytest.mark.django_db

SHORT = {"key": "short", "text": "At most five words.", "verifier": "word_count", "params": {"max": 5}}
COMMA = {"key": "comma", "text": "No comma.", "verifier": "no_comma"}
TONE = {"key": "tone", "text": "Is friendly."}


def checklist(*criteria, **settings):
    return {
        "key": "rules",
        "kind": "checklist",
        "title": "Does it?",
        "settings": {"criteria": list(criteria), **settings},
    }


def campaign_of(*criteria, n_tasks=0, **settings) -> Campaign:
    campaign = CampaignFactory(questions=[checklist(*criteria, **settings)])
    for n in range(n_tasks):
        add_task(campaign, n)
    return campaign


def add_task(
    campaign, n=1, first="Light scatters.", second="Well, the sky reflects the wide blue sea below.", **fields
):
    responses = [{"id": "r1", "text": first}, {"id": "r2", "text": second}]
    return TaskFactory(campaign=campaign, external_id=f"t{n}", content=task_content(n, responses=responses, **fields))


def told(judgement) -> dict[str, dict[str, str]]:
    verdicts = judgement.answers["rules"]["value"]["verdicts"]
    return {response: {key: one["verdict"] for key, one in row.items()} for response, row in verdicts.items()}


def test_a_verifier_answers_its_criteria_for_every_response():
    campaign = campaign_of(SHORT, TONE, n_tasks=1)

    assert verify_campaign(campaign) == 1

    judgement = campaign.judgements.get()
    assert told(judgement) == {"r1": {"short": "yes"}, "r2": {"short": "no"}}
    note = judgement.answers["rules"]["value"]["verdicts"]["r2"]["short"]["note"]
    assert note == "9 words, asked for at most 5"
    rater = judgement.rater
    assert (rater.kind, rater.name, rater.version) == ("verifier", "word_count", str(VERIFIERS["word_count"].version))
    assert rater.admitted
    assert (judgement.form, judgement.guideline) == (campaign.form, campaign.guideline)
    assert (judgement.shown, judgement.seconds) == ([], None)


def test_a_verifier_takes_no_seat_and_people_still_get_the_task(bob):
    campaign = campaign_of(SHORT, n_tasks=1)
    open_campaign(campaign, actor=None)
    verify_campaign(campaign)

    task = campaign.tasks.get()
    assert (task.n_leased, task.n_counted) == (0, 0)
    assert not campaign.judgements.get().is_counted
    assert claim(rater_of(bob), campaign).task == task


def test_verifying_again_adds_nothing_and_marks_nothing():
    campaign = campaign_of(SHORT, COMMA, n_tasks=2)
    verify_campaign(campaign)
    first = set(campaign.judgements.values_list("pk", flat=True))
    Task.objects.update(needs_aggregation=False)

    assert verify_campaign(campaign) == 4

    assert set(campaign.judgements.values_list("pk", flat=True)) == first
    assert not Task.objects.stale().exists()


def test_a_changed_criterion_gives_a_revision_and_keeps_the_old_answer():
    campaign = campaign_of(SHORT, n_tasks=1)
    verify_campaign(campaign)
    old = campaign.judgements.get()
    publish_form(campaign, [checklist({**SHORT, "params": {"max": 100}})], actor=None)

    verify_campaign(campaign)

    new = campaign.judgements.current().get()
    assert new.supersedes == old
    assert told(new)["r2"] == {"short": "yes"}
    assert told(old)["r2"] == {"short": "no"}
    assert new.form.number == 2


def test_what_a_verifier_cannot_answer_is_an_absence_with_its_reason():
    campaign = campaign_of({**SHORT, "params": {"maximum": 5}}, COMMA, n_tasks=1)

    verify_campaign(campaign)

    assert [j.rater.name for j in campaign.judgements.all()] == ["no_comma"]
    absences = Absence.objects.order_by("response")
    assert [(a.rater.name, a.question, a.response, a.aspect) for a in absences] == [
        ("word_count", "rules", "r1", "short"),
        ("word_count", "rules", "r2", "short"),
    ]
    assert "maximum" in absences[0].reason


def test_a_criterion_of_a_verifier_that_does_not_exist_is_an_absence_and_the_others_are_answered():
    campaign = campaign_of({**SHORT, "verifier": "word_cuont"}, COMMA, n_tasks=2)

    assert verify_campaign(campaign) == 2

    assert {a.rater.name for a in Absence.objects.all()} == {"word_cuont"}
    assert "There is no verifier named 'word_cuont'" in Absence.objects.first().reason
    assert not campaign.judgements.filter(rater__name="word_cuont").exists()


def test_a_half_failed_verifier_answers_the_other_half():
    campaign = campaign_of(SHORT, {**SHORT, "key": "broken", "params": {}}, n_tasks=1)

    verify_campaign(campaign)

    assert told(campaign.judgements.get()) == {"r1": {"short": "yes"}, "r2": {"short": "no"}}
    assert {a.aspect for a in Absence.objects.all()} == {"broken"}


def test_an_absence_goes_when_the_criterion_is_mended():
    campaign = campaign_of({**SHORT, "params": {}}, n_tasks=1)
    verify_campaign(campaign)
    assert Absence.objects.count() == 2
    publish_form(campaign, [checklist(SHORT)], actor=None)

    verify_campaign(campaign)

    assert not Absence.objects.exists()
    assert campaign.judgements.current().count() == 1


def test_a_question_that_takes_no_notes_gets_none():
    campaign = campaign_of(SHORT, n_tasks=1, notes=False)

    verify_campaign(campaign)

    assert campaign.judgements.get().answers["rules"]["value"]["verdicts"]["r1"]["short"] == {"verdict": "yes"}


def test_criteria_that_the_task_brings_are_answered_too():
    campaign = campaign_of(from_task=True)
    short = {"key": "short", "text": "Short.", "verifier": {"name": "word_count", "params": {"max": 5}}}
    add_task(campaign, 1, criteria=[short])
    add_task(campaign, 2, criteria=[{"key": "comma", "text": "No comma.", "verifier": {"name": "no_comma"}}])
    add_task(campaign, 3, criteria=[TONE])

    assert verify_campaign(campaign) == 2

    names = {j.task.external_id: j.rater.name for j in campaign.judgements.all()}
    assert names == {"t1": "word_count", "t2": "no_comma"}


def test_two_verifiers_on_one_task_merge_into_one_preference():
    campaign = campaign_of(SHORT, COMMA)
    task = add_task(campaign, 1, first="Short, though.", second="A long sentence without any pause at all here.")
    verify_task(task, campaign.form.questions)

    aggregate_task(task)

    scores = Score.objects.filter(task=task, aspect="").order_by("response")
    assert [(s.response, s.value) for s in scores] == [("r1", 0.5), ("r2", 0.5)]
    preference = Preference.objects.get(task=task, aspect="")
    assert preference.probability == 0.5
    assert preference.raters == {"verifier": 2}


def test_a_task_that_was_withdrawn_is_left_alone():
    campaign = campaign_of(SHORT, n_tasks=2)
    Task.objects.filter(external_id="t0").update(status=Task.Status.WITHDRAWN)

    assert verify_campaign(campaign) == 1


def test_a_pairwise_campaign_has_nothing_for_verifiers(campaign):
    assert verify_campaign(campaign) == 0
    assert not Rater.objects.filter(kind="verifier").exists()


def test_opening_a_campaign_sends_the_verifiers_once_it_is_committed(django_capture_on_commit_callbacks, monkeypatch):
    sent = []
    monkeypatch.setattr(run_verifiers, "delay", sent.append)
    campaign = campaign_of(SHORT, n_tasks=1)

    with django_capture_on_commit_callbacks(execute=True):
        open_campaign(campaign, actor=None)
        assert sent == []

    assert sent == [str(campaign.pk)]
    assert campaign.is_open


def test_tasks_that_come_later_are_answered_by_the_next_call(django_capture_on_commit_callbacks, monkeypatch):
    monkeypatch.setattr(run_verifiers, "delay", run_verifiers)
    campaign = campaign_of(SHORT, n_tasks=1)
    with django_capture_on_commit_callbacks(execute=True):
        open_campaign(campaign, actor=None)
    add_task(campaign, 7)

    with django_capture_on_commit_callbacks(execute=True):
        send_verifiers(campaign)

    assert {j.task.external_id for j in campaign.judgements.all()} == {"t0", "t7"}


def test_the_message_of_a_campaign_that_is_gone_ends_quietly():
    run_verifiers("00000000-0000-0000-0000-000000000000")


def test_another_task_costs_three_statements_and_the_rater_is_looked_up_once():
    few, many = campaign_of(SHORT, n_tasks=1), campaign_of(SHORT, n_tasks=5)
    verify_campaign(few), verify_campaign(many)

    once, five = (len(statements(lambda c=c: verify_campaign(c))) for c in (few, many))

    assert five - once == 4 * 3  # absences, the lock of the task, its answers so far
    assert once <= 7


def test_a_paused_campaign_can_be_verified(alice):
    campaign = campaign_of(SHORT, n_tasks=1)
    open_campaign(campaign, actor=alice)
    move_campaign(campaign, Campaign.Status.PAUSED, actor=alice)

    assert verify_campaign(campaign) == 1
