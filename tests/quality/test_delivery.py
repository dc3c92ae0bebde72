"""What a file cannot hold is found before it is written, and never takes the rest of the file with it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from dragoman.formats import Document, DocumentSegment, State, read_document
from dragoman.formats.lines import TextDocument
from dragoman.formats.packages import PackedDocument
from dragoman.formats.piece_document import PieceDocument
from dragoman.quality import deliver, find_fault
from dragoman.quality.delivery import PROBED, find_trial
from tests.quality.samples import EVERY, SOURCE_REPLACED

EDITS = 1000  # of each format
WORDS = ["Pulse", "botón", "verde", "¿Qué?", "水", "año", "a & b", "50 %", "“x”", "l'eau", "x.", "Y!"]
ODD = ["\n", "\t", "{count}", "%s", "}", "\0", "--> x", "\n\n", "  ", "<g>", "|", "- ", "# "]
XLIFF = b"""<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a" source-language="en" target-language="es" datatype="plaintext"><body>
<trans-unit id="1"><source>Press the <g id="1">green</g> button.</source></trans-unit></body></file></xliff>"""


def read(name: str, data: bytes) -> Document:
    return read_document(data, name, source="en", target="es")


@pytest.mark.parametrize(
    ("name", "data", "target", "said"),
    [
        ("page.xlf", XLIFF, 'Pulse <g id="1">verde.', "lacks </g>"),
        ("page.xlf", XLIFF, 'Pulse </g>verde<g id="1">.', "in the wrong place"),
        ("page.xlf", XLIFF, 'Pulse <g id="1"><g id="1">verde</g></g>.', "has too many of"),
        ("page.txt", b"Press.\n", "Una.\nOtra.", "contains a line break"),
        ("page.tsv", b"Press.\t\n", "Una.\tOtra.", "contains a tab"),
        ("page.json", b'{"count": "{count} files"}', "Archivos.", "lacks {count}"),
    ],
)
def test_a_broken_target_is_refused_with_the_reason(name: str, data: bytes, target: str, said: str) -> None:
    document = read(name, data)
    assert said in str(find_fault(document, document.segments[0], target))


def test_a_character_that_the_encoding_lacks_is_found_before_the_file_is_written() -> None:
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=iso-8859-1\\n"\n'
    document = read("a.po", f'{header}\nmsgid "Press"\nmsgstr ""\n'.encode("latin-1"))
    assert "iso8859-1" in str(find_fault(document, document.segments[0], "Ω"))


def test_one_target_that_cannot_be_written_does_not_take_the_others_with_it() -> None:
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=iso-8859-1\\n"\n'
    entries = "".join(f'\nmsgid "Press {n}"\nmsgstr ""\n' for n in range(9))
    document = read("a.po", f"{header}{entries}".encode("latin-1"))
    targets = {one.id: "Ω" if n in (2, 7) else f"Pulse {n}" for n, one in enumerate(document.segments)}
    delivery = deliver(document, {key: (target, "confirmed") for key, target in targets.items()})
    again = {one.id: one.target for one in read("a.po", delivery.data).segments}
    assert sorted(delivery.left_out) == [key for key, target in targets.items() if target == "Ω"]
    assert again == {key: "" if target == "Ω" else target for key, target in targets.items()}


def test_a_draft_never_displaces_what_is_confirmed() -> None:
    document = read("a.md", b"| A | B |\n|---|---|\n| one | two |\n")
    first, *_, last = document.segments
    targets: dict[str, tuple[str, State]] = {last.id: ("mal\n\n# x", "translated"), first.id: ("bien", "confirmed")}
    assert set(deliver(document, targets).left_out) == {last.id}


def edited(chance: random.Random, segment: DocumentSegment) -> str:
    """A target as somebody in a hurry leaves it: mostly right, at times with tags lost, doubled or in a wrong place."""
    parts = [*chance.choices(WORDS, k=chance.randint(1, 4)), *segment.tags]
    kind = chance.randrange(6)
    if kind == 0:
        parts.insert(chance.randrange(len(parts) + 1), chance.choice(ODD))
    elif kind == 1 and segment.tags:
        parts.remove(chance.choice(segment.tags))
    elif kind == 2 and segment.tags:
        parts.append(chance.choice(segment.tags))
    elif kind == 3:
        chance.shuffle(parts)
    return " ".join(parts)


@pytest.mark.parametrize("name", EVERY)
def test_a_delivered_file_holds_exactly_the_texts_that_were_let_pass(name: str) -> None:
    document, chance, done = read(name, EVERY[name]), random.Random(name), 0
    segments = [one for one in document.segments if one.state != "locked"]
    while done < EDITS:
        passed: dict[str, str] = {}
        for one in chance.sample(segments, len(segments)):
            target = edited(chance, one)
            if not find_fault(document, one, target, passed):
                passed[one.id] = target
        done += len(segments)
        delivery = deliver(document, {key: (target, "confirmed") for key, target in passed.items()})
        assert not delivery.left_out
        again = read(name, delivery.data)
        if name not in SOURCE_REPLACED:
            now = {one.id: one.target for one in again.segments}
            assert {key: now[key] for key in passed} == passed
        else:
            text = bare("".join(pieces(again)))
            assert [target for target in passed.values() if bare(target) not in text] == []


def large(name: str, count: int) -> bytes:
    """A file too large to be written whole for each segment."""
    data = EVERY[name].decode()
    if name == "strings.xml":
        head, _, rest = data.partition("<string ")
        strings = f"<string {rest.removesuffix('</resources>' + chr(10))}"
        return f"{head}{strings * count}</resources>\n".encode()
    if name == "en.yml":
        return b"en:\n" + "".join(f" part{n}:\n{data[4:]}" for n in range(count)).encode()
    if name == "page.md":
        return (data + data.partition("---\n# ")[2] * count).encode()
    if name == "film.vtt":
        return (data + data.partition("WEBVTT\n")[2] * count).encode()
    return (f"{data}\n" * count).encode()


@pytest.mark.long
@pytest.mark.parametrize("name", ["page.md", "film.srt", "film.vtt", "en.yml", "strings.xml", "main.ftl"])
def test_a_large_file_refuses_the_same_targets_as_when_it_is_written(name: str) -> None:
    document, chance = read(name, large(name, 1 + 2 * PROBED // len(EVERY[name]))), random.Random(name)
    assert len(document.data) > PROBED
    middle = len(document.segments) // 2
    passed: dict[str, str] = {}
    for one in document.segments[middle : middle + 200]:
        target = edited(chance, one)
        trial = find_trial(document, one)
        assert trial is not None and len(trial.document.data) < PROBED
        if not find_fault(document, one, target, passed):
            passed[one.id] = target
    delivery = deliver(document, {key: (target, "confirmed") for key, target in passed.items()})
    assert passed and not delivery.left_out


def pieces(document: Document) -> Iterator[str]:
    """All texts of a file, whether or not there is anything to translate in them."""
    if isinstance(document, TextDocument):
        yield document.contents.text
        return
    for part in document.parts.values() if isinstance(document, PackedDocument) else [document]:
        assert isinstance(part, PieceDocument)
        for piece in part.pieces:
            yield piece.target or piece.inline.text


def bare(text: str) -> str:
    """A text without tags and white space, which formats that replace the source write in their own way."""
    escaped = re.sub(r'<x\d+ text="\\\\?(.)"/>', r"\1", text)  # Markdown shows what it has escaped as a tag
    return re.sub(r"<[^<>]*>|\s", "", escaped)
