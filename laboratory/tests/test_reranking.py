"""Experiments on lists that were decoded once: what they say is what an engine does."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dragoman.adapt import Bayes, Perceptron, Ridge
from dragoman.adapt.lists import candidates
from dragoman.cli import app
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import Weights
from dragoman.sample import pairs
from dragoman.search.decoder import Decoder
from dragoman_laboratory.interactive_adaptation import interact
from dragoman_laboratory.reranking import Lists, decode, live, rerank, sweep, table

pytestmark = pytest.mark.kernels

PAIRS = pairs()
TEXTS = PAIRS[300:325]
WEIGHTS = Weights("moses")


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    knowledge = Knowledge()
    knowledge.train(PAIRS[:300])
    return knowledge


@pytest.fixture(scope="module")
def lists(knowledge: Knowledge) -> Lists:
    return decode(knowledge, WEIGHTS, TEXTS, 40)


def test_lists_are_those_of_the_search(knowledge: Knowledge, lists: Lists) -> None:
    decoder = Decoder(knowledge.models, WEIGHTS)
    for sentence, (source, _) in enumerate(TEXTS):
        read = knowledge.source.read(source)
        found = decoder.search(knowledge.source.model_words(read), read.placeable)
        for n in (40, 7):
            nbest = found.nbest(40, distinct=True)
            expected = candidates(found, nbest, factors=True)
            kept = lists.candidates(sentence, n, factors=True)
            assert np.array_equal(kept.features, expected.features[:n])
            used = expected.scores[:n].any(axis=0)
            assert np.array_equal(kept.pairs, expected.pairs[used])
            assert np.allclose(kept.scores, expected.scores[:n, used])


def test_lists_come_back_from_disk(lists: Lists, tmp_path: Path) -> None:
    lists.save(tmp_path / "lists")
    again = Lists.open(tmp_path / "lists")
    for adapter in (Ridge(), Perceptron(parameters="factors"), Bayes(samples=20)):
        assert np.array_equal(rerank(lists, adapter, 20).chosen, rerank(again, adapter, 20).chosen)
    assert again.suited_to(TEXTS, dict(WEIGHTS), 30) is again
    with pytest.raises(BadInputError, match="another text, size, weights"):
        again.suited_to(TEXTS[1:], dict(WEIGHTS), 30)
    with pytest.raises(BadInputError, match="another text, size, weights"):
        again.suited_to(TEXTS, dict(WEIGHTS), 41)


def test_scores_are_those_of_what_was_chosen(lists: Lists) -> None:
    plain, oracle = rerank(lists, None, 40), rerank(lists, None, 40, oracle=True)
    assert not plain.chosen.any()
    assert oracle.score("ter") < plain.score("ter")
    assert plain.curve("ter")[-1] == pytest.approx(plain.score("ter"))
    nothing = rerank(lists, Ridge(alpha=0.0), 40)
    assert np.array_equal(nothing.chosen, plain.chosen)
    runs = sweep(lists, lambda rate: Perceptron(alpha=rate), [0.0, 0.1], [10, 40])
    assert set(runs) == {(0.0, 10), (0.0, 40), (0.1, 10), (0.1, 40)}
    rows = table({"none": plain, "oracle": oracle})
    assert rows[0]["ter difference"] == 0
    assert rows[1]["ter"] == oracle.score("ter")


def test_live_with_weights_that_never_move_is_the_plain_search(knowledge: Knowledge, lists: Lists) -> None:
    plain = rerank(lists, None, 40)
    for adapter in (Ridge(alpha=0.0, nbest=20), Perceptron(alpha=0.0, nbest=20, parameters="factors")):
        assert live(knowledge, WEIGHTS, TEXTS, adapter).score("ter") == pytest.approx(plain.score("ter"))


def test_segments_without_words_are_left_out(knowledge: Knowledge) -> None:
    texts = [("\u200b", "a"), *TEXTS[:2], ("a", " ")]
    assert len(decode(knowledge, WEIGHTS, texts, 5)) == len(live(knowledge, WEIGHTS, texts, Ridge(nbest=5)).chosen) == 2
    for nothing in (lambda: decode(knowledge, WEIGHTS, texts[:1], 5), lambda: live(knowledge, WEIGHTS, [], Ridge())):
        with pytest.raises(BadInputError, match="no text"):
            nothing()


@pytest.mark.parametrize("adapter", [None, Ridge()])
def test_lists_of_no_entries_are_refused(lists: Lists, adapter: Ridge | None) -> None:
    with pytest.raises(BadInputError, match="at least one entry, not 0"):
        rerank(lists, adapter, 0)


def test_effort_of_interactive_adaptation(knowledge: Knowledge) -> None:
    nothing = interact(knowledge, WEIGHTS, TEXTS[:5], None)
    assert nothing.weights == dict(WEIGHTS)
    assert 0 < nothing.ksmr < 100
    adapted = interact(knowledge, WEIGHTS, TEXTS[:5], Ridge(alpha=0.5, nbest=20))
    assert adapted.weights != dict(WEIGHTS)


def test_the_command_sweeps_and_keeps_its_lists(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.train(PAIRS[:100])
    for side, name in enumerate(("source", "target")):
        (tmp_path / name).write_text("\n".join(pair[side] for pair in TEXTS[:6]), encoding="utf-8")
    options = [str(tmp_path / name) for name in ("p", "source", "target")]
    options = ["sweep", *options, "--alpha", "0.01,0.1", "--nbest", "5,20", "--lists", str(tmp_path / "lists")]
    done = CliRunner().invoke(app, [*options, "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert [row["run"] for row in found][:2] == ["none", "ridge, alpha 0.01, 5-best"]
    assert len(found) == 5
    again = CliRunner().invoke(app, [*options, "--json"])

    def scores(text: str) -> list[float]:
        return [row["ter"] for row in json.loads(text)]

    assert scores(again.stdout) == scores(done.stdout)
    assert "5-best" in CliRunner().invoke(app, options).stdout
    for wrong in (["--alpha", "much"], ["--nbest", "30"], ["--method", "magic"]):
        assert isinstance(CliRunner().invoke(app, [*options, *wrong]).exception, BadInputError)
