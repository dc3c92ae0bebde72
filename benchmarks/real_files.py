"""How real files fare: read, written unchanged, filled with other texts, and read again.

python -m benchmarks.real_files ENDING DIRECTORY…
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from pathlib import Path

from dragoman.errors import BadInputError
from dragoman.formats import Document, DocumentSegment, read_document, write_document


def main(ending: str, *directories: str) -> None:
    """Try all files with an ending below some directories, and print what became of them."""
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    size, begun = 0, time.perf_counter()
    for directory in directories:
        for path in sorted(Path(directory).rglob(f"*{ending}")):
            data = path.read_bytes()
            try:
                document = read_document(data, path.name, target="es" if ending in (".csv", ".xcstrings") else None)
            except BadInputError as error:
                counts["refused"] += 1
                reasons[error.what[:80]] += 1
                continue
            size += len(data)
            assert write_document(document, {}) == data, path
            write_document(document, _other_texts(document))
            counts["filled"] += 1
    seconds = time.perf_counter() - begun
    print(f"{ending}: {dict(counts)}, {size / 1e6:.1f} MB in {seconds:.1f} s")
    for reason, times in reasons.most_common(10):
        print(f"    {times} × {reason}")


def _other_texts(document: Document) -> dict[str, str]:
    """Another target for each segment, as far as the format can hold it."""
    found = {}
    for segment in document.segments:
        target = _other(segment)
        try:
            document.check(segment, target)
        except BadInputError:
            continue
        if segment.state != "locked":
            found[segment.id] = target
    return found


def _other(segment: DocumentSegment) -> str:
    parts = segment.inline.parts or [segment.source]
    return "".join(_changed(part) if isinstance(part, str) else part.shown for part in parts)


def _changed(text: str) -> str:
    return re.sub(r"[^\W\d_]+", lambda word: word[0].swapcase() + "ñ", text, count=2)


if __name__ == "__main__":
    main(*sys.argv[1:])
