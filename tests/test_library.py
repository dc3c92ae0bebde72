"""What people meet who use dragoman from Python: errors, names that can be found, objects that show themselves."""

from __future__ import annotations

import copy
import math
import pickle
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman.commands.evaluation import new_adapter
from dragoman.concurrency import ReadWriteLock
from dragoman.doctor import Diagnosis, show
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from tests.engine.support import PAIRS, new


@pytest.fixture
def engine(tmp_path: Path) -> Any:
    with new(tmp_path / "project") as found:
        yield found


def test_a_thread_that_reads_is_told_that_it_cannot_write(engine: Engine) -> None:
    with engine.models(), pytest.raises(BadInputError, match=r"do it after the block `with engine\.models"):
        engine.learn(*PAIRS[0])
    assert engine.learn(*PAIRS[0]) == 1


def test_tuning_that_could_not_be_kept_is_refused_before_it_begins(engine: Engine) -> None:
    told: list[object] = []
    with engine.models(), pytest.raises(BadInputError, match="do it after the block"):
        engine.tune(PAIRS[:10], progress=lambda *how_far: told.append(how_far))
    with Engine.open(engine.path, write=False) as reader, pytest.raises(BadInputError, match="for reading only"):
        reader.tune(PAIRS[:10], progress=lambda *how_far: told.append(how_far))
    assert not told


@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
def test_an_engine_is_not_pickled_or_copied_but_opened_again(engine: Engine, copied: Any) -> None:
    with pytest.raises(BadInputError, match=r"cannot be pickled or copied; open the project there: Engine\.open"):
        copied(engine)


def test_a_thread_that_reads_may_read_again_while_a_writer_waits() -> None:
    lock, written = ReadWriteLock(), threading.Event()

    def write() -> None:
        with lock.writing():
            written.set()

    with lock.reading():
        writer = threading.Thread(target=write)
        writer.start()
        while not lock._writers_waiting:
            pass
        with lock.reading():
            assert not written.is_set()
    writer.join()
    assert written.is_set()


class Table:
    """As much of a table of pandas as iterating over one by mistake takes."""

    columns = ("english", "spanish")

    def __iter__(self) -> Any:
        return iter(self.columns)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (Table(), r"a Table is not a list of pairs; give zip\(table\['english'\], table\['spanish'\]\)"),
        ([["green", "red"], ["verde", "rojo"]], "two lists could be two pairs"),
        ([("green", "verde"), ("red", None)], r"pair 2 is \('red', None\), not two texts"),
        ([("green", "verde"), ("red", math.nan)], "pair 2 is"),
        ([("green", "verde"), ("red", "rojo", "x")], "pair 2 is"),
        (["green", "verde"], "pair 1 is 'green', not two texts"),
        ("green", "expected pairs of texts, not a str"),
        (None, "expected pairs of texts, not None"),
        ({"green": "verde"}, r"not a dict; .*, or pairs\.items\(\)"),
    ],
)
def test_what_are_no_pairs_is_refused_with_its_row(engine: Engine, pairs: Any, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        engine.train(pairs)


@pytest.mark.parametrize("wrong", [None, math.nan, 3])
def test_what_is_no_text_is_not_learned(engine: Engine, wrong: Any) -> None:
    for pair in (("green", wrong), (wrong, "verde")):
        with pytest.raises(BadInputError, match=f"not (a )?({wrong!r}|{type(wrong).__name__})"):
            engine.learn(*pair)
        with pytest.raises(BadInputError, match=r"expected (a|one) text"):
            engine.learn("green", "verde", upstream=3)  # type: ignore[arg-type]
    assert list(engine.history()) == []


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("green", r"expected many texts, not one; call translate\(text\)"),
        (b"green", "expected many texts, not one"),
        (None, "expected many texts, not None; give a list"),
        (Table(), r"a Table is not a list of texts; give a column: table\['english'\]"),
        (["green", math.nan], "text 2 is nan, not a string"),
        (["green", "a\ud800"], "text 2: the text has half a surrogate pair .* at character 2"),
    ],
)
def test_what_are_no_texts_is_refused_with_its_number(engine: Engine, texts: Any, message: str) -> None:
    for each in (engine.translate_all, engine.ask_ahead):
        with pytest.raises(BadInputError, match=message):
            list(each(texts))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "expected one text, not None; give a string"),
        (math.nan, "expected one text, not nan; give a string"),
        (b"green", r"expected one text, not bytes; decode them first"),
        (["green"], r"expected one text, not a list; call translate_all\(texts\)"),
    ],
)
def test_what_is_no_text_is_not_looked_up(engine: Engine, text: Any, message: str) -> None:
    for each in (engine.translate, engine.interact, engine.exact_match, engine.matches, engine.remove_term):
        with pytest.raises(BadInputError, match=message):
            each(text)
    with pytest.raises(BadInputError, match="expected one text"):
        engine.set_term("green", text)
    with pytest.raises(BadInputError, match="is not a text"):
        engine.glossary = {"green": 3}  # type: ignore[dict-item]


def test_options_of_the_wrong_type_are_refused(engine: Engine) -> None:
    wrong: Any = 1.5
    for call, message in (
        (lambda: engine.translate("green", n=wrong), "n must be a whole number, at least 1, not 1.5"),
        (lambda: engine.learn("green", "verde", user=wrong), "the user is 1.5, not a text"),
        (lambda: engine.learn("green", "verde", time=wrong), "1.5 is not a time; give a datetime"),
        (lambda: engine.forget(True), "True is not the number of a correction"),
        (lambda: engine.change_settings(wrong), "expected settings by name, not 1.5"),
        (lambda: engine.change_settings({"adapter": "pa"}), '\'pa\' is not an adapter; .* such as {"name": "Ridge"}'),
        (lambda: engine.refuse_change("a\ud800", "b"), "half a surrogate pair"),
    ):
        with pytest.raises(BadInputError, match=message):
            call()
    assert list(engine.history()) == []


def test_what_is_no_answer_of_an_engine_and_no_number_is_refused(engine: Engine) -> None:
    with pytest.raises(BadInputError, match="expected a text, not 3"):
        engine.translate("green", upstream=3)  # type: ignore[arg-type]
    number: Any = "1"
    with pytest.raises(BadInputError, match="'1' is not the number of a correction"):
        engine.forget(number)


@pytest.mark.parametrize("module", ["errors", "project.guard", "store.lock", "store.journal_errors"])
def test_every_error_of_an_engine_is_found_at_the_top(module: str) -> None:
    found = vars(import_module(f"dragoman.{module}"))
    own = {name for name, each in found.items() if isinstance(each, type) and issubclass(each, dragoman.DragomanError)}
    assert own <= set(dragoman.__all__)
    assert all(getattr(dragoman, name) is found[name] for name in own)


def test_errors_and_types_are_found_at_the_top() -> None:
    assert {"Engine", "BadInputError", "FlaggedError", "Translation"} <= set(dir(dragoman))
    assert not {"Any", "import_module"} & set(dir(dragoman))
    for name in dragoman.__all__:
        assert getattr(dragoman, name) is not None
    assert issubclass(dragoman.BadInputError, ValueError)
    with pytest.raises(AttributeError, match="no attribute 'Motor'"):
        dragoman.Motor  # noqa: B018


def test_a_translation_prints_as_its_text_and_shows_in_notebooks(engine: Engine) -> None:
    engine.learn("Open <b> & go.", "Abra <b> y siga.")
    found = engine.translate("Open <b> & go.")
    lines = engine.translate_text("Open it.\nClose it.")._repr_html_()
    assert lines.startswith('<div style="white-space: pre-wrap"><small>Open it.\nClose it.</small>')
    assert f"{found}" == found.text == "Abra <b> y siga."
    shown = "<small>Open &lt;b&gt; &amp; go.</small><br><b>Abra &lt;b&gt; y siga.</b><br><small>correction 1</small>"
    assert found._repr_html_() == f'<div style="white-space: pre-wrap">{shown}</div>'


@pytest.mark.parametrize("code", ["xx", "zz-ZZ", "e", "english language", None])
def test_languages_that_do_not_exist_are_refused(tmp_path: Path, code: Any) -> None:
    with pytest.raises(BadInputError, match="is not a language code"):
        Engine.create(tmp_path / "project", source="en", target=code)
    assert not (tmp_path / "project").exists()


def test_statistics_count_the_base(engine: Engine) -> None:
    assert not [name for name in engine.statistics() if name.startswith("base")]
    engine.train(PAIRS[:20])
    found = engine.statistics()
    assert found["phrase pairs"] == 0
    assert found["base: phrase pairs"] > 20
    assert found["base: n-grams"] > 20
    assert found["base: bytes"] > 10_000


def test_the_doctor_prints_brackets(capsys: pytest.CaptureFixture[str]) -> None:
    show([Diagnosis("shipped kernels", "none; install dragoman[kernels]", "do [it]")], as_json=False)
    assert "install dragoman[kernels]  → do [it]" in capsys.readouterr().out


def test_an_engine_simulates_a_person_with_intervals(engine: Engine, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    found = engine.simulate(PAIRS[:12], progress=lambda *how_far: told.append(how_far))
    assert found.summary["segments"] == 12
    assert found.intervals["WER"].score == pytest.approx(found.summary["WER"], abs=0.01)
    assert str(found.intervals["BLEU"]) in str(found)
    assert "<th>BLEU</th>" in found._repr_html_()
    assert told[-1] == ("post-edit", 12, 12)
    found.write_translations(tmp_path / "out.es")
    assert (tmp_path / "out.es").read_text().splitlines() == [each.translation for each in found.outcomes]
    assert engine.simulate(PAIRS[:2], mode="interactive", learn=False).summary["KSMR"] == 0
    with pytest.raises(BadInputError, match="choose one of post-edit, interactive"):
        engine.simulate(PAIRS[:2], mode="guess")
    with pytest.raises(BadInputError, match="pair 1 is"):
        engine.simulate(["green"])  # type: ignore[list-item]


def test_an_engine_tunes_its_weights_and_keeps_them_or_not(engine: Engine) -> None:
    engine.train(PAIRS[:30])
    before = engine.weights
    report = engine.tune(PAIRS[30:40], rounds=1, nbest=20, folds=1, keep=False)
    assert engine.weights == before
    assert report.after >= report.before
    again = engine.tune(PAIRS[30:40], rounds=1, nbest=20, folds=1)
    assert engine.weights == (again.weights if again.changed else before)
    with pytest.raises(BadInputError, match="choose one of mert, mira"):
        engine.tune(PAIRS[30:40], method="guess")


def test_engines_and_explanations_show_in_notebooks_and_history_has_no_bytes(engine: Engine) -> None:
    engine.learn("Open <b> & go.", "Abra <b> y siga.")
    assert "1 correction" in engine._repr_html_()
    assert "&lt;Engine" in engine._repr_html_()
    with Engine.open(engine.path, write=False) as other:
        pass
    assert "closed&gt;</code>" in other._repr_html_()
    shown = engine.explain("Open <b> & go.")._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "<table" not in shown  # all of the page is escaped
    (row,) = engine.history()
    assert row.contribution is None
    assert "contribution" not in repr(row)


def test_an_adapter_of_ones_own_is_named_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_adapters.py").write_text(
        "from dragoman.adapt import Adapter, Perceptron\n\nclass Mine(Perceptron):\n    pass\n\n"
        "class Plain(Adapter):\n    def update(self, weights, features, losses):\n        return weights\n\n"
        "class Unfinished(Adapter):\n    pass\n\nOther = 3\n"
    )
    monkeypatch.chdir(tmp_path)
    assert new_adapter("my_adapters:Mine", alpha=0.5, nbest=20).settings()["name"] == "Mine"
    for wrong, message in (
        ("my_adapters:Other", "is not an adapter"),
        ("nowhere:Mine", "cannot import nowhere"),
        ("my_adapters:Unfinished", "is not complete; define update in the class"),
        ("my_adapters:", "names no class"),
        (":Mine", "names no class"),
    ):
        with pytest.raises(BadInputError, match=message):
            new_adapter(wrong)
    with pytest.raises(BadInputError, match="my_adapters:Plain has no option 'alpha'; add a field alpha"):
        new_adapter("my_adapters:Plain", alpha=0.5)
