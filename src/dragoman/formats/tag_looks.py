"""What the inline tags of a document look like to its readers: bold words, links, images.

Each format tells it in another way: by the name of an element, by Markdown's marks, by the properties of a run, by a
style that is defined elsewhere in the file.
"""

from __future__ import annotations

import re
from functools import cached_property
from html import unescape

from dragoman.formats.html import HtmlDocument
from dragoman.formats.inline import Tag
from dragoman.formats.markdown import MarkdownDocument
from dragoman.formats.opendocument import OpenDocumentPart
from dragoman.formats.piece_document import Piece, PieceDocument
from dragoman.formats.preview_blocks import Look, TagLook
from dragoman.formats.runs import RunDocument, Style

LONGEST = 200  # characters of what stands alone
BY_NAME: dict[str, Look] = {
    **dict.fromkeys(("b", "strong", "bold"), "bold"),
    **dict.fromkeys(("i", "em", "cite", "dfn", "italic"), "italic"),
    **dict.fromkeys(("u", "ins", "underlined", "underline"), "underline"),
    **dict.fromkeys(("s", "del", "strike"), "strike"),
    **dict.fromkeys(("code", "kbd", "samp", "var", "tt", "math"), "code"),
    **dict.fromkeys(("a", "link"), "link"),
    **dict.fromkeys(("br", "lb"), "break"),
    **dict.fromkeys(("img", "image", "svg"), "image"),
    "mark": "mark",
    "sub": "subscript",
    "sup": "superscript",
    "cue": "cue",
}
_MARKS: dict[str, Look] = {"*": "italic", "_": "italic", "**": "bold", "__": "bold", "~~": "strike", "[": "link"}
_PROPERTIES: list[tuple[re.Pattern[str], Look]] = [
    (re.compile(r"<(?:\w+:)?vertAlign\s[^>]*superscript|\sbaseline=\"[1-9]"), "superscript"),
    (re.compile(r"<(?:\w+:)?vertAlign\s[^>]*subscript|\sbaseline=\"-"), "subscript"),
    (re.compile(r"<(?:\w+:)?b(?:\s*/?>|\s+(?:\w+:)?val=\"(?!0|false|none))|\sb=\"(?:1|true)\""), "bold"),
    (re.compile(r"<(?:\w+:)?i(?:\s*/?>|\s+(?:\w+:)?val=\"(?!0|false|none))|\si=\"(?:1|true)\""), "italic"),
    (re.compile(r"<(?:\w+:)?(?:d?strike)(?:\s*/?>|\s+(?:\w+:)?val=\"(?!0|false|no))|\sstrike=\"(?!no)"), "strike"),
    (re.compile(r"<(?:\w+:)?u(?:\s*/?>|\s+(?:\w+:)?val=\"(?!none))|\su=\"(?!none)"), "underline"),
    (re.compile(r"<(?:\w+:)?highlight\b"), "mark"),
]
_THINGS: list[tuple[re.Pattern[str], Look]] = [
    (re.compile(r"<(?:\w+:)?(?:hyperlink|hlinkClick)\b|<text:a\b"), "link"),
    (re.compile(r"<(?:\w+:)?(?:footnoteReference|endnoteReference|commentReference|note)\b"), "note"),
    (re.compile(r"<(?:\w+:)?(?:drawing|pict|object|frame|image|pic)\b"), "image"),
    (re.compile(r"<(?:\w+:)?(?:br|cr|line-break)\b"), "break"),
]
_STYLED: list[tuple[re.Pattern[str], Look]] = [
    (re.compile(r"fo:font-weight=\"(?:bold|[6-9]00)"), "bold"),
    (re.compile(r"fo:font-style=\"(?:italic|oblique)"), "italic"),
    (re.compile(r"text-position=\"super"), "superscript"),
    (re.compile(r"text-position=\"sub"), "subscript"),
    (re.compile(r"text-line-through-style=\"(?!none)"), "strike"),
    (re.compile(r"text-underline-style=\"(?!none)"), "underline"),
]
_STYLE = re.compile(
    r'<style:style(?=\s[^<>]*+>)(?>[^<>]*?\sstyle:name="([^"<>]+)")[^<>]*+>(.{0,2000}?)</style:style>', re.DOTALL
)
_SPACES = re.compile(r"<(?:\w+:)?(?:tab|s|noBreakHyphen)\b")
_KIND = re.compile(r"""\s(?:ctype|type|subType|fs)\s*=\s*["'](?:x-|html:)?(\w+)""")


class TagLooks:
    """The looks of the tags of a document, or of a part of a packed one; without one, what the tags themselves tell."""

    def __init__(self, document: PieceDocument | None) -> None:
        self.document = document

    def find(self, piece: Piece | None, tag: Tag) -> TagLook:
        """What a tag of a piece looks like."""
        if tag.kind == "end":
            return TagLook(tag.shown, "end", "plain")
        look, text = self._by_format(piece, tag)
        return TagLook(tag.shown, tag.kind, look, _short(text) if tag.kind == "alone" else "")

    def _by_format(self, piece: Piece | None, tag: Tag) -> tuple[Look, str]:
        document = self.document
        if isinstance(document, RunDocument) and piece is not None and isinstance(piece.style, Style):
            return _of_run(document, piece.style, tag)
        if document is None or tag.span is None:
            return _by_itself(tag)
        written = document._slice(*tag.span)
        if isinstance(document, MarkdownDocument):
            return _of_mark(written, tag)
        if isinstance(document, OpenDocumentPart):
            return _of_element(self.styles, written)
        if isinstance(document, HtmlDocument):
            return _of_html(written, tag)
        return _by_itself(tag)

    @cached_property
    def styles(self) -> dict[str, Look]:
        """The looks of the styles that OpenDocument defines before its text."""
        text = self.document.contents.text if self.document else ""
        found = ((each[1], each[2]) for each in _STYLE.finditer(text, 0, text.find("</office:automatic-styles>") + 1))
        looks = ((name, [look for pattern, look in _STYLED if pattern.search(body)]) for name, body in found)
        return {name: some[0] for name, some in looks if some}


def _by_itself(tag: Tag) -> tuple[Look, str]:
    """By its name, or by what it says of itself, as tags of translation tools do."""
    said = _KIND.search(tag.shown) if tag.shown.startswith("<") else None
    look = BY_NAME.get(said[1].lower()) if said else None
    name = tag.name.rstrip("0123456789") if tag.name.startswith("cue") else tag.name
    look = look or BY_NAME.get(name.lower())
    if look is None or (tag.kind == "alone" and look not in ("break", "image", "cue")):
        look = "tag" if tag.kind == "alone" else "plain"
    return look, tag.shown if look == "tag" else ""


def _of_html(written: str, tag: Tag) -> tuple[Look, str]:
    if written.startswith(("<!--", "<?", "<%", "<!")):
        return "plain", ""
    if written.startswith("{"):
        return "code", written
    look = BY_NAME.get(tag.name, "plain")
    if tag.kind != "alone" or look == "break":
        return look, ""
    if look == "image":
        found = re.search(r"""\salt\s*=\s*["']([^"']*)""", written)
        return "image", unescape(found[1]) if found else ""
    return look, _bare(written)


def _of_mark(written: str, tag: Tag) -> tuple[Look, str]:
    """By the marks of Markdown."""
    if tag.kind == "start":
        name = re.match(r"<([\w-]+)", written)
        return (BY_NAME.get(name[1].lower(), "plain") if name else _MARKS.get(written, "bold")), ""
    if tag.name == "br":
        return "break", ""
    if written.startswith("`"):
        return "code", written.strip("`").strip()
    if written.startswith("!["):
        return "image", written[2 : written.find("]")]
    if written.startswith(("\\", "&")):
        return "plain", unescape(written.removeprefix("\\"))
    if re.match(r"<?(?:https?|mailto|ftp):|<[\w.+-]+@", written):
        return "link", written.strip("<>")
    if written.startswith("<"):
        name = re.match(r"</?([\w-]+)", written)
        look = BY_NAME.get(name[1].lower(), "plain") if name else "plain"
        return (look if look in ("break", "image") else "plain"), ""
    return ("note" if written.startswith("[^") else "code"), written


def _of_run(document: RunDocument, style: Style, tag: Tag) -> tuple[Look, str]:
    """By the properties of a run, or by what is copied from the file."""
    meaning = style.meanings.get(tag.shown)
    if meaning is None:
        return "plain", ""
    copied = "".join(document._slice(thing.start, thing.end) for thing in meaning.things)
    if look := next((look for pattern, look in _THINGS if pattern.search(copied)), None):
        return look, ""
    if meaning.format is not None:
        bare = [look for pattern, look in _PROPERTIES if pattern.search(meaning.format)]
        known = [look for pattern, look in _PROPERTIES if pattern.search(style.base)]
        return next((look for look in bare if look not in known), "plain"), ""
    return "plain", " " if _SPACES.search(copied) else ""


def _of_element(styles: dict[str, Look], written: str) -> tuple[Look, str]:
    """By the name of an element of OpenDocument, or by the style that it names."""
    if look := next((look for pattern, look in _THINGS if pattern.search(written)), None):
        return look, ""
    named = re.search(r"text:style-name=\"([^\"]+)\"", written)
    if named and written.startswith("<text:span"):
        return styles.get(named[1], "plain"), ""
    return "plain", " " if _SPACES.match(written) else ""


def _bare(written: str) -> str:
    """The text of an element."""
    return " ".join(unescape(re.sub(r"<[^<>]*>", "", written)).split())


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
