"""Stands in for the engine: same files, signals and exit codes, no torch.

`fake.json` in the directory says how it behaves: steps, seconds (a step takes), save_every, and one of fail (text),
crash (exit code), deaf (ignores SIGTERM).  The "weights" of step n are a hash chained n times over the training data,
so that a resumed run can only end with the right ones by resuming rightly.
"""

import fcntl
import hashlib
import json
import signal
import sys
import time
from pathlib import Path

STOP = False


def stop(number, frame):
    global STOP
    STOP = True


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def write(path, value):
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(json.dumps(value))
    fresh.replace(path)


def save(directory, step, weights):
    folder = directory / "checkpoints" / f"step_{step}"
    fresh = folder.with_name(f".unfinished-{step}")
    fresh.mkdir(parents=True, exist_ok=True)
    (fresh / "model.safetensors").write_bytes(weights)
    (fresh / "training_state.json").write_bytes(b"only for resuming")
    write(fresh / "meta.json", {"step": step, "data_sha256": "d"})
    if not folder.exists():
        fresh.rename(folder)
    return folder


def last_checkpoint(directory):
    steps = [int(path.name[5:]) for path in (directory / "checkpoints").glob("step_*")]
    return max(steps, default=0)


def evaluation():
    low, high = 0.6, 0.8
    baseline = {"accuracy": 0.55, "low": 0.5, "high": 0.6}
    return {"accuracy": 0.7, "low": low, "high": high, "n": 40, "ties": 1, "loss": 0.6, "baseline_length": baseline}


def train(directory):
    spec = json.loads((directory / "spec.json").read_text())
    plan = {"steps": 6, "seconds": 0.02, "save_every": 2}
    if (directory / "fake.json").exists():
        plan |= json.loads((directory / "fake.json").read_text())
    say(f"attempt {spec['attempt']} with {spec['settings']['batch_size']} groups a step")
    if "fail" in plan:
        write(directory / "result.json", {"status": "failed", "error": plan["fail"], "advice": "Do otherwise."})
        return 1
    if "crash" in plan:
        say("Segmentation fault")
        return plan["crash"]
    if not plan.get("deaf"):
        signal.signal(signal.SIGTERM, stop)
    else:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    start = last_checkpoint(directory)
    say(f"starting after step {start}")
    weights = (directory / spec["data"]["train"]).read_bytes()
    if start:
        weights = (directory / "checkpoints" / f"step_{start}" / "model.safetensors").read_bytes()
    for step in range(start + 1, plan["steps"] + 1):
        time.sleep(plan["seconds"])
        weights = hashlib.sha256(weights).digest()
        with (directory / "metrics.jsonl").open("a") as stream:
            stream.write(json.dumps({"step": step, "epoch": 1.0, "loss": 1 / step, "accuracy": 0.5}) + "\n")
        write(directory / "progress.json", {"phase": "training", "step": step, "total": plan["steps"]})
        if STOP:
            save(directory, step, weights)
            write(directory / "result.json", {"status": "cancelled"})
            return 3
        if step % plan["save_every"] == 0 or step == plan["steps"]:
            folder = save(directory, step, weights)
    result = {"status": "succeeded", "checkpoint": f"checkpoints/{folder.name}", "evaluation": {"test": evaluation()}}
    write(directory / "result.json", {**result, "sha256": hashlib.sha256(weights).hexdigest(), "report": {"kept": 3}})
    return 0


def score(source, target):
    """A response's score is its length in words."""
    with source.open() as rows, target.open("w") as sink:
        for line in rows:
            row = json.loads(line)
            row["scores"] = [float(len(text.split())) for text in row["responses"]]
            sink.write(json.dumps(row) + "\n")
    return 0


def sample(source, target, k):
    """The nth response repeats the prompt n times."""
    with source.open() as rows, target.open("w") as sink:
        for line in rows:
            row = json.loads(line)
            row["responses"] = [" ".join([row["prompt"][0]["content"]] * n) for n in range(1, k + 1)]
            sink.write(json.dumps(row) + "\n")
    return 0


def main(words):
    if words[0] == "sample":
        return sample(Path(words[2]), Path(words[3]), int(words[words.index("--k") + 1]))
    if words[0] == "score":
        return score(Path(words[2]), Path(words[3]))
    directory = Path(words[0])
    with (directory / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return 4
        return train(directory)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
