"""Run directories for the tests: synthetic groups whose better answer can be learnt, and spec.json around them."""

import hashlib
import json
import random
import uuid
from pathlib import Path

import pyarrow
import pyarrow.parquet

GROUP = pyarrow.schema(
    [
        ("id", pyarrow.string()),
        ("prompt", pyarrow.list_(pyarrow.struct([("role", pyarrow.string()), ("content", pyarrow.string())]))),
        ("responses", pyarrow.list_(pyarrow.string())),
        ("response_ids", pyarrow.list_(pyarrow.string())),
        (
            "comparisons",
            pyarrow.list_(
                pyarrow.struct(
                    [
                        ("first", pyarrow.int64()),
                        ("second", pyarrow.int64()),
                        ("probability", pyarrow.float64()),
                        ("margin", pyarrow.float64()),
                        ("weight", pyarrow.float64()),
                    ]
                )
            ),
        ),
    ]
)
GOOD = ["please", "thanks", "kindly", "certainly", "gladly", "welcome"]
BAD = ["whatever", "nope", "boring", "rubbish", "nonsense", "never"]
THINGS = ["bread", "rivers", "chess", "stars", "paint", "clouds", "music", "gardens", "trains", "maps"]


def comparison(first=0, second=1, probability=1.0, margin=0.0, weight=1.0):
    return {"first": first, "second": second, "probability": probability, "margin": margin, "weight": weight}


def group(number, prompt, responses, comparisons):
    messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    ids = [f"r{index}" for index in range(len(responses))]
    return {
        "id": f"g{number}",
        "prompt": messages,
        "responses": responses,
        "response_ids": ids,
        "comparisons": comparisons,
    }


def polite_groups(count, seed=0, k=2):
    """Polite answers are preferred to rude ones; with k = 3 a mixed one lies between, tied with nobody."""
    draw = random.Random(seed)
    groups = []
    for number in range(count):
        prompt = f"Tell me about {draw.choice(THINGS)} and {draw.choice(THINGS)} in {draw.randint(2, 9)} words."
        words = [draw.choices(GOOD, k=4), draw.choices(BAD, k=4), [draw.choice(GOOD), draw.choice(BAD)]]
        order = draw.sample(range(k), k)
        responses = [" ".join(words[index]) for index in order]
        rank = {index: position for position, index in enumerate((0, 2, 1) if k == 3 else (0, 1))}
        pairs = [
            comparison(a, b, 1.0 if rank[order[a]] < rank[order[b]] else 0.0, margin=0.5, weight=1.0 + (number % 3))
            for a in range(k)
            for b in range(a + 1, k)
        ]
        groups.append(group(number, prompt, responses, pairs))
    return groups


def write_groups(path, groups):
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(groups, schema=GROUP), path)


def make_run(path: Path, *, train=None, test=None, base=None, attempt=1, **settings):
    """A run directory below `path`, ready for the engine."""
    path.mkdir(parents=True, exist_ok=True)
    write_groups(path / "data/train.parquet", polite_groups(24) if train is None else train)
    write_groups(path / "data/test.parquet", polite_groups(10, seed=1) if test is None else test)
    spec = {
        "format": 1,
        "run": str(uuid.UUID(int=7)),
        "attempt": attempt,
        "recipe": "reward",
        "base_model": base or {"kind": "tiny", "name": "tiny"},
        "settings": {"batch_size": 8, "learning_rate": 1e-3, "max_length": 256, **settings},
        "data": {
            "train": "data/train.parquet",
            "test": "data/test.parquet",
            "sha256": hashlib.sha256((path / "data/train.parquet").read_bytes()).hexdigest(),
        },
        "git_sha": "0" * 40,
    }
    (path / "spec.json").write_text(json.dumps(spec))
    return path


def change_spec(path, **changes):
    spec = json.loads((path / "spec.json").read_text())
    (path / "spec.json").write_text(json.dumps(spec | changes))


def result_of(path):
    return json.loads((path / "result.json").read_text())


def metrics_of(path):
    return [json.loads(line) for line in (path / "metrics.jsonl").read_text().splitlines()]
