"""Rankings: 2 to 16 responses, ties, nothing ranked before somebody ranks it; one answer through every door."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.consensus.agreement import krippendorff_alpha
from feedback.questions.base import Content, Message, Response
from feedback.questions.controls import Display
from feedback.questions.form import AnswersInvalid, parse_fields, read_answers, read_form
from feedback.questions.ranking import KIND, RankingAnswer, RankingSettings

IDS = st.lists(st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9_-]{0,8}\Z"), min_size=2, max_size=16, unique=True)


def content_of(ids):
    return Content((Message("user", "?"),), tuple(Response(id, f"text of {id}") for id in ids))


CONTENT = content_of(["r1", "r2", "r3"])


def form(required=True, **settings):
    spec = {"key": "order", "kind": "ranking", "title": "Rank.", "required": required, "settings": settings}
    return read_form([spec])


def posted(fields, content=CONTENT, **options):
    questions = form(**options)
    raw = parse_fields(questions, content, {f"q.order.{name}": values for name, values in fields.items()})
    return read_answers(questions, content, raw)["order"]


def refused(fields, **options):
    with pytest.raises(AnswersInvalid) as caught:
        posted(fields, **options)
    return [".".join(problem.path) for problem in caught.value.problems]


@st.composite
def ranked(draw):
    """(ids in stored order, ids in display order, groups)."""
    ids = draw(IDS)
    groups = [[]]
    for id in draw(st.permutations(ids)):
        if groups[-1] and draw(st.booleans()):
            groups.append([])
        groups[-1].append(id)
    return ids, draw(st.permutations(ids)), [sorted(group, key=ids.index) for group in groups]


POST = {"r1.rank": ["2"], "r2.rank": ["1"], "r3.rank": ["2"]}


def test_a_post_is_stored_as_groups_best_first():
    assert posted(POST) == {
        "state": "answered",
        "value": {"groups": [["r2"], ["r1", "r3"]], "cannot_tell": False},
    }


def test_gaps_between_the_numbers_close_up():
    assert posted({"r1.rank": ["3"], "r2.rank": ["1"], "r3.rank": ["3"]}) == posted(POST)


@pytest.mark.parametrize(
    ("change", "paths"),
    [
        ({"r2.rank": []}, ["order.r2.rank"]),
        ({"r2.rank": [" "], "r3.rank": []}, ["order.r2.rank", "order.r3.rank"]),
        ({"r2.rank": ["4"]}, ["order.r2.rank"]),
        ({"r2.rank": ["0"]}, ["order.r2.rank"]),
        ({"r2.rank": ["first"]}, ["order.r2.rank"]),
        ({"r2.rank": ["1", "2"]}, ["order.r2.rank"]),
        ({"r4.rank": ["1"]}, ["order.r4.rank"]),
        ({"cannot_tell": ["1"]}, ["order.cannot_tell"]),
        ({"cannot_tell": ["2"]}, ["order.cannot_tell"]),
    ],
)
def test_a_post_that_is_wrong_somewhere_says_where_by_field_name(change, paths):
    assert refused({**POST, **change}) == paths


def test_an_untouched_list_is_no_answer():
    assert refused({"r1.rank": [""]}) == ["order"]
    assert posted({}, required=False) == {"state": "skipped"}
    controls = KIND.controls(RankingSettings(), Display("order", CONTENT, ("r2", "r1", "r3")))
    assert not any(option.checked for row in controls.whole.rows for option in row.options)


def test_a_question_without_ties_refuses_equal_places_at_every_response_that_shares_one():
    assert refused(POST, allow_ties=False) == ["order.r1.rank", "order.r3.rank"]


@pytest.mark.parametrize(("n", "asked"), [(1, False), (2, True), (9, True), (16, True), (17, False)])
def test_two_to_sixteen_responses_can_be_ranked(n, asked):
    problems = KIND.check_content(RankingSettings(), content_of([f"r{at}" for at in range(n)]))
    assert [problem.path for problem in problems] == ([] if asked else [("responses",)])


@given(ranked())
def test_what_the_form_holds_is_the_answer_that_was_given(case):
    ids, _shown, groups = case
    content, settings = content_of(ids), RankingSettings()
    answer = RankingAnswer(groups=groups)
    fields = {name: [value] for name, value in KIND.fields(answer, settings, content).items()}
    assert KIND.check(answer, settings, content) == []
    assert RankingAnswer.model_validate(KIND.parse(fields, settings, content)) == answer


@given(ranked())
def test_the_places_given_on_any_screen_are_stored_the_same(case):
    ids, shown, groups = case
    content, places = content_of(ids), RankingAnswer(groups=groups).places
    stored = []
    for display in (ids, shown):
        rows = KIND.controls(RankingSettings(), Display("order", content, tuple(display))).whole.rows
        assert [row.response for row in rows] == list(display)
        fields = {row.name: [row.options[places[row.response]].value] for row in rows}
        stored.append(read_answers(form(), content, parse_fields(form(), content, fields)))
    assert stored[0] == stored[1]
    assert stored[0]["order"]["value"]["groups"] == groups


@given(ranked(), st.randoms(use_true_random=False))
def test_a_judge_in_other_slots_who_lists_equals_in_another_order_says_the_same(case, random):
    ids, shown, groups = case
    content = content_of(ids)
    stored = []
    for order in (ids, shown):
        slots = {chr(ord("A") + at): id for at, id in enumerate(order)}
        letters = {id: slot for slot, id in slots.items()}
        reply = {"groups": [[letters[id] for id in random.sample(group, len(group))] for group in groups]}
        raw = KIND.from_slots({**reply, "cannot_tell": False}, slots)
        stored.append(read_answers(form(), content, {"order": raw})["order"]["value"]["groups"])
    assert stored == [groups, groups]


@pytest.mark.parametrize(
    "reply",
    [
        {"groups": [["A"], ["B"]]},
        {"groups": [["A"], ["B"], ["D"]]},
        {"groups": [["r1"], ["r2"], ["r3"]]},
        {"groups": ["A", "B", "C"]},
        {"groups": [["A"], [], ["B", "C"]]},
        {"groups": [["A"], ["B"], ["C", 3]]},
        {"ranking": [["A"], ["B"], ["C"]]},
        {"groups": None},
    ],
)
def test_a_judge_whose_reply_is_no_order_of_the_slots_gives_no_answer(reply):
    raw = KIND.from_slots(reply, {"A": "r1", "B": "r2", "C": "r3"})
    with pytest.raises(AnswersInvalid):
        read_answers(form(), CONTENT, {"order": raw})


def alpha_of(*orders):
    units, values = [], []
    for groups in orders:
        for unit, value in KIND.code(RankingAnswer(groups=groups), CONTENT).items():
            units.append(unit)
            values.append(value)
    return krippendorff_alpha(units, values, KIND.distance).alpha


def test_agreement_is_that_of_the_pairs_and_nearer_orders_agree_more():
    order = [["r2"], ["r1"], ["r3"]]
    swapped, reverse = [["r1"], ["r2"], ["r3"]], order[::-1]
    assert alpha_of(order, order) == 1.0
    assert alpha_of(order, order) > alpha_of(order, swapped) > alpha_of(order, reverse)
    assert alpha_of(order, reverse) < 0


def test_digits_place_the_first_nine_and_later_places_have_no_key():
    ids = tuple(f"r{at}" for at in range(12))
    row = KIND.controls(RankingSettings(), Display("order", content_of(ids), ids)).whole.rows[0]
    assert [option.key for option in row.options] == [*"123456789", "", "", ""]
    assert [option.value for option in row.options] == [str(n) for n in range(1, 13)]


def test_what_is_counted_is_which_place_of_the_screen_came_first():
    value = {"groups": [["r3", "r1"], ["r2"]], "cannot_tell": False}
    assert list(KIND.tally(value, ["r2", "r3", "r1"])) == [("", "1"), ("", "2")]
    assert list(KIND.tally({"groups": [], "cannot_tell": True}, [])) == [("", "cannot_tell")]
