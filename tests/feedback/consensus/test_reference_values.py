"""Real data with figures computed independently; ours must reproduce them to the digits given."""

import csv
import json
import os
from pathlib import Path

import numpy as np
import pytest

from feedback.consensus.agreement import krippendorff_alpha
from feedback.consensus.majority import majority_of

DATA = Path(os.environ.get("TOUCHSTONE_DATA", Path(__file__).parents[3].parent / "shared" / "data"))
pytestmark = pytest.mark.skipif(not (DATA / "reference_values.json").exists(), reason=f"no shared data at {DATA}")


@pytest.fixture(scope="module")
def reference():
    return json.loads((DATA / "reference_values.json").read_text())


@pytest.fixture(scope="module")
def alphas(reference):
    return reference["krippendorff_alpha"]


@pytest.fixture(scope="module")
def pandalm():
    rows = json.loads((DATA / "pairwise_pandalm" / "testset-v1.json").read_text())
    said = [(row["idx"], int(row[f"annotator{n}"])) for row in rows for n in (1, 2, 3)]
    return tuple(np.array(column) for column in zip(*said, strict=True))


def test_pandalm_agreement(pandalm, alphas):
    found = krippendorff_alpha(*pandalm)
    assert round(found.alpha, 4) == alphas["pairwise_pandalm (nominal, 3 raters, values 0/1/2)"]
    assert (found.n_units, found.n_judgements) == (999, 2997)


def test_pandalm_majority(pandalm, reference):
    found = majority_of(*pandalm)
    expected = reference["pandalm"]
    counts = {str(label): int((found.labels[found.decided] == label).sum()) for label in (0, 1, 2)}
    assert counts == expected["majority"]
    assert int((found.share == 1).sum()) == expected["unanimous"]
    assert int((~found.decided).sum()) == expected["all_differ"]
    assert int(np.isclose(found.share, 2 / 3).sum()) == expected["two_of_three"]


def test_xsum_factuality_agreement(alphas):
    with (DATA / "rating_xsum_factuality" / "factuality_annotations_xsum_summaries.csv").open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["is_factual"] in ("yes", "no")]
    found = krippendorff_alpha([f"{r['bbcid']} {r['system']}" for r in rows], [r["is_factual"] for r in rows])
    assert round(found.alpha, 4) == alphas["rating_xsum_factuality (nominal, NULL dropped, items with >=2)"]


def test_summeval_agreement(alphas):
    with (DATA / "rating_summeval_op" / "summeval-op-detailed.jsonl").open() as lines:
        products = [json.loads(line) for line in lines]
    expected = alphas["rating_summeval_op (ordinal)"]
    found = {}
    for dimension in expected:
        texts = [ratings for product in products for ratings in product[dimension]]
        units = np.repeat(np.arange(len(texts)), [len(ratings) for ratings in texts])
        found[dimension] = round(krippendorff_alpha(units, np.concatenate(texts), "ordinal").alpha, 4)
    assert found == expected


def test_emobank_agreement(alphas):
    with (DATA / "rating_emobank_reader" / "individual_reader_ratings.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    expected = alphas["rating_emobank_reader (interval)"]
    units = [row["id"] for row in rows]
    found = {d: round(krippendorff_alpha(units, [float(r[d]) for r in rows], "interval").alpha, 4) for d in expected}
    assert found == expected


def test_crowd_majority_against_gold(reference):
    folder = DATA / "crowd_barzan"
    votes = [line.split() for line in (folder / "labels.txt").read_text().splitlines()]
    gold = dict(line.split() for line in (folder / "evaluation.txt").read_text().splitlines())
    found = majority_of([item for _, item, _ in votes], [label for _, _, label in votes])
    assert found.decided.all()
    right = sum(gold[item] == label for item, label in zip(found.units, found.labels, strict=True))
    expected = reference["aggregation_accuracy_vs_gold"]["crowd_barzan"]
    assert (round(right / len(gold), 3), len(gold)) == (expected["majority"], expected["gold_items"])
