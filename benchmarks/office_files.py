"""Whether LibreOffice reads from filled office files exactly what was put in.

    python -m benchmarks.office_files DIRECTORY… [--endings .docx,.odt] [--most 100]

Each file is filled with other words, opened by LibreOffice (`soffice`) and saved as flat XML; every text that was put
in must occur there, unless LibreOffice does not show its source either (it computes fields anew and leaves out some
placeholders). A file that LibreOffice does not open before it is filled is counted apart.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree  # what LibreOffice wrote is no stranger's file

from benchmarks.real_files import other_texts

from dragoman.errors import BadInputError
from dragoman.formats import read_document, write_document

FLAT = {".docx": "fodt", ".odt": "fodt", ".pptx": "fodp", ".odp": "fodp", ".xlsx": "fods", ".ods": "fods"}


def main() -> int:
    """Try files of each ending and print what LibreOffice made of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--endings", default=",".join(FLAT))
    parser.add_argument("--most", type=int, default=100)
    options = parser.parse_args()
    print(
        "| ending | files | same | refused by us | not opened before | faults | texts |\n|---|---|---|---|---|---|---|"
    )
    faults = []
    for ending in options.endings.split(","):
        found = sorted(
            p for d in options.directories for p in d.rglob("*") if p.suffix == ending and p.stat().st_size < 2e6
        )
        chosen = random.Random(7).sample(found, min(options.most, len(found)))
        faults += _try_all(chosen, ending)
    print("\n".join(faults))
    return int(bool(faults))


def _try_all(paths: list[Path], ending: str) -> list[str]:
    """Fill all files, convert originals and filled ones in one run of LibreOffice each, and compare."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        before, after = Path(name, "before"), Path(name, "after")
        before.mkdir()
        after.mkdir()
        texts, refused = {}, 0
        for number, path in enumerate(paths):
            try:
                document = read_document(path.read_bytes(), path.name, target="es")
                targets = other_texts(document)
                (after / f"{number}{ending}").write_bytes(write_document(document, targets))
            except BadInputError:
                refused += 1
                continue
            (before / f"{number}{ending}").write_bytes(path.read_bytes())
            sources = {segment.id: segment.source for segment in document.segments}
            texts[number] = [
                (letters(_plain(sources[name])), letters(_plain(target))) for name, target in targets.items()
            ]
        for directory in (before, after):
            convert(sorted(directory.glob(f"*{ending}")), FLAT[ending], directory)
        same, closed, faults = 0, 0, []
        for number, wanted in texts.items():
            original, flat = before / f"{number}.{FLAT[ending]}", after / f"{number}.{FLAT[ending]}"
            if not original.exists():
                closed += 1
                continue
            shown, held = flat_letters(original), flat_letters(flat) if flat.exists() else ""
            lost = [target for source, target in wanted if source in shown and target not in held]
            same += not lost
            if lost or not flat.exists():
                lacking = f"{len(lost)} of {len(wanted)} lost, such as {lost[:1]}"
                faults.append(f"{paths[number]}: {lacking if flat.exists() else 'not opened after'}")
    cells = [ending, len(paths), same, refused, closed, len(faults), sum(map(len, texts.values()))]
    print("|", " | ".join(map(str, cells)), "|", flush=True)
    return faults


def convert(paths: list[Path], ending: str, directory: Path) -> None:
    """Let LibreOffice save files in another format; what it cannot open is left out."""
    for start in range(0, len(paths), 10):
        some = paths[start : start + 10]
        _run(some, ending, directory, 120)
        for path in some:  # one damaged file ends the whole run
            if not path.with_suffix(f".{ending}").exists():
                _run([path], ending, directory, 60)


def _run(paths: list[Path], ending: str, directory: Path, seconds: int) -> None:
    """One run of LibreOffice; a file that keeps it busy for longer is given up, with all its processes."""
    profile = f"-env:UserInstallation=file://{directory}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", ending, "--outdir", str(directory), *map(str, paths)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as run:
        try:
            run.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)


def _plain(text: str) -> str:
    return re.sub(r"<[^<>]*>", "", text)


def flat_letters(path: Path) -> str:
    """The letters of all text in a flat OpenDocument file."""
    return letters("".join(ElementTree.parse(path).getroot().itertext()))  # noqa: S314


def letters(text: str) -> str:
    """Only what a change of layout cannot touch."""
    return re.sub(r"[\W\d_]+", "", text)


if __name__ == "__main__":
    sys.exit(main())
