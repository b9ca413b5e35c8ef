"""Jobs that lost their worker or their message."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from training.models import Run
from training.services import leases, reaping
from training.services.reaping import reap_jobs


@pytest.fixture
def sent(monkeypatch):
    """The messages that were sent, as (task name, id)."""
    messages = []
    monkeypatch.setattr(leases.current_app, "send_task", lambda name, args: messages.append((name, args[0])))
    return messages


@pytest.fixture
def long_up(monkeypatch):
    monkeypatch.setattr(reaping, "_database_uptime", lambda: timedelta(hours=1))


def held(run, seconds, **values):
    """The run as a worker holds it whose last heartbeat is so old."""
    Run.objects.filter(pk=run.pk).update(
        status="running", attempt=1, worker="w:1", heartbeat_at=Now() - timedelta(seconds=seconds), **values
    )


def test_a_run_whose_worker_went_silent_is_sent_again(run, sent, long_up, django_capture_on_commit_callbacks):
    held(run, 31)
    with django_capture_on_commit_callbacks(execute=True):
        assert reap_jobs()["lost"] == 1
    run.refresh_from_db()
    assert (run.status, run.n_lost, run.heartbeat_at) == ("queued", 1, None)
    assert sent == [("training.tasks.execute_run", str(run.pk))]


def test_a_run_with_a_fresh_heartbeat_is_left_alone(run, sent, long_up):
    held(run, 29)
    assert reap_jobs() == {"lost": 0, "sent": 0}
    run.refresh_from_db()
    assert run.status == "running"


def test_after_an_outage_of_the_database_supervisors_get_time_to_report(run, sent, monkeypatch):
    held(run, 300)
    monkeypatch.setattr(reaping, "_database_uptime", lambda: timedelta(seconds=5))
    assert reap_jobs()["lost"] == 0


def test_a_silent_run_that_was_to_be_cancelled_is_cancelled(run, sent, long_up):
    held(run, 300, cancel_requested_at=Now())
    reap_jobs()
    run.refresh_from_db()
    assert run.status == "cancelled"


def test_a_run_that_was_lost_too_often_fails_with_the_reason(run, sent, long_up, settings):
    held(run, 300, n_lost=settings.TRAINING_MAX_LOST)
    reap_jobs()
    run.refresh_from_db()
    assert run.status == "failed"
    assert "went silent" in run.error
    assert run.advice


def test_a_message_that_was_lost_is_sent_again(run, sent, django_capture_on_commit_callbacks):
    Run.objects.filter(pk=run.pk).update(sent_at=Now() - timedelta(seconds=61))
    with django_capture_on_commit_callbacks(execute=True):
        assert reap_jobs()["sent"] == 1
        assert reap_jobs()["sent"] == 0
    assert len(sent) == 1


def test_a_run_behind_a_running_one_waits_for_its_turn(run, version, alice, sent, long_up):
    from tests.training.conftest import make_run

    waiting = make_run(version, alice)
    held(run, 1)
    Run.objects.filter(pk=waiting.pk).update(sent_at=Now() - timedelta(seconds=61))
    assert reap_jobs()["sent"] == 0
    Run.objects.filter(pk=waiting.pk).update(sent_at=Now() - timedelta(seconds=3600))
    assert reap_jobs()["sent"] == 1


def test_a_run_waits_while_the_train_extra_is_being_installed(run, settings, tmp_path, sent):
    from training.services.run_execution import execute_run

    settings.TRAINING_ENGINE = []
    settings.TOUCHSTONE_HOME = tmp_path
    (tmp_path / "install.json").write_text('{"extra": "train", "state": "installing", "percent": 40, "message": "m"}')
    assert not execute_run(str(run.pk))
    assert reap_jobs()["sent"] == 0
    run.refresh_from_db()
    assert (run.status, run.sent_at) == ("queued", None)
    (tmp_path / "install.json").write_text('{"extra": "train", "state": "ready", "percent": 100}')
    assert reap_jobs()["sent"] == 1


def test_a_run_fails_with_advice_when_the_train_extra_could_not_be_installed(run, settings, tmp_path, monkeypatch):
    from training.services import train_extra
    from training.services.run_execution import execute_run

    settings.TRAINING_ENGINE = []
    settings.TOUCHSTONE_HOME = tmp_path
    monkeypatch.setattr(train_extra, "find_spec", lambda name: None)
    (tmp_path / "install.json").write_text('{"extra": "train", "state": "failed", "message": "No space left."}')
    execute_run(str(run.pk))
    run.refresh_from_db()
    assert (run.status, run.error) == ("failed", "No space left.")
    assert "touchstone[train]" in run.advice
