"""Real files with random damage: each is read or refused, within bounds of time and memory, and filled if it is read.

    python -m benchmarks.fuzz_formats DIRECTORY… [--minutes 5] [--seed 1] [--endings .docx,.srt]

Takes the formats in turn. A fault is any error other than a refusal, more than 10 seconds, or more memory than 500 MB;
the damaged file is then kept beside the report, and the command ends with status 1.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from pathlib import Path

from benchmarks.real_files import other_texts

from dragoman.errors import BadInputError
from dragoman.formats import read_document, write_document
from dragoman.formats.file_types import by_ending

MEMORY = 500 * 2**20
SECONDS = 10  # of processor time
LARGEST = 300_000  # bytes of a file to damage
SNIPPETS = [
    b"<",
    b">",
    b"&",
    b"\0",
    b'"',
    b"'",
    b"{",
    b"}",
    b"]]>",
    b"<!--",
    b"%s",
    b"\\",
    b"\xff\xfe",
    b"\n\n",
    b"\xe2",
]


def main() -> int:
    """Damage files until the time is over, and print how many of each format were read, refused or at fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--endings", default=",".join(by_ending()))
    options = parser.parse_args()
    chance = random.Random(options.seed)
    files = {ending: _find(options.directories, ending) for ending in options.endings.split(",")}
    files = {ending: found for ending, found in files.items() if found}
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    resource.setrlimit(resource.RLIMIT_AS, (2 * base + 2 * MEMORY, resource.RLIM_INFINITY))
    signal.signal(signal.SIGPROF, _too_long)
    kept = Path(tempfile.mkdtemp(prefix="fuzz-"))
    counts: dict[str, Counter[str]] = {ending: Counter() for ending in files}
    end = time.monotonic() + options.minutes * 60
    while time.monotonic() < end:
        for ending, found in files.items():
            path = chance.choice(found)
            data = damage(path.read_bytes(), ending, chance)
            outcome = _try(data, path.name)
            counts[ending][outcome.partition(":")[0]] += 1
            if outcome not in ("read", "refused"):
                place = kept / f"{sum(map(len, counts.values()))}-{path.name}"
                place.write_bytes(data)
                print(f"FAULT {outcome} ({place})", flush=True)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        if peak - base > MEMORY:
            print(f"FAULT memory: {peak / 2**20:.0f} MB")
            counts[ending]["fault"] += 1
            break
    print("| ending | read | refused | faults |\n|---|---|---|---|")
    for ending, count in counts.items():
        print(f"| {ending} | {count['read']} | {count['refused']} | {count['fault']} |")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{sum(count.total() for count in counts.values())} files, peak memory {peak} MB")
    return int(any(count["fault"] for count in counts.values()))


def _find(directories: list[Path], ending: str) -> list[Path]:
    paths = (path for directory in directories for path in directory.rglob("*") if path.suffix.lower() == ending)
    return sorted(path for path in paths if path.is_file() and path.stat().st_size < LARGEST)


def damage(data: bytes, ending: str, chance: random.Random) -> bytes:
    """The bytes with a few random changes; of a packed file, most often inside one of its parts."""
    if by_ending()[ending].partition(":")[0].endswith(("office", "opendocument", "epub")) and chance.random() < 0.8:
        with contextlib.suppress(Exception):  # some of the files are damaged already
            return _damage_part(data, chance)
    return _change(data, chance)


def _damage_part(data: bytes, chance: random.Random) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after:
        names = [name for name in before.namelist() if name.endswith((".xml", ".xhtml", ".opf", ".rels", ".ncx"))]
        damaged = chance.choice(names)
        for name in before.namelist():
            part = before.read(name)
            after.writestr(name, _change(part, chance) if name == damaged else part)
    return out.getvalue()


def _change(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        at, length = chance.randrange(len(changed) + 1), chance.choice([1, 1, 3, 20, 400])
        kind = chance.randrange(5)
        if kind == 0:
            del changed[at : at + length]
        elif kind == 1:
            changed[at:at] = changed[at : at + length] * chance.choice([1, 2, 50])
        elif kind == 2:
            changed[at:at] = chance.choice(SNIPPETS) * chance.choice([1, 1, 30, 3000])
        elif kind == 3 and at < len(changed):
            changed[at] = chance.randrange(256)
        else:
            other = chance.randrange(len(changed) + 1)
            changed[at:at] = changed[other : other + length]
    return bytes(changed)


def _try(data: bytes, name: str) -> str:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        document = read_document(data, name, target="es")
        if write_document(document, {}) != data:
            return "fault: not written back unchanged"
        write_document(document, other_texts(document))
    except BadInputError:
        return "refused"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"fault: {type(error).__name__}: {str(error)[:100]} ({Path(place.filename).name}:{place.lineno})"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return "read"


def _too_long(*_: object) -> None:
    raise TimeoutError("took too long")


if __name__ == "__main__":
    sys.exit(main())
