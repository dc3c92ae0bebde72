"""A prefix is kept whatever the models think of it, and what follows is the best that can follow."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.models.loglinear import FEATURES, PLACES, Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.constrained import Prefix
from dragoman.search.constrained_edits import nearly
from dragoman.search.decoder import Beam, Decoder
from dragoman.search.hypotheses import Hypothesis
from dragoman.search.options import SentenceOptions
from dragoman.search.options_kernels import SpanOptions
from dragoman.tables import Ids
from tests.oracles.near import Near, Said
from tests.oracles.search import Choice, Derivation, Exhaustive
from tests.search.test_decoder import EVERYTHING, assert_true, corpora, learned, sample, weights_of

pytestmark = pytest.mark.kernels

FREE = Beam(pops=20_000, stack=20_000, threshold=1e9, distortion=-1, options=1000)

Pairs = list[tuple[list[str], list[str]]]
sources = st.lists(st.sampled_from("abe"), min_size=1, max_size=3)
given_words = st.lists(st.sampled_from(["v", "w", "ww", "e", "new"]), min_size=1, max_size=3)


@settings(deadline=None, max_examples=60)
@given(corpora, weights_of(), sources, given_words, st.sampled_from([-1, 0, 1]))
def test_the_best_translation_that_begins_with_given_words(
    pairs: Pairs, weights: Weights, source: list[str], words: list[str], limit: int
) -> None:
    models = learned(pairs)
    oracle, near = Exhaustive(models, weights, source), near_of(models, weights, source, words)
    found = Decoder(models, weights, replace(FREE, distortion=limit)).search(source, prefix=words)
    derivations = oracle.constrained(tuple(words), limit=limit, near=near)
    listed = found.nbest(30)
    assert listed.scores.tolist() == pytest.approx(sorted(map(oracle.score, derivations), reverse=True)[:30], abs=1e-8)
    for hypothesis in listed:
        assert hypothesis.words[: len(words)] == tuple(words)
        derivation = derivation_behind(oracle, near, hypothesis)
        assert hypothesis.features == pytest.approx(oracle.features(derivation), abs=1e-9)
        assert hypothesis.score == pytest.approx(oracle.score(derivation), abs=1e-9)


def near_of(models: ModelSet, weights: Weights, source: list[str], words: list[str]) -> dict[int, list[Choice]]:
    """What the search takes for nearly the words of a prefix, as choices of the oracle."""
    sentence, _, edited, places = nearly_of(models, weights, source, words)
    names = [name for name in FEATURES if name in weights]
    choices: dict[int, list[Choice]] = {at: [] for at in range(len(words))}
    for at, n, _ in places.tolist():
        row = edited.row[n]
        said = tuple(sentence.spelling.words(edited.words[row["begin"] : row["stop"]]))
        features = {name: float(edited.features[n, PLACES[name]]) for name in names}
        turns = tuple(tuple(side) for side in edited.orientations[n].tolist())
        choices[at].append(
            Choice(int(row["start"]), int(row["end"]), said, "given", features, turns, int(row["surcharges"]))
        )
    return choices


def nearly_of(
    models: ModelSet, weights: Weights, source: list[str], words: list[str], fixed: list[bool] | None = None
) -> tuple[SentenceOptions, SpanOptions, SpanOptions, Ids]:
    decoder = Decoder(models, weights, Beam(options=1000))
    sentence = SentenceOptions(decoder, tuple(source), fixed).collect()
    options = sentence.options
    ids = sentence.spelling.ids(words)
    near = np.tile(np.array([0, len(source)]), (len(words), 1))
    return sentence, options, *nearly(sentence, options, ids, near)


def derivation_behind(oracle: Exhaustive, near: dict[int, list[Choice]], hypothesis: Hypothesis) -> Derivation:
    steps: list[Choice] = []
    for step in hypothesis.steps:
        said = sum(len(choice.words) for choice in steps)
        if step.kind == "given":
            steps.append(next(c for c in near[said] if (c.start, c.end, c.words) == (*step.source, step.words)))
        elif step.kind == "inserted":
            steps.append(oracle.inserted(*step.words))
        else:
            steps.append(oracle.find(*step.source, step.words, step.kind))
    return tuple(steps)


@settings(deadline=None, max_examples=60)
@given(corpora, weights_of(), sources, given_words, st.lists(st.booleans(), min_size=3, max_size=3))
def test_what_says_nearly_the_given_words(
    pairs: Pairs, weights: Weights, source: list[str], words: list[str], marks: list[bool]
) -> None:
    models, fixed = learned(pairs), marks[: len(source)]
    sentence, options, edited, places = nearly_of(models, weights, source, words, fixed)

    def spelled(texts: Ids, row: np.void) -> tuple[str, ...]:
        return tuple(sentence.spelling.words(texts[row["begin"] : row["stop"]]))

    def alone(said: tuple[str, ...]) -> float:
        return weights["language"] * sum(math.log(models.language.prob(word, said[:n])) for n, word in enumerate(said))

    said = [
        Said(int(row["start"]), int(row["end"]), spelled(options.words, row), float(row["score"]))
        for row in options.row
    ]
    kept = frozenset(np.flatnonzero(fixed).tolist())
    expected = Near(said, alone, tuple(words), len(source), kept).best
    found = {
        (at, reached, int(row["start"]), int(row["end"]), spelled(edited.words, row)): float(row["score"])
        for (at, _, reached), row in zip(places.tolist(), edited.row, strict=True)
    }
    assert len(found) == len(places)
    assert found == pytest.approx(expected, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(corpora, weights_of(), sources, given_words, st.sampled_from(["w", "ne", "v", "ww", "q"]))
def test_the_last_word_may_be_unfinished(
    pairs: Pairs, weights: Weights, source: list[str], words: list[str], last: str
) -> None:
    models = learned(pairs)
    oracle = Exhaustive(models, weights, source)
    prefix = Prefix((*words[:2], last), unfinished=True)
    found = Decoder(models, weights, EVERYTHING).search(source, prefix=prefix)
    derivations = oracle.constrained(prefix.words, unfinished=True)
    listed = found.nbest(20)
    assert listed.scores.tolist() == pytest.approx(sorted(map(oracle.score, derivations), reverse=True)[:20], abs=1e-8)
    for hypothesis in listed:
        assert hypothesis.words[: len(prefix.words) - 1] == prefix.words[:-1]
        assert hypothesis.words[len(prefix.words) - 1].startswith(last)


@settings(deadline=None, max_examples=60)
@given(corpora, weights_of(), sources, given_words)
def test_how_a_whole_reference_may_have_come_about(
    pairs: Pairs, weights: Weights, source: list[str], words: list[str]
) -> None:
    models = learned(pairs)
    oracle = Exhaustive(models, weights, source)
    found = Decoder(models, weights, EVERYTHING).search(source, prefix=Prefix(tuple(words), whole=True))
    scores = sorted(map(oracle.score, oracle.constrained(tuple(words), whole=True)), reverse=True)
    listed = found.nbest(20)
    assert listed.scores.tolist() == pytest.approx(scores[:20], abs=1e-8)
    for hypothesis in listed:
        assert hypothesis.words == tuple(words)


@settings(deadline=None, max_examples=30)
@given(corpora, weights_of(), sources, given_words, st.booleans())
def test_even_the_narrowest_search_keeps_the_prefix(
    pairs: Pairs, weights: Weights, source: list[str], words: list[str], whole: bool
) -> None:
    models = learned(pairs)
    beam = Beam(pops=1, stack=1, threshold=0.0, distortion=0, options=1)
    best = Decoder(models, weights, beam).search(source, prefix=Prefix(tuple(words), whole=whole)).best
    assert best.words[: len(words)] == tuple(words)
    assert len(best.words) == len(words) or not whole
    if whole:
        assert_true(Exhaustive(models, weights, source), best)


@pytest.mark.parametrize("preset", ["thot", "moses", "full"])
def test_the_beginning_of_the_best_translation_leads_back_to_it(preset: str) -> None:
    decoder = Decoder(sample(), Weights(preset))
    source = ["press", "the", "red", "button"]
    best = decoder.search(source).best
    for n in range(len(best.words) + 1):
        found = decoder.search(source, prefix=best.words[:n]).best
        assert found.words == best.words
        assert found.score == pytest.approx(best.score, abs=1e-9)
        assert found.surcharges == 0
    forced = decoder.search(source, prefix=Prefix(best.words, whole=True)).best
    assert forced.words == best.words
    assert forced.score == pytest.approx(best.score, abs=1e-9)


def test_a_prefix_longer_than_any_translation_is_completed_by_insertions() -> None:
    words = ["uno", "dos", "<b>", "uno", "🙂", "pulse"] * 5
    best = Decoder(sample(), Weights("moses")).search(["press"], prefix=words).best
    assert best.words[: len(words)] == tuple(words)
    assert best.surcharges > 0


@pytest.mark.parametrize("preset", ["thot", "moses", "full"])
@pytest.mark.parametrize(
    ("source", "prefix", "rest"),
    [
        ("press the UUID lamp", "pulse una", "UUID"),  # nothing known is left out for a word of the prefix
        ("press the red button", "apriete el", "botón rojo"),  # nor is what was said in other words said again
        ("press the red button", "pulse botón", "rojo"),  # nor what was left out
        ("press the red button", "pulse ahora el", "botón rojo"),  # nor does a word too many do harm
    ],
)
def test_what_was_given_takes_care_of_what_it_stands_for(preset: str, source: str, prefix: str, rest: str) -> None:
    best = Decoder(sample(), Weights(preset)).search(source.split(), prefix=prefix.split()).best
    assert " ".join(best.words).startswith(f"{prefix} {rest}")
    assert best.surcharges > 0


def test_placeables_are_not_traded_for_other_words() -> None:
    decoder = Decoder(sample(), Weights("moses"), EVERYTHING)
    found = decoder.search(["press", "<b>"], [False, True], prefix=["pulse", "otra"])
    assert all(hypothesis.words.count("<b>") == 1 for hypothesis in found.nbest(20))


def test_a_prefix_with_nothing_learned() -> None:
    best = Decoder(ModelSet(), Weights("thot")).search(["just", "so"], prefix=["así"]).best
    assert best.words[0] == "así"


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(BadInputError, match="list of words"):
        Prefix("pulse")  # type: ignore[arg-type]
    with pytest.raises(BadInputError, match="without any characters"):
        Prefix(("pulse", ""), unfinished=True)
    with pytest.raises(BadInputError, match="at least one word"):
        Prefix((), whole=True)
