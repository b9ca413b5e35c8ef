"""What engines write while they run, read without loss and without surprise."""

import json

import pytest
from django.db import OperationalError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from training.services import patience
from training.services.metrics import RunReport, store_metrics
from training.services.patience import patiently
from training.services.revision import code_revision
from training.tailing import LineTail, plain, read_object, read_tail, storable
from training.views.wording import duration, progress_words, report_rows, seconds_left


def test_a_line_still_being_written_waits_for_its_end(tmp_path):
    path = tmp_path / "metrics.jsonl"
    tail = LineTail(path)
    assert list(tail.objects()) == []
    path.write_text('{"step": 1}\n{"st')
    assert list(tail.objects()) == [{"step": 1}]
    with path.open("a") as stream:
        stream.write('ep": 2}\n')
    assert list(tail.objects()) == [{"step": 2}]
    assert list(tail.objects()) == []


def test_a_torn_line_is_passed_over_and_a_file_begun_again_is_read_again(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 1}\n{"ste{"step": 2}\n[3]\n{"step": 4}\n')
    tail = LineTail(path)
    assert [line["step"] for line in tail.objects()] == [1, 4]
    path.write_text('{"step": 1}\n')
    assert [line["step"] for line in tail.objects()] == [1]


@given(st.text())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_becomes_one_that_the_database_stores(text):
    assert "\x00" not in plain(text)
    plain(text).encode()


def test_numbers_that_json_does_not_have_become_null():
    assert storable({"loss": float("nan"), "deep": [float("inf"), {"x\x00": "a\x00"}]}) == {
        "loss": None, "deep": [None, {"x?": "a?"}],
    }  # fmt: skip


def test_the_tail_begins_at_a_line(tmp_path):
    path = tmp_path / "log.txt"
    assert read_tail(path) == ""
    path.write_text("".join(f"line {n}\n" for n in range(100)))
    tail = read_tail(path, size=50)
    assert tail.startswith("line 9")
    assert tail.endswith("line 99\n")
    path.write_bytes(b"\xff\xfe" * 10)
    assert read_tail(path, size=4)


def test_a_torn_or_missing_result_is_none(tmp_path):
    assert read_object(tmp_path / "result.json") == {}
    (tmp_path / "result.json").write_text('{"status": "succ')
    assert read_object(tmp_path / "result.json") == {}


def test_lines_of_one_step_are_merged_however_often_they_are_read(run):
    lines = [{"step": 1, "loss": 0.5}, {"step": 1, "eval_loss": 0.6}, {"step": 2, "loss": float("0.4")}]
    assert store_metrics(run, lines) == 2
    assert store_metrics(run, lines) == 0
    assert store_metrics(run, [{"step": 2, "eval_loss": 0.7}]) == 1
    assert list(run.metrics.values_list("step", "values")) == [
        (1, {"loss": 0.5, "eval_loss": 0.6}), (2, {"loss": 0.4, "eval_loss": 0.7}),
    ]  # fmt: skip


def test_what_could_not_be_stored_is_kept_for_next_time(run, tmp_path, monkeypatch):
    from training.services import metrics

    (tmp_path / "metrics.jsonl").write_text('{"step": 1, "loss": 0.5}\n')
    (tmp_path / "progress.json").write_text(json.dumps({"phase": "training", "step": 1, "total": 2}))
    report = RunReport(run, tmp_path)

    def away(*args):
        raise OperationalError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(metrics, "store_metrics", away)
        with pytest.raises(OperationalError):
            report.drain()
    assert report.drain() == {"progress": {"phase": "training", "step": 1, "total": 2}}
    assert run.metrics.count() == 1


def test_the_database_is_waited_for_with_growing_pauses(monkeypatch):
    pauses = []
    monkeypatch.setattr(patience.time, "sleep", pauses.append)
    monkeypatch.setattr(patience, "drop_connections", lambda: None)
    answers = iter([OperationalError("gone")] * 7)

    def call():
        if error := next(answers, None):
            raise error
        return "back"

    assert patiently(call) == "back"
    assert pauses == [0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_inside_a_transaction_an_outage_is_not_waited_for(db):
    def call():
        raise OperationalError("gone")

    with pytest.raises(OperationalError):
        patiently(call)


def test_the_revision_is_found_without_git(tmp_path):
    git = tmp_path / ".git"
    assert code_revision(tmp_path) == ""
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "packed-refs").write_text("# pack-refs\n" + "b" * 40 + " refs/heads/main\n")
    assert code_revision(tmp_path) == "b" * 40
    (git / "refs" / "heads" / "main").write_text("a" * 40 + "\n")
    assert code_revision(tmp_path) == "a" * 40
    (git / "HEAD").write_text("c" * 40 + "\n")
    assert code_revision(tmp_path) == "c" * 40
    tree = tmp_path / "tree"
    (git / "worktrees" / "tree").mkdir(parents=True)
    (git / "worktrees" / "tree" / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "worktrees" / "tree" / "commondir").write_text("../..\n")
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {git}/worktrees/tree\n")
    assert code_revision(tree) == "a" * 40


def test_progress_and_times_are_said_in_words():
    assert progress_words({"phase": "training", "step": 3, "total": 9}) == "Training: step 3 of 9"
    assert progress_words({}) == "Waiting for a GPU worker"
    assert progress_words({"phase": "something new"}) == "something new"
    assert [duration(s) for s in (0.2, 42, 600, 2 * 3600, 3 * 86400)] == ["1 s", "42 s", "10 min", "2.0 h", "3 days"]


def test_what_is_left_goes_by_the_pace_of_the_last_steps():
    metrics = [(step, {"time": 100 + 2.0 * step}) for step in range(1, 11)]
    assert seconds_left(metrics, {"phase": "training", "total": 30}) == 40.0
    assert seconds_left(metrics[:2], {"phase": "training", "total": 30}) is None
    assert seconds_left(metrics, {"phase": "evaluating", "total": 1}) is None


def test_the_data_report_says_why_comparisons_were_dropped():
    report = {"train": {"kept": 1200, "dropped": {"too_long": 3, "tie": 0}, "label_balance": 0.52}, "test": {}}
    assert dict(report_rows(report)) == {
        "Comparisons kept": ["1,200", "–"],
        "Comparisons dropped": ["3 (3 too long)", "–"],
        "First preferred": ["52%", "–"],
    }
