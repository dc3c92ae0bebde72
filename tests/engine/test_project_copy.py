"""A copy learns the corrections in force anew: with the settings, over any base, whatever the tokens were."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dragoman import Engine
from dragoman.adapt import Adapter, PassiveAggressive
from dragoman.errors import BadInputError, StorageError, UnlearnableError
from dragoman.project import state
from dragoman.project.guard import FlaggedError
from dragoman.project.project_copy import Copied
from dragoman.project.project_merge import merge
from dragoman.records import Sentence
from dragoman.store import TakenError
from dragoman.store.answers import AnswerEntry, Answers, KeptAnswer, Spent
from dragoman.text import language_side
from tests.engine.support import PAIRS, arrays_of, assert_same, full_disk, new

pytestmark = pytest.mark.kernels
SUSPICIOUS = "Open the lid.", "Open the lid slowly, then close it again and wait for a while, please."
UNKNOWN = "settings of row 1: the adapter 'Mine' is not imported"
LONG_AGO = datetime(2001, 2, 3, tzinfo=UTC)


def test_a_copy_is_what_learning_the_corrections_in_force_gives(tmp_path: Path) -> None:
    with new(tmp_path / "old") as old, new(tmp_path / "expected") as expected:
        old.learn(*PAIRS[0], user="ana", time=LONG_AGO)
        old.forget(old.learn(*PAIRS[1]))
        old.revise(old.learn(*PAIRS[2]), PAIRS[3][1], force=True)
        with pytest.raises(FlaggedError):
            old.learn(*SUSPICIOUS)
        old.learn(*SUSPICIOUS, force=True)
        expected.learn(*PAIRS[0])
        expected.learn(PAIRS[2][0], PAIRS[3][1], force=True)
        expected.learn(*SUSPICIOUS, force=True)
        for engine in (old, expected):
            engine.weights = {"language": 1.25}
            engine.adapter = PassiveAggressive()
            engine.glossary = {"drip tray": "bandeja de goteo"}
            engine.remove_term("drip tray")
            engine.set_term("lid", "tapa")
            engine.learn(*PAIRS[4])
        with pytest.raises(TakenError):  # somebody writes
            Engine.copy(tmp_path / "old", tmp_path / "new")
        old.close()
        assert Engine.copy(tmp_path / "old", tmp_path / "new") == Copied(learned=4, settings=5, refused=[])
        with Engine.open(tmp_path / "new") as engine:
            found, wanted = arrays_of(engine), arrays_of(expected)
            numbers = {name for name in found if name.startswith("memory.")}  # ids of corrections may be others
            assert_same(*({name: all_[name] for name in all_.keys() - numbers} for all_ in (found, wanted)))
            assert engine.opened.state.settings == expected.opened.state.settings
            first = engine.history()[-1]
            assert (first.source, first.user, first.time) == (PAIRS[0][0], "ana", LONG_AGO)
            assert [row.reason is not None for row in engine.history()] == [False, True, False, False]
    with Engine.open(tmp_path / "old") as old:
        assert len(old.history()) == 7  # as it was


def test_a_copy_has_the_base_of_its_own(tmp_path: Path) -> None:
    with new(tmp_path / "old") as old:
        old.train(PAIRS[:100])
        old.learn(*PAIRS[100])
        expected = arrays_of(old)
    Engine.copy(tmp_path / "old", tmp_path / "new")
    shutil.rmtree(tmp_path / "old")
    with Engine.open(tmp_path / "new") as engine:
        assert engine.opened.store.find_base() == tmp_path / "new" / "base"
        assert_same(arrays_of(engine), expected)


def test_a_copy_over_another_base(tmp_path: Path) -> None:
    with new(tmp_path / "larger") as larger:
        larger.train(PAIRS[:100])
    with new(tmp_path / "old") as old:
        old.learn(*PAIRS[100])
    Engine.copy(tmp_path / "old", tmp_path / "new", base=tmp_path / "larger")
    Engine.copy(tmp_path / "new", tmp_path / "newer")  # whose base is elsewhere, and stays there
    with new(tmp_path / "expected", base=tmp_path / "larger") as expected, Engine.open(tmp_path / "newer") as engine:
        expected.learn(*PAIRS[100])
        assert_same(arrays_of(engine), arrays_of(expected))
        assert engine.opened.store.find_base() == tmp_path / "larger" / "base"


def test_corrections_whose_words_were_cut_otherwise_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def characters(text: str, *_: object, **__: object) -> Sentence:
        words = tuple(text.replace(" ", ""))
        return Sentence(words, ("",) * (len(words) + 1), (False,) * len(words))

    with monkeypatch.context() as before:
        before.setattr(language_side, "split", characters)
        before.setattr(state, "FORMAT", "2 characters")
        with new(tmp_path / "old") as old:
            old.learn("Close the lid.", "Cierre la tapa.")
    with pytest.raises(BadInputError, match="dragoman project copy"):
        Engine.open(tmp_path / "old")
    assert Engine.copy(tmp_path / "old", tmp_path / "new").learned == 1
    with Engine.open(tmp_path / "new") as engine:
        assert engine.translate("Close the lid.", memory=False).text == "Cierre la tapa."


def test_what_cannot_be_learned_any_more_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with new(tmp_path / "old") as old:
        for pair in PAIRS[:2]:
            old.learn(*pair)
    refusing = Engine.learn

    def learn(self: Engine, source: str, *others: str, **options: object) -> int:
        if source == PAIRS[0][0]:
            raise UnlearnableError("is too long")
        return refusing(self, source, *others, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Engine, "learn", learn)
    assert Engine.copy(tmp_path / "old", tmp_path / "new") == Copied(1, 0, ["correction 1: is too long"])


def test_a_copy_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    with new(tmp_path / "old") as old:
        old.learn(*PAIRS[0])
    with full_disk(), pytest.raises(StorageError):
        Engine.copy(tmp_path / "old", tmp_path / "new")
    assert not (tmp_path / "new").exists()
    Engine.copy(tmp_path / "old", tmp_path / "new")
    with pytest.raises(BadInputError, match="not an empty directory"):
        Engine.copy(tmp_path / "old", tmp_path / "new")


def entries(answers: Answers, engine: str) -> list[KeptAnswer]:
    """What an engine said, whenever it was kept."""
    return [each._replace(time="") for each in answers.entries(engine)]


def test_what_other_engines_said_is_copied_with_what_they_were_sent_today(tmp_path: Path) -> None:
    with new(tmp_path / "old") as old:
        kept = Answers(old.opened.store.journal, "en", "es")
        for version in "ab":
            kept.keep("deepl:", version, [AnswerEntry(f"text {n}", "", f'["{version} {n}", []]') for n in range(700)])
        kept.keep("ct2:nmt", "1", [AnswerEntry("text", "terms", '["texto", []]')])
        kept.spend("deepl:", 3, 70)
        expected = [entries(kept, name) for name in ("deepl:", "ct2:nmt")]
    Engine.copy(tmp_path / "old", tmp_path / "new")
    with Engine.open(tmp_path / "new") as engine:
        copied = Answers(engine.opened.store.journal, "en", "es")
        assert [entries(copied, name) for name in ("deepl:", "ct2:nmt")] == expected
        assert (copied.spent("deepl:"), copied.spent("ct2:nmt")) == (Spent(3, 70), Spent(0, 0))


def test_an_adapter_that_is_not_imported_is_left_out_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as known, new(tmp_path / "old") as engine:
        known.setattr(Adapter, "known", dict(Adapter.known))
        engine.adapter = type("Mine", (PassiveAggressive,), {})()
        engine.learn(*PAIRS[0])
        engine.adapter = None
        engine.learn(*PAIRS[1])
    with new(tmp_path / "other") as engine:
        engine.learn(*PAIRS[2])
    assert Engine.copy(tmp_path / "old", tmp_path / "new") == Copied(2, 1, [UNKNOWN])
    merged = merge(Engine, [tmp_path / "old", tmp_path / "other"], tmp_path / "both")
    assert (merged.learned, merged.refused) == (3, [UNKNOWN])
