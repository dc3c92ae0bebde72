"""Pages in Markdown: all text is found, and links, notes and blocks of HTML stay what they are."""

from __future__ import annotations

import pytest

from dragoman.formats import read_document


def sources(text: str) -> list[str]:
    return [segment.source for segment in read_document(text.encode(), "a.md").segments]


def filled(text: str) -> str:
    document = read_document(text.encode(), "a.md")
    return document.fill({one.id: one.source.replace("the", "LE") for one in document.segments}).decode()


def test_a_reference_names_its_label_when_its_words_change() -> None:
    text = 'See [the guide] and [the guide][] or [the book][b].\n\n[the guide]: x.html "Of the lid"\n[b]: y.html\n'
    written = filled(text)
    assert written.startswith("See [LE guide][the guide] and [LE guide][the guide] or [LE book][b].")
    assert '[the guide]: x.html "Of LE lid"\n[b]: y.html\n' in written
    assert sources(written) == [one.replace("the", "LE") for one in sources(text)]


def test_brackets_that_refer_to_nothing_are_text() -> None:
    assert sources("Press [the button].\n\n```\n[the button]: x 'y'\n```\n") == ["Press [the button]."]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("> [!NOTE]\n> Read the page.\n", ["Read the page."]),
        ("> [!TIP] About the lid\n> Read on.\n", ["About the lid", "Read on."]),
        (":::note\nRead the page.\n\nAll of the page.\n:::\n", ["Read the page.", "All of the page."]),
        (":::tip[About the lid]\nRead on.\n:::\n", ["About the lid", "Read on."]),
        ('!!! note "About the lid"\n    Read on.\n', ["About the lid", "Read on."]),
        ("<p>\nOpen <b>the</b> lid\n</p>\n", ["Open <b>the</b> lid"]),
        ('<img src="a.png" alt="Of the lid">\n', ["Of the lid"]),
        ('![the lid](a.png "the title")\n', ["the lid", "the title"]),
        ('[Open](a.md "the title") it.\n', ["the title", "<g1>Open</g1> it."]),
    ],
)
def test_notes_blocks_of_html_pictures_and_titles_are_text(text: str, found: list[str]) -> None:
    assert sources(text) == found
    assert filled(text) == text.replace("the", "LE").replace("<p>\nOpen", "<p> Open").replace("lid\n</p>", "lid </p>")


@pytest.mark.parametrize("text", ["`" * 45_000, "<!--" * 50_000, "`a ``b" * 3_000, "[a][" * 9_000])
def test_a_page_of_unfinished_markup_is_read(text: str) -> None:
    assert read_document(text.encode(), "a.md").fill({}) == text.encode()
