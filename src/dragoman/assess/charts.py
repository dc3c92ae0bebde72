"""Charts as inline SVG, with attributes and classes alone: a page that allows no inline styles shows them too.

>>> "polyline" in line_chart({"engine": [40.0, 41.0], "dragoman": [40.0, 30.0]}, ["500", "1,000"], "words")
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from dragoman.assess.system_names import STYLES

WIDTH, HEIGHT = 560, 280
LEFT, RIGHT, TOP, BOTTOM = 40, 12, 12, 36  # margins
LINES = 5  # of the grid
POINTS = 12  # of a curve at most
SHORTEST = 5  # segments of a stretch
DASHES = ("2 3", "6 3", "10 3 2 3", "4 2", "1 0", "1 0")  # so that curves can be told apart without colours


def line_chart(series: Mapping[str, Sequence[float]], places: Sequence[str], what: str) -> str:
    """Curves over the same places, from 0 up; `what` names the vertical axis."""
    top = nice_top(max((value for values in series.values() for value in values), default=1.0))
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(number: int) -> float:
        return LEFT + width * (number + 0.5) / max(len(places), 1)

    def y(value: float) -> float:
        return TOP + height * (1 - value / top)

    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(what)}">']
    for step in range(LINES + 1):
        value = top * step / LINES
        parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    every = max(1, -(-len(places) // 6))
    for number, place in enumerate(places):
        if number % every == every - 1:
            parts.append(
                f'<text x="{x(number):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{escape(place)}</text>'
            )
    for name, values in series.items():
        points = " ".join(f"{x(n):.1f},{y(value):.1f}" for n, value in enumerate(values))
        parts.append(f'<polyline {_stroke(name)} points="{points}"><title>{escape(name)}</title></polyline>')
    return "".join([*parts, "</svg>"])


def stretches(count: int) -> list[slice]:
    """Equal stretches of so many segments, a point of a curve each, and none so short that it says nothing.

    >>> stretches(13), len(stretches(600))
    ([slice(0, 6, None), slice(6, 13, None)], 12)
    """
    points = max(1, min(POINTS, count // SHORTEST))
    return [slice(count * n // points, count * (n + 1) // points) for n in range(points)]


def legend(names: Sequence[str]) -> str:
    """The names of the curves with their strokes."""
    entries = [
        f'<li><svg viewBox="0 0 24 8" aria-hidden="true"><line {_stroke(name)} x1="0" x2="24" y1="4" y2="4"/></svg>'
        f"{escape(name)}</li>"
        for name in names
    ]
    return f'<ul class="legend">{"".join(entries)}</ul>'


def _stroke(name: str) -> str:
    """Colour and dashes of a curve: a system keeps them when others are missing."""
    style = STYLES.get(name, 0)
    return f'class="curve s{style}" stroke-dasharray="{DASHES[style]}"'


def bar(gained: float, lost: float, most: float) -> str:
    """What was gained to the right of an axis, what was lost to its left."""
    scale = 100 / max(most, 1e-9)
    return (
        '<svg viewBox="-100 0 200 14" role="img" preserveAspectRatio="none" '
        f'aria-label="gained {gained:g}, lost {lost:g}">'
        f'<rect class="lost" x="{-lost * scale:.1f}" y="1" width="{lost * scale:.1f}" height="12"/>'
        f'<rect class="gained" x="0" y="1" width="{gained * scale:.1f}" height="12"/>'
        '<line class="axis" x1="0" x2="0" y1="0" y2="14"/></svg>'
    )


def nice_top(value: float) -> float:
    """A round number that is not below a value.

    >>> [nice_top(value) for value in (0.7, 3.2, 38.0, 96.0, 101.0)]
    [1.0, 5.0, 50.0, 100.0, 150.0]
    """
    size = 1.0
    while size * 10 < value:
        size *= 10
    return next(size * step for step in (1, 1.5, 2, 2.5, 5, 10) if size * step >= value)
