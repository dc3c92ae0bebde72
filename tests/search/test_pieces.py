"""Very long input is cut and searched in time that grows with its length; odd input gives a translation as well."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.cancellation import Cancellation
from dragoman.errors import CancelledError
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.constrained import Prefix
from dragoman.search.decoder import Decoder
from dragoman.search.explain import explain
from dragoman.search.pieces import MAX_PIECE_WORDS, MAX_UNCUT_WORDS, LongSearch, Pieces, cut
from tests.search.test_decoder import PAIRS, sample, with_classes

pytestmark = pytest.mark.kernels

LINE = ("the red button is on , press the green button . " * 200).split()[:2000]


@settings(max_examples=50)
@given(st.lists(st.sampled_from(["a", "b", ",", ".", "🙂", "..."]), min_size=1, max_size=60), st.integers(1, 20))
def test_pieces_follow_each_other_and_are_not_too_long(words: list[str], most: int) -> None:
    pieces = cut(words, most)
    assert [begin for begin, _ in pieces] == [0, *(end for _, end in pieces[:-1])]
    assert pieces[-1][1] == len(words)
    assert all(0 < end - begin <= most for begin, end in pieces)


def test_a_piece_ends_with_a_sentence_if_it_can() -> None:
    assert all(LINE[end - 1] == "." for _, end in cut(LINE)[:-1])
    assert cut(["a"] * 70 + [","] + ["a"] * 60)[0] == (0, 71)
    assert cut(["a"] * 5 + ["."] + ["a"] * 130)[0] == (0, MAX_PIECE_WORDS)  # not after the first few words


def test_two_thousand_words() -> None:
    models = sample()
    search = Decoder(models, Weights("full"), "fast").search(LINE)
    assert isinstance(search, LongSearch)
    assert len(search.pieces) > 1
    best = search.best
    assert sorted(place for step in best.steps for place in range(*step.source)) == list(range(len(LINE)))
    assert best.words == tuple(word for piece in search.pieces for word in piece.best.words)
    weighted = sum(weight * best.features[name] for name, weight in Weights("full").items())
    assert best.score == pytest.approx(weighted)
    assert best.features["language"] == pytest.approx(models.language.score(best.words))  # carried over between pieces
    listed = search.nbest(20, distinct=True)
    assert listed[0].words == best.words
    assert len({entry.words for entry in listed}) == 20
    assert {j for j, _ in search.alignment(best)} <= set(range(len(LINE)))
    assert search.graph().best.words == best.words


@pytest.mark.parametrize("changed", [False, True])
def test_the_model_of_word_classes_goes_on_where_the_piece_before_ended(changed: bool) -> None:
    models = ModelSet(with_classes([(source.split(), target.split()) for source, target in PAIRS]))
    decoder, pieces = Decoder(models, Weights("classes"), "fast"), Pieces(tuple(LINE[:300]), None)
    while not pieces.found:
        pieces.search_next(decoder, changed=changed)
    best = pieces.found.best
    said = models.target.ids(best.words)
    assert best.features["class_language"] == pytest.approx(models.classes.score(said))


def test_words_kept_in_a_long_sentence() -> None:
    line = [*LINE[:120], "<b>", *LINE[:120], "</b>"]
    marks = [word.startswith("<") for word in line]
    best = Decoder(sample(), Weights("moses"), "fast").search(line, marks).best
    assert (best.words.count("<b>"), best.words.count("</b>")) == (1, 1)


@pytest.mark.parametrize("unfinished", [False, True])
def test_a_prefix_of_a_long_sentence_is_kept(unfinished: bool) -> None:
    line = LINE[: MAX_UNCUT_WORDS + 50]
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
    most = whole.pieces[0].work.arcs.size // 4
    thin.thin(most)
    assert thin.pieces[0].work.arcs.size <= most
    assert thin.pieces[0].options.row.size < whole.pieces[0].options.row.size
    assert thin.best == whole.best
    for one, other in zip(thin.nbest(10), whole.nbest(10), strict=True):
        assert (one.words, one.steps, one.surcharges) == (other.words, other.steps, other.surcharges)
        assert one.score == pytest.approx(other.score)
        assert one.features == pytest.approx(other.features)
    assert thin.graph().best.words == whole.best.words
    assert thin.graph().nbytes < whole.graph().nbytes
    assert len(explain(thin).accounts) == len(explain(whole).accounts)


def test_what_is_kept_of_a_very_long_search_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    decoder = Decoder(sample(), Weights("moses"), "fast")
    whole = decoder.search(LINE)
    monkeypatch.setattr("dragoman.search.pieces.MAX_ARCS", 10_000)
    thin = decoder.search(LINE)
    assert sum(piece.work.arcs.size for piece in thin.pieces) <= 10_000
    assert thin.best.words == whole.best.words
    assert thin.nbest(3)[2].score == pytest.approx(whole.nbest(3)[2].score)


def test_a_long_search_holds_no_more_memory_than_it_needs() -> None:
    found = Decoder(sample(), Weights("moses"), "fast").search(LINE)
    assert len(found.pieces) > 1
    for piece in found.pieces:  # which are kept until the last is done
        assert piece.work.states.base is None
        assert piece.work.arcs.base is None


def test_a_long_search_stops_between_its_pieces() -> None:
    with Cancellation() as work:
        work.cancel()
        with pytest.raises(CancelledError):
            Decoder(sample(), Weights("moses"), "fast").search(LINE)


@pytest.mark.parametrize("changed", [False, True])
def test_the_language_model_goes_on_where_the_piece_before_ended(changed: bool) -> None:
    decoder = Decoder(sample(), Weights("moses"), "fast")
    pieces = Pieces(tuple(LINE[:400]), None)
    while not pieces.found:
        pieces.search_next(decoder, changed=changed)
    assert pieces.found.best == decoder.search(LINE[:400]).best
