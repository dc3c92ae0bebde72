"""What is known of the language models is forgotten when they change, so a search never sees an old answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import pytest

from dragoman.models.language import LanguageModel
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.search import lm_cache_kernels
from dragoman.search.decoder import Decoder
from dragoman.search.lm_cache_kernels import AGES
from dragoman.search.options import AnswerTable, known_of_classes, known_of_words
from tests.search.test_decoder import PAIRS, with_classes

pytestmark = pytest.mark.kernels

SENTENCE = ["pulse", "el", "botón", "verde"]
CHANGES: dict[str, Callable[[LanguageModel], object]] = {
    "add": lambda model: model.add(["el", "verde"]),
    "remove": lambda model: model.remove(SENTENCE),
    "train": lambda model: model.train([model.vocabulary.ids(["el", "verde"])]),
    "merge": lambda model: model.merge(learned()),
    "prune": lambda model: model.prune(8),
    "compact": lambda model: model.compact(),
    "restore": lambda model: model.restore(LanguageModel(order=3).arrays()),
    "share": lambda model: setattr(model, "share", 0.25),
}


def learned(base: LanguageModel | None = None) -> LanguageModel:
    model = LanguageModel(3, None, base)
    model.add(SENTENCE)
    model.add(["pulse", "el", "tornillo"])
    return model


def score(model: LanguageModel) -> float:
    """What a search is told of a sentence."""
    known = known_of_words(model)
    ids = model.vocabulary.ids(SENTENCE)
    return float(lm_cache_kernels.say(known.memo, known.view, known.start, ids, 0, ids.size)[0])


def in_another_thread(ask: Callable[[], float]) -> float:
    """The same where nothing is known yet."""
    found: list[float] = []
    thread = threading.Thread(target=lambda: found.append(ask()))
    thread.start()
    thread.join()
    return found[0]


def best_score(models: ModelSet, source: list[str]) -> float:
    return Decoder(models, Weights("classes")).search(source).best.score


@pytest.mark.parametrize("change", CHANGES)
def test_no_answer_outlives_a_change(change: str) -> None:
    base = learned() if change == "share" else None
    model = learned(base)
    score(model)
    CHANGES[change](model)
    assert score(model) == in_another_thread(partial(score, model))


def test_answers_are_kept_while_nothing_changes() -> None:
    model = learned()
    score(model)
    memo = known_of_words(model).memo
    memo.answers["value"] = -7.0
    assert score(model) == -7.0 * len(SENTENCE)


def test_another_model_is_not_given_these_answers() -> None:
    model, other = learned(), LanguageModel(3)
    score(model)
    assert score(other) == in_another_thread(partial(score, other))


def test_classes_with_another_share_are_asked_again() -> None:
    model = learned(learned())
    half = known_of_classes(model, 0.5).memo.age
    assert known_of_classes(model, 0.25).memo.age != half


def test_a_table_that_has_reached_its_last_age_starts_anew() -> None:
    model, table = learned(), AnswerTable()
    first = table.of(model).memo
    for _ in range(3):
        model.add(SENTENCE)
        table._memo = table._memo._replace(age=AGES - 1)
        assert table.of(model).memo.age == first.age
    assert not table.of(model).memo.answers["word"].any()


def test_searches_over_a_base_equal_those_of_a_new_thread_after_each_correction() -> None:
    pairs = [(source.split(), target.split()) for source, target in PAIRS]
    models = ModelSet(base=with_classes(pairs))
    for source, target in pairs:
        search = partial(best_score, models, source)
        assert search() == in_another_thread(search)
        models.add(target, source)
        assert search() == in_another_thread(search)
