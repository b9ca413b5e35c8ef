from dataclasses import replace

import pytest

from feedback.consensus.checklists import ToldVerdicts, merge_checklists
from feedback.questions.base import Mark, Pair

CRITERIA = {"c1": 1.0, "c2": 3.0}


def told(weight=1.0, **by_response):
    """told(r1="yes no") answers c1 and c2 of r1; `-` leaves one out."""
    verdicts = {
        (response, key): verdict
        for response, row in by_response.items()
        for key, verdict in zip(CRITERIA, row.split(), strict=True)
        if verdict != "-"
    }
    return ToldVerdicts(verdicts, weight)


def merged(*raters, responses=("r1", "r2")):
    placed = [replace(rater, voter=at) for at, rater in enumerate(raters)]
    found = merge_checklists(placed, CRITERIA, responses)
    return {(mark.response, mark.aspect): mark for mark in found.marks}, found.pairs


def test_one_person_gives_marks_and_a_hard_preference():
    marks, pairs = merged(told(r1="yes no", r2="no yes"))
    assert marks["r1", "c1"] == Mark("r1", 1.0, 1.0, 1, "c1")
    assert marks["r1", ""] == Mark("r1", 0.25, 1.0, 1)
    assert marks["r2", ""].value == 0.75
    assert pairs == (Pair("r1", "r2", 0.0, -0.5, 1.0, n_raters=1, voters=(0,)),)


def test_people_who_answered_the_same_vote_softly_with_their_own_scores():
    marks, (pair,) = merged(
        told(r1="yes yes", r2="no yes"), told(r1="yes no", r2="yes yes"), told(r1="yes no", r2="yes no")
    )
    assert (pair.probability, pair.agreement, pair.n_raters, pair.n_ties) == (0.5, pytest.approx(1 / 3), 3, 1)
    assert pair.strength == pytest.approx((0.25 - 0.75 + 0) / 3)
    assert marks["r1", "c2"] == Mark("r1", pytest.approx(1 / 3), pytest.approx(2 / 3), 3, "c2")
    assert marks["r1", ""].value == pytest.approx((1 + 3 / 3) / 4)


def test_na_and_unsure_are_left_out_of_every_mean():
    marks, (pair,) = merged(told(r1="na yes", r2="no unsure"))
    assert ("r1", "c1") not in marks
    assert marks["r1", ""].value == 1.0
    assert (pair.probability, pair.strength) == (1.0, 1.0)


def test_verifiers_that_answer_one_criterion_each_are_merged_before_responses_are_compared():
    """Each alone would be a vote of one to one; by weight the second criterion decides."""
    _, (pair,) = merged(told(r1="yes -", r2="no -"), told(r1="- no", r2="- yes"))
    assert pair == Pair("r1", "r2", 0.0, -0.5, 1.0, n_raters=2, voters=(0, 1))


def test_merged_scores_that_are_equal_are_a_tie_of_all_who_answered():
    _, (pair,) = merged(told(r1="yes -", r2="yes -"), told(r1="- no", r2="- no"))
    assert (pair.probability, pair.strength, pair.n_raters, pair.n_ties) == (0.5, 0.0, 2, 2)


def test_agreement_of_a_merged_pair_comes_from_the_criteria():
    _, (pair,) = merged(told(r1="yes -", r2="no -"), told(r1="no yes", r2="no yes"))
    assert pair.agreement == pytest.approx(((0.5 * 1 + 1.0 * 3) / 4 + 1.0) / 2)


def test_weights_of_raters_count_and_weight_zero_does_not():
    marks, (pair,) = merged(
        told(3.0, r1="yes yes", r2="no no"), told(1.0, r1="no no", r2="yes yes"), told(0.0, r1="no -", r2="- -")
    )
    assert marks["r1", ""] == Mark("r1", 0.75, 0.75, 2)
    assert (pair.probability, pair.n_raters) == (0.75, 2)


def test_a_response_nobody_could_judge_has_no_mark_and_no_pair():
    marks, pairs = merged(told(r1="yes yes", r2="na unsure"))
    assert {response for response, _ in marks} == {"r1"}
    assert pairs == ()
    assert merged() == ({}, ())


def test_raters_who_could_tell_only_different_responses_make_no_vote():
    _, pairs = merged(told(r1="yes yes", r2="na na"), told(r1="na na", r2="yes no"))
    assert pairs == ()


def test_every_two_of_three_responses_are_compared_in_stored_order():
    _, pairs = merged(told(r3="no no", r1="yes no", r2="yes yes"), responses=("r1", "r2", "r3"))
    assert [(p.first, p.second, p.probability) for p in pairs] == [
        ("r1", "r2", 0.0),
        ("r1", "r3", 1.0),
        ("r2", "r3", 1.0),
    ]


def test_criteria_that_are_no_longer_asked_do_not_count():
    stale = ToldVerdicts({("r1", "old"): "yes", ("r1", "c1"): "no"})
    marks, _ = merged(stale)
    assert set(marks) == {("r1", "c1"), ("r1", "")}
