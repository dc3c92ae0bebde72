"""All benchmarks, one after the other, each against a peer in the same run.

    python benchmarks/run_all.py                          # all of them: `make bench`
    python benchmarks/run_all.py tables tokens            # only these
    python benchmarks/run_all.py --corpora ../corpora     # where the corpora are (docs/evidence/benchmarks.md)
    python benchmarks/run_all.py --list                   # what they measure, and how long each took the last time

How long each takes is kept in benchmarks/out, so that the next run can say how long it will take. A benchmark that
fails does not stop the others; the exit code is 1 if one did.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
DURATIONS = HERE / "out" / "durations.json"  # seconds by name


def title(script: Path) -> str:
    """The first line of what a benchmark says of itself."""
    return script.read_text(encoding="utf-8").split('"""')[1].splitlines()[0]


def shown(seconds: float | None) -> str:
    """A duration as people say it.

    >>> shown(None), shown(42), shown(600), shown(9000)
    ('not run here yet', '42 s', '10 min', '2.5 h')
    """
    if seconds is None:
        return "not run here yet"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def remaining(scripts: list[Path], known: dict[str, float]) -> str:
    """How long some benchmarks will take, as far as they were run here before.

    >>> remaining([Path("a.py"), Path("b.py"), Path("c.py")], {"a": 60, "b": 30})
    'what is left takes 90 s, and 1 with no time yet'
    """
    new = sum(each.stem not in known for each in scripts)
    told = shown(sum(known.get(each.stem, 0) for each in scripts))
    return f"what is left takes {told}{f', and {new} with no time yet' if new else ''}"


def run(scripts: list[Path], known: dict[str, float], environment: dict[str, str]) -> list[str]:
    """Run each; the names of those that failed."""
    failed = []
    for n, script in enumerate(scripts, start=1):
        before = f"last time {shown(known[script.stem])}" if script.stem in known else shown(None)
        print(f"\n## {n} of {len(scripts)}: {script.stem}, {before}; {remaining(scripts[n - 1 :], known)}", flush=True)
        began = time.monotonic()
        if subprocess.run([sys.executable, script], env=environment, check=False).returncode:
            failed.append(script.stem)
        else:
            known[script.stem] = round(time.monotonic() - began, 1)
            DURATIONS.parent.mkdir(exist_ok=True)
            DURATIONS.write_text(json.dumps(known, indent=1), encoding="utf-8")
    return failed


def main() -> None:
    """Run or list them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="such as tables; all if none is given")
    parser.add_argument("--corpora", type=Path, help="the directory of corpora")
    parser.add_argument("--list", action="store_true", help="only say what there is")
    given = parser.parse_args()
    there = {script.stem.removeprefix("bench_"): script for script in sorted(HERE.glob("bench_*.py"))}
    if unknown := set(given.names) - there.keys():
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(there)}")
    scripts = [there[name] for name in given.names] or list(there.values())
    known = json.loads(DURATIONS.read_text(encoding="utf-8")) if DURATIONS.exists() else {}
    if given.list:
        for script in scripts:
            print(f"{script.stem.removeprefix('bench_'):16} {shown(known.get(script.stem)):17} {title(script)}")
        return
    corpora = {"DRAGOMAN_CORPORA": str(given.corpora.absolute())} if given.corpora else {}
    if failed := run(scripts, known, {**os.environ, **corpora}):
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
