"""Guessed translations of unknown words in a search."""

from __future__ import annotations

import numpy as np
import pytest

from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.records import Term
from dragoman.search.decoder import Decoder
from dragoman.search.explain import explain
from dragoman.search.guesses import find_guesses
from dragoman.search.hypotheses import Hypothesis
from dragoman.search.upstream_options import UpstreamWords

pytestmark = pytest.mark.kernels

VERBS = {"climb": "subi", "paint": "pinta", "shout": "grita", "clean": "limpia", "march": "marcha"}


@pytest.fixture
def models() -> ModelSet:
    """Verbs with two endings, one that lacks the second, and the parts of a compound."""
    models = ModelSet()
    pairs = [(verb + "s", said) for verb, said in VERBS.items()]
    pairs += [(verb + "ed", said + "ba") for verb, said in VERBS.items()]
    pairs += [("laughs", "ríe"), ("she", "ella"), ("glove", "guante"), ("compartment", "guantera")]
    for source, target in pairs:
        models.add([source], [target])
    return models


def best(models: ModelSet, *words: str, guess: bool = True, **given: object) -> Hypothesis:
    decoder = Decoder(models, Weights("moses"), guess=guess)
    return decoder.search(words, **given).best  # type: ignore[arg-type]


def test_an_unknown_form_is_translated_like_a_known_one(models: ModelSet) -> None:
    found = best(models, "she", "laughed")
    assert found.words == ("ella", "ríe")
    assert [(step.kind, step.guessed_from) for step in found.steps] == [("phrase", ()), ("guess", ("laughs",))]


def test_a_compound_is_translated_part_by_part(models: ModelSet) -> None:
    for word in ("glovescompartment", "glove-compartment"):
        found = best(models, word)
        assert (found.words, found.steps[0].guessed_from) == (("guante", "guantera"), ("glove", "compartment"))


def test_without_guesses_unknown_words_are_copied(models: ModelSet) -> None:
    assert best(models, "she", "laughed", guess=False).words == ("ella", "laughed")


def test_a_word_without_relatives_is_copied(models: ModelSet) -> None:
    assert best(models, "she", "sneezed").words == ("ella", "sneezed")


def test_known_words_are_translated_as_without_guesses(models: ModelSet) -> None:
    one, other = (best(models, "she", "laughs", guess=guess) for guess in (False, True))
    assert one == other


def test_a_guess_scores_less_than_what_was_learned_and_more_than_a_copy(models: ModelSet) -> None:
    learned, guessed, copied = (best(models, word).score for word in ("laughs", "laughed", "sneezed"))
    assert learned > guessed > copied


def test_a_word_that_must_be_kept_is_kept(models: ModelSet) -> None:
    assert best(models, "laughed", placeable=[True]).words == ("laughed",)


def test_tags_are_not_guessed(models: ModelSet) -> None:
    slots = np.zeros(len(models.target), np.bool_)
    slots[models.target.id("ríe")] = True
    found = Decoder(models, Weights("moses"), slots=slots, guess=True).search(["laughed"]).best
    assert found.words == ("laughed",)


def test_a_term_comes_before_a_guess(models: ModelSet) -> None:
    found = best(models, "she", "laughed", terms=[Term(1, 2, ("rio",))])
    assert found.words == ("ella", "rio")


def test_words_that_are_banned_are_not_guessed(models: ModelSet) -> None:
    decoder = Decoder(models, Weights("moses"), banned=[("ríe",)], guess=True)
    assert decoder.search(["laughed"]).best.words == ("laughed",)


def test_what_another_engine_says_comes_before_a_guess(models: ModelSet) -> None:
    found = Decoder(models, Weights("moses", upstream=True), guess=True)
    plain = Decoder(models, Weights("moses", upstream=True))
    said = UpstreamWords(("ella", "carcajeó"))
    one, other = (each.search(["she", "laughed"], upstream=said).best for each in (found, plain))
    assert one == other


def test_a_prefix_is_continued_with_a_guess(models: ModelSet) -> None:
    assert best(models, "she", "laughed", prefix=["ella"]).words == ("ella", "ríe")
    assert best(models, "she", "laughed", prefix=["ella", "rio"]).words == ("ella", "rio")


def test_long_sentences_have_guesses_too(models: ModelSet) -> None:
    found = best(models, *("she", "laughed") * 100)
    assert found.words == ("ella", "ríe") * 100


def test_each_translation_is_offered_once(models: ModelSet) -> None:
    models.add(["laugh"], ["ríe"])
    models.add(["climb"], ["subi"])
    targets = [guess.target for guess in find_guesses(models, "laughed")]
    assert len(targets) == len(set(targets))


def test_the_explanation_says_what_a_word_was_guessed_from(models: ModelSet) -> None:
    told = explain(Decoder(models, Weights("moses"), guess=True).search(["she", "laughed"]))
    assert [words for words, _ in told.derived()][1] == ("laughed", "ríe", "guessed from laughs")
    assert "guessed from laughs" in told.html()
