"""Pages and books that we write, parsed by a real browser: what was put in, in the structure that was there."""

# ruff: noqa: E501 (pages have long lines)
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.formats.samples import EPUB, TEXTS, pack
from tests.workbench.written import differences

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = {
    "sample.html": TEXTS["page.html"],
    "nested.html": "<!DOCTYPE html><html lang=en><body><div>Text <p>Para<div>Box <em>and <strong>more</strong></em>.</div>"
    "<table><tr><td>One<td>Two<p>Three</table><dl><dt>A<dd>B</dl><p>Line<br>break<hr>After &lt;b&gt; it &copy; now.",
    "attributes.html": '<body><img alt="A &quot;lid&quot;" src=x><input placeholder=\'Your "name"\' type=text>'
    '<a href="a?b=1&amp;c=2" title="Tip">The link</a><button type="submit">Send it</button><p title="x">Text</p></body>',
    "untouched.html": "<head><title>T &amp; x</title><style>p > a {}</style><script>if (a < b) {}</script></head><body>"
    "<p>One <code>a &lt; b</code> two <!-- note --> three</p><textarea>left</textarea><svg><text>left</text></svg></body>",
    "strict.xhtml": '<?xml version="1.0" encoding="UTF-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><body>'
    '<p>One <br/> two <i>three</i>.</p><p><img src="x" alt="An image"/></p></body></html>',
}


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    found = browser.new_page()
    yield found
    found.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_browser_reads_from_a_page_what_was_put_in(page: Page, name: str) -> None:
    assert differences(page, name, PAGES[name].encode()) == []


def test_a_browser_reads_from_the_pages_of_a_book_what_was_put_in(page: Page) -> None:
    assert differences(page, "book.epub", pack(EPUB)) == []


def test_another_structure_is_noticed(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(*_: object) -> bytes:
        return b"<p>Text <b>more</b></p>"

    monkeypatch.setattr("tests.workbench.written.write_document", write)
    assert differences(page, "page.html", b"<p>Text more</p>") == [
        "page.html: another structure",
        "1 texts are not what was put in",
    ]
