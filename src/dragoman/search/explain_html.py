"""The page that explains a translation: an SVG picture of the derivation, and tables. It is self-contained."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from html import escape

from dragoman.search.explain import DERIVED, GROUPS, RANKED, WEIGHED, Account, Explanation

CHARACTER, PADDING, GAP, HEIGHT, BETWEEN = 8.4, 8, 10, 30, 90  # measures of the picture, in pixels
COLOURS = 8  # of phrases, one after another, spread over the circle of hues

STYLE = """
:root { color-scheme: light dark; --ink: #1c1e21; --dim: #6b7280; --line: #d1d5db; --paper: #ffffff; --depth: 88%; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e5e7eb; --dim: #9ca3af; --line: #374151; --paper: #111827; --depth: 28%; }
}
body { color: var(--ink); background: var(--paper); font: 15px/1.5 system-ui, sans-serif; margin: 2rem; }
h1 { font-size: 1.2rem; } h2 { font-size: 1rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--dim); font-weight: 500; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.taken { font-weight: 700; } .dim { color: var(--dim); }
svg text { font: 14px ui-monospace, monospace; fill: var(--ink); }
svg rect, svg path { fill: hsl(var(--hue) 60% var(--depth)); stroke: hsl(var(--hue) 40% 50%); }
svg path { fill-opacity: .45; stroke: none; }
svg .given rect { stroke-dasharray: 4 3; }
"""


def page(told: Explanation) -> str:
    """The whole page."""
    source, target = " ".join(told.source), " ".join(told.best.words)
    derived = ([*map(escape, texts), *(f"{n:.2f}" for n in numbers)] for texts, numbers in told.derived())
    weighed = [
        [name, f"{weight:.3f}", f"{value:.3f}", f"{weight * value:.3f}"] for name, weight, value in told.weighed()
    ]
    weighed.append(["score", "", "", f"{told.best.score:.3f}"])
    ranked = ([escape(words), f"{score:.2f}", f"{behind:.2f}"] for words, score, behind in told.ranked())
    parts = [
        *(f"<p>{escape(line)}</p>" for line in told.note.splitlines()),
        f"<h1>{escape(source)}<br>{escape(target)}</h1>",
        f'<div class="wide">{_picture(told)}</div>',
        _section("Derivation", _table(DERIVED, derived, 3)),
        _section("The score", _table(WEIGHED, weighed, 1)),
        _section("Runners-up", _table(RANKED, ranked, 1)),
        _section("Options", _table(("source", "options, best first"), _offered(told), 2)),
    ]
    head = f'<meta charset="utf-8"><title>{escape(target)}</title><style>{STYLE}</style>'
    return f"<!doctype html>\n<html>\n<head>{head}</head>\n<body>\n{chr(10).join(parts)}\n</body>\n</html>\n"


def _section(title: str, body: str) -> str:
    return f'<h2>{title}</h2>\n<div class="wide">{body}</div>'


def _table(head: Iterable[str], rows: Iterable[Iterable[str]], texts: int) -> str:
    """A table of cells that are HTML already; the first columns hold texts and the others numbers."""

    def row(cells: Iterable[str], tag: str) -> str:
        marked = (f"<{tag}{' class=number' * (n >= texts)}>{cell}</{tag}>" for n, cell in enumerate(cells))
        return f"<tr>{''.join(marked)}</tr>"

    return f"<table>{row(head, 'th')}{''.join(row(cells, 'td') for cells in rows)}</table>"


def _offered(told: Explanation) -> Iterator[tuple[str, str]]:
    for words, offers in told.spans():
        said = (
            f"<span{' class=taken' * offer.taken}>{escape(' '.join(offer.step.words))}"
            f" <span class=dim>{offer.score:.1f}</span></span>"
            for offer in offers
        )
        yield escape(words), " · ".join(said)


def _width(text: str) -> float:
    """About how many pixels a text takes in a font of fixed width."""
    wide = sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in text)
    return CHARACTER * wide + 2 * PADDING


def _placed(texts: Iterable[str]) -> list[tuple[float, float]]:
    """Left and right end of boxes in a row."""
    ends, at = [], 0.0
    for text in texts:
        ends.append((at, at + _width(text)))
        at += _width(text) + GAP
    return ends


def _picture(told: Explanation) -> str:
    """Source words above, the phrases of the translation below, and bands between what belongs together."""
    steps = [account for account in told.accounts if account.step]
    above = _placed(told.source)
    below = _placed(" ".join(account.step.words) for account in steps if account.step)
    width = max(right for _, right in above + below) + 2
    groups = (_group(told, n, account, above, below[n]) for n, account in enumerate(steps))
    height = 2 * HEIGHT + BETWEEN + 4
    size = f'width="{width:.0f}" height="{height}" viewBox="-1 -1 {width:.0f} {height}"'
    label = escape(" ".join(told.best.words), quote=True)
    return f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" {size}>{"".join(groups)}</svg>'


def _group(
    told: Explanation, n: int, account: Account, above: list[tuple[float, float]], box: tuple[float, float]
) -> str:
    """One phrase: its source words, its target words, the band between, and its account as a tooltip."""
    step = account.step
    if step is None:
        return ""
    words = "".join(_box(told.source[j], *above[j], 0.0) for j in range(*step.source))
    top, bottom = HEIGHT, HEIGHT + BETWEEN
    band = ""
    if step.source[0] < step.source[1]:
        left, right, middle = above[step.source[0]][0], above[step.source[1] - 1][1], (top + bottom) / 2
        band = (
            f'<path d="M{left:.1f} {top} C{left:.1f} {middle} {box[0]:.1f} {middle} {box[0]:.1f} {bottom} '
            f'H{box[1]:.1f} C{box[1]:.1f} {middle} {right:.1f} {middle} {right:.1f} {top} Z"/>'
        )
    tooltip = "\n".join(f"{name} {account.group(name):.2f}" for name in GROUPS) + f"\ntotal {account.total:.2f}"
    kind = "given" if step.kind in ("given", "inserted") else step.kind
    hue = 360 * (n % COLOURS) // COLOURS
    said = _box(" ".join(step.words), *box, bottom)
    return f'<g class="{kind}" style="--hue: {hue}"><title>{escape(tooltip)}</title>{band}{words}{said}</g>'


def _box(text: str, left: float, right: float, top: float) -> str:
    place = f'x="{left:.1f}" y="{top}" width="{right - left:.1f}" height="{HEIGHT}" rx="5"'
    middle = f'x="{(left + right) / 2:.1f}" y="{top + HEIGHT / 2 + 5:.1f}" text-anchor="middle"'
    return f"<rect {place}/><text {middle}>{escape(text)}</text>"
