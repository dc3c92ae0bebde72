"""Whatever is read comes back byte for byte, but for the targets; and these are read as they were written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.formats import Document, read_document, write_document

DATA = Path(__file__).parent / "data"
FILES = sorted(DATA.iterdir())
XML = [file for file in FILES if file.suffix in (".xlf", ".tmx")]
NAMES = [file.name for file in FILES]
TEXTS = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("<>&\"'\\\n\r\t %]/ ;=éñ")), max_size=30
) | st.sampled_from(
    ["]]>", "&amp;", "&lt;b&gt;", "<b>", "<!-- -->", "a\r\nb", "\n", "\\n", '"', "\\", "#~ x", "\u2028"]
)


def read(file: Path, data: bytes | None = None) -> Document:
    return read_document(file.read_bytes() if data is None else data, file.name, source="en", target="es")


def in_encoding(file: Path, encoding: str) -> bytes:
    text = file.read_bytes().decode("utf-8-sig")
    declared = text.replace('encoding="UTF-8"', f'encoding="{encoding}"').replace(
        "charset=UTF-8", f"charset={encoding}"
    )
    return declared.encode(encoding)


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_without_targets_nothing_changes(file: Path) -> None:
    document = read(file)
    assert document.segments
    assert write_document(document, {}) == file.read_bytes()
    same = {segment.id: (segment.target, segment.state) for segment in document.segments}
    assert write_document(document, same) == file.read_bytes()
    assert write_document(document, {segment.id: segment.target for segment in document.segments}) == file.read_bytes()


@pytest.mark.parametrize("file", FILES, ids=NAMES)
@given(data=st.data())
@settings(deadline=None, max_examples=60)
def test_targets_are_read_as_they_were_written(file: Path, data: st.DataObject) -> None:
    document = read(file)
    free = [segment for segment in document.segments if segment.state != "locked"]
    chosen = data.draw(st.lists(st.sampled_from(free), unique_by=lambda one: one.id))
    targets = {}
    for segment in chosen:
        first, *between = (data.draw(TEXTS) for _ in range(len(segment.tags) + 1))
        targets[segment.id] = first + "".join(map("".join, zip(segment.tags, between, strict=True)))
    try:
        written = write_document(document, targets)
    except BadInputError as error:
        assert "cannot hold" in str(error)
        return
    if document.format == "text":
        assert len(written.splitlines()) >= len(targets)
        return
    again = read(file, written)
    assert [segment.source for segment in again.segments] == [segment.source for segment in document.segments]
    for old, new in zip(document.segments, again.segments, strict=True):
        assert new.id == old.id
        assert new.target == targets.get(old.id, old.target)


@pytest.mark.parametrize("file", XML, ids=[file.name for file in XML])
def test_only_targets_and_states_change(file: Path) -> None:
    document = read(file)
    targets = {one.id: one.source for one in document.segments if one.state != "locked"}
    written = write_document(document, targets)
    assert written != file.read_bytes()
    assert _without_targets(written) == _without_targets(file.read_bytes())


def _without_targets(data: bytes) -> bytes:
    """A file without its targets and without what is said about them, every other byte as it is."""
    data = re.sub(rb"\s*<(x:)?target\b[^>]*?(/>|>.*?</(x:)?target>)", b"", data, flags=re.DOTALL)
    data = re.sub(rb"\s*<tuv xml:lang=.es[^>]*>.*?</tuv>", b"", data, flags=re.DOTALL)
    return re.sub(rb"""\s+(state|subState|approved|trgLang|target-language)=["'][^"']*["']""", b"", data)


@pytest.mark.parametrize("name", ["manual.xlf", "es.po"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "iso-8859-1", "windows-1252"])
def test_other_encodings(name: str, encoding: str) -> None:
    data = in_encoding(DATA / name, encoding)
    document = read_document(data, name)
    assert document.segments == read_document((DATA / name).read_bytes(), name).segments
    assert write_document(document, {}) == data
    target = {document.segments[0].id: "".join(["ñandú", *document.segments[0].tags])}
    written = write_document(document, target)
    assert written[:2] == data[:2]
    assert "ñandú" in written.decode(encoding)
    assert read_document(written, name).segments[0].target.startswith("ñandú")


def test_a_character_that_the_encoding_lacks_is_written_as_a_reference_or_refused() -> None:
    document = read_document(in_encoding(DATA / "manual.xlf", "iso-8859-1"), "manual.xlf")
    written = write_document(document, {"free": "水"})
    assert b"&#27700;" in written
    assert [one.target for one in read_document(written, "m.xlf").segments if one.id == "free"] == ["水"]
    catalogue = read_document(in_encoding(DATA / "es.po", "iso-8859-1"), "es.po")
    with pytest.raises(BadInputError, match="'水' is not in iso8859-1"):
        write_document(catalogue, {"1": "水"})


@pytest.mark.parametrize("name", ["manual.xlf", "manual2.xlf", "memory.tmx", "es.po", "page.txt"])
def test_line_ends_of_other_systems(name: str) -> None:
    file = DATA / name
    data = file.read_bytes().replace(b"\n", b"\r\n")
    document = read(file, data)
    assert document.segments == read(file).segments
    new = next(one for one in document.segments if one.state == "new")
    ours = " ".join(["one", *new.tags]) if name == "page.txt" else "\n".join(["one", "two", *new.tags])
    written = write_document(document, {new.id: ours})
    assert written.count(b"\n") == written.count(b"\r\n")
    assert written.count(b"\n") >= data.count(b"\n")
    if name != "page.txt":
        assert next(one for one in read(file, written).segments if one.id == new.id).target == ours


def test_old_targets_can_be_put_back() -> None:
    for name in ("manual.xlf", "manual2.xlf", "es.po"):
        document = read(DATA / name, (DATA / name).read_bytes().replace(b'msgstr   "', b'msgstr "'))
        done = [one for one in document.segments if one.state == "confirmed" and "[" not in one.id]
        changed = read(DATA / name, write_document(document, {one.id: "otro" for one in done}))
        assert {one.state for one in changed.segments if one.id in {each.id for each in done}} == {"translated"}
        back = write_document(changed, {one.id: (one.target, one.state) for one in done})
        assert back == document.data
