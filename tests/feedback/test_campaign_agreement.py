import json
import os
from pathlib import Path

import pytest

from feedback.models import Judgement
from feedback.services import agreement
from feedback.services.agreement import campaign_agreement
from feedback.services.campaigns import publish_form
from tests.factories import CHECKLIST, PAIRWISE, CampaignFactory, JudgementFactory, RaterFactory, TaskFactory, prefer

DATA = Path(os.environ.get("TOUCHSTONE_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
PANDALM = DATA / "pairwise_pandalm" / "testset-v1.json"


def test_agreement_is_per_question_over_what_counts(campaign, monkeypatch):
    monkeypatch.setattr(agreement, "CHUNK", 2)  # a task's judgements may lie in two chunks
    one, two, three = campaign.tasks.order_by("pk")
    for task, verdicts in ((one, ["r1", "r1", "r1"]), (two, ["r2", "r2", "r1"]), (three, ["r2"])):
        for response in verdicts:
            JudgementFactory(task=task, answers=prefer(response))
    JudgementFactory(task=one, answers=prefer("r2"), rater=RaterFactory(admitted=False))
    JudgementFactory(task=one, answers=prefer("r2"), is_surplus=True)
    JudgementFactory(task=three, answers={"better": {"state": "answered", "value": {"verdict": "cannot_tell"}}})
    # 6 values, 4 first and 2 second; observed: 4 of the pairs differ / (3 - 1) = 2; expected: 16
    assert campaign_agreement(campaign) == {
        "better": {"alpha": pytest.approx(1 - 5 * 2 / 16), "n_units": 2, "n_judgements": 6, "note": ""}
    }


def test_a_checklist_compares_criterion_by_criterion(checklist_campaign):
    task = checklist_campaign.tasks.first()
    for verdicts in (("yes", "no"), ("yes", "na"), ("unsure", "no")):
        rows = {r: {"bullets": {"verdict": v}} for r, v in zip(("r1", "r2"), verdicts, strict=True)}
        JudgementFactory(task=task, answers={"rules": {"state": "answered", "value": {"verdicts": rows}}})
    found = campaign_agreement(checklist_campaign)["rules"]
    assert (found["n_units"], found["n_judgements"]) == (2, 5)
    # values yes yes | no na no; observed 4/2; expected 25 - (4 + 4 + 1)
    assert found["alpha"] == pytest.approx(1 - 4 * 2 / 16)


def test_nothing_to_compare_is_said(campaign):
    JudgementFactory(task=campaign.tasks.first())
    found = campaign_agreement(campaign)["better"]
    assert found["alpha"] is None
    assert "two raters" in found["note"]


def test_answers_of_another_kind_under_the_same_key_are_left_out(campaign, alice):
    task = campaign.tasks.first()
    for _ in range(2):
        JudgementFactory(task=task)
    publish_form(campaign, [{**CHECKLIST, "key": "better"}], actor=alice)
    assert campaign_agreement(campaign)["better"]["n_judgements"] == 0
    publish_form(campaign, [{**PAIRWISE, "settings": {"points": 2}}], actor=alice)
    assert campaign_agreement(campaign)["better"]["n_judgements"] == 2


@pytest.mark.django_db
@pytest.mark.skipif(not PANDALM.exists(), reason=f"no shared data at {DATA}")
def test_pandalm_in_the_record_has_the_reference_alpha():
    rows = json.loads(PANDALM.read_text())[:1000]
    campaign = CampaignFactory()
    raters = [RaterFactory(name=f"annotator{n}") for n in (1, 2, 3)]
    answers = {0: {"better": {"state": "answered", "value": {"verdict": "tie"}}}, 1: prefer("r1"), 2: prefer("r2")}
    made = []
    for row in rows:
        task = TaskFactory(campaign=campaign, external_id=str(row["idx"]))
        made += [
            JudgementFactory.build(
                task=task, rater=rater, answers=answers[row[f"annotator{n}"]], key=f"{row['idx']}", campaign=campaign
            )
            for n, rater in enumerate(raters, 1)
        ]
    Judgement.objects.bulk_create(made)
    found = campaign_agreement(campaign)["better"]
    assert (round(found["alpha"], 4), found["n_units"], found["n_judgements"]) == (0.8642, 999, 2997)
