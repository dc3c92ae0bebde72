"""Each phrase of a translation is traced to the corrections it was extracted from, or to the base."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from dragoman.engine import Engine
from dragoman.models.contribution import extract
from dragoman.models.modelset import ModelSet
from dragoman.project.provenance import has_pair
from tests.engine.support import PAIRS, new

pytestmark = pytest.mark.kernels


def test_phrases_are_traced_to_corrections(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        numbers = [engine.learn(*pair) for pair in PAIRS[:80]]
        for source, _ in PAIRS[80:100]:
            translation = engine.translate(source, memory=False)
            origins = engine.provenance(translation)
            assert [origin.phrase for origin in origins] == list(translation.phrases)
            for origin in origins:
                if origin.phrase.kind == "copy":
                    assert (origin.learned, origin.corrections) == (0, ())
                    continue
                assert origin.base == 0
                assert 1 <= len(origin.corrections) <= min(10, origin.learned)
                assert list(origin.corrections) == sorted(origin.corrections, reverse=True)
                for number in origin.corrections:
                    row = engine.opened.store.journal.get(number)
                    assert number in numbers
                    assert all(word in str(row.source).lower() for word in map(str.lower, origin.phrase.source_words))


def test_what_is_forgotten_is_no_origin(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        one = engine.learn("Close the lid.", "Cierre la tapa.")
        two = engine.learn("Close the lid.", "Cierre la tapa.")
        translation = engine.translate("Close the lid.", memory=False)
        assert engine.provenance(translation)[0].corrections == (two, one)
        engine.forget(two)
        assert engine.provenance(translation)[0].corrections == (one,)
        engine.forget(one)
        assert engine.provenance(translation)[0].corrections == ()


def test_the_base_is_told_apart(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        engine.train(PAIRS[:100])
        translation = engine.translate(PAIRS[5][0], memory=False)
        before = engine.provenance(translation)
        assert all(origin.base > 0 and not origin.corrections for origin in before)
        assert [origin.learned for origin in before] == [0] * len(before)
        number = engine.learn(*PAIRS[5])
        after = engine.provenance(translation)
        assert [origin.base for origin in after] == [origin.base for origin in before]
        assert [origin.learned for origin in after] == [1] * len(after)
        assert number in {number for origin in after for number in origin.corrections}


def test_a_remembered_translation_comes_from_its_correction(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        number = engine.learn("Close the lid.", "Cierre la tapa.")
        (origin,) = engine.provenance(engine.translate("Close the lid."))
        assert origin.phrase.kind == "memory"
        assert origin.corrections == (number,)


def test_a_pair_is_in_a_sample_if_it_is_extracted_from_it() -> None:
    chance, models = random.Random(8), ModelSet()
    for _ in range(30):
        source = [chance.choice("abcd") for _ in range(chance.randint(1, 6))]
        target = [chance.choice("wxyz") for _ in range(chance.randint(1, 6))]
        sample = models.add(source, target)
        pairs = {
            (tuple(source[slice(*pair.source)]), tuple(target[slice(*pair.target)]))
            for pair in extract(sample.links, len(source), len(target))
        }
        spans = [(a, b) for a in range(6) for b in range(a + 1, 7)]
        for f, e in ((source[a:b], target[c:d]) for a, b in spans for c, d in spans):
            if f and e:
                found = has_pair(sample, models.source.ids(f), models.target.ids(e))
                assert found == ((tuple(f), tuple(e)) in pairs)


def test_it_is_quick_enough_to_ask_often(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "project", source="en", target="es", tokens="words") as engine:
        for n in range(30):
            engine.learn(f"the word{n}", f"la palabra{n}")
        (origin,) = [o for o in engine.provenance(engine.translate("the unknown")) if o.phrase.kind == "phrase"]
        assert origin.learned == 29  # in the first correction of all, no link is more likely than another
        assert origin.corrections == tuple(np.arange(30, 20, -1))
