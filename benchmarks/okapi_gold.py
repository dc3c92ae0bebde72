"""Okapi's XLIFF files with the extractions that its own tests expect: whether we find the same texts and codes.

    python -m benchmarks.okapi_gold okapi/okapi-integration-tests/src/test/resources [--show CLASS]

For each file below `xliff` and `xliff2`, the directory `XLIFF_PREV` has what Okapi extracts, as XLIFF 1.2. Compared are
the texts of segments without their codes, spaces as one, each as often as it occurs; and the number of codes in the
segments whose texts agree. What differs is counted by its kind.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from dragoman.errors import BadInputError
from dragoman.formats import read_document

SPACE = "{urn:oasis:names:tc:xliff:document:1.2}"
CODES = frozenset({"g", "x", "bx", "ex", "bpt", "ept", "ph", "it"})
PAIRS = frozenset({"g"})


class Extracted(NamedTuple):
    """The text of a segment without its codes, and how many these are; a pair counts twice."""

    text: str
    codes: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("resources", type=Path)
    parser.add_argument("--show", default="", help="print the differences of one kind")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for gold in sorted((options.resources / "XLIFF_PREV").glob("xliff*/**/*.xliff_extracted")):
        name = gold.relative_to(options.resources / "XLIFF_PREV")
        file = options.resources / str(name).removesuffix(".xliff_extracted")
        if file.is_file():
            counts["files"] += 1
            for kind, number, what in _differences(file, gold):
                counts[kind] += number
                if kind == options.show and number:
                    print(f"{name}: {what}")
    print("\n".join(f"| {kind} | {number:,} |" for kind, number in sorted(counts.items())))


def _differences(file: Path, gold: Path) -> Iterator[tuple[str, int, str]]:
    try:
        expected = list(_expected(gold))
    except ElementTree.ParseError:
        yield "files whose gold result is not XML", 1, ""
        return
    try:
        ours = list(_ours(file))
    except BadInputError as error:
        yield "files that we refuse", 1, str(error)
        return
    theirs, found = Counter(expected), Counter(ours)
    same = theirs & found
    yield "segments of Okapi", len(expected), ""
    yield "the same text and codes", same.total(), ""
    left, more = theirs - same, found - same
    texts, other = Counter(each.text for each in left.elements()), Counter(each.text for each in more.elements())
    alike = texts & other
    yield "the same text, other number of codes", alike.total(), str(list(alike)[:3])
    lost, new = texts - alike, other - alike
    yield "files that agree in all texts", int(not lost and not new), ""
    if _joined(lost) == _joined(new):
        yield "the same text, divided otherwise", lost.total(), f"{list(lost)[:3]} {list(new)[:3]}"
        return
    yield "only Okapi's", lost.total(), str(list(lost)[:3])
    yield "only ours", new.total(), str(list(new)[:3])


def _joined(texts: Counter[str]) -> list[str]:
    return sorted("".join(texts.elements()).replace(" ", ""))


def _expected(gold: Path) -> Iterator[Extracted]:
    for unit in ElementTree.parse(gold).iter(f"{SPACE}trans-unit"):  # noqa: S314
        if unit.get("translate") == "no":
            continue
        source, divided = unit.find(f"{SPACE}source"), unit.find(f"{SPACE}seg-source")
        parts = [] if divided is None else [each for each in divided.iter(f"{SPACE}mrk") if each.get("mtype") == "seg"]
        whole = [] if source is None else [source]
        for each in parts or whole:
            text, codes = _read(each)
            if text.strip():
                yield Extracted(_plain(text), codes)


def _read(element: ElementTree.Element) -> tuple[str, int]:
    text, codes = element.text or "", 0
    for child in element:
        name = child.tag.removeprefix(SPACE)
        inner, count = _read(child)
        text += inner if name not in CODES or name in PAIRS else ""
        codes += count + (name in CODES) + (name in PAIRS)
        text += child.tail or ""
    return text, codes


def _ours(file: Path) -> Iterator[Extracted]:
    for segment in read_document(file.read_bytes(), file.name, target="fr").segments:
        parts = segment.inline.parts
        text = "".join(part for part in parts if isinstance(part, str))
        if segment.state != "locked" and text.strip():
            yield Extracted(_plain(text), sum(not isinstance(part, str) for part in parts))


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


if __name__ == "__main__":
    main()
