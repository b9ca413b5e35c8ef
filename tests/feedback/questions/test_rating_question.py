"""Ratings: the value stored is the button's, whatever key presses it; nothing is scored before somebody scores it."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.consensus.agreement import krippendorff_alpha
from feedback.questions.base import Content, Message, Response
from feedback.questions.controls import Display
from feedback.questions.form import AnswersInvalid, parse_fields, read_answers, read_form
from feedback.questions.rating import KIND, RatingAnswer, RatingSettings

CONTENT = Content((Message("user", "?"),), (Response("r1", "one"), Response("r2", "two")))
GOOD = {"attributes": [{"key": "good", "text": "Good"}]}
TWO = {"attributes": [{"key": "good", "text": "Good"}, {"key": "true", "text": "True", "help": "No errors."}]}
SLIDER = {**GOOD, "scale": "slider", "low": 0, "high": 100}


def form(required=True, **settings):
    spec = {"key": "q", "kind": "rating", "title": "Rate.", "required": required, "settings": {**TWO, **settings}}
    return read_form([spec])


def posted(fields, **options):
    questions = form(**options)
    raw = parse_fields(questions, CONTENT, {f"q.q.{name}": values for name, values in fields.items()})
    return read_answers(questions, CONTENT, raw)["q"]


def rows(shown=("r1", "r2"), held=(), **settings):
    read = RatingSettings.model_validate({**TWO, **settings})
    return KIND.controls(read, Display("q", CONTENT, shown, dict(held))).by_response


def options(**settings):
    return [(option.key, option.value) for option in rows(**settings)["r1"][0].options]


POST = {"r1.good": ["5"], "r1.true": ["1"], "r2.good": ["na"], "r2.true": ["3"]}


def test_a_post_is_stored_by_response_and_attribute():
    assert posted(POST, allow_na=True) == {
        "state": "answered",
        "value": {"scores": {"r1": {"good": 5, "true": 1}, "r2": {"good": "na", "true": 3}}},
    }


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"r1.good": []}, "q.r1.good"),
        ({"r2.true": ["  "]}, "q.r2.true"),
        ({"r2.true": ["6"]}, "q.r2.true"),
        ({"r2.true": ["2.5"]}, "q.r2.true"),
        ({"r2.true": ["good"]}, "q.r2.true"),
        ({"r2.true": ["1", "2"]}, "q.r2.true"),
        ({"r2.true": ["9" * 30]}, "q.r2.true"),
        ({"r2.other": ["1"]}, "q.r2.other"),
        ({"r3.good": ["1"]}, "q.r3.good"),
    ],
)
def test_a_post_that_is_wrong_somewhere_says_where_by_field_name(change, path):
    with pytest.raises(AnswersInvalid) as caught:
        posted({**POST, **change}, allow_na=True)
    assert [".".join(problem.path) for problem in caught.value.problems] == [path]


def test_an_untouched_slider_is_no_answer():
    with pytest.raises(AnswersInvalid):
        posted({"r1.good": [""], "r2.good": [""]}, **SLIDER)
    assert posted({"r1.good": [""]}, required=False, **SLIDER) == {"state": "skipped"}
    assert [row.value for each in rows(**SLIDER).values() for row in each] == ["", ""]
    beside = posted({"r1.good": ["", "na"], "r2.good": ["7"]}, allow_na=True, **SLIDER)
    assert beside["value"] == {"scores": {"r1": {"good": "na"}, "r2": {"good": 7}}}
    assert rows(held={"r1.good": ["0"]}, **SLIDER)["r1"][0].value == "0"


@pytest.mark.parametrize(
    ("scale", "keys", "values"),
    [
        ({"low": 1, "high": 5}, "12345", range(1, 6)),
        ({"low": 0, "high": 4}, "01234", range(5)),
        ({"low": 1, "high": 10}, "1234567890", range(1, 11)),
        ({"low": 0, "high": 10}, [*"1234567890", ""], range(11)),
        ({"low": -3, "high": 3}, "1234567", range(-3, 4)),
        ({"scale": "thumbs"}, "12", (1, 0)),
    ],
)
def test_a_key_never_is_the_value(scale, keys, values):
    """The key is the number on the button where every button has one digit, else the button's position."""
    assert options(**scale) == list(zip(keys, map(str, values), strict=True))
    for value in map(str, values):
        stored = posted({"r1.good": [value], "r2.good": [value]}, **GOOD, **scale)
        assert stored["value"]["scores"]["r1"]["good"] == int(value)


def test_na_has_a_key_of_its_own_beside_a_scale_or_a_slider():
    assert options(allow_na=True)[-1] == ("a", "na")
    assert [option.value for option in rows(allow_na=True, **SLIDER)["r1"][0].options] == ["na"]


def test_anchors_stand_at_the_ends_and_name_their_buttons():
    shared = rows(anchors={"1": "bad", "3": "so-so", "5": "great"})["r2"][1]
    assert shared.ends == ("bad", "great")
    assert [option.side for option in shared.options] == ["bad", "", "so-so", "", "great"]
    own = {"attributes": [{"key": "good", "text": "Good", "anchors": {"1": "useless"}}], "anchors": {"5": "great"}}
    assert rows(**own)["r1"][0].ends == ("useless", "")


SCALES = st.one_of(
    st.tuples(st.integers(-5, 5), st.integers(1, 10)).map(lambda ends: {"low": ends[0], "high": sum(ends)}),
    st.just({"scale": "thumbs"}),
    st.tuples(st.integers(-50, 50), st.integers(1, 1000)).map(
        lambda ends: {"scale": "slider", "low": ends[0], "high": sum(ends)}
    ),
)


@st.composite
def rated(draw):
    settings = RatingSettings.model_validate({**TWO, **draw(SCALES), "allow_na": True})
    score = st.one_of(st.sampled_from(settings.span), st.just("na"))
    told = {id: {attribute.key: draw(score) for attribute in settings.attributes} for id in CONTENT.ids}
    return settings, told


@given(rated())
def test_what_the_form_holds_is_the_answer_that_was_given(case):
    settings, told = case
    answer = RatingAnswer(scores=told)
    assert KIND.check(answer, settings, CONTENT) == []
    fields = {name: [value] for name, value in KIND.fields(answer, settings, CONTENT).items()}
    assert KIND.parse(fields, settings, CONTENT) == {"scores": told}


@given(rated())
def test_a_button_pressed_for_a_response_stores_the_same_wherever_it_stands(case):
    settings, told = case
    stored = []
    for shown in (("r1", "r2"), ("r2", "r1")):
        by_response = KIND.controls(settings, Display("q", CONTENT, shown)).by_response
        fields = {row.name: [str(told[id][row.attribute.key])] for id, each in by_response.items() for row in each}
        for id, each in by_response.items():
            for row in each:
                offered = {option.value for option in row.options}
                assert settings.scale == "slider" or str(told[id][row.attribute.key]) in offered
        questions = read_form([{"key": "q", "kind": "rating", "title": "?", "settings": settings.model_dump()}])
        stored.append(read_answers(questions, CONTENT, parse_fields(questions, CONTENT, fields)))
    assert stored[0] == stored[1]
    assert stored[0]["q"]["value"] == {"scores": told}


@given(rated())
def test_a_judge_shown_swapped_slots_gives_the_same_scores(case):
    settings, told = case
    straight = KIND.from_slots({"A": told["r1"], "B": told["r2"]}, {"A": "r1", "B": "r2"})
    swapped = KIND.from_slots({"A": told["r2"], "B": told["r1"]}, {"A": "r2", "B": "r1"})
    assert straight == swapped == {"scores": told}
    schema = KIND.json_schema(settings, CONTENT, ["A", "B"])
    for attribute, score in told["r1"].items():
        assert score in schema["properties"]["A"]["properties"][attribute]["enum"]


@pytest.mark.parametrize(
    "reply", [{"A": {"good": 1}}, {"C": {}}, {"A": 3}, {"r1": {}}, {"A": {"good": "4", "true": 1}}]
)
def test_a_judge_who_names_ids_or_another_shape_gives_no_valid_answer(reply):
    whole = {name: {"good": 1, "true": 2} for name in "AB"}
    raw = KIND.from_slots({**whole, **reply}, {"A": "r1", "B": "r2"})
    with pytest.raises(AnswersInvalid):
        read_answers(form(), CONTENT, {"q": raw})


def alpha_of(*scores):
    coded = [KIND.code(RatingAnswer(scores={"r1": {"good": a}, "r2": {"good": b}}), CONTENT) for a, b in scores]
    units, values = zip(*(pair for each in coded for pair in each.items()), strict=True)
    return krippendorff_alpha(units, values, KIND.distance).alpha


def test_scores_one_apart_disagree_less_than_scores_far_apart():
    assert alpha_of((1, 5), (1, 5)) == 1.0
    assert alpha_of((1, 5), (2, 5)) > alpha_of((1, 5), (4, 5))
    assert alpha_of((1, 5), (2, 4)) == krippendorff_alpha(["a", "b", "a", "b"], [1, 5, 2, 4], "interval").alpha


def test_a_slider_is_counted_in_ten_bins_and_read_out_as_it_was_given():
    settings = RatingSettings.model_validate(SLIDER)
    words = KIND.plot_words(settings, str)["good"]
    sizes = Counter(words.values())
    assert (len(sizes), sum(sizes.values())) == (10, 101)
    assert [words[score] for score in ("0", "9", "10", "99", "100")] == ["0–9", "0–9", "10–19", "90–100", "90–100"]
    assert KIND.tally_words(settings, str)["good"]["37"] == "37"
    assert list(KIND.tally({"scores": {"r1": {"good": 37}}}, ["r1"])) == [("good", "37")]


@given(st.integers(-500, 500), st.integers(1, 1000))
def test_the_bins_of_any_slider_are_at_most_ten_in_order_and_no_wider_than_one_more_than_the_narrowest(low, width):
    settings = RatingSettings.model_validate({**SLIDER, "low": low, "high": low + width})
    words = KIND.plot_words(settings, str)["good"]
    assert list(words) == [str(score) for score in settings.span]
    order = [*dict.fromkeys(words.values())]
    assert len(order) == min(10, width + 1)
    assert [bin for bin, _ in sorted(zip(words.values(), settings.span, strict=True), key=lambda one: one[1])] == list(
        words.values()
    )
    sizes = [Counter(words.values())[bin] for bin in order]
    assert max(sizes[:-1]) - min(sizes[:-1]) <= 1
