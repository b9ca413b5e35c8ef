"""Any order of steps by any people keeps the sums, and agrees with a few lines that say what must hold."""

import uuid
from collections import defaultdict

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from annotation.exceptions import AlreadySubmitted, WindowClosed
from annotation.models import Assignment
from annotation.queue import (
    NothingToDo,
    claim_assignment,
    extend_lease,
    release_expired,
    skip_assignment,
    undo_skip,
)
from feedback.models import Campaign, Judgement
from tests.annotation.queueing import assert_seats_add_up, close_window, raters, run_out, submit
from tests.factories import CampaignFactory

pytestmark = pytest.mark.django_db

N_RATERS, N_TASKS = 4, 3
STEPS = (
    "claim",
    "claim",
    "submit",
    "retry",
    "edit",
    "skip",
    "undo",
    "beat",
    "run out",
    "release",
    "release",
    "close window",
    "pause",
)
steps = st.lists(
    st.tuples(st.sampled_from(STEPS), st.integers(0, N_RATERS - 1), st.integers(0, N_TASKS - 1)),
    min_size=20,
    max_size=40,
)


class Story:
    """Plays steps on a campaign of its own and remembers which answers were acknowledged."""

    def __init__(self, overlap: int, quota: int | None) -> None:
        self.campaign = CampaignFactory(n_tasks=N_TASKS, overlap=overlap, quota=quota, active=True)
        self.raters = raters(N_RATERS)
        self.acknowledged: dict[tuple[int, str], int] = {}
        self.given: dict[int, set[int]] = defaultdict(set)

    def play(self, step: str, who: int, which: int) -> None:
        rater = self.raters[who]
        if step == "claim":
            return self._claim(who)
        if step == "release":
            release_expired(limit=1)
            return None
        if step == "pause":
            other = {Campaign.Status.ACTIVE: Campaign.Status.PAUSED, Campaign.Status.PAUSED: Campaign.Status.ACTIVE}
            now = Campaign.objects.get(pk=self.campaign.pk).status
            Campaign.objects.filter(pk=self.campaign.pk).update(status=other[now])
            return None
        mine = list(Assignment.objects.of(rater, self.campaign).select_related("campaign").order_by("-heartbeat_at"))
        if not mine:
            return None
        assignment = mine[which % len(mine)]
        assignment.rater = rater
        return self._go_on(step, assignment)

    def _claim(self, who: int) -> None:
        got = claim_assignment(rater=self.raters[who], campaign=self.campaign)
        assert (got.assignment is None) == (got.reason is not None)
        if got.assignment is None:
            assert got.until is None or got.reason == NothingToDo.LEASED
        else:
            assert not Judgement.objects.filter(task=got.assignment.task_id, rater=self.raters[who]).exists()

    def _go_on(self, step: str, assignment: Assignment) -> None:
        rater = assignment.rater
        try:
            match step:
                case "submit" | "retry":
                    self._submit(assignment, "r1", f"page-{assignment.pk}")
                case "edit":
                    self._submit(assignment, "r2", uuid.uuid4().hex)
                case "skip":
                    skip_assignment(assignment_id=assignment.pk, rater=rater)
                case "undo":
                    undo_skip(assignment_id=assignment.pk, rater=rater)
                case "beat":
                    extend_lease(assignment.pk, rater)
                case "run out":
                    run_out(assignment)
                case "close window":
                    if assignment.ended_at:
                        close_window(assignment)
        except (AlreadySubmitted, WindowClosed):
            assert assignment.status == "submitted"

    def _submit(self, assignment: Assignment, response: str, key: str) -> None:
        done = submit(assignment, response, key=key)
        before = self.acknowledged.setdefault((assignment.rater.pk, key), done.judgement.pk)
        assert before == done.judgement.pk  # the same key and answers, the same judgement
        assert done.judgement.task_id == assignment.task_id

    def check(self) -> None:
        assert_seats_add_up(self.campaign)
        stored = set(Judgement.objects.filter(campaign=self.campaign).values_list("pk", flat=True))
        assert set(self.acknowledged.values()) == stored  # nothing acknowledged is lost, nothing else is stored
        current = Judgement.objects.filter(campaign=self.campaign, is_current=True)
        submitted = Assignment.objects.filter(campaign=self.campaign, status="submitted")
        assert {one.judgement_id for one in submitted} == {one.pk for one in current}


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking a story on a real database takes minutes
)
@given(steps=steps, overlap=st.integers(1, 3), quota=st.sampled_from([None, 1, 4]))
def test_whatever_people_do_in_whatever_order_the_sums_hold(steps, overlap, quota):
    story = Story(overlap, quota)
    for index, step in enumerate(steps):
        story.play(*step)
        if index % 8 == 0:
            assert_seats_add_up(story.campaign)
    story.check()
