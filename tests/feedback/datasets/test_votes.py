from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.datasets.counts import CountsDisagree, Tally
from feedback.datasets.naming import RaterIdentity, TaskNames, pseudonyms
from feedback.datasets.selection import (
    Selection,
    SelectionInvalid,
    Split,
    dump_selection,
    place_of,
    read_selection,
)
from feedback.datasets.votes import EXPORTED, REASONS, TaskVotes, Told, weigh
from feedback.questions.content import read_content
from feedback.questions.form import read_form

CAMPAIGN = "6a1f1d1e-0000-4000-8000-000000000001"
FORM = read_form(
    [
        {
            "key": "better",
            "kind": "pairwise",
            "title": "?",
            "settings": {"points": 5, "allow_both_bad": True, "allow_cannot_tell": True},
        },
        {"key": "rules", "kind": "checklist", "title": "?", "settings": {"criteria": [{"key": "a", "text": "a"}]}},
    ]
)
PAIR = read_content({"prompt": "Why?", "responses": ["one", "two"]})
FIRST = {"verdict": "prefer", "preferred": "r1", "strength": 2}
SECOND = {"verdict": "prefer", "preferred": "r2", "strength": 1}
TIE, BOTH_BAD, CANNOT = {"verdict": "tie"}, {"verdict": "both_bad"}, {"verdict": "cannot_tell"}


def selection(**fields):
    return Selection(campaigns=(CAMPAIGN,), **fields)


def told(number, value, key="better", weight=1.0):
    question = next(question for question in FORM if question.key == key)
    return Told(f"rater-{number}", "annotator", weight, {key: question.kind.Answer.model_validate(value)})


def task(*answers, content=PAIR, weights=()):
    given = [
        told(n, value, weight=weight)
        for n, (value, weight) in enumerate(zip(answers, weights or [1.0] * len(answers), strict=True), 1)
    ]
    return TaskVotes("t", "h", content, FORM, tuple(given))


def probability(weighed):
    (comparison,) = weighed.comparisons
    return comparison.probability


def test_a_tie_counts_one_half_unless_it_is_dropped():
    votes = task(FIRST, FIRST, TIE)
    assert probability(weigh(votes, selection())) == pytest.approx(5 / 6)
    assert probability(weigh(votes, selection(ties="drop"))) == pytest.approx(5 / 6)
    only_sides = weigh(votes, selection(ties="drop_votes"))
    assert probability(only_sides) == 1.0
    assert only_sides.fates == [EXPORTED, EXPORTED, "tie_vote"]


@pytest.mark.parametrize("answers", [(TIE, TIE, FIRST), (FIRST, SECOND), (TIE,)])
def test_a_pair_whose_verdict_is_neither_is_left_out_by_the_drop_policy(answers):
    weighed = weigh(task(*answers), selection(ties="drop"))
    assert weighed.comparisons == []
    assert weighed.fates == ["tie"] * len(answers)
    assert weigh(task(*answers), selection()).fates == [EXPORTED] * len(answers)


def test_a_tie_that_is_not_the_commonest_verdict_does_not_drop_its_pair():
    for answers in ((TIE, FIRST), (TIE, FIRST, FIRST), (FIRST, FIRST, SECOND)):
        assert weigh(task(*answers), selection(ties="drop")).comparisons


def test_weights_decide_which_verdict_is_the_commonest():
    heavy_tie = task(TIE, FIRST, weights=[3.0, 1.0])
    assert weigh(heavy_tie, selection(ties="drop")).fates == ["tie", "tie"]
    light_ties = task(TIE, TIE, FIRST, weights=[0.2, 0.2, 1.0])
    assert weigh(light_ties, selection(ties="drop")).comparisons


def test_both_bad_has_a_policy_of_its_own():
    votes = task(BOTH_BAD, BOTH_BAD, TIE)
    assert weigh(votes, selection(both_bad="drop")).fates == ["both_bad"] * 3
    assert weigh(votes, selection(ties="drop")).comparisons
    assert weigh(votes, selection(both_bad="drop_votes")).fates == ["both_bad_vote", "both_bad_vote", EXPORTED]


def test_who_cannot_tell_or_weighs_nothing_or_did_not_answer_is_counted_apart():
    votes = task(FIRST, CANNOT, SECOND, weights=[1.0, 1.0, 0.0])
    silent = TaskVotes("t", "h", PAIR, FORM, (*votes.told, Told("rater-9", "judge", 1.0, {})))
    assert weigh(silent, selection()).fates == [EXPORTED, "cannot_tell", "no_weight", "no_answer"]


def test_a_pair_of_identical_responses_or_of_too_few_raters_is_left_out():
    same = read_content({"prompt": "Why?", "responses": ["one", "one"]})
    assert weigh(task(FIRST, content=same), selection()).fates == ["identical_responses"]
    assert weigh(task(FIRST), selection(min_raters=2)).fates == ["too_few_raters"]
    assert weigh(task(FIRST, FIRST), selection(min_raters=2)).fates == [EXPORTED] * 2


def test_the_margin_is_the_mean_strength_and_the_weight_one_or_the_votes():
    (comparison,) = weigh(task(FIRST, SECOND, FIRST), selection()).comparisons
    assert (comparison.margin, comparison.weight, comparison.votes) == (pytest.approx(1.0), 1.0, 3)
    (comparison,) = weigh(task(FIRST, SECOND, FIRST), selection(weights="votes")).comparisons
    assert comparison.weight == 3.0


def test_a_checklist_gives_ratings_and_pairs():
    content = read_content({"prompt": "Why?", "responses": ["one", "two", "three"]})
    yes, no = {"a": {"verdict": "yes"}}, {"a": {"verdict": "no"}}
    given = told(1, {"verdicts": {"r1": yes, "r2": no, "r3": no}}, key="rules")
    weighed = weigh(TaskVotes("t", "h", content, FORM, (given,)), selection(ties="drop"))
    assert [(c.first, c.second, c.probability) for c in weighed.comparisons] == [(0, 1, 1.0), (0, 2, 1.0)]
    assert weighed.pairs == Counter({EXPORTED: 2, "tie": 1})
    assert {(r.response, r.attribute, r.value) for r in weighed.ratings if r.attribute == "rules"} == {
        (0, "rules", 1.0),
        (1, "rules", 0.0),
        (2, "rules", 0.0),
    }
    assert weighed.fates == [EXPORTED]


ANSWERS = st.lists(st.sampled_from([FIRST, SECOND, TIE, BOTH_BAD, CANNOT]), max_size=6)
POLICY = st.sampled_from(["half", "drop", "drop_votes"])


@given(ANSWERS, POLICY, POLICY, st.integers(1, 3))
def test_every_judgement_has_exactly_one_fate(answers, ties, both_bad, min_raters):
    weighed = weigh(task(*answers), selection(ties=ties, both_bad=both_bad, min_raters=min_raters))
    assert len(weighed.fates) == len(answers)
    assert set(weighed.fates) <= {EXPORTED, *REASONS}
    assert (EXPORTED in weighed.fates) == bool(weighed.comparisons)
    assert len(weighed.votes) == weighed.fates.count(EXPORTED)
    for comparison in weighed.comparisons:
        assert comparison.votes == weighed.fates.count(EXPORTED)


def test_counts_that_do_not_add_up_are_refused():
    tally = Tally()
    tally.task(weigh(task(FIRST, TIE), selection()), ["surplus"])
    assert tally.counts(3, {})["dropped"] == {"surplus": 1}
    with pytest.raises(CountsDisagree):
        tally.counts(4, {})


@given(st.text(max_size=20), st.text(min_size=1, max_size=20), st.floats(0, 0.9))
def test_a_prompt_is_always_on_the_same_side(salt, prompt_hash, fraction):
    split = Split(selection(salt=salt, test_fraction=fraction))
    assert split(prompt_hash) == split(prompt_hash)
    if split(prompt_hash) == "test":
        assert Split(selection(salt=salt, test_fraction=0.9))(prompt_hash) == "test"


def test_the_split_keeps_its_share_and_small_data_keeps_a_test_side():
    hashes = [str(n) for n in range(5000)]
    split = Split(selection(test_fraction=0.2))
    assert 0.18 < sum(split(hash) == "test" for hash in hashes) / 5000 < 0.22
    few = [hash for hash in hashes if place_of("", hash) > 0.5][:3]
    lowest = min(place_of("", hash) for hash in few)
    assert [Split(selection(), lowest=lowest)(hash) for hash in few].count("test") == 1
    assert {Split(selection(test_fraction=0.0), lowest=lowest)(hash) for hash in few} == {"train"}


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ({"campaigns": []}, "campaigns"),
        ({"campaigns": ["not an id"]}, "campaigns"),
        ({}, "campaigns"),
        ({"campaigns": [CAMPAIGN], "ties": "maybe"}, "ties"),
        ({"campaigns": [CAMPAIGN], "min_raters": 0}, "min_raters"),
        ({"campaigns": [CAMPAIGN], "test_fraction": 0.95}, "test_fraction"),
        ({"campaigns": [CAMPAIGN], "test_fraction": float("nan")}, "test_fraction"),
        ({"campaigns": [CAMPAIGN], "rater_kinds": ["cat"]}, "rater_kinds"),
        ({"campaigns": [CAMPAIGN], "licence": "a\nb"}, "licence"),
        ({"campaigns": [CAMPAIGN], "unknown": 1}, "unknown"),
    ],
)
def test_a_selection_that_is_wrong_names_its_field(raw, field):
    with pytest.raises(SelectionInvalid) as caught:
        read_selection(raw)
    assert list(caught.value.errors) == [field]


def test_equal_selections_are_stored_equally():
    other = CAMPAIGN.replace("1", "2")
    one = read_selection({"campaigns": [CAMPAIGN, other, other], "rater_kinds": ["judge", "annotator"]})
    two = read_selection({"campaigns": [other, CAMPAIGN], "rater_kinds": ["annotator", "judge"]})
    assert dump_selection(one) == dump_selection(two)


def test_pseudonyms_depend_on_who_not_on_the_row_and_hide_the_name():
    def person(name, uid):
        return RaterIdentity("annotator", uid, name, "")

    one = pseudonyms({1: person("alice", "x"), 2: person("bob", "y"), 3: person("carol", "z")}, "salt")
    two = pseudonyms({9: person("carol", "p"), 8: person("alice", "q"), 7: person("bob", "r")}, "salt")
    assert (one[1], one[2], one[3]) == (two[8], two[7], two[9])
    assert sorted(one.values()) == ["rater-1", "rater-2", "rater-3"]


def test_ids_are_unique_even_where_campaigns_use_one_twice():
    names = TaskNames()
    given = [names.name("t1", "aaaaaaaaaa"), names.name("t1", "bbbbbbbbbb"), names.name("t1", "bbbbbbbbbb")]
    assert given == ["t1", "t1~bbbbbbbb", "t1~bbbbbbbb~2"]
    assert names.name("", "c" * 64) == "c" * 20
