"""WMT MQM (Apache-2.0), FineGrainedRLHF (Apache-2.0), XSum (CC-BY-4.0): rows in the shape of the real ones."""

import pytest

from feedback.importing.spans import locate, unmark
from tests.feedback.importing.layouts import answer_of, changed, read_all, read_one, refusal

MQM = {
    "system": "S",
    "doc": "talk.1",
    "doc_id": "1",
    "seg_id": "7",
    "rater": "rater1",
    "source": "The light.",
    "target": "Das <v>Lichht</v>.",
    "category": "Fluency/Spelling",
    "severity": "Minor",
    "comment": "",
}
NONE = {"category": "No-error", "severity": "No-error", "target": "Das Lichht."}


def said_of(task, kind="critique"):
    return answer_of(task, kind)["responses"]["r1"]


def test_the_errors_of_one_translation_are_one_judgement_with_the_offsets_of_the_text_without_marks():
    second = changed(MQM, target="<v>Das</v> Lichht.", category="Fluency/Grammar", severity="Major", comment="der?")
    (task,), errors = read_all("wmt_mqm", [MQM, second], "critique")
    assert not errors
    assert task.external_id == "S/talk.1/1/7"
    assert (task.content.prompt[0].content, task.content.responses[0].text) == ("The light.", "Das Lichht.")
    assert said_of(task)["spans"] == [
        {"start": 4, "end": 10, "quote": "Lichht", "category": "fluency_spelling", "severity": "minor"},
        {"start": 0, "end": 3, "quote": "Das", "category": "fluency_grammar", "severity": "major", "note": "der?"},
    ]


def test_a_translation_without_error_is_judged_to_have_nothing_to_mark():
    assert said_of(read_one("wmt_mqm", changed(MQM, **NONE), "critique")) == {"nothing": True}


def test_an_omission_marked_in_the_source_is_told_in_words():
    row = changed(MQM, source="The <v>light</v>.", target="Das.", category="Accuracy/Omission", severity="Major")
    task = read_one("wmt_mqm", row, "critique")
    assert said_of(task) == {"text": "Accuracy/Omission (Major), in the source at 4: “light”."}
    assert task.content.prompt[0].content == "The light."


def test_another_translation_of_the_same_segment_is_another_task():
    tasks, _errors = read_all("wmt_mqm", [MQM, changed(MQM, system="T")], "critique")
    assert [task.external_id for task in tasks] == ["S/talk.1/1/7", "T/talk.1/1/7"]
    assert [task.content.responses[0].model for task in tasks] == ["S", "T"]


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ({"target": "Das <v>Lichht."}, "target"),
        ({"target": "Das Lichht</v>."}, "target"),
        ({"target": "<v>Das</v> <v>Lichht</v>."}, "target"),
        ({"target": "Das <v></v>Lichht."}, "target"),
        ({"target": "Das Lichht."}, "target"),
        ({"target": None}, "target"),
        ({"rater": ""}, "rater"),
        ({"severity": None}, "severity"),
    ],
)
def test_an_error_whose_place_or_maker_is_unknown_is_refused_at_its_column(change, column):
    assert refusal("wmt_mqm", changed(MQM, **change), "critique").column == column


def test_rows_of_one_translation_with_two_texts_are_refused():
    _tasks, errors = read_all("wmt_mqm", [MQM, changed(MQM, target="<v>Der</v> Licht.")], "critique")
    assert [error.column for error in errors] == ["target"]


QA = {
    "question": "When?",
    "passages": [["Bloom", "Bloom is an album.", "It came out in 2018."], ["Other", "Not this."]],
    "gold": "In 2018.",
    **{f"prediction {n}": f"Answer {n} is long." for n in (1, 2, 3, 4)},
    "feedback": {
        "errors": [{"error type": "Wrong-Grounding", "explanation": "", "start": 7, "end": 8}],
        "missing-info": [{"error type": "Missing-Answer", "passage_id": 1, "sentence_id": [2]}],
        "corrected-prediction": "In 2018.",
    },
    "preference": [0, 1, 2, 1, 2, 1],
}


def test_the_feedback_on_prediction_1_is_spans_what_is_missing_and_a_revision():
    task = read_one("fine_grained", QA, "critique")
    assert said_of(task) == {
        "spans": [{"start": 7, "end": 8, "quote": "1", "category": "wrong_grounding"}],
        "text": "Missing-Answer, passage 1: “It came out in 2018.”",
        "revision": "In 2018.",
    }
    assert (task.content.reference, task.content.ids) == ("In 2018.", ("r1",))
    assert "Passage 2, Other:\nNot this." in task.content.prompt[0].content


def feedback(**change):
    return {"feedback": changed(QA["feedback"], **change)}


def test_a_corrected_text_that_corrects_nothing_is_no_revision():
    same = feedback(**{"corrected-prediction": QA["prediction 1"], "errors": [], "missing-info": []})
    assert said_of(read_one("fine_grained", changed(QA, **same), "critique")) == {"nothing": True}


@pytest.mark.parametrize(
    ("change", "column"),
    [
        (feedback(errors=[{"error type": "Irrelevant", "start": 7, "end": 99}]), "feedback.errors.0"),
        (feedback(errors=[{"error type": "Irrelevant", "start": 8, "end": 8}]), "feedback.errors.0"),
        (feedback(errors=[{"error type": "Irrelevant", "start": "7", "end": 8}]), "feedback.errors.0"),
        (feedback(errors=[{"error type": "Odd", "start": 7, "end": 8}]), "feedback.errors.0.error type"),
        (feedback(**{"missing-info": [{"passage_id": 3, "sentence_id": [1]}]}), "feedback.missing-info.0"),
        (feedback(**{"missing-info": [{"passage_id": 1, "sentence_id": [3]}]}), "feedback.missing-info.0"),
        (feedback(**{"corrected-prediction": 5}), "feedback.corrected-prediction"),
        ({"feedback": "good"}, "feedback"),
        ({"passages": [["Title", 5]]}, "passages.0"),
        ({"question": " "}, "question"),
        ({"prediction 1": None}, "prediction 1"),
    ],
)
def test_a_critique_that_points_nowhere_is_refused_at_its_column(change, column):
    assert refusal("fine_grained", changed(QA, **change), "critique").column == column


def test_the_six_preferences_are_six_pairs_in_the_published_order():
    tasks, errors = read_all("fine_grained_pairs", [QA], "pairwise")
    assert not errors
    pairs = [tuple(r.text[7] for r in task.content.responses) for task in tasks]
    assert pairs == [("1", "2"), ("1", "3"), ("1", "4"), ("2", "3"), ("2", "4"), ("3", "4")]
    told = [answer_of(task, "pairwise").get("preferred", "neither") for task in tasks]
    assert told == ["neither", "r1", "r2", "r1", "r2", "r1"]
    assert len({task.external_id for task in tasks}) == 6


@pytest.mark.parametrize("preference", [None, [0, 1], [0, 1, 2, 1, 2, 3], [0, 1, 2, 1, 2, True]])
def test_preferences_that_are_not_six_verdicts_are_refused(preference):
    _tasks, errors = read_all("fine_grained_pairs", [changed(QA, preference=preference)], "pairwise")
    assert [error.column for error in errors] == ["preference"]


def invented(worker, quote="b", start="5", kind="extrinsic", **fields):
    row = {"bbcid": "1", "system": "S", "summary": "a b c b", "worker_id": worker, "hallucination_type": kind}
    return {
        **row,
        "hallucinated_span": quote,
        "hallucinated_span_start": start,
        "hallucinated_span_end": "-1",
        **fields,
    }


def test_a_span_is_the_place_of_its_words_nearest_to_the_offset():
    rows = [invented("w0"), invented("w0", start="1"), invented("w1", "NULL", "-1", "NULL")]
    (task,), errors = read_all("xsum_hallucination", rows, "critique")
    assert not errors
    told = {judgement.rater: judgement.answers["critique"]["responses"]["r1"] for judgement in task.judgements}
    assert [span["start"] for span in told["w0"]["spans"]] == [6, 2]
    assert told["w1"] == {"nothing": True}


def test_words_that_stand_nowhere_in_the_summary_refuse_it():
    error = refusal("xsum_hallucination", invented("w0", "zebra"), "critique")
    assert (error.column, error.excerpt) == ("hallucinated_span", "zebra")


def test_a_text_is_found_at_the_nearest_of_its_places_and_empty_text_nowhere():
    assert [locate("xaxa", "a", near) for near in (-5, 1, 3, 99)] == [1, 1, 3, 3]
    assert locate("abc", "", 0) is None


def test_marks_are_taken_out_of_a_text():
    assert unmark("a <v>b</v> c", "t") == ("a b c", 2, 3)
    assert unmark("a b", "t") is None
