import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.plots import bar_chart, interval_chart, line_chart, nice_ticks, stacked_bar, thin_out

FLOATS = st.floats(allow_nan=True, allow_infinity=True, width=32)


def svg(picture):
    return ElementTree.fromstring(str(picture)).find("svg")


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_ticks_cover_the_range_with_few_round_numbers(a, b):
    low, high = min(a, b), max(a, b)
    if high - low < 1e-6:
        return
    ticks = nice_ticks(low, high)
    step = ticks[1] - ticks[0]
    assert ticks[0] <= low + step * 1e-6
    assert ticks[-1] >= high - step * 1e-6
    assert 2 <= len(ticks) <= 8


@given(st.lists(st.tuples(FLOATS, FLOATS), max_size=50))
def test_any_series_draws_well_formed_svg_inside_its_frame(points):
    picture = svg(line_chart({"loss": points, "empty": []}, title="Loss", x_label="step", y_label="nats"))
    for line in picture.iter("polyline"):
        for pair in line.get("points").split():
            x, y = map(float, pair.split(","))
            assert 0 <= x <= 640
            assert 0 <= y <= 280


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1e-45), (1e30, 1e30 * (1 + 1e-15)), (-5.0, -5.0), (0.0, 0.0), (0.0, 3e38)]
)
def test_ticks_of_tiny_huge_and_empty_ranges_are_distinct(low, high):
    ticks = nice_ticks(low, high)
    assert len(set(ticks)) == len(ticks) >= 2


def test_thinning_keeps_the_spike_and_the_last_point():
    points = [(float(n), 1.0) for n in range(10_000)]
    points[1234] = (1234.0, 99.0)
    thin = thin_out(points)
    assert len(thin) <= 500
    assert (1234.0, 99.0) in thin
    assert thin[-1] == points[-1]
    assert thin == sorted(thin)


def test_points_that_are_not_finite_are_left_out():
    assert thin_out([(0.0, math.nan), (1.0, math.inf), (2.0, 3.0)]) == [(2.0, 3.0)]


def test_labels_are_escaped_and_nothing_is_styled_inline():
    for picture in (
        line_chart({"<b>": [(0, 1), (1, 2)]}, title="<i>t</i>", x_label="&", y_label='"'),
        bar_chart({"<b>": 3.0}, title="<i>t</i>"),
        stacked_bar([("<b>", 1.0), ("c", 3.0)], title="<i>t</i>"),
        interval_chart({"<b>": (0.5, 0.4, 0.6)}, title="<i>t</i>"),
    ):
        ElementTree.fromstring(str(picture))
        assert "<b>" not in picture
        assert "<i>" not in picture
        assert "style=" not in picture


def test_a_stacked_bar_is_cut_by_share():
    picture = svg(stacked_bar([("exported", 75.0), ("dropped", 25.0), ("none", 0.0)], title="Judgements"))
    widths = [float(bar.get("width")) for bar in picture.iter("rect")]
    assert widths == pytest.approx([479.0, 159.0])
    assert picture.find("desc").text == "exported: 75 (75%), dropped: 25 (25%)"


@pytest.mark.parametrize("draw", [bar_chart, interval_chart])
def test_nothing_to_draw_says_so(draw):
    assert "Nothing to show yet" in draw({}, title="Empty")
