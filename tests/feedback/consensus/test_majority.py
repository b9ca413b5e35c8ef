import collections

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.consensus.majority import majority_of

VOTES = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc"), st.integers(0, 3)), min_size=1, max_size=40)


@given(VOTES)
def test_the_heaviest_label_wins_and_ties_are_said(votes):
    units, labels, weights = zip(*votes, strict=True)
    found = majority_of(units, labels, weights)
    expected = {}
    for unit, label, weight in votes:
        if weight:
            expected.setdefault(unit, collections.Counter())[label] += weight
    assert found.units.tolist() == sorted(expected)
    for at, unit in enumerate(found.units.tolist()):
        ranked = sorted(expected[unit].items(), key=lambda entry: (-entry[1], entry[0]))
        assert found.labels[at] == ranked[0][0]
        assert found.share[at] == pytest.approx(ranked[0][1] / sum(expected[unit].values()))
        assert found.tied[at] == (len(ranked) > 1 and ranked[1][1] == ranked[0][1])
        assert found.decided[at] != found.tied[at]
        assert found.n_votes[at] == sum(u == unit and w > 0 for u, _, w in votes)


def test_a_tie_is_undecided_unless_the_lowest_label_may_win():
    assert majority_of([1, 1], [5, 3]).decided.tolist() == [False]
    lowest = majority_of([1, 1], [5, 3], ties="lowest")
    assert (lowest.labels.tolist(), lowest.decided.tolist(), lowest.tied.tolist()) == ([3], [True], [True])


def test_no_votes_make_no_majority():
    assert majority_of([], []).units.size == 0
    assert majority_of([1], [2], [0.0]).units.size == 0


@pytest.mark.parametrize(("labels", "weights"), [([1], None), ([1, 2], [1.0]), ([1, 2], [1.0, -1.0])])
def test_votes_that_make_no_sense_are_refused(labels, weights):
    with pytest.raises(ValueError, match=r"One label|less than 0"):
        majority_of([1, 2], labels, weights)
