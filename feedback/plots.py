"""Pictures of numbers, drawn on the server as SVG: no script, no inline style (the policy is strict).

Colour and line style come from the style sheet (the plot section of components.css): a `figure.plot` with its caption,
`axis`, `gridline`, `series series-1` … `-4` on lines, `bar bar-1` … `-4` on areas, and a `plot-legend`.  Each series
also has dashes or a label of its own, so that none is told by colour alone.  Every picture carries a description that
says its numbers.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

Point = tuple[float, float]
MAX_POINTS = 400
N_SERIES = 4
_WIDTH, _HEIGHT = 640, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 16, 44


@dataclass(frozen=True)
class Scale:
    """Maps [low, high] of the data to [start, end] of the picture (end < start turns it over)."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)


def nice_ticks(low: float, high: float, n: int = 5) -> list[float]:
    """About `n` round numbers (1, 2, 2.5 or 5 times a power of ten) that cover [low, high]."""
    if not high - low > 1e-9 * max(abs(low), abs(high)):  # one value, as far as floats can tell
        pad = abs(low) / 2 or 1.0
        low, high = low - pad, high + pad
    rough = (high - low) / n
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{index * step:.12g}") for index in range(first, last + 1)]


def number(value: float) -> str:
    """A short label: 1,200,000 → 1.2M, .00005 → 5e-05, 0.25 → 0.25."""
    for bound, suffix in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= bound:
            unit = {"G": 1e9, "M": 1e6, "k": 1e3}[suffix]
            return f"{value / unit:.4g}{suffix}"
    return f"{value:.4g}"


def thin_out(points: Sequence[Point], limit: int = MAX_POINTS) -> list[Point]:
    """At most about `limit` points: of each stretch the lowest and the highest, so that no spike is lost."""
    finite = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
    if len(finite) <= limit:
        return finite
    width = math.ceil(len(finite) / (limit // 2))
    kept: list[Point] = []
    for start in range(0, len(finite), width):
        stretch = finite[start : start + width]
        ends = {stretch.index(min(stretch, key=_height)), stretch.index(max(stretch, key=_height))}
        kept += [stretch[index] for index in sorted(ends)]
    return kept if kept[-1] == finite[-1] else [*kept, finite[-1]]


def _height(point: Point) -> float:
    return point[1]


def line_chart(
    series: Mapping[str, Sequence[Point]], *, title: str, x_label: str, y_label: str, height: int = _HEIGHT
) -> SafeString:
    """One line a series over common axes.  series: {name: [(x, y), …]}; points that are not finite are left out."""
    drawn = {name: thin_out(points) for name, points in series.items()}
    points = [point for line in drawn.values() for point in line]
    if not points:
        return _frame(title, _("There is no point to draw yet."), [_empty()], height)
    xs, ys = nice_ticks(*_extent(x for x, _y in points)), nice_ticks(*_extent(y for _x, y in points))
    x, y = _scales(xs, ys, height)
    parts = [*_grid(xs, ys, x, y), *_axis_labels(x_label, y_label, height)]
    for index, line in enumerate(drawn.values()):
        parts += _line(line, x, y, index)
    said = [
        _("%(name)s: %(n)d points, last %(last)s.")
        % {"name": name, "n": len(series[name]), "last": number(line[-1][1])}
        for name, line in drawn.items()
        if line
    ]
    legend = _legend(list(drawn), "series") if len(drawn) > 1 else ""
    return _frame(title, " ".join(said), parts, height, legend)


def bar_chart(
    bars: Mapping[str, float], *, title: str, x_label: str = "", y_label: str = "", height: int = _HEIGHT
) -> SafeString:
    """One upright bar a label, in the order given (a histogram when the labels are ranges).  Values: finite, ≥ 0."""
    if not bars:
        return _frame(title, _("There is nothing to draw yet."), [_empty()], height)
    ys = nice_ticks(0.0, max(*bars.values(), 1e-12))
    x, y = _scales([0.0, float(len(bars))], ys, height)
    parts = [*_grid([], ys, x, y), *_axis_labels(x_label, y_label, height)]
    every = math.ceil(len(bars) / 12)
    for index, (label, value) in enumerate(bars.items()):
        left, right = x(index + 0.1), x(index + 0.9)
        parts.append(_bar(left, y(value), right - left, y(0) - y(value), f"{label}: {number(value)}", 0))
        if index % every == 0:
            parts.append(_text((left + right) / 2, height - _BOTTOM + 16, label, "middle"))
    said = ", ".join(f"{label}: {number(value)}" for label, value in bars.items())
    return _frame(title, said, parts, height)


def stacked_bar(parts: Sequence[tuple[str, float]], *, title: str) -> SafeString:
    """One lying bar cut into shares, with a legend of labels and numbers.  parts: [(label, value ≥ 0), …]."""
    total = sum(value for _label, value in parts)
    shown = [(label, value) for label, value in parts if value > 0]
    if not shown:
        return _frame(title, _("There is nothing to draw yet."), [_empty()], 96)
    labels = [f"{label}: {number(value)} ({value / total:.0%})" for label, value in shown]
    drawn: list[SafeString] = []
    left = 0.0
    for index, (_label, value) in enumerate(shown):
        width = value / total * _WIDTH
        drawn.append(_bar(round(left, 1), 0, max(width - 1, 1.0), 28, labels[index], index))
        left += width
    return _frame(title, ", ".join(labels), drawn, 28, _legend(labels, "bar"))


def interval_chart(rows: Mapping[str, tuple[float, float, float]], *, title: str, x_label: str = "") -> SafeString:
    """One dot with its interval a row.  rows: {label: (value, low, high)}."""
    height = _TOP + 34 * len(rows) + _BOTTOM
    if not rows:
        return _frame(title, _("There is nothing to draw yet."), [_empty()], 96)
    xs = nice_ticks(*_extent(edge for row in rows.values() for edge in row))
    x = Scale(xs[0], xs[-1], 220, _WIDTH - _RIGHT)
    y = Scale(0, len(rows), _TOP, height - _BOTTOM)
    parts = [*_grid(xs, [], x, y), *_axis_labels(x_label, "", height)]
    dot = '<circle class="bar {}" cx="{}" cy="{}" r="5"/>'
    for index, (label, (value, low, high)) in enumerate(rows.items()):
        middle = y(index + 0.5)
        parts.append(_text(208, middle + 4, label, "end"))
        parts.append(_rule(x(low), middle, x(high), middle, "series " + _nth("series", index)))
        parts.append(format_html(dot, _nth("bar", index), x(value), middle))
    said = "; ".join(f"{label}: {number(v)} ({number(lo)} – {number(hi)})" for label, (v, lo, hi) in rows.items())
    return _frame(title, said, parts, height)


def _extent(values: Iterable[float]) -> tuple[float, float]:
    kept = list(values)
    return min(kept), max(kept)


def _scales(xs: Sequence[float], ys: Sequence[float], height: int) -> tuple[Scale, Scale]:
    return Scale(xs[0], xs[-1], _LEFT, _WIDTH - _RIGHT), Scale(ys[0], ys[-1], height - _BOTTOM, _TOP)


def _grid(xs: Sequence[float], ys: Sequence[float], x: Scale, y: Scale) -> list[SafeString]:
    """Grid lines and tick labels; the axes themselves are the picture's left and bottom edges."""
    parts = [_rule(x.start, y(v), x.end, y(v), "gridline") for v in ys]
    parts += [_text(x.start - 8, y(v) + 4, number(v), "end") for v in ys]
    bottom = max(y.start, y.end)
    parts += [_rule(x(v), bottom, x(v), bottom + 5, "axis") for v in xs]
    parts += [_text(x(v), bottom + 18, number(v), "middle") for v in xs]
    return [*parts, _rule(x.start, bottom, x.end, bottom, "axis")]


def _axis_labels(x_label: str, y_label: str, height: int) -> list[SafeString]:
    parts = []
    if x_label:
        parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, height - 6, x_label, "middle"))
    if y_label:
        middle = (_TOP + height - _BOTTOM) / 2
        text = '<text x="{}" y="14" text-anchor="middle" transform="rotate(-90)">{}</text>'
        parts.append(format_html(text, -middle, y_label))
    return parts


def _line(points: Sequence[Point], x: Scale, y: Scale, index: int) -> list[SafeString]:
    if not points:
        return []
    path = " ".join(f"{x(px)},{y(py)}" for px, py in points)
    last = '<circle class="bar {}" cx="{}" cy="{}" r="3.5"/>'
    return [
        format_html('<polyline class="series {}" points="{}"/>', _nth("series", index), path),
        format_html(last, _nth("bar", index), x(points[-1][0]), y(points[-1][1])),
    ]


def _nth(css: str, index: int) -> str:
    return f"{css}-{index % N_SERIES + 1}"


def _bar(x: float, y: float, width: float, height: float, title: str, index: int) -> SafeString:
    rect = '<rect class="bar {}" x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>'
    return format_html(rect, _nth("bar", index), x, y, round(width, 1), round(height, 1), title)


def _rule(x1: float, y1: float, x2: float, y2: float, css: str) -> SafeString:
    return format_html('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>', css, x1, y1, x2, y2)


def _text(x: float, y: float, text: str, anchor: str) -> SafeString:
    return format_html('<text x="{}" y="{}" text-anchor="{}">{}</text>', x, y, anchor, text)


def _empty() -> SafeString:
    return _text(_WIDTH / 2, 48, _("Nothing to show yet"), "middle")


def _legend(labels: Sequence[str], css: str) -> SafeString:
    """Swatches and labels below the picture; `css` is what the marks themselves wear (series or bar)."""
    mark = {
        "series": '<line class="series {}" x1="0" y1="6" x2="28" y2="6"/>',
        "bar": '<rect class="bar {}" x="0" y="0" width="28" height="12"/>',
    }[css]
    swatch = '<li><svg aria-hidden="true" width="28" height="12" viewBox="0 0 28 12">{}</svg> {}</li>'
    rows = [format_html(swatch, format_html(mark, _nth(css, index)), label) for index, label in enumerate(labels)]
    return format_html('<ul class="plot-legend">{}</ul>', format_html_join("", "{}", ((row,) for row in rows)))


def _frame(
    title: str, description: str, parts: Iterable[SafeString], height: int, legend: SafeString | str = ""
) -> SafeString:
    """The figure with its accessible name; the id comes from the title, so that two pictures on a page differ."""
    id = "plot-" + hashlib.sha256(title.encode("utf-8", "replace")).hexdigest()[:8]
    figure = (
        '<figure class="plot"><figcaption>{title}</figcaption>'
        '<svg viewBox="0 0 {w} {h}" role="img" aria-label="{title}" aria-describedby="{id}">'
        '<desc id="{id}">{desc}</desc>{parts}</svg>{legend}</figure>'
    )
    inside = format_html_join(mark_safe("\n"), "{}", ((part,) for part in parts))
    return format_html(figure, w=_WIDTH, h=height, id=id, title=title, desc=description, parts=inside, legend=legend)
