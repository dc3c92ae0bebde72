"""A Moses phrase table and an ARPA model together are a base that a set of models learns and searches over."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import BadInputError
from dragoman.models.arpa import write_arpa
from dragoman.models.imported import import_base
from dragoman.models.language import LanguageModel
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.decoder import Decoder

pytestmark = pytest.mark.kernels

TABLE = """\
press ||| pulse ||| 1 1 1 1 ||| 0-0 ||| 4 4 4
the ||| el ||| 1 0.5 0.75 0.5 ||| 0-0 ||| 3 4 3
the ||| la ||| 1 0.5 0.25 0.5 ||| 0-0 ||| 1 4 1
button ||| botón ||| 1 1 1 1 ||| 0-0 ||| 4 4 4
lamp ||| lámpara ||| 1 1 1 1 ||| 0-0 ||| 4 4 4
the lamp ||| la lámpara ||| 1 1 1 1 ||| 0-0 1-1 ||| 2 2 2
"""


@pytest.fixture
def base(tmp_path: Path) -> ModelSet:
    (tmp_path / "table").write_text(TABLE, encoding="utf-8")
    language = LanguageModel(3)
    for sentence in ("pulse el botón", "pulse la lámpara", "la lámpara"):
        language.add(sentence.split())
    write_arpa(language, tmp_path / "model.arpa")
    return import_base(tmp_path / "table", tmp_path / "model.arpa")


def translated(models: ModelSet, source: str) -> str:
    return " ".join(Decoder(models, Weights("moses")).search(source.split()).best.words)


def test_it_translates_and_a_layer_learns_and_forgets_over_it(base: ModelSet, tmp_path: Path) -> None:
    base.save(tmp_path / "base")
    models = ModelSet(ModelSet.open(tmp_path / "base"))
    assert translated(models, "press the lamp") == "pulse la lámpara"
    added = [models.add(["press", "the", "red", "lamp"], ["apriete", "la", "lámpara", "roja"]) for _ in range(3)]
    assert translated(models, "press the red lamp") == "apriete la lámpara roja"
    for contribution in added:
        models.remove(contribution)
    assert translated(models, "press the lamp") == "pulse la lámpara"
    assert len(models.language) == 0


def test_single_words_of_the_table_are_its_lexicon(base: ModelSet) -> None:
    assert base.direct.lexical("el", "the") == pytest.approx(0.9 * 0.75 + 0.1 / 5)
    assert base.inverse.lexical("the", "la") == pytest.approx(0.9 + 0.1 / 4)


def test_it_is_only_a_base(base: ModelSet) -> None:
    with pytest.raises(BadInputError, match="cannot learn"):
        base.add(["press"], ["pulse"])
    assert base.inverse.size[0] == 4
