"""Web pages: what is text in them, and that the rest stays as it is, however odd."""

from __future__ import annotations

import pytest

from dragoman.formats import read_document

PAGE = "<!DOCTYPE html>\n<html><body>{}</body></html>"


def sources(text: str, name: str = "a.html") -> list[str]:
    return [segment.source for segment in read_document(text.encode(), name).segments]


def filled(text: str, name: str = "a.html") -> str:
    document = read_document(text.encode(), name)
    return document.fill({one.id: one.source.replace("the", "LE") for one in document.segments}).decode()


def test_an_attribute_may_be_as_long_as_it_likes() -> None:
    image = f'<img src="data:image/png;base64,{"A" * 20_000}" alt="the lid">'
    page = PAGE.format(f"<p>See {image} of the tray.</p>")
    assert sources(page) == ["the lid", 'See <img id="1"/> of the tray.']
    assert filled(page) == page.replace("the lid", "LE lid").replace("of the", "of LE")


def test_declarations_inside_a_doctype_are_no_text() -> None:
    page = (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN" "x.dtd" [\n<!ENTITY nbsp "&#160;">\n<!ENTITY a "b>c">\n]>\n'
        "<html><body><p>Open the lid.</p></body></html>"
    )
    assert sources(page, "a.xhtml") == ["Open the lid."]
    assert filled(page, "a.xhtml") == page.replace("the", "LE")


def test_choices_text_areas_and_what_is_shown_without_scripts_are_text() -> None:
    page = PAGE.format(
        '<p>Choose <select><option>the lid</option><optgroup label="the rest"><option value="1">the tray</option>'
        "</optgroup></select> now.</p><textarea>the <b> note</textarea><noscript><p>the script</p></noscript>"
        '<label for="x">the label</label><table><tr><th abbr="the short">the head</th></tr></table>'
    )
    found = sources(page)
    for wanted in ("the lid", "the rest", "the tray", "the <b> note", "the script", "the label", "the short"):
        assert wanted in found
    assert 'Choose <select id="1"/> now.' in found
    assert filled(page).count("LE") == page.count("the")


@pytest.mark.parametrize(
    "text",
    ["<b>" * 10_000 + "x" + "</b>" * 10_000, "<!--" * 100_000, '<a "' * 50_000, "<select>" * 2_000, "<a b='" * 9],
)
def test_a_page_of_unfinished_markup_is_read_and_stays_as_it_is(text: str) -> None:
    page = PAGE.format(text).encode()
    assert read_document(page, "a.html").fill({}) == page
