"""IDML: paragraphs of stories, with their character styles, links, footnotes and special characters."""

# ruff: noqa: E501 (stories have long lines)
from __future__ import annotations

import zipfile
from io import BytesIO

import pytest

from dragoman.formats import Document, read_document
from tests.formats.samples import pack

PLAIN = '<CharacterStyleRange AppliedCharacterStyle="plain">'
BOLD = (
    '<CharacterStyleRange AppliedCharacterStyle="plain" FontStyle="Bold"><Properties><Leading>12</Leading></Properties>'
)
END = "</CharacterStyleRange>"


def story(inside: str) -> bytes:
    packaging = "http://ns.adobe.com/AdobeInDesign/idml/1.0/packaging"
    text = f'<idPkg:Story xmlns:idPkg="{packaging}"><Story Self="u1">{inside}</Story></idPkg:Story>'
    return pack(
        {
            "mimetype": "application/vnd.adobe.indesign-idml-package",
            "designmap.xml": '<Document xmlns:idPkg="urn:x"/>',
            "Stories/Story_u1.xml": text,
        }
    )


def paragraphs(inside: str) -> str:
    return f"<ParagraphStyleRange AppliedParagraphStyle='body'>{inside}</ParagraphStyleRange>"


def written(document: Document, *targets: str) -> str:
    data = document.fill({one.id: target for one, target in zip(document.segments, targets, strict=True)})
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return archive.read("Stories/Story_u1.xml").decode().partition('Self="u1">')[2].partition("</Story>")[0]


def sources(document: Document) -> list[str]:
    return [one.source for one in document.segments]


def test_a_paragraph_ends_with_a_break_wherever_that_stands() -> None:
    inside = f"{PLAIN}<Content>One &amp; all</Content><Br/><Content>Two</Content>{END}{PLAIN}<Content> more</Content><Br/>{END}"
    document = read_document(story(paragraphs(inside)), "a.idml")
    assert sources(document) == ["One & all", "Two more"]
    new = f"{PLAIN}<Content>Uno &lt; todo</Content><Br/><Content>Dos más</Content><Br/>{END}"
    assert written(document, "Uno < todo", "Dos más") == paragraphs(new)


def test_another_character_style_is_a_pair_of_tags_that_can_be_moved() -> None:
    inside = f"{PLAIN}<Content>The </Content>{END}{BOLD}<Content>red</Content>{END}{PLAIN}<Content> car is here</Content>{END}"
    document = read_document(story(paragraphs(inside)), "a.idml")
    assert sources(document) == ["The <g1>red</g1> car is here"]
    new = f"{PLAIN}<Content>El coche </Content>{END}{BOLD}<Content>rojo</Content>{END}{PLAIN}<Content> está aquí</Content>{END}"
    assert written(document, "El coche <g1>rojo</g1> está aquí") == paragraphs(new)
    first = f"{BOLD}<Content>Rojo</Content>{END}{PLAIN}<Content> es el coche</Content>{END}"
    assert written(document, "<g1>Rojo</g1> es el coche") == paragraphs(f"{PLAIN}{END}{first}")


def test_links_footnotes_and_special_characters() -> None:
    note = paragraphs(f"{PLAIN}<Content>A note</Content>{END}")
    inside = (
        f"{PLAIN}<Content>See </Content><HyperlinkTextSource Self='h'><Content>the page</Content></HyperlinkTextSource>"
        f"<Content> here</Content><Footnote>{note}</Footnote><Content>: page <?ACE 18?> of it</Content>{END}"
    )
    document = read_document(story(paragraphs(inside)), "a.idml")
    assert sources(document) == ["A note", "See <g1>the page</g1> here<x2/>: page <x3/> of it"]
    new = (
        f"{PLAIN}<HyperlinkTextSource Self='h'><Content>La página</Content></HyperlinkTextSource><Content>: </Content>"
        f"<Content><?ACE 18?></Content><Footnote>{note.replace('A note', 'Una nota')}</Footnote>{END}"
    )
    assert written(document, "Una nota", "<g1>La página</g1>: <x3/><x2/>") == paragraphs(new)


def test_what_was_deleted_stays_and_what_was_inserted_is_text() -> None:
    inside = (
        f'{PLAIN}<Content>A </Content><Change ChangeType="DeletedText"><Content>lost</Content></Change>'
        f'<Change ChangeType="InsertedText"><Content>found</Content></Change><Content> text</Content>{END}'
    )
    document = read_document(story(paragraphs(inside)), "a.idml")
    assert sources(document) == ["A <x1/><g2>found</g2> text"]


def test_a_text_outside_of_ranges_is_found() -> None:
    inside = f"<Content>One text</Content>{PLAIN}<Content>Another text</Content>{END}<XMLElement><Content>Third</Content></XMLElement>"
    data = story(paragraphs(inside))
    document = read_document(data, "a.idml")
    assert sources(document) == ["One text", "Another text", "Third"]
    assert document.fill({}) == data
    assert written(document, "Uno", "Otro", "Tercero").count("<Content>") == 3


@pytest.mark.parametrize("text", ["a & <b>", "a ]]> b", "“é”", "x\u2028y"])
def test_any_text_is_read_back(text: str) -> None:
    data = story(paragraphs(f"{PLAIN}<Content>One text</Content>{END}"))
    document = read_document(data, "a.idml")
    again = read_document(document.fill({document.segments[0].id: text}), "a.idml")
    assert sources(again) == [text]
