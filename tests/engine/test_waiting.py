"""Nobody who types waits for long work of others: provenance, n-best lists, and the lists that adapters learn from."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dragoman.adapt import Ridge
from dragoman.concurrency import checkpoint
from dragoman.engine import Engine
from dragoman.search.sentence_search import SearchResult
from tests.engine.support import PAIRS, new

pytestmark = pytest.mark.kernels

LONG = 20.0  # seconds, after which something has gone wrong


class Gate:
    """Stands before a method: whoever calls it stops there until the gate is opened."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.reached, self.opened = threading.Event(), threading.Event()

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.reached.set()
        assert self.opened.wait(LONG)
        return self.method(*given, **named)


@contextmanager
def held(gate: Gate, work: Callable[[], Any]) -> Iterator[list[Any]]:
    """Let work go on in another thread as far as the gate, and to its end when this is left; its result."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    try:
        assert gate.reached.wait(LONG)
        yield results
    finally:
        gate.opened.set()
        thread.join(LONG)
    assert len(results) == 1


def type_and_learn(engine: Engine) -> None:
    """What has to go on meanwhile: a key stroke, and a correction, which waits for everybody who reads."""
    done = threading.Event()

    def work() -> None:
        with engine.interact(PAIRS[30][0]) as session:
            session.suggest("P")
            engine.learn(*PAIRS[31])
            session.suggest("Pu")
        done.set()

    threading.Thread(target=work, daemon=True).start()
    assert done.wait(LONG)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with new(tmp_path / "p") as engine:
        for pair in PAIRS[:20]:
            engine.learn(*pair)
        yield engine


def test_provenance_reads_the_journal_without_the_lock(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    translation = engine.translate(PAIRS[5][0], memory=False)
    expected = engine.provenance(translation)
    journal = engine.opened.store.journal
    gate = Gate(journal.get)
    monkeypatch.setattr(journal, "get", gate)
    with held(gate, lambda: engine.provenance(translation)) as found:
        monkeypatch.setattr(journal, "get", gate.method)
        type_and_learn(engine)
    assert [origin.phrase for origin in found[0]] == [origin.phrase for origin in expected]
    assert any(origin.corrections for origin in found[0])


def test_lists_are_made_without_the_lock(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    nbest = SearchResult.nbest
    gate = Gate(nbest)
    monkeypatch.setattr(SearchResult, "nbest", lambda *given, **named: gate(*given, **named))
    with held(gate, lambda: engine.translate(PAIRS[40][0], n=20, memory=False)) as found:
        monkeypatch.setattr(SearchResult, "nbest", nbest)
        type_and_learn(engine)
    expected = engine.translate(PAIRS[40][0], n=20, memory=False)  # something was learned meanwhile
    assert [one.text for one in found[0].nbest] == [one.text for one in expected.nbest]


def test_adapters_compare_without_the_lock(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.adapter = Ridge(nbest=50)
    nbest = SearchResult.nbest
    gate = Gate(nbest)
    monkeypatch.setattr(SearchResult, "nbest", lambda *given, **named: gate(*given, **named))
    with held(gate, lambda: engine.learn(*PAIRS[40])) as found:
        monkeypatch.setattr(SearchResult, "nbest", nbest)
        type_and_learn(engine)
    assert engine.correction(found[0]).target == PAIRS[40][1]


@pytest.mark.parametrize("work", ["translate", "interact"])
def test_a_long_text_is_searched_with_the_lock_released_between_its_sentences(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, work: str
) -> None:
    text = " ".join(source for source, _ in PAIRS[:40])
    gate = Gate(checkpoint)
    monkeypatch.setattr("dragoman.project.translator.checkpoint", gate)
    with held(gate, lambda: getattr(engine, work)(text, memory=False)):
        monkeypatch.setattr("dragoman.project.translator.checkpoint", checkpoint)
        type_and_learn(engine)
