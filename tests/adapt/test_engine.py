"""An engine that adapts weights and factors: durable, replayed bit for bit, forgotten as documented."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from dragoman.adapt import Adapter, Bayes, PassiveAggressive, Perceptron, Ridge
from dragoman.adapt.protocol import Sample, Vector
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.models.modelset import Contribution
from dragoman.project.state import State
from tests.engine.support import PAIRS, act, arrays_of, assert_is_clean_replay, assert_same

pytestmark = pytest.mark.kernels

ADAPTERS: list[Adapter] = [
    Ridge(alpha=0.05, nbest=20),
    PassiveAggressive(alpha=0.3, nbest=20, mode="rerank"),
    Perceptron(nbest=20, parameters="both", measure="bleu"),
    Ridge(alpha=0.05, nbest=20, parameters="factors", mode="rerank", measure="wer"),
    Perceptron(alpha=0.05, nbest=20, parameters="factors", decay="all"),
    Bayes(nbest=20, samples=20, window=6),
    Bayes(nbest=20, samples=20, window=6, mode="rerank"),
]
every = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda a: f"{type(a).__name__}-{a.parameters}-{a.mode}")


def new(path: Path, adapter: Adapter | None = None) -> Engine:
    engine = Engine.create(path, source="en", target="es")
    if adapter is not None:
        engine.adapter = adapter
    return engine


@every
def test_staying_alive_replaying_and_snapshots_give_the_same_bits(adapter: Adapter, tmp_path: Path) -> None:
    chance = random.Random(5)
    engine = new(tmp_path / "project")
    for pair in PAIRS[:30]:
        engine.learn(*pair)
    engine.adapter = adapter
    for step in range(40):
        act(engine, chance)
        if step % 15 == 10:
            engine.save_snapshot()
    assert_is_clean_replay(engine, tmp_path / "copy")
    with Engine.open(tmp_path / "project", write=False) as reader:
        assert reader.opened.state.saved < reader.opened.state.revision
        assert_same(arrays_of(reader), arrays_of(engine))
        assert reader.adapter == engine.adapter == adapter
        for source, _ in PAIRS[:3]:
            assert reader.translate(source, n=3, memory=False) == engine.translate(source, n=3, memory=False)
    engine.close()
    with Engine.open(tmp_path / "project") as again:
        for _ in range(10):
            act(again, chance)
        assert_is_clean_replay(again, tmp_path / "copy")


@every
def test_replay_searches_nothing(adapter: Adapter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with new(tmp_path / "project", adapter) as engine:
        for pair in PAIRS[:12]:
            engine.learn(*pair)
        expected = arrays_of(engine)
        assert engine.opened.state.adaptation is not None
    shutil.rmtree(tmp_path / "project" / "snapshots")

    def search(*_: object, **__: object) -> None:
        raise AssertionError("a search")

    monkeypatch.setattr("dragoman.search.decoder.Decoder.search", search)
    with Engine.open(tmp_path / "project", write=False) as engine:
        assert_same(arrays_of(engine), expected)


CHILD = """
import sys
from dragoman.adapt import Bayes
from dragoman.adapt.protocol import Sample, Vector
from dragoman.engine import Engine
from tests.engine.support import PAIRS
engine = Engine.create(sys.argv[1], source="en", target="es")
engine.adapter = Bayes(nbest=10, samples=10)
for pair in PAIRS:
    print(engine.learn(*pair, force=True), flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "project"
    root = Path(__file__).parents[2]
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
        env=os.environ | {"PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"},
    )
    assert child.stdout is not None
    last = [int(child.stdout.readline()) for _ in range(8)][-1]
    child.kill()
    child.wait()
    child.stdout.close()
    with Engine.open(path) as engine:
        assert engine.opened.state.revision >= last
        adaptation = engine.opened.state.adaptation
        assert adaptation is not None
        assert len(adaptation.adapter.state()["logs"]) == engine.opened.state.memory.__len__()
        engine.learn(*PAIRS[100], force=True)
        assert_is_clean_replay(engine, tmp_path / "copy")


def test_live_weights_go_into_the_search_and_rerank_leaves_them(tmp_path: Path) -> None:
    for mode in ("live", "rerank"):
        with new(tmp_path / mode, Perceptron(mode=mode, nbest=30)) as engine:
            before = engine.weights
            for pair in PAIRS[:25]:
                engine.learn(*pair)
            adaptation = engine.opened.state.adaptation
            assert adaptation is not None
            assert adaptation.weights.tolist() != list(before.values())
            assert (engine.weights == before) == (mode == "rerank")
            if mode == "live":
                assert list(engine.weights.values()) == adaptation.weights.tolist()
            engine.adapter = None
            assert engine.weights == before


def test_in_rerank_mode_the_best_is_chosen_from_the_list(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        for pair in PAIRS[:60]:
            engine.learn(*pair)
        plain = engine.translate(PAIRS[70][0], n=10, memory=False).nbest
        engine.adapter = Ridge(mode="rerank", nbest=10)
        assert [t.text for t in engine.translate(PAIRS[70][0], n=10, memory=False).nbest] == [t.text for t in plain]
        adaptation = engine.opened.state.adaptation
        assert adaptation is not None
        features = np.array([list(each.features.values()) for each in plain])
        for wanted in range(len(plain)):
            adaptation.weights = np.linalg.lstsq(features, np.eye(len(plain))[wanted], rcond=None)[0]
            chosen = int(np.argmax(features @ adaptation.weights))
            assert engine.translate(PAIRS[70][0], memory=False).text == plain[chosen].text
            nbest = engine.translate(PAIRS[70][0], n=10, memory=False).nbest
            assert nbest[0].text == plain[chosen].text
            assert sorted(t.text for t in nbest) == sorted(t.text for t in plain)


def test_factors_in_the_search_are_those_that_reranking_would_use(tmp_path: Path) -> None:
    """The score that a live search gives with factors u is λ·h + Σ (u − 1) g of the plain list."""
    from dragoman.adapt.lists import candidates
    from dragoman.project.request import Request

    with new(tmp_path / "project", Perceptron(parameters="factors", alpha=0.3, nbest=30)) as engine:
        for pair in PAIRS[:60]:
            engine.learn(*pair)
        state = engine.opened.state
        assert state.adaptation is not None
        assert len(state.adaptation.factors) > 5
        compared = 0
        for source, _ in PAIRS[:30]:
            sentence = state.knowledge.source.read(source)
            scaled = Request(state, sentence).search_once().nbest(30)
            adapted, state.adaptation, state.latest = state.adaptation, None, ()
            found = Request(state, sentence).search_once()
            nbest = found.nbest(30)
            state.adaptation = adapted
            offered = candidates(found, nbest, factors=True)
            bonus = offered.scores @ (adapted.factors(offered.pairs) - 1)
            expected = {
                tuple(step.source + step.words for step in one.steps): one.score + more
                for one, more in zip(nbest, bonus.tolist(), strict=True)
            }
            for one in scaled:
                steps = tuple(step.source + step.words for step in one.steps)
                if steps in expected:
                    compared += 1
                    assert one.score == pytest.approx(expected[steps])
        assert compared > 50


def vanished(state: State) -> list[int]:
    """Keys of factors whose pair is not in the phrase model."""
    assert state.adaptation is not None
    pairs = state.knowledge.models.phrases.pairs
    keys = state.adaptation.factors.keys
    gone = pairs.find(keys) < 0
    if pairs.base is not None:
        gone &= pairs.base.find(keys) < 0
    return keys[gone].tolist()  # type: ignore[no-any-return]


def test_factors_go_with_their_phrase_pairs(tmp_path: Path) -> None:
    with new(tmp_path / "project", Perceptron(parameters="factors", alpha=0.2, nbest=30)) as engine:
        numbers = [engine.learn(*pair) for pair in PAIRS[:60]]
        state = engine.opened.state
        assert state.adaptation is not None
        sizes = [len(state.adaptation.factors)]
        assert sizes[0] > 0
        for number in numbers[10:50]:
            engine.forget(number)
            assert vanished(engine.opened.state) == []
            sizes.append(len(state.adaptation.factors))
        assert sizes[-1] < sizes[0]
        for pair in PAIRS[80:110]:  # their phrases are given keys that were free again
            engine.learn(*pair)
            assert vanished(engine.opened.state) == []
        assert_is_clean_replay(engine, tmp_path / "copy")
        for number in [row.id for row in engine.history(500) if not row.forgotten]:
            engine.forget(number)
        assert len(engine.opened.state.adaptation.factors) == 0  # type: ignore[union-attr]


def test_factors_of_pairs_that_a_limit_drops_go_too(tmp_path: Path) -> None:
    with new(tmp_path / "project", Perceptron(parameters="factors", alpha=0.2, nbest=30)) as engine:
        engine.opened.state.knowledge.models.limit = 150
        for pair in PAIRS[:50]:
            engine.learn(*pair)
            assert vanished(engine.opened.state) == []


def test_forgetting_keeps_the_path_of_the_weights_and_leaves_the_window(tmp_path: Path) -> None:
    with new(tmp_path / "ridge", Ridge(nbest=20)) as engine:
        numbers = [engine.learn(*pair) for pair in PAIRS[:10]]
        before = engine.weights
        engine.forget(numbers[4])
        assert engine.weights == before
    with new(tmp_path / "bayes", Bayes(nbest=20, samples=10)) as engine:
        numbers = [engine.learn(*pair) for pair in PAIRS[:10]]
        adaptation = engine.opened.state.adaptation
        assert adaptation is not None
        before_logs = adaptation.adapter.state()["logs"]
        engine.forget(numbers[4])
        assert np.array_equal(adaptation.adapter.state()["logs"], np.delete(before_logs, 4, axis=0))
        engine.revise(numbers[7], PAIRS[7][1] + "!", force=True)
        assert len(adaptation.adapter.state()["logs"]) == 9
        assert_is_clean_replay(engine, tmp_path / "copy")


def test_setting_weights_begins_anew(tmp_path: Path) -> None:
    with new(tmp_path / "project", Bayes(nbest=20, samples=10)) as engine:
        for pair in PAIRS[:6]:
            engine.learn(*pair)
        engine.weights = {"language": 0.9}
        assert engine.weights["language"] == 0.9
        assert engine.opened.state.adaptation is not None
        assert engine.opened.state.adaptation.adapter.state() == {}
        assert_is_clean_replay(engine, tmp_path / "copy")


def test_an_adapter_that_this_program_does_not_have_keeps_what_it_learned(tmp_path: Path) -> None:
    class Mine(Perceptron):
        """A rule of one's own."""

    with new(tmp_path / "project", Mine(nbest=10)) as engine:
        for pair in PAIRS[:10]:
            engine.learn(*pair)
        weights, arrays = engine.weights, arrays_of(engine)
    del Adapter.known["Mine"]
    with Engine.open(tmp_path / "project") as engine:
        assert engine.weights == weights
        assert_same(arrays_of(engine), arrays)
        with pytest.raises(BadInputError, match="'Mine' is not imported; import the module"):
            engine.learn(*PAIRS[20])
        assert_same(arrays_of(engine), arrays)
        engine.translate(PAIRS[20][0])
        engine.adapter = Perceptron(nbest=10)
        engine.learn(*PAIRS[20])


def test_only_adapters_are_set(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine, pytest.raises(BadInputError, match="is not an adapter"):
        engine.adapter = "ridge"  # type: ignore[assignment]


def test_rows_from_before_there_were_adapters_are_read(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        engine.learn(*PAIRS[0])
        row = engine.opened.store.journal.get(1)
        assert row.contribution is not None
        Contribution.from_bytes(row.contribution)  # nothing beside it
        engine.adapter = Ridge(nbest=10)
        engine.learn(*PAIRS[1])
        assert_is_clean_replay(engine, tmp_path / "copy")


def test_a_correction_needs_no_second_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dragoman.project.request import Request

    with new(tmp_path / "project", Ridge(nbest=10)) as engine:
        numbers = [engine.learn(*pair) for pair in PAIRS[:10]]
        searches, search = [], Request.search

        def counted(request: Request) -> object:
            searches.append(request.words)
            return search(request)

        monkeypatch.setattr(Request, "search", counted)
        engine.translate(PAIRS[20][0])
        engine.learn(*PAIRS[20])
        assert len(searches) == 1
        engine.translate(PAIRS[5][0], memory=False)
        engine.revise(numbers[5], "Otra cosa.", force=True)  # compared with what was translated before it was forgotten
        assert len(searches) == 2
        assert_is_clean_replay(engine, tmp_path / "copy")


def test_a_rule_with_a_memory_may_adapt_weights_and_factors_at_once(tmp_path: Path) -> None:
    @dataclass(kw_only=True)
    class Remembering(Perceptron):
        """Counts how often it was asked, and how many weights there were."""

        def __post_init__(self) -> None:
            super().__post_init__()
            self.seen = np.zeros(2)

        def direction(self, theta: Vector, sample: Sample) -> Vector | None:
            self.seen = np.array([self.seen[0] + 1, theta.size])
            return super().direction(theta, sample)

        def state(self) -> dict[str, np.ndarray]:
            return {"seen": self.seen}

        def restore(self, state: Mapping[str, np.ndarray]) -> None:
            self.seen = np.array(state["seen"])

    try:
        with new(tmp_path / "project", Remembering(parameters="both", nbest=10)) as engine:
            for pair in PAIRS[:20]:
                engine.learn(*pair)
            assert isinstance(engine.adapter, Remembering)
            assert engine.adapter.seen.tolist() == [20, len(engine.weights)]
            assert_is_clean_replay(engine, tmp_path / "copy")
    finally:
        del Adapter.known["Remembering"]


def test_what_another_method_has_learned_can_be_forgotten(tmp_path: Path) -> None:
    with new(tmp_path / "project", Ridge(nbest=10)) as engine:
        numbers = [engine.learn(*pair) for pair in PAIRS[:6]]
        engine.adapter = Bayes(nbest=10, samples=10)
        numbers += [engine.learn(*pair) for pair in PAIRS[6:12]]
        engine.adapter = Bayes(nbest=10, samples=7)
        numbers += [engine.learn(*pair) for pair in PAIRS[12:18]]
        for number in (numbers[2], numbers[8]):
            engine.forget(number)
        assert engine.adapter is not None
        assert len(engine.adapter.state()["logs"]) == 6
        engine.forget(numbers[14])
        assert len(engine.adapter.state()["logs"]) == 5
        assert_is_clean_replay(engine, tmp_path / "copy")
        engine.adapter = None
        engine.forget(numbers[15])
        assert_is_clean_replay(engine, tmp_path / "copy")
