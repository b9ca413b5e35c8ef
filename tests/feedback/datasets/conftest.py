import pytest

from feedback.models import Task
from feedback.services.importing import import_tasks
from feedback.services.judgements import record_judgement, supersede_judgement
from tests.factories import JudgementFactory, RaterFactory, prefer
from tests.feedback.datasets.freezing import open_campaign


@pytest.fixture
def mixed():
    """Ten tasks, two raters (first; tie); a surplus, a superseded and a judge's answer, a gold and a withdrawn task."""
    campaign = open_campaign()
    rows = [
        {
            "external_id": f"t{n:02}",
            "prompt": f"Why {n}?",
            "responses": [f"one {n}", f"two {n}"],
            "judgements": [
                {"rater": "ann", "answers": {"better": {"verdict": "prefer", "preferred": "r1"}}},
                {"rater": "ben", "answers": {"better": {"verdict": "tie"}}},
            ],
            **({"gold": {"better": {"verdict": "tie"}}} if n == 9 else {}),
        }
        for n in range(10)
    ]
    import_tasks(campaign, rows, actor=None)
    tasks = list(campaign.tasks.order_by("external_id"))
    JudgementFactory(task=tasks[0], rater=RaterFactory(name="late"), is_surplus=True)
    JudgementFactory(task=tasks[1], rater=RaterFactory(kind="judge", name="j", admitted=False))
    Task.objects.filter(pk=tasks[2].pk).update(status=Task.Status.WITHDRAWN)
    old = tasks[3].judgements.get(rater__name="ann")
    supersede_judgement(old)
    record_judgement(
        task=tasks[3], rater=old.rater, form=old.form, guideline=None, answers=prefer("r2"), shown=[], seconds=None,
        key="again", body_hash="x", counted=False, surplus=False, supersedes=old,
    )  # fmt: skip
    return campaign
