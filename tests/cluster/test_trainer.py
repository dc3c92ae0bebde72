"""Training in shards ends in the same bits as training on one machine, whatever the shards."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman import Engine
from dragoman.cluster import corpus, shard_alignment, sorted_runs, sorted_tables
from dragoman.cluster.disk import ScratchDirectory
from dragoman.cluster.runners import Local, LocalProcesses
from dragoman.cluster.trainer import Trainer, train, train_project
from dragoman.errors import BadInputError
from dragoman.files import MANIFEST
from dragoman.models import estimators
from dragoman.models.defaults import CURRENT, VERSIONS
from dragoman.models.knowledge import Knowledge
from dragoman.models.phrases import PhraseModel
from dragoman.sample import pairs
from dragoman.store import Project
from dragoman.text.tokens import Mode

pytestmark = pytest.mark.kernels

PAIRS = [*pairs()[:300], ("", "nothing"), ("NASA and iOS", "la NASA e iOS"), *pairs()[:50]]


def whole(directory: Path, texts: list[tuple[str, str]], **choices: Any) -> bytes:
    """What training on one machine saves: the manifest has the checksums of all arrays."""
    knowledge = Knowledge(**choices)
    knowledge.train(texts)
    knowledge.save(directory)
    return (directory / MANIFEST).read_bytes()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is done in pieces so small that there are many of them."""
    monkeypatch.setattr(corpus, "BLOCK", 37)
    monkeypatch.setattr(sorted_runs, "ROOM", 500)
    monkeypatch.setattr(sorted_tables, "CHUNK", 101)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("tokens", "order", "version"), [("text", 5, CURRENT), ("words", 2, CURRENT), ("words", 1, CURRENT), ("text", 3, 1)]
)
def test_any_number_of_shards_ends_in_the_same_bits(tmp_path: Path, tokens: Mode, order: int, version: int) -> None:
    choices = {"tokens": tokens, "order": order, **asdict(VERSIONS[version])}
    wanted = whole(tmp_path / "whole", PAIRS, **choices)
    for shards in (1, 2, 7):
        directory = tmp_path / str(shards)
        trained = train(iter(PAIRS), directory, **choices, shards=shards, runner=Local(2))
        assert trained.pairs == len(PAIRS) - 1
        assert trained.bytes > 0
        assert (directory / MANIFEST).read_bytes() == wanted
    assert Knowledge.open(tmp_path / "7", verify=True).models.language.order == order
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2", "7", "whole"]  # no temporary files are left


@pytest.mark.usefixtures("small")
def test_processes_end_in_the_same_bits(tmp_path: Path) -> None:
    wanted = whole(tmp_path / "whole", PAIRS)
    train(iter(PAIRS), tmp_path / "processes", runner=LocalProcesses(2))
    assert (tmp_path / "processes" / MANIFEST).read_bytes() == wanted
    broken = [*PAIRS, ("half a pair of surrogates: \udc80", "x")]
    with pytest.raises(BadInputError, match=f"pair {len(broken)}"):
        train(iter(broken), tmp_path / "broken", runner=LocalProcesses(2))


def test_an_online_epoch_looks_at_the_first_pairs_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = whole(tmp_path / "whole", PAIRS)
    monkeypatch.setattr(estimators, "ONLINE", 40)
    wanted = whole(tmp_path / "first", PAIRS)
    assert wanted != everything
    train(PAIRS, tmp_path / "shards", shards=3)
    assert (tmp_path / "shards" / MANIFEST).read_bytes() == wanted


WORDS = st.lists(st.sampled_from(["a", "B", "bB", "Ä", "7", "the", "The", ".", "?", "«", "»"]), min_size=0, max_size=6)
TEXTS = st.tuples(WORDS.map(" ".join), WORDS.map("".join))


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(TEXTS, min_size=2, max_size=12), shards=st.integers(1, 5), block=st.integers(1, 5))
def test_odd_texts_in_odd_shards(tmp_path_factory: Any, texts: list[tuple[str, str]], shards: int, block: int) -> None:
    texts = [*texts, ("The end.", "El fin.")]
    knowledge = Knowledge(order=3)
    knowledge.train(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "BLOCK", block)
        patch.setattr(sorted_runs, "ROOM", 10)
        arrays, size = Trainer(ScratchDirectory(tmp_path_factory.mktemp("odd")), Local(1), shards).train(
            texts, "text", 3
        )
    assert size == knowledge.models.lengths.pooled[0]
    wanted = knowledge.arrays()
    assert arrays.keys() == wanted.keys()
    for name, array in wanted.items():
        assert array.dtype == arrays[name].dtype, name
        assert np.array_equal(array, arrays[name]), name


def test_what_was_seen_once_can_be_left_out(tmp_path: Path) -> None:
    train(PAIRS, tmp_path / "all", order=3)
    train(PAIRS, tmp_path / "often", order=3, shards=3, least=2)
    everything, often = (Knowledge.open(tmp_path / name).models for name in ("all", "often"))
    pairs = everything.phrases.contents()
    assert often.phrases.contents() == [pair for pair in pairs if pair[2][0] >= 2]
    assert often.phrases.statistics()["dropped"] == sum(pair[2][0] for pair in pairs if pair[2][0] < 2)
    counted = PhraseModel()  # the same pairs again, phrase by phrase: totals, uses and rings must fit
    counted.merge(often.phrases)
    counted.compact()
    assert {k: v.tolist() for k, v in counted.arrays().items()} == {
        k: v.tolist() for k, v in often.phrases.arrays().items()
    }
    counts, kept = everything.language.counts(), often.language.counts()
    assert {gram for gram, (count, *_) in counts.items() if len(gram) == 3 and count > 1} == {
        g for g in kept if len(g) == 3
    }
    assert all(kept[gram][0] == counts[gram][0] for gram in kept)
    words = [everything.target.word(n) for n in range(4, len(everything.target))]
    known = [*(word for word in words if (word,) in counts), "</s>", "<unk>"]
    for history in (["<s>"], ["the"], words[:2], ["<s>", words[0]]):
        assert sum(often.language.prob(word, history) for word in known) == pytest.approx(1.0)


def test_a_project_stands_on_what_was_trained(tmp_path: Path) -> None:
    said = []
    Engine.create(tmp_path / "project", source="en", target="es").close()
    with Project.open(tmp_path / "project", write=True) as project:
        train_project(project, PAIRS, progress=lambda what, *_: said.append(what))
    assert {"reading", "aligning source to target", "counting phrases", "merging"} <= set(said)
    with Engine.open(tmp_path / "project") as engine:
        assert engine.translate("NASA and iOS").text == "La NASA e iOS"
    with (
        Project.open(tmp_path / "project", write=True) as project,
        pytest.raises(BadInputError, match="already learned"),
    ):
        train_project(project, PAIRS)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "no usable pairs"),
        ([("", "")] * 3, "no usable pairs"),
        ([("a", "b")] * 5 + [("a", "\ud800")], "pair 6: .*surr"),
    ],
)
def test_what_cannot_be_trained_on_is_refused(tmp_path: Path, texts: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        train(texts, tmp_path / "base")
    assert list(tmp_path.iterdir()) == []


def test_kernels_can_be_exercised_before_they_are_used() -> None:
    shard_alignment._exercise()
