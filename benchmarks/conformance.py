"""OASIS' test suite of XLIFF 2: how many valid files are read and filled, and how many invalid ones are refused.

    python -m benchmarks.conformance xliff-xliff-22/xliff-22/test-suite

Valid files must be read, come back byte for byte, and hold new targets. Of the invalid ones those are refused that
break a rule of the structure; others may be read, as long as what is written into them is not damaged. `--names` lists
them.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from dragoman.errors import BadInputError
from dragoman.formats import read_document

LANGUAGE = "fr"  # of the targets, where a file does not say it


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path)
    parser.add_argument(
        "--names", action="store_true", help="list invalid files that are read, and valid ones that are not"
    )
    options = parser.parse_args()
    print("| files | all | read | filled | refused | damaged |\n|---|---|---|---|---|---|")
    for part in sorted(path for path in options.suite.rglob("*") if path.is_dir()):
        files = sorted(path for path in part.iterdir() if path.suffix in (".xlf", ".xliff"))
        if files:
            counts = Counter(outcome for path in files for outcome in _outcomes(path))
            cells = [len(files), *(counts[each] for each in ("read", "filled", "refused", "damaged"))]
            print("|", " | ".join([str(part.relative_to(options.suite)), *map(str, cells)]), "|")
            if options.names:
                wanted = "read" if part.name == "invalid" else "refused"
                print("\n".join(path.name for path in files if wanted in _outcomes(path)))


def _outcomes(path: Path) -> list[str]:
    data = path.read_bytes()
    try:
        document = read_document(data, path.name, target=LANGUAGE)
    except BadInputError:
        return ["refused"]
    if document.fill({}) != data:
        return ["read", "damaged"]
    targets = {one.id: one.source for one in document.segments if one.state != "locked"}
    try:
        again = read_document(document.fill(targets), path.name)
    except BadInputError:
        return ["read"]
    written = {one.id: one.target for one in again.segments}
    is_whole = all(written.get(name) == target for name, target in targets.items())
    return ["read", "filled" if is_whole else "damaged"]


if __name__ == "__main__":
    main()
