import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.consensus.ratings import Told, merge_ratings

ATTRIBUTES, IDS = ("good", "true"), ("r1", "r2", "r3")
CELLS = [(id, attribute) for id in IDS for attribute in ATTRIBUTES]
SCORES = st.dictionaries(st.sampled_from(CELLS), st.integers(0, 4))
RATERS = st.lists(st.builds(Told, SCORES, st.floats(0.1, 5)), max_size=6)


def test_two_raters_by_hand():
    raters = [
        Told({("r1", "good"): 4, ("r2", "good"): 1, ("r1", "true"): 2}, weight=1.0, voter=0),
        Told({("r1", "good"): 1, ("r2", "good"): 1, ("r2", "true"): 3}, weight=3.0, voter=1),
        Told({("r1", "good"): 0, ("r2", "good"): 4}, weight=0.0, voter=2),
    ]
    merged = merge_ratings(raters, ATTRIBUTES, IDS)
    marks = {(mark.response, mark.aspect): mark for mark in merged.marks}
    assert {where: (mark.value, mark.n_raters) for where, mark in marks.items()} == {
        ("r1", "good"): (pytest.approx(7 / 4), 2),
        ("r1", "true"): (2.0, 1),
        ("r2", "good"): (1.0, 2),
        ("r2", "true"): (3.0, 1),
    }
    assert marks["r1", "good"].agreement == pytest.approx(3 / 4)
    (pair,) = merged.pairs  # nobody scored both on "true"
    assert (pair.first, pair.second, pair.aspect, pair.voters) == ("r1", "r2", "good", (0, 1))
    assert (pair.probability, pair.strength) == (pytest.approx((1 + 3 * 0.5) / 4), pytest.approx(3 / 4))


@given(RATERS)
def test_marks_stay_between_the_scores_given_and_attributes_never_mix(raters):
    for mark in merge_ratings(raters, ATTRIBUTES, IDS).marks:
        given_scores = [
            r.scores[mark.response, mark.aspect] for r in raters if (mark.response, mark.aspect) in r.scores
        ]
        assert min(given_scores) - 1e-9 <= mark.value <= max(given_scores) + 1e-9
        assert mark.n_raters == len(given_scores)
        assert 0 < mark.agreement <= 1


@given(RATERS, st.integers(-3, 3))
def test_a_rater_who_scores_everything_higher_prefers_the_same(raters, habit):
    shifted = [Told({cell: score + habit for cell, score in r.scores.items()}, r.weight, r.voter) for r in raters]
    assert merge_ratings(shifted, ATTRIBUTES, IDS).pairs == merge_ratings(raters, ATTRIBUTES, IDS).pairs
