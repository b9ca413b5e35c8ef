import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from feedback.consensus.agreement import Agreement, krippendorff_alpha
from feedback.consensus.levels import factorise

METRICS = ["nominal", "ordinal", "interval", "ratio"]


def test_krippendorffs_own_example_gives_his_own_figures():
    """Krippendorff 2011, section C: four observers, twelve units, missing data."""
    rows = [
        "1 2 3 3 2 1 4 1 2 * * *",
        "1 2 3 3 2 2 4 1 2 5 * 3",
        "* 3 3 3 2 3 4 2 2 5 1 *",
        "1 2 3 3 2 4 4 1 2 5 1 *",
    ]
    said = [(unit, int(v)) for row in rows for unit, v in enumerate(row.split()) if v != "*"]
    units, values = zip(*said, strict=True)
    found = {metric: krippendorff_alpha(units, values, metric).alpha for metric in METRICS}
    assert found == pytest.approx({"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}, abs=5e-4)
    assert krippendorff_alpha(units, values).n_units == 11
    assert krippendorff_alpha(units, values).n_judgements == 40


@given(
    table=st.lists(
        st.lists(st.none() | st.integers(0, 5), min_size=4, max_size=4), min_size=2, max_size=12
    ),  # units × raters
    metric=st.sampled_from(METRICS),
)
def test_alpha_equals_an_independent_implementation(table, metric):
    data = np.array([[np.nan if v is None else v for v in row] for row in table], dtype=float).T
    counted = data[:, (~np.isnan(data)).sum(axis=0) >= 2]
    assume(len(np.unique(counted[~np.isnan(counted)])) > 1)
    units = np.tile(np.arange(data.shape[1]), data.shape[0])
    ours = krippendorff_alpha(units, data.reshape(-1), metric)
    theirs = krippendorff.alpha(reliability_data=data, level_of_measurement=metric)
    assert ours.alpha == pytest.approx(theirs, abs=1e-9)
    assert ours.n_units == counted.shape[1]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(-3, 3)), min_size=4, max_size=40))
def test_closed_forms_equal_the_coincidence_matrix(rows):
    units, values = zip(*rows, strict=True)
    by_function = krippendorff_alpha(units, values, lambda a, b: (a - b) ** 2)
    closed = krippendorff_alpha(units, values, "interval")
    assert by_function.alpha == (pytest.approx(closed.alpha, abs=1e-9) if closed.alpha is not None else None)
    nominal = krippendorff_alpha(units, [f"v{v}" for v in values], lambda a, b: float(a != b)).alpha
    assert nominal == (
        pytest.approx(krippendorff_alpha(units, values).alpha, abs=1e-9) if closed.alpha is not None else None
    )


def test_one_value_everywhere_is_full_agreement_with_a_warning():
    found = krippendorff_alpha([1, 1, 2, 2], ["yes"] * 4)
    assert (found.alpha, found.n_units, found.n_judgements) == (1.0, 2, 4)
    assert "same value" in found.note


@pytest.mark.parametrize(("units", "values"), [([], []), ([1, 2, 3], [0, 1, 0]), ([1, 1], [1.0, np.nan])])
def test_no_unit_with_two_raters_has_no_alpha(units, values):
    found = krippendorff_alpha(units, values)
    assert found == Agreement(None, 0, 0, found.note)
    assert "two raters" in found.note


def test_values_that_the_metric_cannot_tell_apart_agree():
    assert krippendorff_alpha([1, 1], [0, 1], lambda a, b: 0.0).alpha == 1.0


def test_systematic_disagreement_is_below_chance():
    assert krippendorff_alpha([1, 1, 2, 2], [0, 1, 1, 0]).alpha == pytest.approx(-0.5)


@pytest.mark.parametrize(
    ("units", "values", "metric"),
    [
        ([1, 1], [1], "nominal"),
        ([1, 1], [-1, 2], "ratio"),
        ([1, 1], [1, 2], "manhattan"),
        ([[1, 1]], [[1, 2]], "nominal"),
    ],
)
def test_what_makes_no_sense_is_refused(units, values, metric):
    with pytest.raises(ValueError, match=r"One unit|ratio|Unknown metric"):
        krippendorff_alpha(units, values, metric)


@given(st.lists(st.integers(-(2**40), 2**40) | st.integers(-5, 5)))
def test_levels_and_codes_give_the_values_back(values):
    array = np.array(values, dtype=np.int64)
    levels, codes = factorise(array)
    assert levels[codes].tolist() == values
    assert levels.tolist() == sorted(set(values))


def test_many_distinct_values_need_no_square_table():
    """100,000 distinct values: a dense coincidence matrix would take 80 GB."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=50_000)
    values = np.concatenate([truth + 0.1 * rng.normal(size=50_000), truth + 0.1 * rng.normal(size=50_000)])
    found = krippendorff_alpha(np.tile(np.arange(50_000), 2), values, "interval")
    assert found.alpha == pytest.approx(1 - 0.01 / 1.01, abs=2e-3)
