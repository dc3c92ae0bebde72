"""An explanation adds up, shows what was chosen, and is a page that needs nothing else."""

from __future__ import annotations

import math
import re
from html.parser import HTMLParser

import pytest
from rich.console import Console

from dragoman.models.loglinear import PRESETS, Weights
from dragoman.search.constrained import Prefix
from dragoman.search.decoder import Decoder, SearchResult
from dragoman.search.explain import GROUPS, Explanation, explain
from tests.search.test_decoder import sample

pytestmark = pytest.mark.kernels

SOURCE = ["press", "the", "<b>", "green", "lamp", "&", '"']


def searched(preset: str = "moses", prefix: Prefix | None = None) -> SearchResult:
    return Decoder(sample(), Weights(preset)).search(SOURCE, [word == "<b>" for word in SOURCE], prefix=prefix)


class Page(HTMLParser):
    """Collects the text of a page, and whether every element is closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def text_of(told: Explanation) -> str:
    console = Console(width=200, record=True, file=None, quiet=False)
    with console.capture() as captured:
        for table in told.tables():
            console.print(table)
    return captured.get()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("prefix", [None, Prefix(("ahora", "pulse")), Prefix(("nada", "más"), whole=True)])
def test_the_account_adds_up_to_the_score(preset: str, prefix: Prefix | None) -> None:
    search = searched(preset, prefix)
    told = explain(search)
    assert math.isclose(sum(account.total for account in told.accounts), search.best.score)
    assert tuple(account.step for account in told.accounts if account.step) == search.best.steps
    for name, weight in told.weights.items():
        contributed = sum(account.contributions[name] for account in told.accounts)
        assert contributed == pytest.approx(weight * search.best.features[name])
    for account in told.accounts:
        assert account.total == pytest.approx(sum(map(account.group, GROUPS)) + account.surcharge)


def test_what_was_taken_is_among_the_offers() -> None:
    search = searched()
    told = explain(search, options=1, rivals=3)
    assert {offer.step for offer in told.offers if offer.taken} == set(search.best.steps)
    for _, offers in told.spans():
        assert [offer.score for offer in offers] == sorted((offer.score for offer in offers), reverse=True)
    assert len(told.rivals) == 3
    assert all(rival.words != search.best.words for rival in told.rivals)


def test_tables_show_words_whatever_they_contain() -> None:
    shown = text_of(explain(searched()))
    for word in ("[", "<b>", "&"):
        assert word in shown or word == "["
    assert f"{searched().best.score:.3f}" in shown


def test_words_that_look_like_markup_are_shown_as_they_are() -> None:
    search = Decoder(sample(), Weights("moses")).search(["[bold]", "[/]"])
    assert "[bold]" in text_of(explain(search))


def test_the_page_is_whole_escaped_and_needs_nothing_else() -> None:
    told = explain(searched())
    html = told.html()
    page = Page(html)
    assert page.open == []
    text = "".join(page.words)
    for word in SOURCE:
        assert word in text
    assert "<b>" not in html
    assert not re.search(r"(src|href)=|@import|url\(|<script", html)
    assert html.count("http") == html.count("http://www.w3.org/2000/svg")


def test_a_long_sentence_is_explained_piece_by_piece() -> None:
    search = Decoder(sample(), Weights("full"), "fast").search(("the red button is on . " * 40).split())
    told = explain(search, options=1, rivals=1)
    assert tuple(account.step for account in told.accounts if account.step) == search.best.steps
    assert math.isclose(sum(account.total for account in told.accounts), search.best.score)
    assert "botón" in told.html()
