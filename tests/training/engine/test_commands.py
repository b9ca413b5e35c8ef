"""The command line: train, evaluate, score, sample; outputs that are whole or absent."""

import json
import os
import subprocess
import sys

import pytest

from tests.training.engine.runs import make_run, polite_groups, result_of
from training.engine import line_jobs
from training.engine.commands import main
from training.engine.job import train
from training.engine.outcome import run_job


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = make_run(tmp_path_factory.mktemp("runs") / "run", train=polite_groups(24), epochs=2.0, max_length=90)
    assert run_job(path, train) == 0
    return path


@pytest.fixture
def checkpoint(run):
    return run / result_of(run)["checkpoint"]


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def questions(count):
    groups = polite_groups(count, seed=4, k=3)
    return [
        {"id": entry["id"], "prompt": entry["prompt"], "responses": entry["responses"], "kept": 1} for entry in groups
    ]


@pytest.mark.slow
def test_the_module_trains_from_a_shell(tmp_path):
    """A real process with nothing in its environment but a path."""
    path = make_run(tmp_path / "run", max_steps=2)
    shell = {"PATH": os.environ["PATH"]}
    command = [sys.executable, "-m", "training.engine"]
    subprocess.run([*command, str(path)], check=True, env=shell, capture_output=True)
    assert result_of(path)["status"] == "succeeded"
    assert "Forward pass: shared" in (path / "log.txt").read_text()


def test_scores_are_added_and_the_rest_of_a_line_is_kept(tmp_path, checkpoint):
    rows = [*questions(3), {"id": "text", "prompt": "Plain text.", "responses": ["please", "", "boring"]}]
    source, target = write_lines(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl"
    assert main(["score", str(checkpoint), str(source), str(target)]) == 0
    scored = read_lines(target)
    assert [{name: value for name, value in row.items() if name != "scores"} for row in scored] == rows
    assert all(len(row["scores"]) == len(row["responses"]) for row in scored)
    assert all(type(score) is float for row in scored for score in row["scores"])
    assert not (tmp_path / "out.jsonl.partial").exists()


def test_a_score_does_not_depend_on_the_lines_around_it(tmp_path, checkpoint):
    rows = questions(20)
    together = write_lines(tmp_path / "in.jsonl", rows)
    assert main(["score", str(checkpoint), str(together), str(tmp_path / "out.jsonl")]) == 0
    alone = write_lines(tmp_path / "one.jsonl", rows[7:8])
    assert main(["score", str(checkpoint), str(alone), str(tmp_path / "one.out")]) == 0
    assert read_lines(tmp_path / "one.out")[0]["scores"] == pytest.approx(
        read_lines(tmp_path / "out.jsonl")[7]["scores"], abs=1e-5
    )


def test_a_response_that_does_not_fit_has_no_score_and_a_reason(tmp_path, checkpoint):
    source = write_lines(tmp_path / "in.jsonl", [{"id": 1, "prompt": "Hi.", "responses": ["please " * 200, "boring"]}])
    assert main(["score", str(checkpoint), str(source), str(tmp_path / "out.jsonl")]) == 0
    row = read_lines(tmp_path / "out.jsonl")[0]
    assert row["scores"][0] is None
    assert row["unscored"] == {"0": "too_long"}
    assert isinstance(row["scores"][1], float)


def test_an_interrupted_scoring_goes_on_where_it_was(tmp_path, checkpoint, monkeypatch):
    source, target = write_lines(tmp_path / "in.jsonl", questions(40)), tmp_path / "out.jsonl"
    assert main(["score", str(checkpoint), str(source), str(target)]) == 0
    whole = target.read_text()
    partial = tmp_path / "out.jsonl.partial"
    partial.write_text(whole[: len(whole) * 2 // 3])  # torn in the middle of a line
    target.unlink()
    seen = []
    each = line_jobs._read
    monkeypatch.setattr(line_jobs, "_read", lambda path: each(path))
    from training.engine.scoring import Scorer

    score = Scorer.score_rows
    monkeypatch.setattr(Scorer, "score_rows", lambda scorer, rows: (seen.extend(rows), score(scorer, rows))[1])
    assert main(["score", str(checkpoint), str(source), str(target)]) == 0
    assert target.read_text() == whole
    assert len(seen) == 40 - 16


def test_a_partial_output_of_another_input_is_begun_anew(tmp_path, checkpoint):
    source, target = write_lines(tmp_path / "in.jsonl", questions(17)), tmp_path / "out.jsonl"
    write_lines(tmp_path / "out.jsonl.partial", [{"id": f"x{n}", "scores": [0.0]} for n in range(17)])
    assert main(["score", str(checkpoint), str(source), str(target)]) == 0
    assert [row["id"] for row in read_lines(target)] == [row["id"] for row in questions(17)]


@pytest.mark.parametrize(
    ("line", "message"),
    [("{", "Line 1 is not JSON"), ('{"id": 1}', "no prompt"), ('{"id": 1, "prompt": "a", "responses": "b"}', "list")],
)
def test_a_bad_line_is_named_and_no_output_appears(tmp_path, checkpoint, line, message, caplog):
    (tmp_path / "in.jsonl").write_text(line + "\n")
    assert main(["score", str(checkpoint), str(tmp_path / "in.jsonl"), str(tmp_path / "out.jsonl")]) == 1
    assert message in caplog.text
    assert not (tmp_path / "out.jsonl").exists()


def test_evaluating_a_checkpoint_gives_the_figures_of_the_run(run, checkpoint, capsys):
    assert main(["evaluate", str(run), str(checkpoint)]) == 0
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert printed["test"]["accuracy"] == result_of(run)["evaluation"]["test"]["accuracy"]
    assert printed["test"]["loss"] == pytest.approx(result_of(run)["evaluation"]["test"]["loss"], abs=1e-5)
    assert json.loads((run / f"evaluations/{checkpoint.name}.json").read_text()) == printed


def test_a_checkpoint_that_is_none_is_an_error(run, tmp_path, caplog):
    assert main(["evaluate", str(run), str(tmp_path)]) == 1
    assert "meta.json" in caplog.text


def test_sampling_adds_responses_to_every_line(tmp_path):
    rows = [{"id": number, "prompt": f"Tell me about {number}."} for number in range(18)]
    source = write_lines(tmp_path / "in.jsonl", rows)
    words = ["sample", '{"kind": "tiny", "name": "tiny"}', str(source), str(tmp_path / "out.jsonl")]
    assert main([*words, "--k", "2", "--max-new-tokens", "3"]) == 0
    sampled = read_lines(tmp_path / "out.jsonl")
    assert [row["id"] for row in sampled] == list(range(18))
    assert all(len(row["responses"]) == 2 for row in sampled)
    assert all(isinstance(text, str) for row in sampled for text in row["responses"])


def test_wrong_usage_is_exit_code_2(tmp_path):
    with pytest.raises(SystemExit) as caught:
        main(["sample", "not json", "a", "b"])
    assert caught.value.code == 2
