"""The life of a dataset version: asked for, frozen, failed, tried again; never changed."""

import os
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.db.utils import DatabaseError

from feedback.datasets.folder import sha256_of_rows
from feedback.datasets.selection import SelectionInvalid
from feedback.exceptions import NothingToExport
from feedback.models import DatasetVersion, Judgement
from feedback.services import freezing
from feedback.services.freezing import create_dataset, freeze_dataset, freeze_version, start_version
from feedback.tasks import freeze_version as freeze_version_task
from feedback.tasks import resume_freezing
from tests.factories import JudgementFactory, RaterFactory, prefer
from tests.feedback.datasets.freezing import dataset_of, open_campaign, reconciles

pytestmark = pytest.mark.django_db


def test_later_votes_make_a_new_version_and_leave_the_old_one_as_it_was(mixed):
    dataset = dataset_of(mixed)
    first = freeze_dataset(dataset, actor=None)
    JudgementFactory(task=mixed.tasks.get(external_id="t05"), answers=prefer("r2"))
    second = freeze_dataset(dataset, actor=None)
    assert (first.number, second.number) == (1, 2)
    assert first.sha256 != second.sha256
    assert sha256_of_rows(Path(settings.MEDIA_ROOT) / first.path) == first.sha256
    with pytest.raises(DatabaseError, match="never changes"):
        DatasetVersion.objects.filter(pk=first.pk).update(sha256="0" * 64)


def test_nothing_to_export_says_where_everything_went(mixed):
    with pytest.raises(NothingToExport, match="too few raters"):
        freeze_dataset(dataset_of(mixed, min_raters=5), actor=None)
    version = DatasetVersion.objects.get()
    assert version.status == DatasetVersion.Status.FAILED
    assert "too few raters: 16" in version.error
    assert reconciles(version.counts)
    assert not list((Path(settings.MEDIA_ROOT) / "datasets").iterdir())


def test_an_empty_campaign_has_nothing_to_export():
    with pytest.raises(NothingToExport, match="no judgement yet"):
        freeze_dataset(dataset_of(open_campaign()), actor=None)


def test_freezing_twice_at_once_or_again_changes_nothing(mixed):
    version = start_version(dataset_of(mixed), actor=None)
    once = freeze_version(version.pk)
    again = freeze_version(version.pk)
    assert (again.attempt, again.sha256) == (1, once.sha256)


def test_a_version_whose_worker_died_is_frozen_by_the_next_and_given_up_after_three(mixed, monkeypatch):
    version = start_version(dataset_of(mixed), actor=None)

    def die(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(freezing, "publish", die)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                freeze_version(version.pk)
    assert freeze_version(version.pk).status == DatasetVersion.Status.FROZEN
    doomed = start_version(version.dataset, actor=None)
    DatasetVersion.objects.filter(pk=doomed.pk).update(attempt=3)
    assert freeze_version(doomed.pk).status == DatasetVersion.Status.FAILED


def test_what_waits_too_long_is_sent_again(mixed, monkeypatch):
    version = start_version(dataset_of(mixed), actor=None)
    sent = []
    monkeypatch.setattr("feedback.tasks.freeze_version.delay", sent.append)
    resume_freezing()
    assert sent == []
    with connection.cursor() as cursor:
        cursor.execute("UPDATE feedback_datasetversion SET created_at = now() - interval '2 minutes'")
    resume_freezing()
    assert sent == [str(version.pk)]


def test_a_dataset_needs_a_name_of_its_own_and_campaigns_that_exist(mixed):
    dataset_of(mixed)
    for fields, field in (({"name": "pairs"}, "name"), ({"name": " "}, "name"), ({"name": "x" * 201}, "name")):
        with pytest.raises(SelectionInvalid) as caught:
            dataset_of(mixed, **fields)
        assert list(caught.value.errors) == [field]
    with pytest.raises(SelectionInvalid) as caught:
        create_dataset(name="n", selection={"campaigns": ["6a1f1d1e-0000-4000-8000-000000000001"]}, actor=None)
    assert list(caught.value.errors) == ["campaigns"]


@pytest.mark.django_db(transaction=True)
def test_votes_that_arrive_while_freezing_do_not_disturb_the_counts(mixed, monkeypatch):
    """Outside a test's transaction the version is one snapshot of the record."""
    import threading

    task = mixed.tasks.get(external_id="t05")
    late = RaterFactory(name="late too")
    begun = freezing.weigh

    def vote_meanwhile(votes, selection):
        if votes.id == "t00":
            thread = threading.Thread(target=lambda: (JudgementFactory(task=task, rater=late), connection.close()))
            thread.start()
            thread.join()
        return begun(votes, selection)

    monkeypatch.setattr(freezing, "weigh", vote_meanwhile)
    version = freeze_dataset(dataset_of(mixed), actor=None)
    assert Judgement.objects.count() == 24
    assert version.counts["judgements"] == 23
    assert reconciles(version.counts)


def test_the_task_of_the_worker_leaves_a_failure_in_the_row(mixed):
    frozen = start_version(dataset_of(mixed), actor=None)
    failing = start_version(dataset_of(mixed, name="none", min_raters=9), actor=None)
    for version in (frozen, failing):
        freeze_version_task(str(version.pk))
        version.refresh_from_db()
    assert (frozen.status, failing.status) == ("frozen", "failed")


def test_what_a_dead_attempt_left_behind_is_replaced(mixed):
    version = start_version(dataset_of(mixed), actor=None)
    left = Path(settings.MEDIA_ROOT) / "datasets" / str(version.pk)
    left.mkdir(parents=True)
    (left / "rubbish").write_text("half a file")
    version = freeze_version(version.pk)
    assert not (left / "rubbish").exists()
    assert sha256_of_rows(left) == version.sha256


def test_folders_of_killed_workers_are_gone_after_a_day(mixed):
    base = Path(settings.MEDIA_ROOT) / "datasets"
    old, fresh = base / ".freezing-old", base / ".freezing-fresh"
    for folder in (old, fresh):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    freeze_dataset(dataset_of(mixed), actor=None)
    assert (old.exists(), fresh.exists()) == (False, True)
