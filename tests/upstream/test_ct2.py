"""A CTranslate2 model: a tiny one made here, and the large one where it is at hand."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dragoman.errors import BadInputError
from dragoman.upstream import Upstream, from_name
from dragoman.upstream.contract import ContinuingEngine, UpstreamEngine
from tests.upstream.support import make_model

LARGE = Path(__file__).parents[3] / "shared" / "engines" / "nmt-en-es"


def load(name: str) -> UpstreamEngine:
    return from_name(name, source="en", target="es")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def large() -> UpstreamEngine:
    if not LARGE.is_dir():
        pytest.skip(f"there is no neural model in {LARGE}")
    return load(f"ct2:{LARGE}")


def test_a_model_answers_each_text_in_order_alone_and_in_a_batch(model: Path) -> None:
    engine = load(f"ct2:{model}")
    texts = ["open the file", "close", "the file"]
    together = engine.translate(texts, seconds=10)
    assert together == [engine.translate([text], seconds=10)[0] for text in texts]
    assert all(answer and answer.text and not answer.nbest for answer in together)


def test_an_nbest_list_begins_with_the_answer_and_has_falling_scores(model: Path) -> None:
    (answer,) = load(f"ct2:{model}#nbest=4").translate(["open the file"], seconds=10)
    assert answer
    assert len(answer.nbest) == 4
    assert answer.nbest[0].text == answer.text
    scores = [each.score for each in answer.nbest if each.score is not None]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 4


def test_separate_sentencepiece_files_give_what_a_common_one_gives(model: Path, tmp_path: Path) -> None:
    separate = shutil.copytree(model, tmp_path / "separate")
    (separate / "sentencepiece.model").rename(separate / "source.spm")
    shutil.copy(separate / "source.spm", separate / "target.spm")
    texts = ["open the file"]
    assert load(f"ct2:{separate}").translate(texts, seconds=10) == load(f"ct2:{model}").translate(texts, seconds=10)


def test_a_continuation_begins_with_the_given_words(model: Path) -> None:
    engine = load(f"ct2:{model}")
    assert isinstance(engine, ContinuingEngine)
    answer = engine.continue_from("open the file", "cierre el")
    assert answer
    assert answer.nbest
    assert all(each.text.startswith("cierre el") for each in answer.nbest)


def test_the_version_changes_with_the_model_and_with_what_it_is_asked_for(model: Path, tmp_path: Path) -> None:
    engine = load(f"ct2:{model}")
    copy = shutil.copytree(model, tmp_path / "copy")
    assert load(f"ct2:{copy}").version == engine.version
    assert load(f"ct2:{model}#beam=2").version != engine.version
    assert load(f"ct2:{model}#version=mine").version == "mine"
    (copy / "notes.txt").write_text("new")
    assert load(f"ct2:{copy}").version != engine.version


def test_a_directory_without_a_model_or_without_pieces_is_refused_with_a_remedy(model: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="there is no CTranslate2 model here; write ct2:"):
        load(f"ct2:{tmp_path}")
    bare = shutil.copytree(model, tmp_path / "bare")
    (bare / "sentencepiece.model").unlink()
    with pytest.raises(BadInputError, match=r"the sentencepiece model is missing; copy sentencepiece\.model, or"):
        load(f"ct2:{bare}")
    shutil.copy(model / "sentencepiece.model", bare)
    (bare / "model.bin").write_bytes(b"not a model")
    with pytest.raises(BadInputError, match="cannot be loaded"):
        load(f"ct2:{bare}")


def test_the_large_model_translates_and_keeps_what_it_is_made_to_keep(large: UpstreamEngine) -> None:
    upstream = Upstream(large, source="en", target="es")
    plain = upstream.ask("Open the file.", seconds=60)
    assert plain
    assert plain.text.startswith("Abr")
    marked = upstream.ask("The function :func:`open` returns ``None`` if {name} is missing.", seconds=60)
    assert marked
    assert all(part in marked.text for part in (":func:`open`", "``None``", "{name}"))
    upstream.close()


def test_the_large_model_continues_what_was_typed(large: UpstreamEngine) -> None:
    upstream = Upstream(large, source="en", target="es")
    answer = upstream.continue_from("I would like to thank the rapporteur.", "Quisiera agra")
    assert answer
    assert answer.text.startswith("Quisiera agra")
    assert upstream.continue_from("I would like to thank the rapporteur.", "Zzz qqq xxx") is None
    upstream.close()
