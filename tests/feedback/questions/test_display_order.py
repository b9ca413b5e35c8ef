"""Judgements name responses, never positions: however a task is laid out, the same opinion is stored the same."""

from hypothesis import given
from hypothesis import strategies as st

from feedback.questions.base import Content, Message, Response
from feedback.questions.checklist import Checklist, ChecklistAnswer, ChecklistSettings
from feedback.questions.form import answer_of, parse_fields, read_answers, read_form
from feedback.questions.pairwise import Pairwise, PairwiseAnswer, PairwiseSettings

IDS = st.lists(st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9_-]{0,8}\Z"), min_size=2, max_size=2, unique=True)
CRITERIA = [{"key": key, "text": key} for key in ("verdict", "note", "c-1")]
PAIRWISE, CHECKLIST = Pairwise(), Checklist()


def content_of(ids):
    return Content((Message("user", "?"),), tuple(Response(id, f"text of {id}") for id in ids))


@st.composite
def pairwise_cases(draw):
    ids = draw(IDS)
    settings = PairwiseSettings(points=draw(st.sampled_from([2, 3, 5, 7])), allow_both_bad=draw(st.booleans()))
    choice = draw(st.sampled_from(PAIRWISE.choices(settings, ids)))
    return ids, settings, choice


@st.composite
def checklist_cases(draw):
    ids = draw(IDS)
    verdict = st.sampled_from(["yes", "no", "na", "unsure"])
    note = st.none() | st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=9)
    told = {id: {c["key"]: {"verdict": draw(verdict), "note": draw(note)} for c in CRITERIA} for id in ids}
    for row in told.values():
        for entry in row.values():
            if not (entry["note"] or "").strip():
                del entry["note"]
    return ids, ChecklistSettings.model_validate({"criteria": CRITERIA}), told


@given(pairwise_cases())
def test_the_button_pressed_for_a_response_stores_the_same_wherever_it_stands(case):
    ids, settings, choice = case
    questions = read_form([{"key": "q", "kind": "pairwise", "title": "?", "settings": settings.model_dump()}])
    stored = []
    for shown in (ids, ids[::-1]):
        (button,) = [
            c
            for c in PAIRWISE.choices(settings, shown)
            if (c.verdict, c.preferred, c.strength) == (choice.verdict, choice.preferred, choice.strength)
        ]
        raw = parse_fields(questions, content_of(ids), {"q.q.verdict": [button.value]})
        stored.append(read_answers(questions, content_of(ids), raw))
    assert stored[0] == stored[1]
    answer = answer_of(questions[0], stored[0])
    assert (answer.verdict, answer.preferred or "") == (choice.verdict, choice.preferred)
    assert PAIRWISE.fields(answer, settings, content_of(ids)) == {"verdict": choice.value}


@given(pairwise_cases())
def test_the_screen_is_mirrored_when_the_responses_are_swapped(case):
    ids, settings, _ = case
    left = [c.value for c in PAIRWISE.choices(settings, ids) if c.verdict in ("prefer", "tie")]
    right = [c.value for c in PAIRWISE.choices(settings, ids[::-1]) if c.verdict in ("prefer", "tie")]
    assert left == right[::-1]


@given(pairwise_cases())
def test_a_judge_shown_swapped_slots_gives_the_same_pairwise_answer(case):
    (first, second), settings, choice = case
    raws = []
    for slots in ({"A": first, "B": second}, {"A": second, "B": first}):
        names = {id: slot for slot, id in slots.items()}
        reply = {"verdict": names.get(choice.preferred, choice.verdict)}
        if settings.levels > 1:
            reply["strength"] = choice.strength or None
        raws.append(PAIRWISE.from_slots(reply, slots))
    assert raws[0] == raws[1]
    answer = PairwiseAnswer.model_validate(raws[0])
    assert PAIRWISE.check(answer, settings, content_of([first, second])) == []
    assert (answer.verdict, answer.preferred or "") == (choice.verdict, choice.preferred)


@given(pairwise_cases(), st.integers(1, 3))
def test_a_preference_turns_round_with_the_stored_order(case, strength):
    ids, settings, choice = case
    answer = PairwiseAnswer(
        verdict=choice.verdict,
        preferred=choice.preferred or None,
        strength=strength if choice.preferred else None,
    )
    one = PAIRWISE.consensus([answer], [1.0], settings, content_of(ids))
    other = PAIRWISE.consensus([answer], [1.0], settings, content_of(ids[::-1]))
    for a, b in zip(one.pairs, other.pairs, strict=True):
        assert (a.first, a.second, a.probability, a.strength) == (b.second, b.first, 1 - b.probability, -b.strength)


@given(checklist_cases(), st.randoms(use_true_random=False))
def test_a_checklists_fields_store_the_same_in_any_order(case, random):
    ids, settings, told = case
    questions = read_form([{"key": "q", "kind": "checklist", "title": "?", "settings": settings.model_dump()}])
    answer = ChecklistAnswer.model_validate({"verdicts": told})
    fields = [(f"q.q.{name}", [v]) for name, v in CHECKLIST.fields(answer, settings, content_of(ids)).items()]
    for _ in range(2):
        random.shuffle(fields)
        raw = parse_fields(questions, content_of(ids), dict(fields))
        assert read_answers(questions, content_of(ids), raw)["q"]["value"] == {"verdicts": told}


@given(checklist_cases())
def test_a_judge_shown_swapped_slots_gives_the_same_checklist(case):
    (first, second), _, told = case
    straight = CHECKLIST.from_slots({"A": told[first], "B": told[second]}, {"A": first, "B": second})
    swapped = CHECKLIST.from_slots({"A": told[second], "B": told[first]}, {"A": second, "B": first})
    assert straight == swapped == {"verdicts": told}
