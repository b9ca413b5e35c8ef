"""Ranking, rating, critique and steps: what is refused, with which words, and what several raters amount to."""

import pytest
from pydantic import ValidationError

from feedback.questions.base import Content, Message, Response
from feedback.questions.critique import KIND as CRITIQUE
from feedback.questions.critique import CritiqueSettings
from feedback.questions.form import AnswersInvalid, read_answers, read_form
from feedback.questions.ranking import KIND as RANKING
from feedback.questions.ranking import RankingAnswer, RankingSettings
from feedback.questions.rating import KIND as RATING
from feedback.questions.rating import RatingAnswer, RatingSettings
from feedback.questions.steps import KIND as STEPS
from feedback.questions.steps import StepsAnswer, StepsSettings, steps_of

TEXT = "Ein Satz.\r\n\r\nNoch 😀 einer."
CONTENT = Content((Message("user", "?"),), (Response("r1", TEXT), Response("r2", "Anders.\n\nDoch.")))
GOOD = {"attributes": [{"key": "good", "text": "Good"}]}


def refused(kind, settings, raw):
    questions = read_form([{"key": "q", "kind": kind, "title": "T", "settings": settings}])
    with pytest.raises(AnswersInvalid) as caught:
        read_answers(questions, CONTENT, {"q": raw})
    return {".".join(problem.path[1:]): problem.message for problem in caught.value.problems}


def rank(*groups):
    return RankingAnswer(groups=[list(group) for group in groups])


def test_a_ranking_is_every_pair_of_it():
    answers = [rank(["r1"], ["r2"]), rank(["r1"], ["r2"]), rank(["r1", "r2"]), rank(["r2"], ["r1"])]
    (pair,) = RANKING.consensus(answers, [1.0] * 4, RankingSettings(), CONTENT).pairs
    assert (pair.first, pair.second, pair.n_raters, pair.n_ties) == ("r1", "r2", 4, 1)
    assert pair.probability == pytest.approx((1 + 1 + 0.5 + 0) / 4)
    assert pair.strength == pytest.approx(1 / 4)
    assert RANKING.code(answers[0], CONTENT) == {"r1|r2": 1}
    assert RANKING.distance(1, -1) == 4 * RANKING.distance(1, 0)


def test_who_cannot_tell_ranks_nothing():
    unsure = RankingAnswer(groups=[], cannot_tell=True)
    assert RANKING.check(unsure, RankingSettings(), CONTENT) == []
    assert RANKING.consensus([unsure], [1.0], RankingSettings(), CONTENT).pairs == ()
    assert RANKING.code(unsure, CONTENT) == {}
    assert refused("ranking", {"allow_cannot_tell": False}, {"groups": [], "cannot_tell": True}) == {
        "cannot_tell": "This question wants a ranking."
    }


def test_an_unfinished_or_contradictory_ranking_is_refused_response_by_response():
    assert refused("ranking", {}, {"groups": [["r1"]]}) == {"r2.rank": "Give it a place."}
    assert refused("ranking", {}, {"groups": [["r1", "r2"], ["r1"]]}) == {"r1.rank": "Is ranked twice."}
    assert set(refused("ranking", {"allow_ties": False}, {"groups": [["r1", "r2"]]})) == {"r1.rank", "r2.rank"}
    assert refused("ranking", {}, {"groups": [["r1"], ["r2"], ["r7"]]}) == {
        "r7.rank": "This task has no such response."
    }


def test_scores_become_means_and_each_rater_votes_by_the_difference():
    scores = [
        {"r1": {"good": 5}, "r2": {"good": 4}},
        {"r1": {"good": 2}, "r2": {"good": 1}},
        {"r1": {"good": 1}, "r2": {"good": 5}},
    ]
    answers = [RatingAnswer(scores=each) for each in scores]
    merged = RATING.consensus(answers, [1.0, 1.0, 2.0], RatingSettings(**GOOD), CONTENT)
    marks = {mark.response: mark for mark in merged.marks}
    assert marks["r1"].value == pytest.approx((5 + 2 + 1 * 2) / 4)
    assert marks["r1"].aspect == "good"
    (pair,) = merged.pairs
    assert (pair.probability, pair.strength, pair.aspect) == (0.5, pytest.approx((1 + 1 - 4 * 2) / 4), "good")
    assert RATING.distance(1, 4) == 9


def test_na_is_left_out_of_means_and_agreement():
    settings = RatingSettings(**GOOD, allow_na=True)
    answers = [RatingAnswer(scores={"r1": {"good": "na"}, "r2": {"good": 3}})]
    assert RATING.check(answers[0], settings, CONTENT) == []
    assert [mark.response for mark in RATING.consensus(answers, [1.0], settings, CONTENT).marks] == ["r2"]
    assert RATING.code(answers[0], CONTENT) == {"r2.good": 3}


@pytest.mark.parametrize(
    ("chosen", "score", "message"),
    [
        (GOOD, 6, "Must be a whole number from 1 to 5."),
        (GOOD, "na", "This question does not offer “na”."),
        ({**GOOD, "scale": "thumbs"}, 2, "Must be a whole number from 0 to 1."),
        ({**GOOD, "scale": "slider", "low": 0, "high": 100}, -1, "Must be a whole number from 0 to 100."),
        (GOOD, 3.5, "Must be a whole number of the scale, or “na”."),
        (GOOD, "3", "Must be a whole number of the scale, or “na”."),
        (GOOD, True, "Must be a whole number of the scale, or “na”."),
    ],
)
def test_a_score_off_the_scale_is_refused_where_it_stands(chosen, score, message):
    assert refused("rating", chosen, {"scores": {"r1": {"good": score}, "r2": {"good": 1}}}) == {"r1.good": message}


def test_the_tenth_point_is_stored_as_ten_whatever_key_presses_it():
    settings = RatingSettings(**GOOD, low=1, high=10)
    raw = RATING.parse({"r1.good": ["10"], "r2.good": ["1"]}, settings, CONTENT)
    assert raw == {"scores": {"r1": {"good": 10}, "r2": {"good": 1}}}


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {**GOOD, "low": 5, "high": 5},
        {**GOOD, "low": 0, "high": 11},
        {**GOOD, "anchors": {"9": "far"}},
        {"attributes": [{"key": "a", "text": "A"}, {"key": "a", "text": "B"}]},
    ],
)
def test_a_scale_that_cannot_be_is_refused(chosen):
    with pytest.raises(ValidationError):
        RatingSettings.model_validate(chosen)


SPANS = {"text": "off", "spans": "optional", "categories": [{"key": "bad", "text": "Bad"}]}


def marked(**span):
    return {"responses": {"r1": {"spans": [{"category": "bad", **span}]}, "r2": {"nothing": True}}}


@pytest.mark.parametrize(
    ("span", "words"),
    [
        ({"start": 0, "end": 3, "quote": "Eins"}, "its quote is not what stands there"),
        ({"start": 0, "end": 999, "quote": "Ein"}, "runs from 0 to 999"),
        ({"start": 9, "end": 11, "quote": "\r\n"}, "nothing but space"),
        ({"start": 0, "end": 3, "quote": "Ein", "category": "new"}, "its category is none"),
        ({"start": 0, "end": 3, "quote": "Ein", "severity": "minor"}, "its severity is none"),
        ({"start": 0, "end": 3, "quote": "Ein", "note": "a\x00b"}, "cannot be stored"),
        ({"quote": "nirgends"}, "does not occur in the response"),
    ],
)
def test_a_mark_that_does_not_fit_the_text_is_refused_and_named(span, words):
    assert f"{words}" in refused("critique", SPANS, marked(**span))["r1.spans"]


def test_offsets_count_code_points_of_the_text_as_stored():
    at = TEXT.index("😀")
    raw = marked(start=at, end=at + 1, quote="😀")
    questions = read_form([{"key": "q", "kind": "critique", "title": "T", "settings": SPANS}])
    assert read_answers(questions, CONTENT, {"q": raw})["q"]["state"] == "answered"


def test_repeated_quotes_are_found_one_after_the_other():
    content = Content(CONTENT.prompt, (Response("r1", "na na na"),))
    raw = {"responses": {"r1": {"spans": [{"quote": "na"}, {"quote": "na"}, {"quote": "na"}]}}}
    spans = CRITIQUE.complete(raw, CritiqueSettings(spans="optional"), content)["responses"]["r1"]["spans"]
    assert [(span["start"], span["end"]) for span in spans] == [(0, 2), (3, 5), (6, 8)]


def test_untouched_is_not_the_same_as_nothing_to_mark():
    assert set(refused("critique", SPANS, {"responses": {"r1": {"nothing": True}}})) == {"r2.spans"}
    contradiction = marked(start=0, end=3, quote="Ein")
    contradiction["responses"]["r1"]["nothing"] = True
    assert set(refused("critique", SPANS, contradiction)) == {"r1.nothing"}


def test_a_revision_that_changes_nothing_is_none():
    settings = {"text": "off", "revision": "required"}
    raw = {"responses": {"r1": {"revision": TEXT + " "}, "r2": {"revision": "Neu."}}}
    assert set(refused("critique", settings, raw)) == {"r1.revision"}


def test_texts_have_no_mean():
    assert CRITIQUE.consensus([], [], CritiqueSettings(), CONTENT) is None


def test_steps_are_split_at_blank_lines_and_fences_stay_whole():
    assert steps_of(Response("r", "a\nb\n\n\n```\nc\n\nd\n```\n\ne")) == ("a\nb", "```\nc\n\nd\n```", "e")
    assert steps_of(Response("r", "whole", steps=("x", "y"))) == ("x", "y")


def test_step_labels_become_shares_and_an_outcome():
    answers = [StepsAnswer(labels={"r1": ["correct", "wrong"]}), StepsAnswer(labels={"r1": ["correct", "neutral"]})]
    merged = STEPS.consensus(answers, [1.0, 3.0], StepsSettings(), CONTENT)
    marks = {mark.aspect: mark for mark in merged.marks}
    assert marks["0"].value == 1.0
    assert marks["1"].value == pytest.approx(0.5 * 3 / 4)
    assert marks[""].value == pytest.approx(3 / 4)
    assert marks["1"].agreement == pytest.approx(3 / 4)


def test_nothing_is_said_about_steps_after_the_first_wrong_one():
    each = {"labels": {"r1": ["correct"], "r2": ["correct", "correct"]}}
    assert refused("steps", {}, each) == {"r1.1": "Label this step."}
    after = {"labels": {"r1": ["wrong", "correct"], "r2": ["correct", "correct"]}}
    assert set(refused("steps", {"mode": "first_error"}, after)) == {"r1.first_error"}
    early = {"labels": {"r1": ["correct"], "r2": ["wrong"]}}
    assert set(refused("steps", {"mode": "first_error"}, early)) == {"r1.first_error"}
    assert STEPS.code(StepsAnswer(labels={"r1": ["correct", "wrong"]}), CONTENT) == {"r1.0": "correct", "r1.1": "wrong"}
