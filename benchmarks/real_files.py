"""How real files fare: read or refused, written unchanged, filled with other texts, and read again.

    python -m benchmarks.real_files DIRECTORY… [--endings .docx,.srt] [--most 300] [--seconds 60]

Prints a row per ending: files that were filled, refused (with the reasons below the table), and faults, which are
files that were not written back byte for byte, did not hold exactly the texts that were put in, took too long, or ended
in any error other than a refusal. Ends with status 1 if there is a fault.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import signal
import sys
import time
import traceback
import zipfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from dragoman.errors import BadInputError
from dragoman.formats import Document, DocumentSegment, read_document, write_document
from dragoman.formats.file_types import by_ending

TARGET = "es"


@dataclass
class Tally:
    """What became of the files with one ending."""

    filled: int = 0
    segments: int = 0
    put_in: int = 0
    size: int = 0
    seconds: float = 0.0
    refused: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def main() -> int:
    """Try the files below some directories and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--endings", default=",".join(by_ending()))
    parser.add_argument(
        "--most", type=int, default=300, help="files of each ending, chosen at random with a fixed seed"
    )
    parser.add_argument("--seconds", type=int, default=60, help="a file that takes longer is a fault")
    options = parser.parse_args()
    signal.signal(signal.SIGPROF, _too_long)
    tallies: dict[str, Tally] = defaultdict(Tally)
    print("| ending | files | filled | refused | faults | segments | filled in | MB | MB/s |")
    print("|---" * 9 + "|")
    for ending in options.endings.split(","):
        found = sorted(
            p for d in options.directories for p in d.rglob("*") if p.is_file() and p.suffix.lower() == ending
        )
        chosen = random.Random(7).sample(found, min(options.most, len(found)))
        if not chosen:
            continue
        tally = tallies[ending]
        for path in chosen:
            _try(path, tally, options.seconds)
        size = tally.size / 1e6
        cells = [
            ending,
            len(chosen),
            tally.filled,
            tally.refused.total(),
            len(tally.faults),
            tally.segments,
            tally.put_in,
        ]
        print("|", " | ".join(map(str, cells)), f"| {size:.1f} | {size / max(tally.seconds, 1e-9):.1f} |", flush=True)
    for ending, tally in tallies.items():
        for reason, times in tally.refused.most_common():
            print(f"{ending} refused {times} ×: {reason}")
        for fault in tally.faults:
            print(f"{ending} FAULT: {fault}")
    return int(any(tally.faults for tally in tallies.values()))


def _try(path: Path, tally: Tally, seconds: int) -> None:
    data = path.read_bytes()
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        document = _read(data, path)
        targets = other_texts(document)
        filled = write_document(document, targets)
        tally.seconds += time.process_time() - begun
        if write_document(document, {}) != data:
            tally.faults.append(f"{path}: not written back unchanged")
        _compare(document, targets, filled, path, tally)
        tally.filled += 1
        tally.segments += len(document.segments)
        tally.put_in += len(targets)
        tally.size += len(data)
    except BadInputError as error:
        tally.refused[re.sub(r"'.*?'|\d+", "…", error.what)[:110]] += 1
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        tally.faults.append(f"{path}: {type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _read(data: bytes, path: Path) -> Document:
    """A file as it is read into Spanish; the columns of a table say themselves which languages there are."""
    return read_document(data, path.name, target=None if path.suffix.lower() == ".csv" else TARGET)


def _compare(document: Document, targets: dict[str, str], filled: bytes, path: Path, tally: Tally) -> None:
    """The filled file holds the texts that were put in, in order, and a packed one all its other parts.

    Sentences are compared as one text, since other words may be divided at other places.
    """
    again = _read(filled, path)
    if any(segment.target for segment in again.segments):  # a file with a place for targets
        held = {segment.id: segment.target for segment in again.segments}
        lost = [target for name, target in targets.items() if held.get(name) != target]
    else:
        expected = _letters("".join(_words(segment, segment.id in targets) for segment in document.segments))
        found = _letters("".join(_words(segment, changed=False) for segment in again.segments))
        same = next((at for at, (a, b) in enumerate(zip(expected, found, strict=False)) if a != b), len(found))
        lost = (
            [f"{expected[same - 20 : same + 40]!r}, found {found[same - 20 : same + 40]!r}"]
            if expected != found
            else []
        )
    if lost:
        tally.faults.append(f"{path}: {len(lost)} texts lost, such as {lost[0]}")
    if zipfile.is_zipfile(io.BytesIO(document.data)):
        with zipfile.ZipFile(io.BytesIO(document.data)) as before, zipfile.ZipFile(io.BytesIO(filled)) as after:
            if before.namelist() != after.namelist():
                tally.faults.append(f"{path}: parts are missing or in another order")


def _words(segment: DocumentSegment, changed: bool) -> str:
    parts = segment.inline.parts or [segment.source]
    return "".join((other_words(part) if changed else part) for part in parts if isinstance(part, str))


def _letters(text: str) -> str:
    return re.sub(r"[\W\d_]+", "", text)


def other_texts(document: Document) -> dict[str, str]:
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
    return "".join(other_words(part) if isinstance(part, str) else part.shown for part in parts)


def other_words(text: str) -> str:
    """A text with its first two words changed."""
    return re.sub(r"[^\W\d_]+", lambda word: word[0].swapcase() + "ñ", text, count=2)


def _too_long(*_: object) -> None:
    raise TimeoutError("took too long")


if __name__ == "__main__":
    sys.exit(main())
