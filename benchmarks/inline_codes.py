"""Whether inline codes survive in real files: none lost, doubled or wrongly nested.

    python -m benchmarks.inline_codes DIRECTORY… [--segments 10000] [--endings .docx,.xlf] [--engine]

Takes segments with inline codes from the files, moves their words and codes about at random (a pair with all that is
in it, so that the nesting stays right), fills the files with that, and reads them again: the codes of the whole file
must be the same as before, each as often. With `--engine`, the segments are translated instead, by a small project
trained on the shipped sample, which puts the codes where the words go. Ends with status 1 if a code is missing, new or
misplaced.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from benchmarks.real_files import other_words

from dragoman import Engine
from dragoman.errors import BadInputError
from dragoman.formats import Document, DocumentSegment, read_document, write_document
from dragoman.formats.document import UnwritableError
from dragoman.formats.filled_document import translate_segment
from dragoman.formats.inline import Tag
from dragoman.formats.packages import PackedDocument
from dragoman.formats.piece_document import Piece, PieceDocument
from dragoman.formats.runs import Style
from dragoman.sample import pairs

ENDINGS = ".xlf,.xliff,.sdlxliff,.docx,.pptx,.odt,.html,.xhtml,.md,.epub,.xml,.srt,.ftl,.json"
LARGEST = 400_000  # bytes of a file
Translate = Callable[[Document, DocumentSegment], str]


def main() -> int:
    """Fill files until enough segments with codes have been written, format by format."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--segments", type=int, default=10_000)
    parser.add_argument("--endings", default=ENDINGS)
    parser.add_argument("--engine", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        translate = _engine(Path(directory)) if options.engine else _mover()
        endings = options.endings.split(",")
        print("| ending | files | segments with codes | codes | left out | faults |\n|---|---|---|---|---|---|")
        faults = [
            fault
            for ending in endings
            for fault in _try_ending(options.directories, ending, -(-options.segments // len(endings)), translate)
        ]
    print("\n".join(faults))
    return int(bool(faults))


def _try_ending(directories: list[Path], ending: str, most: int, translate: Translate) -> list[str]:
    paths = sorted(p for d in directories for p in d.rglob("*") if p.is_file() and p.suffix.lower() == ending)
    random.Random(7).shuffle(paths)
    counts: Counter[str] = Counter()
    faults = []
    for path in paths:
        if counts["segments"] >= most or path.stat().st_size > LARGEST:
            continue
        try:
            document = read_document(path.read_bytes(), path.name, target="es")
        except BadInputError:
            continue
        fault = _try(document, most - counts["segments"], translate, counts)
        counts["files"] += 1
        faults += [f"{path}: {fault}"] if fault else []
    cells = [ending, counts["files"], counts["segments"], counts["codes"], counts["left out"], len(faults)]
    print("|", " | ".join(map(str, cells)), "|", flush=True)
    return faults


def _try(document: Document, most: int, translate: Translate, counts: Counter[str]) -> str:
    targets: dict[str, str] = {}
    for segment in document.segments:
        if not segment.tags or segment.state == "locked" or len(targets) >= most:
            continue
        target = translate(document, segment)
        try:
            document.check(segment, target)
        except BadInputError:
            counts["left out"] += 1
            continue
        targets[segment.id] = target
        counts["codes"] += len(segment.tags)
    again = None
    while again is None:
        try:
            again = read_document(write_document(document, targets), document.contents.name, target="es")
        except UnwritableError as error:  # as `fill` does; two code spans side by side are one, for example
            if targets.pop(error.segment, None) is None:
                return f"cannot be written: {error}"
            counts["left out"] += 1
    counts["segments"] += len(targets)
    before, after = codes(document, targets), codes(again, {})
    lost, new = before - after, after - before
    return f"lost {list(lost.items())[:3]}, new {list(new.items())[:3]}" if lost or new else ""


def codes(document: Document, targets: dict[str, str]) -> Counter[str]:
    """All codes of a file: of its targets, if it has places for them, otherwise of its text."""
    if isinstance(document, PackedDocument):
        return sum((codes(part, {}) for part in document.parts.values()), Counter())
    if isinstance(document, PieceDocument):
        return Counter(code for piece in document.pieces for code in _codes_of(document, piece))
    found: Counter[str] = Counter()
    for segment in document.segments:
        target = targets.get(segment.id, segment.target)
        found += Counter({f"{segment.id} {tag}": target.count(tag) for tag in segment.tags})
    return found


def _codes_of(document: PieceDocument, piece: Piece) -> list[str]:
    if isinstance(piece.style, Style):
        things = [thing for meaning in piece.style.meanings.values() for thing in meaning.things]
        return [_first_tag(document._slice(thing.start, thing.end)) for thing in things]
    found = [_first_tag(document._slice(*tag.span)) if tag.span else tag.shown for tag in piece.inline.tags]
    return [code for code in found if not code.startswith("\\")]  # an escape comes and goes with what is around it


def _first_tag(code: str) -> str:
    """What tells a code from others, whatever is inside: a picture may have a text box, which changes too."""
    return code[: code.find(">") + 1] or code.strip()


def _mover() -> Translate:
    chance = random.Random(3)

    def move(_: Document, segment: DocumentSegment) -> str:
        parts = [part if isinstance(part, Tag) else other_words(part) for part in segment.inline.parts]
        fixed = any(isinstance(part, Tag) and (part.partner or part.name == "cue") for part in parts)
        return _shown(parts) if fixed else _moved(parts, chance)

    return move


def _moved(parts: list[str | Tag], chance: random.Random) -> str:
    """Texts and codes in another order; those inside a pair stay inside it."""
    items: list[str] = []
    at = 0
    while at < len(parts):
        part = parts[at]
        if isinstance(part, str):
            items.append(part)
        elif part.kind == "start":
            end = _closing(parts, at)
            inside = parts[at + 1 : end]
            items.append(part.shown + (_moved(inside, chance) or _shown(inside)) + _shown(parts[end : end + 1]))
            at = end
        else:
            items.append(part.shown)
        at += 1
    chance.shuffle(items)
    return " ".join(item.strip() for item in items if item.strip())


def _shown(parts: list[str | Tag]) -> str:
    return "".join(part if isinstance(part, str) else part.shown for part in parts)


def _closing(parts: list[str | Tag], at: int) -> int:
    depth = 0
    for number in range(at, len(parts)):
        part = parts[number]
        if isinstance(part, Tag):
            depth += (part.kind == "start") - (part.kind == "end")
            if depth == 0:
                return number
    return len(parts)


def _engine(directory: Path) -> Translate:
    engine = Engine.create(directory / "project", source="en", target="es")
    engine.train(pairs())
    return lambda document, segment: translate_segment(engine, document, segment)


if __name__ == "__main__":
    sys.exit(main())
