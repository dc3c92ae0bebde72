"""The sample project that the workbench starts with."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from dragoman import sample
from dragoman.editor.document_store import DocumentStore
from dragoman.engine import Engine
from dragoman.project.guard import FlaggedError
from dragoman.upstream.installed import name_in_the_box

SAMPLE = "espresso"
KNOWN = 502  # segments that are already translated: all before the chapter on error messages


def make_sample(folder: Path, tell: Callable[[int, int], None] | None = None) -> Path:
    """The sample project in a folder, created if it is missing: a manual, two thirds of it translated and learned.

    `tell` is told how many segments are learned, and of how many. The project is created under another name first, so
    that an interruption leaves no half of it.
    """
    place = folder / SAMPLE
    if (place / "project.json").exists():
        return place
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".making-", dir=folder) as making:
        unfinished = Path(making) / SAMPLE
        with (
            Engine.create(unfinished, source="en", target="es") as engine,
            closing(DocumentStore(unfinished / "documents.db")) as documents,
        ):
            engine.upstream = name_in_the_box()
            _fill_sample(engine, documents, tell)
        unfinished.rename(place)
    return place


def _fill_sample(engine: Engine, documents: DocumentStore, tell: Callable[[int, int], None] | None) -> None:
    pairs = [(source, target if n < KNOWN else "") for n, (source, target) in enumerate(sample.pairs())]
    states = ("confirmed" if target else "new" for _, target in pairs)
    rows = [(str(n), *pair, state) for n, (pair, state) in enumerate(zip(pairs, states, strict=True), start=1)]
    data = "".join(f"{source}\t{target}\n" for source, target in pairs).encode()
    document = documents.add("espresso.tsv", rows, data)
    said = sample.answers() if engine.upstream == sample.ENGINE else [""] * len(pairs)
    for segment, answer in zip(documents.segments(document, state="confirmed"), said, strict=False):
        with suppress(FlaggedError):
            learned = engine.learn(
                segment.source, segment.target, user="sample", upstream=answer or None, upstream_name=engine.upstream
            )
            documents.change(segment, correction=learned)
        if tell:
            tell(segment.number, KNOWN)
