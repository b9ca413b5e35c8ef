"""Who waits for whom: chosen moments of two sessions, held there by a lock."""

import threading
import time

import pytest
from django.db import connection, transaction

from annotation import deadlocks
from annotation.queue import (
    claim_assignment,
    release_expired,
)
from feedback.models import Campaign, Task
from tests.annotation.queueing import assert_seats_add_up, claim, raters, run_out, submit
from tests.factories import CampaignFactory

pytestmark = pytest.mark.django_db(transaction=True)


def open_campaign(n_tasks: int, **fields) -> Campaign:
    return CampaignFactory(n_tasks=n_tasks, active=True, **fields)


class Holding:
    """Another session that holds the lock of one task until the block ends."""

    def __init__(self, task: Task) -> None:
        self.task, self.locked, self.let_go = task, threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._hold)

    def _hold(self) -> None:
        try:
            with transaction.atomic():
                Task.objects.select_for_update().get(pk=self.task.pk)
                self.locked.set()
                self.let_go.wait(timeout=30)
        finally:
            connection.close()

    def __enter__(self) -> "Holding":
        self.thread.start()
        assert self.locked.wait(timeout=30)
        return self

    def __exit__(self, *_: object) -> None:
        self.let_go.set()
        self.thread.join(timeout=30)


def test_a_claim_passes_over_a_task_that_someone_holds():
    campaign = open_campaign(2)
    (rater,) = raters(1)
    first, second = campaign.tasks.order_by("order_key")

    with Holding(first):
        assert claim(rater, campaign).task == second


def test_a_claim_waits_for_the_last_task_before_it_says_that_nothing_is_left():
    campaign = open_campaign(1)
    (rater,) = raters(1)
    got = []

    def claiming() -> None:
        got.append(claim_assignment(rater=rater, campaign=campaign))
        connection.close()

    with Holding(campaign.tasks.get()):
        waiting = threading.Thread(target=claiming)
        waiting.start()
        waiting.join(timeout=0.5)
        assert waiting.is_alive()
    waiting.join(timeout=30)

    assert got[0].assignment is not None


def test_a_claim_that_takes_up_a_task_again_and_a_late_submit_of_it_take_turns(monkeypatch):
    """The claim wants the task and then the old assignment; without the cursor the submit would come the other way."""
    monkeypatch.setattr(deadlocks, "ATTEMPTS", 1)
    campaign = open_campaign(1)
    (rater,) = raters(1)
    assignment = claim(rater, campaign)
    run_out(assignment)
    release_expired()
    got = []

    def do(step) -> threading.Thread:
        def run() -> None:
            try:
                got.append(step())
            finally:
                connection.close()

        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(0.3)  # until it waits
        return thread

    with Holding(campaign.tasks.get()):
        threads = [do(lambda: claim(rater, campaign)), do(lambda: submit(assignment))]
    for thread in threads:
        thread.join(timeout=30)

    claimed, submitted = got
    assert claimed == assignment
    assert submitted.created
    assert not submitted.surplus
    assert_seats_add_up(campaign)


def test_a_submit_that_falls_victim_to_anothers_locks_is_done_again():
    """A manager's session locks the campaign and then the task; the submit comes the other way round."""
    campaign = open_campaign(1, quota=5)
    (rater,) = raters(1)
    assignment = claim(rater, campaign)
    got = []

    def submitting() -> None:
        got.append(submit(assignment))
        connection.close()

    thread = threading.Thread(target=submitting)
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        thread.start()
        time.sleep(0.4)  # it holds the task now, and looks for a deadlock a second after it began to wait
        campaign.tasks.update(metadata={"seen": True})
    thread.join(timeout=30)

    assert got[0].created
    assert_seats_add_up(campaign)
