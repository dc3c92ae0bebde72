"""What pages are made of: a page with its style inside, tables, figures. Texts are escaped by whoever knows them as texts.

>>> table(["system", "BLEU"], [["engine", "30.1"]])
'<div class="wide"><table><thead><tr><th>system</th><th>BLEU</th></tr></thead><tbody><tr><td>engine</td><td>30.1</td></tr></tbody></table></div>'
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files


def page(title: str, body: Iterable[str]) -> str:
    """A whole page, which needs no other file."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>\n<style>{style()}</style></head>\n<body><main>\n"
        + "\n".join(part for part in body if part)
        + "\n</main></body>\n</html>\n"
    )


def style() -> str:
    """The style sheet."""
    return files("dragoman.assess").joinpath("report.css").read_text(encoding="utf-8")


def table(header: Sequence[str], rows: Iterable[Sequence[str]], ours: Iterable[int] = ()) -> str:
    """A table that scrolls sideways where it is too wide; `ours` are the numbers of the rows that stand out."""
    marked = frozenset(ours)
    head = "".join(f"<th>{each}</th>" for each in header)
    body = "".join(
        f"<tr{' class=ours' if number in marked else ''}>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"
        for number, row in enumerate(rows)
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def figures(found: Iterable[tuple[str, str]]) -> str:
    """Numbers that stand out, each with what it is."""
    return f'<div class="figures">{"".join(f"<div><b>{value}</b>{escape(what)}</div>" for value, what in found)}</div>'


def paragraph(text: str, *, quiet: bool = False) -> str:
    """A paragraph of a text that is escaped here."""
    return f"<p{' class=quiet' if quiet else ''}>{escape(text)}</p>"


def plus_minus(found: dict[str, float] | None, digits: int = 1, *, sign: bool = False) -> str:
    """A score with its margin.

    >>> plus_minus({"score": -3.25, "low": -3.5, "high": -3.0}, sign=True)
    '−3.2 ± 0.2'
    """
    if found is None:
        return ""
    margin = (found["high"] - found["low"]) / 2
    score = signed(found["score"], digits) if sign else f"{found['score']:.{digits}f}"
    return f"{score} ± {margin:.{digits}f}"


def signed(value: float, digits: int = 0) -> str:
    """A number with its sign; zero has none.

    >>> signed(1234), signed(-0.51, 1), signed(-0.04, 1)
    ('+1,234', '−0.5', '0.0')
    """
    shown = f"{value:+,.{digits}f}"
    return shown.replace("-", "−") if any(map(int, filter(str.isdigit, shown))) else shown[1:]
