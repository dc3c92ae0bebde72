"""Packed rows stand for the objects that they were made of, and large files take little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from array import array
from pathlib import Path

import pytest
from benchmarks.bench_memory import FORMS, made
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.formats import compact_lists, markdown_blocks, read_document
from dragoman.formats.contents import Contents
from dragoman.formats.division import Chunk, into_sentences, untrimmed
from dragoman.formats.document import (
    CompactSegments,
    DocumentSegment,
    Names,
    NewTarget,
    NewTargets,
    State,
    find_repeated,
)
from dragoman.formats.document_pieces import (
    CompactChunks,
    CompactPieces,
    Piece,
    PieceSegments,
    Replacement,
    ReplacementList,
)
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.json_files import JsonScan
from tests.oracles.json_strings import strings

TEXTS = st.text(max_size=12)
TAGS = st.builds(
    Tag, TEXTS, st.binary(max_size=4), st.sampled_from(["start", "end", "alone"]), TEXTS, st.none() | TEXTS
)
INLINES = st.lists(TEXTS | TAGS, max_size=4).map(Inline)
STATES = st.sampled_from(["new", "translated", "confirmed", "locked"])
SEGMENTS = st.builds(
    DocumentSegment, TEXTS, TEXTS, TEXTS, STATES, INLINES, TEXTS, TEXTS, st.none() | st.integers(0, 10**12)
)
PIECES = st.builds(
    Piece,
    TEXTS,
    INLINES,
    st.integers(0, 60),
    st.integers(60, 90),
    TEXTS,
    TEXTS,
    st.none() | st.integers(0, 500),
    st.sampled_from([None, untrimmed]),
    st.none() | TEXTS,
    STATES,
    st.none() | TEXTS | st.just({"an": object}),  # which cannot be packed
)


@given(st.lists(SEGMENTS, max_size=6))
def test_segments_come_back_as_they_were(segments: list[DocumentSegment]) -> None:
    packed = CompactSegments(segments)
    assert packed == segments
    assert [(one.inline, one.context, one.note, one.limit) for one in packed] == [
        (one.inline, one.context, one.note, one.limit) for one in segments
    ]
    assert packed[1:] == segments[1:]


@given(st.lists(PIECES, max_size=6), st.text(max_size=90))
def test_pieces_come_back_as_they_were(pieces: list[Piece], text: str) -> None:
    packed = CompactPieces(text, pieces)
    assert list(packed) == pieces
    assert [packed[at] for at in range(len(pieces))] == pieces


@given(st.lists(st.lists(st.sampled_from(["One. ", "Two", " ", "", "Three.\n"]) | TAGS, max_size=5), max_size=5))
def test_chunks_and_segments_of_pieces_come_back_as_they_were(contents: list[list[str | Tag]]) -> None:
    pieces = CompactPieces("", [Piece(str(at), Inline(parts), at, at) for at, parts in enumerate(contents)])
    chunks, wanted = CompactChunks(pieces), []
    for piece in pieces:
        some = [(piece.id if chunk.is_segment else "", chunk) for chunk in into_sentences("en")(piece.inline.parts)]
        wanted.append(some)
        chunks.add(piece, some)
    assert list(chunks) == wanted
    segments = PieceSegments(chunks)
    assert [one.inline.parts for one in segments] == [chunk.parts for some in wanted for name, chunk in some if name]
    assert [segments[at] for at in range(len(segments))] == list(segments)


def test_a_piece_that_is_divided_anew_moves_the_segments_after_it() -> None:
    pieces = CompactPieces("", [Piece(name, Inline([name]), 0, 0) for name in "abc"])
    chunks = CompactChunks(pieces)
    for piece in pieces:
        chunks.add(piece, [(piece.id, Chunk(piece.inline.parts, True))])
    new = chunks.copy()
    new.put(1, [("x", Chunk(["b"], True)), ("y", Chunk(["c"], True))])
    assert [one.id for one in PieceSegments(new)] == ["a", "x", "y", "c"]
    assert PieceSegments(new)[3].id == "c"
    assert [one.id for one in PieceSegments(chunks)] == ["a", "b", "c"]


@given(st.lists(st.tuples(st.integers(0, 9), TEXTS), max_size=8), st.integers(0, 10))
def test_replacements_are_ordered_as_a_sort_would(items: list[tuple[int, str]], start: int) -> None:
    wanted = [Replacement(at, at + 1, new) for at, new in items]
    packed = ReplacementList()
    packed.extend(wanted)
    assert list(packed.ordered()) == sorted(wanted)
    taken: list[Replacement] = []
    while wanted and wanted[-1].start >= start:
        taken.insert(0, wanted.pop())
    assert packed.take_from(start) == taken
    assert list(packed) == wanted


@given(st.dictionaries(TEXTS, TEXTS, max_size=8), st.lists(TEXTS, max_size=8))
def test_targets_are_found_in_any_order(wanted: dict[str, str], others: list[str]) -> None:
    targets = NewTargets()
    for name, target in wanted.items():
        targets.add(name, target, "translated")
    for name in (*wanted, *reversed(wanted), *others, *wanted):
        state: State = "translated" if wanted.get(name) else "new"
        expected = NewTarget(wanted[name], state) if name in wanted else None
        assert targets.get(name) == expected
        assert (name in targets) == (name in wanted)
    assert list(targets) == list(wanted)
    for name in list(wanted)[:2]:
        assert targets.remove(name)
        assert not targets.remove(name)
        assert name not in targets
    left = targets.without(list(wanted)[2:3])
    assert list(left) == list(wanted)[3:]
    assert len(targets) == max(0, len(wanted) - 2)


@given(st.lists(st.sampled_from(["a", "b", "a#2", "c", "b#2", "a#3"]), max_size=12))
def test_repeated_names_get_the_numbers_that_they_always_got(names: list[str]) -> None:
    oracle = Names()
    wanted = [oracle.unique(name) for name in names]
    repeated = find_repeated(array("q", map(hash, names)))
    some = Names()
    assert [some.unique(name) if hash(name) in repeated or "#" in name else name for name in names] == wanted
    data = "".join(f"{name.replace('#', chr(92) + '#')}=One two\n" for name in names).encode()
    assert [one.id for one in read_document(data, "a.properties").segments] == wanted


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_a_scan_finds_the_strings_of_the_tree(value: object, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    _agrees(text)
    _agrees(text.replace('"b"', '"a"'))  # repeated names
    for damaged in (text[:-1], text + "]", text.replace(":", ",", 1), text.replace("]", ",]", 1)):
        _agrees(damaged)


def _agrees(text: str) -> None:
    contents = Contents("a.json", text, "utf-8", b"")
    try:
        json.loads(text)
    except ValueError:
        with pytest.raises(BadInputError, match="is not JSON"):
            JsonScan(contents)
        return
    assert sorted((one.path, one.start, one.end, one.text) for one in JsonScan(contents) if one.text is not None) == (
        sorted(strings(text))
    )


PAGE = """# Title

One.

- a

  ```
  code

Text in no list

```python

Not text

```

Two [x].

<!-- a comment

goes on

-->

Three

    code

    more

Four

| a | b |
|---|---|
| c | d |

> quoted

<div>

Five

</div>

[x]: y "A title"
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_page_in_parts_is_read_as_the_whole(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = (PAGE * 3).replace("\n", end).encode()
    whole = read_document(data, "page.md").segments
    assert "Not text" not in {one.source for one in whole}
    for size in (1, 7, 60):
        monkeypatch.setattr(markdown_blocks, "PART", size)
        assert read_document(data, "page.md").segments == whole


def test_names_that_take_far_more_than_the_file_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact_lists, "MOST_BYTES", 1 << 20)
    data = json.dumps({"k" * 5_000: {str(n): "some text" for n in range(1_000)}}).encode()
    with pytest.raises(BadInputError, match=r"a\.json: takes more than .* memory"):
        read_document(data, "a.json")


MEASURE = """
import sys
from benchmarks.bench_memory import measure
from pathlib import Path
measure(sys.argv[1], Path(sys.argv[2]))
"""


@pytest.mark.long
@pytest.mark.parametrize("kind", ["json", "po", "xlf"])
def test_a_large_file_takes_a_few_times_its_size(kind: str, tmp_path: Path) -> None:
    data, size = made(FORMS[kind], 40_000, 6)
    file = tmp_path / f"large.{kind}"
    file.write_bytes(data)
    done = subprocess.run([sys.executable, "-c", MEASURE, kind, file], capture_output=True, text=True, check=True)
    filled = int(done.stdout.split()[2])
    assert filled < 12 * size  # the last measure of objects was 40 times
