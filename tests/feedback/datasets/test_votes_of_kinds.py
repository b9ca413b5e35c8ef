"""What rankings and ratings become in a dataset: ties are ties, and each attribute keeps its name."""

import pytest

from feedback.datasets.selection import Selection
from feedback.datasets.votes import EXPORTED, TaskVotes, Told, weigh
from feedback.questions.content import read_content
from feedback.questions.form import read_form

CONTENT = read_content({"prompt": "Why?", "responses": ["one", "two", "three"]})
QUALITY = {"attributes": [{"key": "helpful", "text": "Helpful"}, {"key": "verbose", "text": "Verbose"}]}


def weighed(kind, answers, settings=(), **policies):
    form = read_form([{"key": "q", "kind": kind, "title": "?", "settings": dict(settings)}])
    told = [Told(f"rater-{n}", "annotator", 1.0, {"q": form[0].kind.Answer(**a)}) for n, a in enumerate(answers)]
    selection = Selection(campaigns=("6f9619ff-8b86-4d01-b42d-00c04fc964ff",), **policies)
    return weigh(TaskVotes("t", "h", CONTENT, form, tuple(told)), selection)


def order(*groups):
    return {"groups": [list(group) for group in groups]}


def scores(**rows):
    return {"scores": {id: {"helpful": helpful, "verbose": verbose} for id, (helpful, verbose) in rows.items()}}


def pairs_of(found):
    return {(c.question, c.first, c.second): c.probability for c in found.comparisons}


def test_every_pair_of_a_ranking_is_a_comparison():
    found = weighed("ranking", [order(["r2"], ["r1"], ["r3"]), order(["r2"], ["r1", "r3"])])
    assert pairs_of(found) == {("q", 0, 1): 0.0, ("q", 0, 2): 0.75, ("q", 1, 2): 1.0}
    assert found.fates == [EXPORTED] * 2


def test_a_pair_that_most_rankings_tie_is_a_tie():
    told = [order(["r1", "r2"], ["r3"])] * 2 + [order(["r1"], ["r2"], ["r3"])]
    assert weighed("ranking", told).pairs[EXPORTED] == 3
    dropped = weighed("ranking", told, ties="drop")
    assert dropped.pairs == {"tie": 1, EXPORTED: 2}
    assert ("q", 0, 1) not in pairs_of(dropped)


def test_an_attributes_comparisons_carry_its_name():
    found = weighed("rating", [scores(r1=(4, 1), r2=(2, 5), r3=(2, 5))], QUALITY)
    told = pairs_of(found)
    assert (told["q.helpful", 0, 1], told["q.verbose", 0, 1], told["q.helpful", 1, 2]) == (1.0, 0.0, 0.5)
    assert {rating.attribute for rating in found.ratings} == {"q.helpful", "q.verbose"}


@pytest.mark.parametrize(
    ("chosen", "named"),
    [((), {"q.helpful", "q.verbose"}), (("q",), {"q.helpful", "q.verbose"}), (("q.helpful",), {"q.helpful"})],
)
def test_one_attribute_alone_can_be_selected(chosen, named):
    found = weighed("rating", [scores(r1=(4, 1), r2=(2, 5), r3=(2, 5))], QUALITY, questions=chosen)
    assert {comparison.question for comparison in found.comparisons} == named
    assert {rating.attribute for rating in found.ratings} == named
    assert found.fates == [EXPORTED]


def test_who_was_not_asked_about_the_selected_aspect_has_nothing_to_compare():
    found = weighed("rating", [scores(r1=(4, 1), r2=(2, 5), r3=(2, 5))], QUALITY, questions=("q.other",))
    assert (found.comparisons, found.ratings, found.fates) == ([], [], ["nothing_to_compare"])
