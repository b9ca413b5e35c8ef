import pytest
from pydantic import ValidationError

from feedback.questions.base import Content, Message, Pair, Response
from feedback.questions.form import AnswersInvalid, parse_fields, read_answers, read_form
from feedback.questions.pairwise import Pairwise, PairwiseAnswer, PairwiseSettings

KIND = Pairwise()
CONTENT = Content((Message("user", "Which?"),), (Response("r1", "one"), Response("r2", "two")))


def answer(verdict="prefer", preferred=None, strength=None):
    return PairwiseAnswer(verdict=verdict, preferred=preferred, strength=strength)


def paths(given, **settings):
    return [problem.path for problem in KIND.check(given, PairwiseSettings(**settings), CONTENT)]


@pytest.mark.parametrize(
    ("points", "values"),
    [
        (2, ["prefer:1:r2", "prefer:1:r1", "cannot_tell"]),
        (3, ["prefer:1:r2", "tie", "prefer:1:r1", "cannot_tell"]),
        (5, ["prefer:2:r2", "prefer:1:r2", "tie", "prefer:1:r1", "prefer:2:r1", "cannot_tell"]),
    ],
)
def test_the_screen_offers_the_scale_from_left_to_right_in_display_order(points, values):
    assert [c.value for c in KIND.choices(PairwiseSettings(points=points), ["r2", "r1"])] == values


def test_seven_points_have_three_strengths_with_their_labels():
    settings = PairwiseSettings(points=7, strength_labels=["slightly", "better", "much"], allow_cannot_tell=False)
    labels = [(c.strength, c.label) for c in KIND.choices(settings, ["r1", "r2"])]
    assert labels == [(3, "much"), (2, "better"), (1, "slightly"), (0, ""), (1, "slightly"), (2, "better"), (3, "much")]


@pytest.mark.parametrize(
    "chosen",
    [
        {"points": 4},
        {"points": 2, "allow_tie": True},
        {"points": 7, "strength_labels": ["one"]},
        {"allow_tie": "yes"},
        {"colour": "red"},
    ],
)
def test_settings_that_contradict_themselves_are_refused(chosen):
    with pytest.raises(ValidationError):
        PairwiseSettings.model_validate(chosen)


def test_a_preference_without_grade_is_complete_on_a_plain_scale_only():
    assert paths(answer(preferred="r1"), points=3) == []
    assert paths(answer(preferred="r1"), points=5) == [("strength",)]
    assert paths(answer(preferred="r1", strength=2), points=5) == []
    assert paths(answer(preferred="r1", strength=3), points=5) == [("strength",)]
    assert paths(answer(preferred="r1", strength=0), points=5) == [("strength",)]


def test_an_unknown_or_missing_response_is_refused_at_its_field():
    assert paths(answer(preferred="r9")) == [("preferred",)]
    assert paths(answer()) == [("preferred",)]


@pytest.mark.parametrize(
    ("verdict", "chosen"),
    [
        ("tie", {"points": 2}),
        ("tie", {"allow_tie": False}),
        ("both_bad", {}),
        ("cannot_tell", {"allow_cannot_tell": False}),
    ],
)
def test_a_verdict_that_is_switched_off_is_refused(verdict, chosen):
    assert paths(answer(verdict), **chosen) == [("verdict",)]


def test_a_tie_names_no_response_and_no_strength():
    assert paths(answer("tie", preferred="r1", strength=1)) == [("preferred",), ("strength",)]


@pytest.mark.parametrize("raw", [{"verdict": "purple"}, {}, {"verdict": "prefer", "preferred": "r1", "strength": "2"}])
def test_values_outside_the_schema_are_not_coerced(raw):
    with pytest.raises(ValidationError):
        PairwiseAnswer.model_validate(raw)


def test_the_question_needs_exactly_two_responses():
    three = Content(CONTENT.prompt, (*CONTENT.responses, Response("r3", "three")))
    assert KIND.check_content(PairwiseSettings(), CONTENT) == []
    assert [p.path for p in KIND.check_content(PairwiseSettings(), three)] == [("responses",)]


def form(**settings):
    return read_form([{"key": "better", "kind": "pairwise", "title": "Which is better?", "settings": settings}])


def posted(fields, **settings):
    questions = form(**settings)
    return read_answers(questions, CONTENT, parse_fields(questions, CONTENT, fields))


def test_a_post_of_the_radio_group_is_stored_by_response_id():
    assert posted({"q.better.verdict": ["prefer:3:r2"]}, points=7) == {
        "better": {"state": "answered", "value": {"verdict": "prefer", "preferred": "r2", "strength": 3}}
    }
    assert posted({"q.better.verdict": ["prefer:1:r2"]})["better"]["value"] == {"verdict": "prefer", "preferred": "r2"}
    assert posted({"q.better.verdict": ["tie"]})["better"]["value"] == {"verdict": "tie"}


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({}, ("better",)),
        ({"q.better.verdict": [""]}, ("better",)),
        ({"q.better.verdict": ["purple"]}, ("better", "verdict")),
        ({"q.better.verdict": ["prefer:1:r9"]}, ("better", "verdict")),
        ({"q.better.verdict": ["prefer:2:r1"]}, ("better", "verdict")),
        ({"q.better.verdict": ["prefer:1:r1", "tie"]}, ("better", "verdict")),
        ({"q.better.verdict": ["both_bad"]}, ("better", "verdict")),
        ({"q.better.verdict": ["tie"], "q.better.reason": ["typed"]}, ("better", "reason")),
    ],
)
def test_a_post_that_is_no_answer_is_refused_at_its_field(fields, path):
    with pytest.raises(AnswersInvalid) as caught:
        posted(fields)
    assert [problem.path for problem in caught.value.problems] == [path]


def test_a_judge_is_asked_for_slots_and_what_is_on_offer():
    plain = KIND.json_schema(PairwiseSettings(allow_both_bad=True), CONTENT, ["A", "B"])
    assert plain["properties"] == {"verdict": {"type": "string", "enum": ["A", "B", "tie", "both_bad", "cannot_tell"]}}
    graded = KIND.json_schema(PairwiseSettings(points=5), CONTENT, ["A", "B"])
    assert graded["properties"]["strength"]["enum"] == [1, 2, None]
    assert graded["required"] == ["verdict", "strength"]


@pytest.mark.parametrize(
    "reply",
    [
        {"verdict": "C"},
        {"verdict": "r1"},
        {"verdict": "prefer", "preferred": "r1"},
        {"verdict": None},
        {"verdict": ["A"]},
        {},
    ],
)
def test_a_judge_who_names_no_slot_gives_no_valid_answer(reply):
    with pytest.raises(AnswersInvalid):
        read_answers(form(), CONTENT, {"better": KIND.from_slots(reply, {"A": "r2", "B": "r1"})})


def test_null_strength_of_a_judges_tie_is_no_strength():
    raw = KIND.from_slots({"verdict": "tie", "strength": None}, {"A": "r2", "B": "r1"})
    assert read_answers(form(points=5), CONTENT, {"better": raw})["better"]["value"] == {"verdict": "tie"}


def test_code_is_in_stored_order_and_cannot_tell_is_missing():
    coded = [KIND.code(a, CONTENT) for a in (answer(preferred="r1"), answer(preferred="r2"), answer("tie"))]
    assert coded == [{"": 1}, {"": 2}, {"": 0}]
    assert KIND.code(answer("both_bad"), CONTENT) == {"": 0}
    assert KIND.code(answer("cannot_tell"), CONTENT) == {}


def consensus(answers, weights=None):
    return KIND.consensus(answers, weights or [1.0] * len(answers), PairwiseSettings(points=7), CONTENT).pairs


def test_votes_become_a_probability_a_strength_and_an_agreement():
    given = [answer(preferred="r1", strength=3), answer(preferred="r1", strength=1), answer("tie"), answer("both_bad")]
    assert consensus(given) == (
        Pair("r1", "r2", 0.75, 1.0, 0.5, n_raters=4, n_ties=1, n_both_bad=1, voters=(0, 1, 2, 3), neither=0.5),
    )


def test_weights_count_and_a_weight_of_zero_does_not():
    given = [answer(preferred="r1"), answer(preferred="r2"), answer(preferred="r2")]
    (pair,) = consensus(given, [3.0, 1.0, 0.0])
    assert (pair.probability, pair.strength, pair.agreement, pair.n_raters) == (0.75, 0.5, 0.75, 2)


def test_no_vote_is_no_preference():
    assert consensus([answer("cannot_tell")]) == ()
    assert consensus([answer(preferred="r1")], [0.0]) == ()
    (pair,) = consensus([answer("cannot_tell"), answer(preferred="r2")])
    assert (pair.probability, pair.n_raters, pair.voters) == (0.0, 1, (1,))
