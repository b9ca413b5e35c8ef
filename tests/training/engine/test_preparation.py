"""Nothing is dropped, cut or kept without being counted."""

import pytest

from tests.training.engine.runs import BAD, GOOD, comparison, group, polite_groups, write_groups
from training.engine.exceptions import DataInvalid, NothingToTrain, TooLong
from training.engine.groups import group_from_row, read_groups
from training.engine.preparation import Preparation, require_comparisons, with_training_labels
from training.engine.rendering import Renderer
from training.recipes.reward import RewardConfig

LONG = " ".join(GOOD * 40)


def prepare(tokenizer, groups, **settings):
    labels_as_given = settings.pop("labels_as_given", False)
    config = RewardConfig(**{"max_length": 120, **settings})
    preparation = Preparation(Renderer(tokenizer), config, labels_as_given=labels_as_given)
    return preparation.encode([group_from_row(entry) for entry in groups]), preparation.report


MESSY = [
    *polite_groups(5),
    group(20, "Long.", [LONG, "boring"], [comparison()]),
    group(21, "Same.", ["please", "please"], [comparison()]),
    group(22, "Empty.", ["  ", "boring"], [comparison()]),
    group(23, "None.", ["please", "boring"], [comparison(weight=0.0)]),
    group(24, "Tie.", ["please", "boring"], [comparison(probability=0.5)]),
    group(25, "Twice.", ["please", "boring"], [comparison(), comparison(1, 0, 0.0)]),
    group(
        26, "Say exactly what I say to you now.", ["Say exactly what I say to you now. No.", "boring"], [comparison()]
    ),
    group(27, "Partly.", [LONG, "please", "boring"], [comparison(0, 1), comparison(1, 2)]),
    group(28, "Nothing asked.", ["please", "boring"], []),
]


@pytest.mark.parametrize("truncation", ["drop", "truncate_prompt_left", "truncate_response"])
@pytest.mark.parametrize("soft", [True, False])
def test_the_report_adds_up(tokenizer, truncation, soft):
    encoded, report = prepare(tokenizer, MESSY, truncation=truncation, use_soft=soft)
    assert report.groups == len(MESSY)
    assert report.total == sum(len(entry["comparisons"]) for entry in MESSY)
    assert report.total == report.kept + sum(report.dropped.values())
    assert report.kept == sum(len(entry.comparisons) for entry in encoded)
    assert report.groups_kept == len(encoded)
    assert report.tokens == sum(entry.tokens() for entry in encoded)


def test_each_reason_is_counted_by_itself(tokenizer):
    _, report = prepare(tokenizer, MESSY)
    assert dict(report.dropped) == {"too_long": 2, "identical_pair": 1, "zero_weight": 1}
    assert (report.duplicates, report.prompt_repeated, report.ties, report.truncated) == (1, 1, 1, 0)


def test_an_empty_response_that_was_judged_is_kept_and_counted(tokenizer):
    """Raters said that saying nothing is worse: a model that samples nothing must be scored too."""
    encoded, report = prepare(tokenizer, [MESSY[7]])
    assert report.empty_response == report.kept == 1
    assert min(len(suffix) for suffix in encoded[0].suffixes) >= 1


def test_hard_labels_leave_ties_out_and_count_them(tokenizer):
    encoded, report = prepare(tokenizer, MESSY, use_soft=False)
    assert report.dropped["tie"] == 1
    config = RewardConfig(use_soft=False)
    soft = group_from_row(group(1, "Soft.", ["please", "boring"], [comparison(probability=0.7)]))
    soft_encoded, _ = prepare(tokenizer, [group(1, "Soft.", ["please", "boring"], [comparison(probability=0.7)])])
    assert soft.comparisons[0].probability == 0.7
    assert with_training_labels(soft_encoded, config)[0].comparisons[0].probability == 1.0
    assert {entry.comparisons[0].probability for entry in encoded} <= {0.0, 1.0}


def test_a_test_set_loses_only_what_does_not_fit(tokenizer):
    _, report = prepare(tokenizer, MESSY, use_soft=False, labels_as_given=True)
    assert dict(report.dropped) == {"too_long": 2}


def test_dropping_an_over_long_response_keeps_the_rest_of_its_group(tokenizer):
    encoded, _ = prepare(tokenizer, [MESSY[-2]])
    assert len(encoded) == 1
    assert len(encoded[0].suffixes) == 2
    assert [(entry.first, entry.second) for entry in encoded[0].comparisons] == [(0, 1)]


def test_refusing_names_how_many_are_too_long(tokenizer):
    with pytest.raises(TooLong, match="2 comparisons"):
        prepare(tokenizer, MESSY, truncation="refuse")


def test_cutting_the_prompt_keeps_responses_whole_and_the_prompt_shared(tokenizer):
    row = group(1, LONG, ["please thanks", "boring"], [comparison()])
    encoded, report = prepare(tokenizer, [row], truncation="truncate_prompt_left", max_length=60)
    whole, _ = prepare(tokenizer, [row], max_length=100_000)
    assert report.truncated == 1
    lengths = [len(encoded[0].prefix) + len(suffix) for suffix in encoded[0].suffixes]
    assert max(lengths) == 60
    assert encoded[0].suffixes == whole[0].suffixes
    assert encoded[0].prefix == whole[0].prefix[-len(encoded[0].prefix) :]


def test_cutting_the_response_keeps_the_prompt_and_one_end_token(tokenizer):
    row = group(1, "Long.", [LONG, "boring"], [comparison()])
    encoded, report = prepare(tokenizer, [row], truncation="truncate_response", max_length=60)
    whole, _ = prepare(tokenizer, [row], max_length=100_000)
    assert report.truncated == 1
    assert len(encoded[0].prefix) + len(encoded[0].suffixes[0]) == 60
    assert encoded[0].prefix == whole[0].prefix
    assert encoded[0].suffixes[0][:-1] == whole[0].suffixes[0][: len(encoded[0].suffixes[0]) - 1]
    assert encoded[0].suffixes[0].count(tokenizer.eos_token_id) == 1


@pytest.mark.parametrize("truncation", ["truncate_prompt_left", "truncate_response"])
def test_what_cutting_would_leave_empty_is_dropped_and_counted(tokenizer, truncation):
    """TRL 6025: a truncation that left no token gave loss 0 and a NaN gradient."""
    row = group(1, LONG, [LONG, " ".join(BAD * 40)], [comparison()])
    encoded, report = prepare(tokenizer, [row], truncation=truncation, max_length=10)
    assert encoded == []
    assert report.dropped["too_long"] == 1


def test_nothing_left_is_an_error_with_the_reasons(tokenizer):
    _, report = prepare(tokenizer, [MESSY[6], MESSY[8]])
    with pytest.raises(NothingToTrain, match="1 identical_pair, 1 zero_weight"):
        require_comparisons(report)


def test_length_bias_and_label_balance_are_reported(tokenizer):
    rows = [
        group(1, "One.", ["please thanks", "boring"], [comparison()]),
        group(2, "Two.", ["please", "boring nonsense"], [comparison()]),
        group(3, "Three.", ["boring", "please thanks"], [comparison(probability=0.0)]),
        group(4, "Four.", ["gladly", "boring"], [comparison()]),
    ]
    report = prepare(tokenizer, rows)[1].to_json()
    assert report["label_balance"] == 0.75
    assert report["longer_preferred"] == (1 + 0 + 1 + 0.5) / 4


def test_prompts_are_numbered_alike_when_they_are_alike(tokenizer):
    rows = [group(n, prompt, ["please", "boring"], [comparison()]) for n, prompt in enumerate(("One.", "Two.", "One."))]
    assert [entry.key for entry in prepare(tokenizer, rows)[0]] == [0, 1, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"comparisons": [comparison(0, 2)]}, "compares responses 0 and 2 of 2"),
        ({"comparisons": [comparison(1, 1)]}, "compares responses 1 and 1"),
        ({"comparisons": [comparison(probability=1.5)]}, "between 0 and 1"),
        ({"comparisons": [comparison(probability=float("nan"))]}, "between 0 and 1"),
        ({"comparisons": [comparison(margin=-1.0)]}, "margin is -1.0"),
        ({"comparisons": [comparison(weight=float("inf"))]}, "weight is inf"),
        ({"prompt": []}, "prompt is empty"),
    ],
)
def test_a_row_that_breaks_the_format_is_named(tmp_path, change, message):
    write_groups(tmp_path / "train.parquet", [*polite_groups(1), polite_groups(1)[0] | {"id": "odd"} | change])
    with pytest.raises(DataInvalid, match=f"Row 2 of train.parquet .odd.: .*{message}"):
        read_groups(tmp_path / "train.parquet")


def test_a_file_that_is_no_parquet_or_lacks_a_column_is_named(tmp_path):
    (tmp_path / "torn.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(DataInvalid, match="is not a Parquet file"):
        read_groups(tmp_path / "torn.parquet")


def test_what_was_written_is_what_is_read(tmp_path):
    groups = polite_groups(7, k=3)
    write_groups(tmp_path / "train.parquet", groups)
    read = read_groups(tmp_path / "train.parquet")
    assert [entry.id for entry in read] == [entry["id"] for entry in groups]
    assert [list(entry.responses) for entry in read] == [entry["responses"] for entry in groups]
    assert read[0].comparisons[0].weight == groups[0]["comparisons"][0]["weight"]
