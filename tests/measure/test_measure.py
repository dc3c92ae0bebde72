"""What every measure keeps to: counts add up, n-best lists count like single sentences, bad input is named."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.measure import Bleu, Chrf, Measure, Ter, Wer, bleu, chrf, ter, wer
from dragoman.measure.sentences import pack

pytestmark = pytest.mark.kernels

MEASURES = [Wer(), Ter(), Bleu("none"), Bleu("none", "plus-one"), Chrf()]
FUNCTIONS = [wer, ter, bleu, chrf]
EVERY_MEASURE = pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)

IDS = st.lists(st.integers(0, 5), max_size=8).map(lambda ids: np.array(ids, np.int64))
REFERENCES = ["press the green button", "close the lid", ""]
HYPOTHESES = ["press green the button", "close the the lid .", "wait"]


def as_text(ids: np.ndarray) -> str:
    return " ".join(map(str, ids.tolist()))


@EVERY_MEASURE
def test_a_corpus_is_the_sum_of_its_sentences(measure: Measure) -> None:
    statistics = measure.statistics(HYPOTHESES, REFERENCES)
    assert statistics.dtype == np.int64
    assert measure(HYPOTHESES, REFERENCES) == measure.score(statistics.sum(0))
    parts = [measure.statistics(HYPOTHESES[:1], REFERENCES[:1]), measure.statistics(HYPOTHESES[1:], REFERENCES[1:])]
    assert np.array_equal(statistics, np.concatenate(parts))


@EVERY_MEASURE
def test_scores_of_many_sums_equal_those_of_each(measure: Measure) -> None:
    sums = np.cumsum(measure.statistics(HYPOTHESES, REFERENCES), 0)
    assert measure.scores(sums).tolist() == [measure.score(total) for total in sums]


@EVERY_MEASURE
@settings(deadline=None, max_examples=30)
@given(st.lists(IDS, min_size=1, max_size=6), IDS)
def test_an_nbest_list_counts_like_its_sentences(
    measure: Measure, nbest: list[np.ndarray], reference: np.ndarray
) -> None:
    losses = measure.losses(nbest, reference)
    assert losses.tolist() == [float(measure.losses([entry], reference)[0]) for entry in nbest]
    assert losses.tolist() == measure.losses(pack(nbest), reference).tolist()
    if not isinstance(measure, Chrf):  # which counts characters of strings
        assert losses.tolist() == measure.losses([as_text(entry) for entry in nbest], as_text(reference)).tolist()


@EVERY_MEASURE
def test_the_reference_itself_has_no_loss_and_all_else_has(measure: Measure) -> None:
    nbest = ["close the lid", "lid close the door", "wait"]
    losses = measure.losses(nbest, "close the lid")
    assert losses[0] == pytest.approx(0, abs=1e-9)
    assert losses[0] < losses[1] < losses[2]


@EVERY_MEASURE
def test_inputs_are_left_as_they_are(measure: Measure) -> None:
    hypothesis, reference = np.array([3, 1, 2]), np.array([1, 2, 3])
    measure.losses([hypothesis], reference)
    assert hypothesis.tolist() == [3, 1, 2]
    assert reference.tolist() == [1, 2, 3]


def test_lists_of_several_sentences_are_counted_in_one_call() -> None:
    nbest = ["press the button", "press green button", "close it", "close the lid", "open"]
    which = [0, 0, 1, 1, 1]
    together = Ter().statistics(nbest, REFERENCES[:2], which)
    expected = [Ter().statistics([h], [REFERENCES[r]])[0] for h, r in zip(nbest, which, strict=True)]
    assert np.array_equal(together, np.array(expected))


def test_a_signature_of_bleu_names_the_smoothing_of_its_sentences() -> None:
    assert "|smooth:exp|" in Bleu().signature
    assert "|smooth:exp|" in Bleu(smoothing="exponential").signature
    assert "|smooth:plus-one|" in Bleu(smoothing="plus-one").signature


@EVERY_MEASURE
def test_a_signature_names_measure_settings_and_version(measure: Measure) -> None:
    name, *settings_of_it, version = measure.signature.split("|")
    assert name == measure.name
    assert {"case:mixed", "case:lc"} & set(settings_of_it)
    assert version.startswith("dragoman:")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_different_lengths_are_refused_with_both_counts(function: type) -> None:
    with pytest.raises(BadInputError, match="3 hypotheses, but 2 references"):
        function(["a", "b", "c"], ["a", "b"])


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        ([], [], "no hypotheses"),
        (["a"], [], "no references"),
        ("a b", ["a b"], "hypotheses are one string"),
        (["a"], [None], "number 0 of the references is of type NoneType"),
        (["a", ["a"]], ["a", "b"], "number 1 of the hypotheses is of type list"),
        (iter(["a"]), ["a"], "hypotheses are of type list_iterator"),
        (["a"], [np.array([1])], "some sentences are strings and some are arrays"),
    ],
)
def test_what_is_not_a_list_of_sentences_is_refused(
    function: type, hypotheses: object, references: object, message: str
) -> None:
    with pytest.raises(BadInputError, match=message):
        function(hypotheses, references)


@pytest.mark.parametrize("which", [[0], [0, 2], [0, -1], [[0, 0]]])
def test_a_wrong_pairing_is_refused(which: list[int]) -> None:
    with pytest.raises(BadInputError, match="one of 2 references for each of 2"):
        Wer().statistics(["a", "b"], ["a", "b"], which)


@EVERY_MEASURE
def test_counts_of_another_measure_or_shape_are_refused(measure: Measure) -> None:
    statistics = measure.statistics(["a b", "c"], ["a", "c"])
    for wrong in (np.arange(5), statistics):
        with pytest.raises(BadInputError, match=r"counts have shape .* its sum to"):
            measure.score(wrong)
    with pytest.raises(BadInputError, match="counts have shape"):
        measure.sentence_scores(statistics[0])


def test_parts_of_counts_of_another_measure_are_refused() -> None:
    with pytest.raises(BadInputError, match="counts have shape"):
        Bleu().parts([1, 2])


@pytest.mark.parametrize("error", [ImportError, RuntimeError])
def test_a_tokenizer_that_is_not_installed_is_refused_with_what_to_do(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unavailable:
        TOKENIZERS = ("ja-mecab",)

        def __init__(self, **_: object) -> None:
            raise error("\nPlease install:\n\n  pip install more\n")

    monkeypatch.setattr(sacrebleu, "BLEU", Unavailable)
    with pytest.raises(BadInputError, match="'ja-mecab' is unavailable; Please install: pip install more"):
        Bleu("ja-mecab")
