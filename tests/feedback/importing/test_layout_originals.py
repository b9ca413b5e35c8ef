"""The shared data itself: every set comes in through its layout, found by its columns, with its known counts."""

import json
from pathlib import Path

import pytest
from django.conf import settings

from feedback.consensus.agreement import krippendorff_alpha
from feedback.importing.layouts.registry import LAYOUTS, detect_layout
from feedback.importing.layouts.summeval_op import DIMENSIONS
from feedback.importing.readers import read_rows, sniff_format
from feedback.importing.rows import Row, RowError
from feedback.models import Judgement
from feedback.questions.form import read_form
from feedback.services.campaigns import create_campaign
from feedback.services.import_rows import RowReader
from feedback.services.importing import import_tasks

DATA = Path(settings.TOUCHSTONE_DATA)
REFERENCE = json.loads((DATA / "reference_values.json").read_text()) if DATA.exists() else {}
FILES = {
    "ranking_oasst_sample/en_100_tree.jsonl": ("oasst", 214, 212, 0),
    "rating_summeval_op/summeval-op-detailed.jsonl": ("summeval_op", 416, 1248, 0),
    "rating_summeval_op/summeval-op.jsonl": ("summeval_op", 416, 0, 0),
    "rating_xsum_factuality/factuality_annotations_xsum_summaries.csv": ("xsum_factuality", 1869, 5564, 0),
    "span_xsum_hallucination/hallucination_annotations_xsum_summaries.csv": ("xsum_hallucination", 2463, 7388, 37),
    "span_wmt_mqm_ted_ende/mqm_ted_ende.tsv": ("wmt_mqm", 7405, 7405, 1),
    "pairwise_span_finegrained_qa/dev_feedback.jsonl.gz": ("fine_grained", 500, 500, 0),
    "pairwise_llmbar/natural.json": ("llmbar", 100, 0, 0),
    "pairwise_llmbar/adversarial_neighbor.json": ("llmbar", 134, 0, 0),
    "rubric_biggen_bench/rubrics.jsonl.gz": ("biggen", 695, 0, 0),
    "step_bigbench_mistake/logical_deduction.jsonl": ("bigbench_mistake", 300, 300, 0),
    "step_bigbench_mistake/multistep_arithmetic.jsonl": ("bigbench_mistake", 300, 300, 0),
    "step_bigbench_mistake/tracking_shuffled_objects.jsonl": ("bigbench_mistake", 300, 300, 0),
    "step_prmbench/target_data.jsonl": ("prmbench", 383, 383, 11),
    "step_mrben/math.json": ("mr_ben", 918, 918, 0),
    "step_mrben/coding.json": ("mr_ben", 219, 219, 19),
    "checklist_ifeval/input_data.jsonl": ("ifeval", 0, 0, 541),
    "checklist_followbench/content_constraints.json": ("followbench", 0, 0, 125),
}
here = pytest.mark.skipif(not DATA.exists(), reason="the shared data is not here ($TOUCHSTONE_DATA)")


def rows_in(file):
    path = DATA / file
    with path.open("rb") as stream:
        return list(read_rows(stream, sniff_format(path.name, stream)))


@here
@pytest.mark.parametrize("file", FILES)
def test_a_set_is_recognised_and_has_the_counts_it_is_known_to_have(file):
    """Each task and each judgement passes the questions that the layout proposes; no database."""
    rows = rows_in(file)
    layout = detect_layout(rows[0].values)
    questions = read_form(layout.form)
    layout.check_form(questions)
    reader = RowReader(layout, questions, judged=True)
    read = [reader.read(row) if isinstance(row, Row) else row for row in layout.arrange(iter(rows))]
    tasks = [one for one in read if not isinstance(one, RowError)]
    counts = (layout.name, len(tasks), sum(len(task.judgements) for task in tasks), len(read) - len(tasks))
    assert counts == FILES[file]
    assert len({task.identity for task in tasks}) == len(tasks)


@here
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("file", "layout", "n_tasks", "n_judgements"),
    [
        ("ranking_oasst_sample/en_100_tree.jsonl", "auto", 214, 212),
        ("step_bigbench_mistake/multistep_arithmetic.jsonl", "auto", 300, 300),
        ("pairwise_span_finegrained_qa/dev_feedback.jsonl.gz", "fine_grained_pairs", 3000, 3000),
    ],
)
def test_the_same_file_twice_adds_nothing(file, layout, n_tasks, n_judgements):
    rows = rows_in(file)
    form = (LAYOUTS[layout] if layout in LAYOUTS else detect_layout(rows[0].values)).form
    campaign = create_campaign(actor=None, name="original", questions=form)
    first = import_tasks(campaign, DATA / file, layout, actor=None)
    assert (first.n_tasks_added, first.n_judgements_added, first.n_refused) == (n_tasks, n_judgements, 0)
    again = import_tasks(campaign, DATA / file, layout, actor=None)
    assert again.adds_nothing
    assert (again.n_tasks_known, again.n_judgements_known) == (n_tasks, n_judgements)
    assert Judgement.objects.filter(campaign=campaign).count() == n_judgements


@pytest.mark.parametrize(
    "layout", [layout for layout in LAYOUTS.values() if layout.form], ids=lambda layout: layout.name
)
def test_the_questions_that_a_layout_proposes_can_take_what_it_brings(layout):
    layout.check_form(read_form(layout.form))


def scores_in(file):
    """{attribute: (units, values)}, one unit a task."""
    rows = rows_in(file)
    layout = detect_layout(rows[0].values)
    reader = RowReader(layout, read_form(layout.form), judged=True)
    found = {}
    for unit, row in enumerate(layout.arrange(iter(rows))):
        for judgement in reader.read(row).judgements:
            for name, score in judgement.answers[layout.form[0]["key"]]["value"]["scores"]["r1"].items():
                units, values = found.setdefault(name, ([], []))
                units.append(unit)
                values.append(score)
    return found


@here
def test_summaries_are_rated_with_the_agreement_computed_elsewhere():
    known = REFERENCE["krippendorff_alpha"]["rating_summeval_op (ordinal)"]
    scores = scores_in("rating_summeval_op/summeval-op-detailed.jsonl")
    assert {
        short: round(krippendorff_alpha(*scores[name], "ordinal").alpha, 4)
        for short, (name, _text) in DIMENSIONS.items()
    } == known


@here
def test_factuality_is_judged_with_the_agreement_computed_elsewhere():
    scores = scores_in("rating_xsum_factuality/factuality_annotations_xsum_summaries.csv")
    known = "rating_xsum_factuality (nominal, NULL dropped, items with >=2)"
    assert round(krippendorff_alpha(*scores["factual"]).alpha, 4) == REFERENCE["krippendorff_alpha"][known]
