"""Very long input is searched in time that grows with its length; odd input gives a translation as well."""

from __future__ import annotations

import pytest

from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.constrained import Prefix
from dragoman.search.decoder import Decoder
from dragoman.search.explain import explain
from tests.search.test_decoder import sample

pytestmark = pytest.mark.kernels

LINE = ("the red button is on , press the green button . " * 200).split()[:2000]


def test_two_thousand_words() -> None:
    models = sample()
    search = Decoder(models, Weights("full"), "fast").search(LINE)
    best = search.best
    assert sorted(place for step in best.steps for place in range(*step.source)) == list(range(len(LINE)))
    weighted = sum(weight * best.features[name] for name, weight in Weights("full").items())
    assert best.score == pytest.approx(weighted)
    assert best.features["language"] == pytest.approx(models.language.score(best.words))
    listed = search.nbest(20, distinct=True)
    assert listed[0].words == best.words
    assert len({entry.words for entry in listed}) == 20
    assert {j for j, _ in search.alignment(best)} <= set(range(len(LINE)))
    assert search.graph().best.words == best.words


def test_words_kept_in_a_long_sentence() -> None:
    line = [*LINE[:120], "<b>", *LINE[:120], "</b>"]
    marks = [word.startswith("<") for word in line]
    best = Decoder(sample(), Weights("moses"), "fast").search(line, marks).best
    assert (best.words.count("<b>"), best.words.count("</b>")) == (1, 1)


@pytest.mark.parametrize("unfinished", [False, True])
def test_a_prefix_of_a_long_sentence_is_kept(unfinished: bool) -> None:
    line = LINE[:200]
    decoder = Decoder(sample(), Weights("moses"), "fast")
    words = (*decoder.search(line).best.words[:100], "otra", "bot")
    best = decoder.search(line, prefix=Prefix(words, unfinished=unfinished)).best
    assert best.words[:101] == words[:101]
    assert best.words[101].startswith("bot")


def test_a_long_reference_is_matched_along_the_diagonal() -> None:
    line = LINE[:600]
    decoder = Decoder(sample(), Weights("moses"), "fast")
    reference = decoder.search(line).best.words
    forced = decoder.search(line, prefix=Prefix(reference, whole=True)).best
    assert forced.words == reference
    assert forced.surcharges < 10


@pytest.mark.parametrize(
    "words",
    [
        ["nothing", "known", "here"] * 100,
        ["🙂", "👩‍👩‍👧", "🇪🇸"],
        ["\u0000", "\t", "\u202e"],
        ["<s>", "</s>", "<unk>", "<null>"],
        ["word" * 10_000],
    ],
)
@pytest.mark.parametrize("preset", ["thot", "moses", "full"])
def test_what_is_unknown_comes_out_as_it_went_in(words: list[str], preset: str) -> None:
    for models in (ModelSet(), sample()):
        assert sorted(Decoder(models, Weights(preset), "fast").search(words).best.words) == sorted(words)


@pytest.mark.parametrize("preset", ["thot", "moses", "full"])
def test_thinning_keeps_the_best_paths_as_they_are(preset: str) -> None:
    whole, thin = (Decoder(sample(), Weights(preset), "fast").search(LINE[:60]) for _ in range(2))
    most = whole.work.arcs.size // 4
    thin.thin(most)
    assert thin.work.arcs.size <= most
    assert thin.options.row.size < whole.options.row.size
    assert thin.best == whole.best
    for one, other in zip(thin.nbest(10), whole.nbest(10), strict=True):
        assert (one.words, one.steps, one.surcharges) == (other.words, other.steps, other.surcharges)
        assert one.score == pytest.approx(other.score)
        assert one.features == pytest.approx(other.features)
    assert thin.graph().best.words == whole.best.words
    assert thin.graph().nbytes < whole.graph().nbytes
    assert len(explain(thin).accounts) == len(explain(whole).accounts)
