"""Flip one bit in any file of a project, again and again: `check` finds each, `repair` saves all that is whole.

`python -m tests.store.flips 500` repairs every other project; a second number is the seed of the trials. The project
has a base of its own, corrections, a snapshot, documents and answers of another engine. A flip costs no correction.
Every other repaired project has lost the seal of its journal, as after a kill: there it costs at most the row that it
hits. One trial in five is with the logs that a killed process leaves. Where the base is damaged, a good one is given
to `repair`.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from dragoman import sample
from dragoman.editor.document_repair import check_documents, repair_documents
from dragoman.editor.document_store import DocumentStore
from dragoman.engine import Engine
from dragoman.project.repair import Repaired, repair
from dragoman.store.answers import AnswerEntry
from dragoman.store.integrity import check_store

PAIRS = [(f"Press button number {n}.", f"Pulse el botón número {n}.") for n in range(1, 31)]


def make(folder: Path) -> Path:
    """A project with something in every kind of file."""
    said, path = folder / "said.tsv", folder / "original"
    said.write_text("".join(f"{source}\tPulse botón.\n" for source, _ in PAIRS), encoding="utf-8")
    with Engine.create(path, source="en", target="es", upstream=f"recorded:{said}") as engine:
        engine.train(sample.pairs()[:100])
        for source, target in PAIRS:
            engine.learn(source, target, user="ana")
        kept = [AnswerEntry(source, "", json.dumps([f"Pulse botón {n}."])) for n, (source, _) in enumerate(PAIRS)]
        engine.opened.store.answers.keep("ct2:nmt", "1", kept)
        engine.save_snapshot()
    with Engine.open(path, write=False) as engine:
        engine.opened.store.answers.keep("ct2:nmt", "2", kept[:5])  # in a file of its own
    with closing(DocumentStore(path / "documents.db")) as documents:
        documents.add("page", [(str(n), *pair, "confirmed") for n, pair in enumerate(PAIRS)])
    return path


def make_killed(folder: Path) -> Path:
    """A project as a killed process leaves it: what was written last is in logs."""
    path, killed = folder / "open", folder / "killed"
    with (
        Engine.create(path, source="en", target="es") as engine,
        closing(DocumentStore(path / "documents.db")) as store,
    ):
        for source, target in PAIRS:
            engine.learn(source, target, user="ana")
            store.add(source, [("1", source, target, "confirmed")])
        shutil.copytree(path, killed)
    shutil.rmtree(path)
    return killed


def saved(project: Path, new: Path, base: Path | None) -> set[tuple[str, str]]:
    """The corrections that `repair` saves."""

    def also(place: Path, repaired: Repaired) -> None:
        list(repair_documents(project, place, repaired.learned))

    repair(Engine, project, new, base=base, also=also)
    with Engine.open(new, write=False) as engine:
        return {(source, target) for _, source, target in engine.memory_texts()}


def run(folder: Path, flips: int, *, seed: int = 7, repair_every: int = 1) -> Counter[str]:
    """Flip so many bits, one at a time; raises an error at the first that goes unnoticed or costs too much."""
    chance, tally = random.Random(seed), Counter[str]()
    whole, killed = make(folder), make_killed(folder)
    bases = whole / "base"
    for number in range(flips):
        original = killed if number % 5 == 4 else whole
        files = _files(original, logs=original == killed)
        project, new = folder / "flipped", folder / "new"
        for each in (project, new):
            shutil.rmtree(each, ignore_errors=True)
        shutil.copytree(original, project)
        kind = chance.choice(sorted({each.parts[0] for each in files}))
        file = chance.choice([each for each in files if each.parts[0] == kind])
        data = bytearray((project / file).read_bytes())
        at, bit = chance.randrange(len(data)), chance.randrange(8)
        data[at] ^= 1 << bit
        (project / file).write_bytes(data)
        found = [*check_store(project), *check_documents(project)]
        assert found, (file, at, bit)
        tally["found"] += 1
        tally[f"in {file.parts[0]}"] += 1
        is_sealed = number // repair_every % 2 == 0
        if number % repair_every == 0:
            if not is_sealed:
                (project / "journal.db.seal").unlink(missing_ok=True)
            kept = saved(project, new, bases if file.parts[0] == "base" else None)
            missing = len(PAIRS) - len(kept & set(PAIRS))
            is_unsealed = file.name == "journal.db-wal" or (file.name == "journal.db" and not is_sealed)
            assert missing <= is_unsealed, (file, at, bit, missing)
            assert kept <= set(PAIRS), (file, at, bit)
            tally["repaired"] += 1
            tally["corrections lost"] += missing
    return tally


def _files(project: Path, *, logs: bool) -> list[Path]:
    """The files of a project that something can happen to; without seals, only logs show it of every byte."""
    files = [each.relative_to(project) for each in sorted(project.rglob("*")) if each.is_file() and each.stat().st_size]
    return [each for each in files if not logs or each.name.endswith("-wal")]


if __name__ == "__main__":
    count, chosen = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 7
    with tempfile.TemporaryDirectory(prefix="dragoman-flips-") as place:
        began = time.monotonic()
        print(dict(run(Path(place), count, seed=chosen, repair_every=2)), f"{time.monotonic() - began:.0f} s")
