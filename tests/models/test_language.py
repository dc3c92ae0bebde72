"""The language model against one counted from scratch, whatever was added and removed before."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.models import language_kernels as kernels
from dragoman.models.language import SMOOTHINGS, LanguageModel
from dragoman.text.vocabulary import END, START, UNKNOWN, Vocabulary
from tests.oracles.kneser_ney import ORACLES, KneserNey

pytestmark = pytest.mark.kernels

Sentence = list[str]


class Order(int):
    """The order of a model together with its smoothing, so that every property is tested with both."""

    smoothing: str

    def __new__(cls, order: int, smoothing: str) -> Order:
        """An order with a smoothing."""
        new = super().__new__(cls, order)
        new.smoothing = smoothing
        return new


sentences = st.lists(st.sampled_from("abc"), max_size=6)
corpora = st.lists(sentences, max_size=6)
orders = st.builds(Order, st.integers(1, 4), st.sampled_from(SMOOTHINGS))
thorough = settings(deadline=None, max_examples=60)


def learned(order: int, corpus: list[Sentence], base: LanguageModel | None = None) -> LanguageModel:
    model = LanguageModel(order, base=base, smoothing=getattr(order, "smoothing", "kneser-ney"))
    for sentence in corpus:
        model.add(sentence)
    return model


def histories(order: int) -> list[Sentence]:
    """Some histories of every length, with and without <s>, known and unknown words."""
    found = [list(words) for n in range(3) for words in itertools.product("abz", repeat=n)]
    return found + [["<s>", *words] for words in found] + [["a", "b", "a", "b", "a"][: order + 1]]


def assert_equals_oracle(model: LanguageModel, corpus: list[Sentence]) -> None:
    oracle = ORACLES[model.smoothing](model.order, corpus)
    expected = {g: row for g, row in oracle.statistics().items() if any(row)}
    assert model.counts() == expected
    for k in range(1, model.order + 1):
        wanted = [oracle.held_back(k, count) for count in (1, 2, 3)]
        assert model.discounts[0, :, k] == pytest.approx(wanted, rel=1e-14)
    for history in histories(model.order):
        probabilities = [model.prob(word, history) for word in sorted(oracle.vocabulary)]
        assert math.fsum(probabilities) == pytest.approx(1, abs=1e-9)
        for word, probability in zip(sorted(oracle.vocabulary), probabilities, strict=True):
            assert probability == pytest.approx(oracle.prob(word, history), rel=1e-12)


def everything(model: LanguageModel) -> dict[str, np.ndarray]:
    """Copies of all that the layer holds, in an order that does not depend on how it came about."""
    tables = [
        *model.inner.contents().items(),
        *((f"outer {name}", column) for name, column in model.outer.contents().items()),
    ]
    scalars = {"scalars": model.scalars.copy(), "few scalars": model.few_scalars.copy()}
    return {**scalars, "discounts": model.discounts.copy(), **dict(tables)}


def assert_same(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for name in one:
        assert np.array_equal(one[name], other[name]), name


@given(orders, corpora, st.data())
@thorough
def test_any_additions_and_removals_equal_counting_what_is_left(
    order: Order, corpus: list[Sentence], data: st.DataObject
) -> None:
    model = learned(order, corpus)
    left = list(corpus)
    for sentence in data.draw(st.permutations(corpus))[: len(corpus) // 2]:
        model.remove(sentence)
        left.remove(sentence)
    for sentence in data.draw(corpora.filter(lambda more: len(more) < 3)):
        model.add(sentence)
        left.append(sentence)
    assert_equals_oracle(model, left)


@given(orders, corpora, corpora, st.data())
@thorough
def test_a_layer_over_a_base_equals_one_model_of_what_is_left_of_both(
    order: Order, below: list[Sentence], above: list[Sentence], data: st.DataObject
) -> None:
    base = learned(order, below)
    before = base.counts()
    model = learned(order, above, base)
    left = below + above
    for sentence in data.draw(st.permutations(left))[: len(left) // 2]:  # those of the base are removed by the layer
        model.remove(sentence)
        left.remove(sentence)
    assert_equals_oracle(model, left)
    assert base.counts() == before


@given(orders, corpora, corpora, corpora)
@thorough
def test_adding_then_removing_restores_every_table(
    order: Order, below: list[Sentence], kept: list[Sentence], passing: list[Sentence]
) -> None:
    model = learned(order, kept, learned(order, below))
    before = everything(model)
    for sentence in passing:
        model.add(sentence)
    for sentence in passing:
        model.remove(sentence)
    assert_same(everything(model), before)


@given(orders, corpora, sentences)
@thorough
def test_removing_what_was_never_learned_is_refused_and_changes_nothing(
    order: Order, corpus: list[Sentence], sentence: Sentence
) -> None:
    model = learned(order, corpus)
    before = {name: array.copy() for name, array in model.arrays().items()}
    longest = KneserNey(order, [sentence]).counts
    known = KneserNey(order, corpus).counts
    is_longest = {g for g in longest if len(g) == order or g[0] == "<s>"}
    possible = all(known.get(g, 0) >= longest[g] for g in is_longest)
    if possible:
        model.remove(sentence)
    else:
        with pytest.raises(BadInputError, match="never learned"):
            model.remove(sentence)
        assert_same(model.arrays(), before)


@given(orders, corpora, corpora, corpora)
@thorough
def test_merging_equals_counting_together(
    order: Order, below: list[Sentence], first: list[Sentence], second: list[Sentence]
) -> None:
    model = learned(order, first, learned(order, below))
    other = LanguageModel(order, smoothing=order.smoothing)
    other.vocabulary.add("a word that shifts the ids")
    for sentence in second:
        other.add(sentence)
    model.merge(other)
    assert_equals_oracle(model, below + first + second)
    for sentence in second:
        model.remove(sentence)
    assert_equals_oracle(model, below + first)


@given(orders, corpora)
@thorough
def test_training_in_bulk_equals_adding_one_by_one(order: Order, corpus: list[Sentence]) -> None:
    model = LanguageModel(order, smoothing=order.smoothing)
    model.train([model.vocabulary.ids(sentence, add=True) for sentence in corpus])
    assert_same(everything(model), everything(learned(order, corpus)))


@given(orders, corpora, corpora)
@settings(deadline=None, max_examples=8)
def test_opening_what_was_saved_is_the_same_model(
    tmp_path_factory: pytest.TempPathFactory, order: Order, below: list[Sentence], above: list[Sentence]
) -> None:
    directory = tmp_path_factory.mktemp("models")
    base = learned(order, below)
    base.save(directory / "base")
    learned(order, above, base).save(directory / "layer")
    model = LanguageModel.open(directory / "layer", LanguageModel.open(directory / "base"))
    assert_equals_oracle(model, below + above)
    model.add(["b", "new"])
    assert_equals_oracle(model, [*below, *above, ["b", "new"]])


@given(orders, corpora, corpora, sentences)
@thorough
def test_states_give_the_probabilities_of_their_histories_and_equal_ones_those_of_each_other(
    order: Order, below: list[Sentence], above: list[Sentence], removed: Sentence
) -> None:
    model = learned(order, [*above, removed], learned(order, [*below, removed]))
    model.remove(removed)
    view = model.view
    words = model.vocabulary.ids(["a", "b", "z"])
    states: dict[int, list[float]] = {}
    for begins, path in itertools.product(
        (True, False), [p for n in range(4) for p in itertools.product(words, repeat=n)]
    ):
        state = kernels.start(view) if begins else kernels.EMPTY_HISTORY
        for word in path:
            _, state = kernels.advance(view, state, word)
        history = ["<s>"] * begins + [model.vocabulary.word(word) for word in path]
        scores = [kernels.advance(view, state, word)[0] for word in (*words, END)]
        expected = [math.log(model.prob(word, history)) for word in ("a", "b", "z", "</s>")]
        assert scores == pytest.approx(expected, rel=1e-12)
        assert states.setdefault(state, scores) == scores


@given(orders, corpora, corpora)
@thorough
def test_all_ways_to_score_sentences_agree(order: Order, corpus: list[Sentence], text: list[Sentence]) -> None:
    model = learned(order, corpus[:3], learned(order, corpus[3:]))
    oracle = ORACLES[order.smoothing](order, corpus)
    expected = [
        sum(math.log(oracle.prob(word, ["<s>", *words[:i]])) for i, word in enumerate([*words, "</s>"]))
        for words in text
    ]
    assert model.scores(text) == pytest.approx(expected, rel=1e-12)
    assert model.score_lines(" ".join(words) for words in text) == pytest.approx(expected, rel=1e-12)
    assert [model.score(words) for words in text] == pytest.approx(expected, rel=1e-12)
    if text:
        n = sum(len(words) + 1 for words in text)
        assert model.perplexity(text) == pytest.approx(math.exp(-sum(expected) / n), rel=1e-12)


@given(orders.filter(lambda order: order > 1), corpora, corpora, st.integers(0, 40), st.data())
@thorough
def test_dropping_keeps_probabilities_normalised_and_tables_sound(
    order: Order, below: list[Sentence], above: list[Sentence], limit: int, data: st.DataObject
) -> None:
    model = learned(order, above, learned(order, below))
    left = below + above
    for _ in range(data.draw(st.integers(1, 3))):
        model.prune(limit)
        for sentence in data.draw(st.permutations(left))[: len(left) // 2]:
            model.remove(sentence)
            left.remove(sentence)
        for sentence in data.draw(corpora):
            model.add(sentence)
            left.append(sentence)
    assert_sound(model)
    for sentence in left:
        model.remove(sentence)
    assert_sound(model)


def assert_sound(model: LanguageModel) -> None:
    """Sums are the sums of their parts, whatever leads to an n-gram finds it, and probabilities are normalised."""
    counts = model.counts()
    for g, (count, total, types) in counts.items():
        following = [row[0] for longer, row in counts.items() if longer[:-1] == g and longer and row[0]]
        assert count >= 0
        assert (total, types) == (sum(following), len(following))
        assert not count or len(g) < 2 or counts[g[1:]][0] > 0
    words = {g[0] for g, row in counts.items() if len(g) == 1 and row[0]} | {"</s>", "<unk>"}
    for history in histories(model.order):
        assert math.fsum(model.prob(word, history) for word in words) == pytest.approx(1, abs=1e-9)


def test_the_least_useful_n_grams_are_dropped_first_and_reported() -> None:
    model = learned(3, [["a", "b"]] * 2 + [["c", "d"], ["e", "f"]])
    assert model.prune(len(model)) == {2: 0, 3: 0}
    assert model.prune(len(model) - 1) == {2: 0, 3: 2}  # one more than it must, so as not to be asked again at once
    assert model.dropped == 2
    longest = {g for g in model.counts() if len(g) == 3}
    assert longest == {("<s>", "a", "b"), ("a", "b", "</s>"), ("<s>", "e", "f"), ("e", "f", "</s>")}
    model.remove(["c", "d"])
    assert model.skipped == 2
    dropped = model.prune(0)
    assert dropped[3] > 0
    assert dropped[2] > 0
    assert {len(g) for g, row in model.counts().items() if row[0]} == {1}
    assert model.prob("a", ["x"]) > model.prob("<unk>", ["x"])


def test_a_pruned_layer_stays_within_its_limit() -> None:
    model = LanguageModel(4)
    random = np.random.default_rng(1)
    for _ in range(300):
        model.add([f"w{n}" for n in random.zipf(1.5, 8) % 50])
        model.prune(600)
        assert len(model) <= 600


def test_works_before_any_learning() -> None:
    model = LanguageModel()
    assert model.prob("</s>", ["<s>"]) == pytest.approx(0.5)
    assert model.prob("<unk>", []) == pytest.approx(0.5)
    assert model.prob("<s>", []) == 0
    assert model.perplexity([["any", "thing"]]) == pytest.approx(2)
    assert model.scores([]).size == 0
    assert model.prune(0) == {2: 0, 3: 0, 4: 0, 5: 0}
    with pytest.raises(BadInputError):
        model.remove([])


def test_a_sentence_may_be_empty_and_words_may_look_special() -> None:
    model = learned(2, [[], ["<s>", "</s>", "<unk>"]])
    assert model.prob("</s>", ["<s>"]) > model.prob("nothing", ["<s>"])
    assert model.prob("<s>", ["<s>"]) > model.prob("nothing", ["<s>"])
    assert math.fsum(model.prob(word, ["<s>"]) for word in ("<s>", "<unk>", "</s>", "</s>", "?")) > 0
    model.remove(["<s>", "</s>", "<unk>"])
    assert_equals_oracle(model, [[]])


def test_perplexity_is_finite_for_unseen_words_and_falls_with_learning() -> None:
    model = learned(5, [["pulse", "el", "botón"]])
    text = [["pulse", "el", "botón", "rojo"]]
    before = model.perplexity(text)
    model.add(text[0])
    assert math.isfinite(before)
    assert model.perplexity(text) < before


@pytest.mark.parametrize(
    "attempt",
    [
        lambda model: model.add("not a list"),
        lambda model: model.add(["a", ""]),
        lambda model: model.remove("a"),
        lambda model: model.prob("a", "history"),
        lambda model: model.score_lines(["a\nb"]),
        lambda model: model.scores([["a", ""]]),
        lambda model: model.perplexity(["a", "b"]),
        lambda model: model.perplexity([]),
        lambda model: model.add_ids(np.array([UNKNOWN, 5])),
        lambda model: model.train([np.array([5]), np.array([START])]),
        lambda model: model.merge(LanguageModel(3)),
        lambda model: model.merge(LanguageModel(2, base=LanguageModel(2))),
        lambda model: LanguageModel(3, base=model),
        lambda _: LanguageModel(0),
        lambda _: LanguageModel(256),
        lambda _: LanguageModel(2, smoothing="none"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(attempt: Callable[[LanguageModel], object]) -> None:
    model = learned(2, [["a", "b"]])
    before = model.counts()
    with pytest.raises(BadInputError):
        attempt(model)
    assert model.counts() == before


def test_a_directory_with_something_else_is_refused(tmp_path: Path) -> None:
    LanguageModel(2).inner.save(tmp_path)
    with pytest.raises(BadInputError, match="not a LanguageModel"):
        LanguageModel.open(tmp_path)


def test_long_and_repetitive_sentences() -> None:
    model = LanguageModel(3)
    sentence = ["a"] * 500 + ["b"] * 500
    model.add(sentence)
    with pytest.raises(BadInputError):
        model.remove([*sentence, "b"])
    model.remove(sentence)
    assert len(model) == 0
    assert not model.counts()


def test_kernels_and_vocabulary_agree_on_special_words() -> None:
    assert (kernels.START, kernels.END) == (START, END)


def test_three_discounts_predict_better_than_one() -> None:
    random = np.random.default_rng(7)
    corpus = [[f"w{n}" for n in random.zipf(1.3, 8) % 200] for _ in range(1500)]
    found = {}
    for smoothing in SMOOTHINGS:
        model = LanguageModel(3, smoothing=smoothing)
        for sentence in corpus[:1000]:
            model.add(sentence)
        found[smoothing] = model.perplexity(corpus[1000:])
        once, twice, more = model.discounts[0, :, 3]
        assert once <= twice <= more
    assert found["modified"] < found["kneser-ney"]


def test_a_model_saved_before_there_was_a_choice_has_one_discount(tmp_path: Path) -> None:
    learned(3, [["a", "b"], ["b", "c"]]).save(tmp_path / "base")
    base = LanguageModel.open(tmp_path / "base")
    assert "few_scalars" not in base.arrays()
    assert LanguageModel(3, base=base, smoothing="modified").smoothing == base.smoothing == "kneser-ney"


def test_a_layer_of_another_smoothing_is_refused() -> None:
    modified = LanguageModel(2, smoothing="modified")
    with pytest.raises(BadInputError, match="not saved with kneser-ney smoothing"):
        LanguageModel(2).restore(modified.arrays())


def test_a_shared_vocabulary_is_used_as_it_is() -> None:
    vocabulary = Vocabulary()
    ids = vocabulary.ids(["a", "b"], add=True)
    model = LanguageModel(2, vocabulary)
    model.add_ids(ids)
    assert model.prob("b", ["a"]) > model.prob("a", ["a"])
    model.remove_ids(ids)
    assert not model.counts()
