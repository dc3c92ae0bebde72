"""Options of a source are collected once for all keys, and again as soon as something was learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dragoman.engine import Engine
from dragoman.project.preparing import PreparedSource
from dragoman.project.translating import search_behind
from dragoman.search.constrained import Prefix
from dragoman.search.options import Offers
from dragoman.search.searching import collect_offers
from dragoman.upstream.contract import as_answer
from tests.engine.support import PAIRS

pytestmark = pytest.mark.kernels

SOURCE, SAID = "Press the green button.", "Apriete el botón verde."
PREFIXES = [(), ("pulse",), ("zzz",), ("zzz", "el"), ("apriete", "la"), ("qq", "zzz")]


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = Engine.create(tmp_path / "p", source="en", target="es")
    for f, e in PAIRS[:20]:
        engine.learn(f, e, force=True)
    engine.learn("Press the red button.", "Pulse el botón rojo.", upstream="Apriete el botón rojo.", force=True)
    return engine


@pytest.mark.parametrize("said", [SAID, None])
@pytest.mark.parametrize("terms", [{}, {"green button": "pulsador verde"}])
def test_searches_with_options_that_were_kept_find_the_same(
    engine: Engine, said: str | None, terms: dict[str, str]
) -> None:
    for term, target in terms.items():
        engine.set_term(term, target)
    prepared = PreparedSource()
    with engine._reading() as state:
        source = state.knowledge.source.read(SOURCE)
        for words in [*PREFIXES, *PREFIXES]:
            kept = search_behind(state, source, Prefix(words), "fast", as_answer(said), prepared)
            fresh = search_behind(state, source, Prefix(words), "fast", as_answer(said))
            assert [(each.words, each.score) for each in kept.nbest(20)] == [
                (each.words, each.score) for each in fresh.nbest(20)
            ]


def test_options_are_collected_once_for_all_keys_until_something_is_learned(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: list[str] = []

    def counted(*given: Any, **named: Any) -> Offers:
        collected.append("")
        return collect_offers(*given, **named)

    monkeypatch.setattr("dragoman.project.preparing.collect_offers", counted)
    with engine.interact(SOURCE, mode="search", upstream=SAID) as session:
        for end in range(1, len(SAID)):
            session.suggest(SAID[:end])
        assert len(collected) == 1
        assert session.nbytes > 0
        engine.learn("green", "verdoso", force=True)
        session.suggest("Apriete el bot")
        assert len(collected) <= 2
        session.suggest("Oprima el bot")
        assert len(collected) == 2
