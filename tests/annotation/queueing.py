"""What tests of the queue share: raters, short forms of the steps, threads that start together, and the sums."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, Q
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Assignment
from annotation.queue import Submission, claim_assignment, submit_judgement
from feedback.access import rater_of
from feedback.models import Campaign, Rater, Task
from tests.factories import UserFactory


def raters(n: int) -> list[Rater]:
    return [rater_of(UserFactory()) for _ in range(n)]


def prefer(response: str = "r1") -> dict[str, Any]:
    """The raw answers of the default pairwise form."""
    return {"better": {"verdict": "prefer", "preferred": response}}


def claim(rater: Rater, campaign: Campaign) -> Assignment:
    """An assignment, or a failure that says why there was none."""
    got = claim_assignment(rater=rater, campaign=campaign)
    assert got.assignment is not None, got
    return got.assignment


def submit(assignment: Assignment, response: str = "r1", *, key: str = "", seconds: float | None = None) -> Submission:
    return submit_judgement(
        assignment_id=assignment.pk,
        rater=assignment.rater,
        raw_answers=prefer(response),
        key=key or str(uuid.uuid4()),
        seconds=seconds,
    )


def run_out(assignment: Assignment, *, seconds: float = 1.0) -> None:
    """Let the lease's time pass; nobody has released it yet."""
    Assignment.objects.filter(pk=assignment.pk).update(expires_at=timezone.now() - timedelta(seconds=seconds))


def close_window(assignment: Assignment) -> None:
    long_ago = timezone.now() - timedelta(seconds=assignment.campaign.undo_seconds + 1)
    Assignment.objects.filter(pk=assignment.pk).update(ended_at=long_ago)


def assert_seats_add_up(campaign: Campaign) -> None:
    """The counters on every task are what the rows say, and nobody judged a task twice."""
    counts = Task.objects.filter(campaign=campaign).annotate(
        leases=Count("assignments", filter=Q(assignments__status="leased"), distinct=True),
        skips=Count("assignments", filter=Q(assignments__status="skipped"), distinct=True),
        counted=Count("judgements", filter=Q(judgements__is_counted=True), distinct=True),
        current=Count("judgements", filter=Q(judgements__is_current=True), distinct=True),
        people=Count("judgements__rater", distinct=True),
    )
    for task in counts:
        assert (task.n_leased, task.n_counted, task.n_skipped) == (task.leases, task.counted, task.skips), task
        assert task.n_leased + task.n_counted <= task.overlap, task
        assert task.current == task.people, task
    campaign.refresh_from_db()
    if campaign.quota is not None:
        assert campaign.n_quota_used == campaign.judgements.filter(is_counted=True).count()


def together(*steps: Callable[[], Any]) -> list[Any]:
    """Run the steps in threads that start at the same moment; a raised exception is that step's result."""
    barrier = threading.Barrier(len(steps))
    results: list[Any] = [None] * len(steps)

    def run(index: int, step: Callable[[], Any]) -> None:
        barrier.wait(timeout=30)
        try:
            results[index] = step()
        except Exception as error:  # noqa: BLE001  whatever it is, the test wants to see it
            results[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(index, step)) for index, step in enumerate(steps)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive(), "a step hangs"
    return results


def statements(step: Callable[[], Any]) -> list[str]:
    """The SQL of a step, without the savepoints that stand for BEGIN and COMMIT in a test."""
    with CaptureQueriesContext(connection) as captured:
        step()
    return [query["sql"] for query in captured if "SAVEPOINT" not in query["sql"]]
