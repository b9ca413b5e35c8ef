"""Whatever stands in a row, a layout makes a task of it or refuses it at a column: it never falls over."""

import copy

import pytest

from feedback.importing.layouts.registry import LAYOUTS
from feedback.importing.rows import Row, RowError
from feedback.questions.form import read_form
from feedback.services.import_rows import RowReader
from tests.feedback.importing.test_layout_checklists import BAR, IFEVAL, level
from tests.feedback.importing.test_layout_critiques import MQM, QA, invented
from tests.feedback.importing.test_layout_oasst import TREE
from tests.feedback.importing.test_layout_ratings import BIGGEN, HELPSTEER, PRODUCT, factual
from tests.feedback.importing.test_layout_steps import CODE, MISTAKE, PRM, SOLUTION, UUID

WRONG = (None, 5, -1, True, 1.5, "", "x", [], {}, [[1]], [None], {"a": 1}, "[", "{}")
SOUND = {
    "llmbar": BAR,
    "oasst": TREE,
    "summeval_op": PRODUCT,
    "xsum_factuality": factual("w0", "yes"),
    "xsum_hallucination": invented("w0"),
    "wmt_mqm": MQM,
    "fine_grained": QA,
    "fine_grained_pairs": QA,
    "followbench": level(0),
    "ifeval": IFEVAL,
    "biggen": BIGGEN,
    "bigbench_mistake": MISTAKE,
    "prmbench": PRM,
    "mr_ben": {UUID: [SOLUTION, CODE]},
    "helpsteer": HELPSTEER,
    "helpsteer_preference": {
        "context": [{"role": "user", "content": "Why?"}],
        "response1": "a",
        "response2": "b",
        "overall_preference": 1,
        "individual_preference": [{"score": 2}, {"score": 0}],
    },
}


def places(value, path=()):
    """Every place in a row: the row's columns, and what is in them."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in parts:
        yield (*path, key)
        yield from places(inner, (*path, key))


def with_fault(row, path, wrong):
    """wrong: a value, or the place itself gone (`...`)."""
    faulty = copy.deepcopy(row)
    inner = faulty
    for key in path[:-1]:
        inner = inner[key]
    if wrong is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = wrong
    return faulty


@pytest.mark.parametrize("name", SOUND)
def test_a_wrong_value_anywhere_is_a_task_or_a_refusal(name):
    layout = LAYOUTS[name]
    reader = RowReader(layout, read_form(layout.form), judged=True)
    refused = 0
    for path in places(SOUND[name]):
        for wrong in (..., *WRONG):
            rows = layout.arrange(iter([Row(1, with_fault(SOUND[name], path, wrong))]))
            for read in [reader.read(row) if isinstance(row, Row) else row for row in rows]:
                refused += isinstance(read, RowError)
                assert not isinstance(read, RowError) or read.reason
    assert refused


def test_every_layout_of_a_public_set_is_tried():
    assert set(LAYOUTS) - set(SOUND) == {"pandalm", "trl_preference", "touchstone"}
