"""A round on a GPU worker: sample (or fetch), score, choose the pairs, open the campaign."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.db import transaction

from feedback.models import Task
from feedback.questions.base import Content
from feedback.questions.content import ContentInvalid, read_content
from feedback.services.events import record_event
from training.exceptions import JobFailed, SourceInvalid
from training.models import Round
from training.services.artefacts import fetch_file, local_folder
from training.services.execution import Drain, accept_job, conduct, job_directory, run_engine
from training.services.fresh_responses import Fresh, read_fresh, read_scores, write_for_scoring
from training.services.leases import finish
from training.services.next_campaign import fill_campaign, open_campaign, task_row
from training.services.patience import patiently
from training.services.pulse import Pulse
from training.services.selection import Candidate, Pick, candidates_of, choose_pairs, sureness_histogram
from training.services.train_extra import require_extra

Scores = Sequence[Sequence[float | None]]
SCORED = "scored.jsonl"
SAMPLED = "sampled.jsonl"


def execute_round(id: str) -> bool:
    """Execute the round if it waits; False when somebody else does, or it must wait for another worker or time."""
    round = accept_job(Round, id)
    if round is None:
        return False
    conduct(round, perform_round)
    return True


def perform_round(round: Round) -> None:
    """Every step leaves a file, so that an attempt that resumes does not do it again."""
    require_extra()
    directory, pulse = job_directory(round), Pulse(round)
    try:
        fresh = sample_fresh(round, directory) if round.source["kind"] == "sample" else fetch_fresh(round, directory)
        if not fresh:
            raise SourceInvalid("No prompt has two responses to compare.", "Give other prompts, or sample longer.")
        scores = score_fresh(round, directory, fresh, pulse)
    except SourceInvalid as error:
        raise JobFailed(error.message, error.advice) from error
    patiently(lambda: conclude_round(round, fresh, scores))


def fetch_fresh(round: Round, directory: Path) -> list[Fresh]:
    """The uploaded file's prompts with their responses.  Raises SourceInvalid."""
    local = directory / "source"
    fetch_file(round.source["path"], local, Pulse(round))
    with local.open("rb") as stream:
        return list(read_fresh(stream, round.source["name"]))


def sample_fresh(round: Round, directory: Path) -> list[Fresh]:
    """Responses sampled by the engine to prompts of the parent campaign; a prompt left with one is passed over."""
    source, asked, sampled = round.source, directory / "prompts.jsonl", directory / SAMPLED
    if not asked.exists():
        fresh = directory / "prompts.new"
        fresh.write_text("".join(json.dumps(row) + "\n" for row in parent_prompts(round)))
        fresh.replace(asked)
    if not sampled.exists():
        words = ["--k", source["k"], "--max-new-tokens", source["max_new_tokens"], "--seed", source["seed"]]
        words += ["--temperature", source["temperature"]]
        base = json.dumps(source["base_model"])
        command = ["sample", base, str(asked), str(sampled), *map(str, words)]
        run_engine(round, directory, *command, drain=_counting("sampling", asked, sampled))
    with sampled.open() as lines:
        rows = [json.loads(line) for line in lines]
    model = source["base_model"]["name"]
    return [Fresh(row["id"], content) for row in rows if (content := _distinct(row, model)) is not None]


def parent_prompts(round: Round) -> list[dict[str, Any]]:
    """Different prompts of the parent campaign, drawn by the source's seed: `{"id", "prompt"}`."""
    by_prompt: dict[str, Task] = {}
    for task in Task.objects.filter(campaign=round.parent).order_by("prompt_hash", "pk").iterator():
        by_prompt.setdefault(task.prompt_hash, task)
    draw = random.Random(round.source["seed"])  # noqa: S311  (a sample that can be repeated, no secret)
    hashes = sorted(by_prompt)
    chosen = draw.sample(hashes, min(round.source["n_prompts"], len(hashes)))
    return [{"id": digest[:16], "prompt": by_prompt[digest].content_raw["prompt"]} for digest in chosen]


def _distinct(row: dict[str, Any], model: str) -> Content | None:
    """A prompt with its different, non-empty samples; None when fewer than two are left."""
    texts = list(dict.fromkeys(text.strip() for text in row["responses"] if text.strip()))
    responses = [{"id": f"s{n}", "text": text, "model": model} for n, text in enumerate(texts, start=1)]
    try:
        return read_content({"prompt": row["prompt"], "responses": responses}) if len(texts) > 1 else None
    except ContentInvalid:
        return None


def score_fresh(round: Round, directory: Path, fresh: Sequence[Fresh], pulse: Pulse) -> list[list[float | None]]:
    """One list of scores a prompt, from the promoted checkpoint.  Raises SourceInvalid."""
    asked, scored = directory / "fresh.jsonl", directory / SCORED
    if not scored.exists():
        write_for_scoring(fresh, asked)
        checkpoint = local_folder(round.checkpoint.path, directory / "checkpoint", pulse)
        words = ["score", str(checkpoint), str(asked), str(scored)]
        run_engine(round, directory, *words, drain=_counting("scoring", asked, scored))
    return read_scores(scored, len(fresh))


def _counting(phase: str, source: Path, target: Path) -> Drain:
    """Progress of a command that turns lines into lines."""
    total = _lines(source)

    def drain() -> dict[str, Any]:
        done = max(_lines(target), _lines(target.with_name(f"{target.name}.partial")))
        return {"progress": {"phase": phase, "step": done, "total": total}}

    return drain


def _lines(path: Path) -> int:
    try:
        with path.open("rb") as stream:
            return sum(1 for _line in stream)
    except FileNotFoundError:
        return 0


def choose(round: Round, fresh: Sequence[Fresh], scores: Scores) -> tuple[list[Pick], dict[str, Any]]:
    """The picks and the round's report, whose counts add up."""
    candidates: list[Candidate] = []
    left_out = 0
    for number, (entry, row) in enumerate(zip(fresh, scores, strict=True)):
        texts = [response.text for response in entry.content.responses]
        found, n = candidates_of(number, texts, row)
        candidates += found
        left_out += n
    picks = choose_pairs(candidates, round.n_pairs, seed=int(round.pk.int % 2**32))
    report = {
        "prompts": len(fresh),
        "responses": sum(len(entry.content.responses) for entry in fresh),
        "pairs": len(candidates),
        "left_out": left_out,
        "selected": len(picks),
        "unsure": sum(pick.how == "unsure" for pick in picks),
        "random": sum(pick.how == "random" for pick in picks),
        "sureness": {
            "all": sureness_histogram(candidates),
            "selected": sureness_histogram([pick.candidate for pick in picks]),
        },
    }
    return picks, report


def conclude_round(round: Round, fresh: Sequence[Fresh], scores: Scores) -> None:
    """Open the campaign and end the round, in one transaction.  Raises Fenced, JobFailed."""
    picks, report = choose(round, fresh, scores)
    if not picks:
        raise JobFailed(
            "No two responses of a prompt differ.", "Give other responses, or sample at a higher temperature."
        )
    rows = [task_row(pick, fresh[pick.candidate.prompt], scores[pick.candidate.prompt], round) for pick in picks]
    rater = round.checkpoint.rater
    assert rater is not None  # noqa: S101  (open_round refuses a checkpoint that is not promoted)
    with transaction.atomic():
        campaign = open_campaign(round, actor=round.created_by)
        fill_campaign(campaign, rows, rater, actor=round.created_by)
        finish(round, Round.Status.SUCCEEDED, campaign=campaign, report=report, progress={"phase": "done"}, n_lost=0)
        record_event(round.created_by, "round.opened", round, campaign=campaign, **_counts(report))


def _counts(report: dict[str, Any]) -> dict[str, int]:
    return {name: value for name, value in report.items() if isinstance(value, int)}
