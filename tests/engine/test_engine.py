"""The public face: projects are made, trained, opened, taught, asked and closed, and bad input is refused clearly."""

from __future__ import annotations

import resource
import subprocess
import sys
from contextlib import ExitStack
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from dragoman import Engine
from dragoman.errors import BadInputError
from dragoman.models.modelset import ModelSet
from tests.engine.support import PAIRS, arrays_of, assert_same, new

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trained") / "project"
    with new(path) as engine:
        engine.train(PAIRS[:200], progress=True)
    return path


def test_a_correction_is_learned_revised_and_forgotten(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        assert engine.translate("Close the lid.", memory=False).text == "Close the lid."
        number = engine.learn("Close the lid.", "Cierra la tapa.", user="ana")
        assert engine.translate("Close the lid.", memory=False).text == "Cierra la tapa."
        better = engine.revise(number, "Cierre la tapa.")
        assert better > number
        assert engine.translate("Close the lid.", memory=False).text == "Cierre la tapa."
        assert [(row.id, row.target, row.forgotten) for row in engine.history()] == [
            (better, "Cierre la tapa.", False),
            (number, "Cierra la tapa.", True),
        ]
        assert engine.statistics()["corrections"] == 1
        engine.forget(better)
        assert engine.translate("Close the lid.", memory=False).text == "Close the lid."
        assert engine.statistics()["phrase pairs"] == 0


def test_what_is_to_be_learned_once_is_not_learned_again(tmp_path: Path) -> None:
    def learn(target: str) -> int:
        return engine.learn("Close the lid.", target, once=True)

    with new(tmp_path / "project") as engine:
        number = learn("Cierra la tapa.")
        learned = engine.statistics()
        assert learn("Cierra la tapa.") == number
        assert engine.statistics() == learned
        other = learn("Cierre la tapa.")
        again = learn("Cierra la tapa.")  # the newest is another
        assert number < other < again
        engine.forget(again)
        assert learn("Cierre la tapa.") == other
        assert learn("Cierra la tapa.") > again


def test_no_placeholder_is_made_up(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        engine.learn("The file {0} was not found.", "No se encontró el archivo {0}.")
        engine.learn("Press <b>Start</b>.", "Pulse <b>Inicio</b>.")
        for text in ("The file was not found.", "Press Start.", "The file %s was not found.", "File {0} {0} found."):
            for found in engine.translate(text, n=20, memory=False).nbest:
                for slot in ("{0}", "%s", "<b>", "</b>"):
                    assert found.text.count(slot) == text.count(slot), found.text
        with engine.interact("The file was not found.") as session:
            for typed in ("", "No", "No se encontró el archivo "):
                assert "{0}" not in session.suggest(typed).text
            assert session.suggest("No se encontró {0}").text.startswith("No se encontró {0}")  # if somebody insists


def test_a_translation_tells_how_it_came_about(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        for pair in PAIRS[:60]:
            engine.learn(*pair)
        found = engine.translate(" Press the <b>button</b>. ", n=5, memory=False)
        assert found.text.startswith(" ")
        assert found.text.endswith(" ")
        assert 1 < len(found.nbest) <= 5
        assert found.nbest[0].text == found.text
        assert len({each.text for each in found.nbest}) == len(found.nbest)
        for each in found.nbest:
            expected = sum(weight * each.features[name] for name, weight in engine.weights.items())
            assert each.score == pytest.approx(expected)
            assert "".join(each.target.words).count("<b>") == 1
            assert all(j < len(each.source) and i < len(each.target) for j, i in each.alignment)
            assert [phrase.target for phrase in each.phrases] == sorted(phrase.target for phrase in each.phrases)
            assert sorted(j for p in each.phrases for j in range(*p.source)) == list(range(len(each.source)))
            assert [i for p in each.phrases for i in range(*p.target)] == list(range(len(each.target)))


def test_weights_are_set_and_restored(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        engine.learn("green", "verde")
        before = engine.weights
        engine.weights = {"language": 0.25, "distortion": 2}
        expected = before | {"language": 0.25, "distortion": 2.0}
        assert engine.weights == expected
        for bad in ({"langage": 1.0}, {"language": float("nan")}):
            with pytest.raises(BadInputError):
                engine.weights = bad
        engine.weights["language"] = 9.0  # a copy
        assert engine.weights == expected
    with Engine.open(tmp_path / "project") as engine:
        assert engine.weights == expected


def test_words_are_taken_as_they_are_in_words_mode(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "project", source="es", target="en", tokens="words", preset="thot") as engine:
        engine.learn("la Casa , verde", "the green House ,")
        assert engine.translate("la Casa , verde", memory=False).text == "the green House ,"
        assert engine.translate("la casa").text.endswith("casa")  # another word than Casa
    with Engine.open(tmp_path / "project", write=False) as engine:
        assert engine.translate("la Casa , verde", memory=False).text == "the green House ,"


def test_two_projects_share_a_base_and_nothing_else(trained: Path, tmp_path: Path) -> None:
    with (
        new(tmp_path / "one", base=trained) as one,
        new(tmp_path / "two", base=trained / "base") as two,
        Engine.open(trained, write=False) as origin,
    ):
        sentence, known = "The grumble is zany.", PAIRS[3][0]
        assert one.translate(known) == two.translate(known) == origin.translate(known)
        assert one.translate(known).text == PAIRS[3][1]
        before = arrays_of(two)
        one.learn(sentence, "El gruñido es estrafalario.")
        assert one.translate(sentence).text == "El gruñido es estrafalario."
        assert "zany" in two.translate(sentence).text
        assert_same(arrays_of(two), before)


def test_many_projects_over_a_base_keep_its_files_open_once(trained: Path, tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as projects:
        projects.callback(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/dev/fd").iterdir())) + 200, before[1]))
        for n in range(4):
            engine = projects.enter_context(new(tmp_path / str(n), trained))
            engine.learn("Close the lid.", f"Cierre la tapa {n}.")
            assert engine.translate("Close the lid.").text == f"Cierre la tapa {n}."


def test_a_project_is_trained_before_its_first_correction(trained: Path, tmp_path: Path) -> None:
    with Engine.open(trained) as engine, pytest.raises(BadInputError, match="has already learned"):
        engine.train(PAIRS[:2])
    with new(tmp_path / "project") as engine:
        with pytest.raises(BadInputError, match=r"pair 2: .*surrogate"):
            engine.train([("a", "b"), ("a", "\ud800")])
        with pytest.raises(BadInputError, match="no usable pairs"):
            engine.train([("", "x")])
        engine.weights = {"language": 0.5}
        steps: list[str] = []
        assert engine.train([*PAIRS[:20], ("", "x")], progress=lambda what, *_: steps.append(what)) == 20
        assert steps
        assert engine.weights["language"] == 0.5
        engine.learn("green", "verde")
    with new(tmp_path / "other") as engine:
        engine.learn("green", "verde")
        with pytest.raises(BadInputError, match="has already learned"):
            engine.train(PAIRS[:2])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"preset": "best"}, "no preset"),
        ({"order": 0}, "order"),
        ({"tokens": "characters"}, "unknown kind of tokens"),
        ({"base": "nowhere"}, "nothing was saved here"),
        ({"tokens": "words", "base": "trained"}, "was trained with tokens='text'"),
        ({"order": 3, "base": "trained"}, "was trained with order=5; create the project with order=5"),
    ],
)
def test_a_project_that_cannot_be_is_not_made(
    wrong: dict[str, Any], message: str, trained: Path, tmp_path: Path
) -> None:
    if wrong.get("base") == "trained":
        wrong = wrong | {"base": trained}
    with pytest.raises(BadInputError, match=message):
        Engine.create(tmp_path / "project", source="en", target="es", **wrong)
    assert not (tmp_path / "project").exists()


def test_over_a_base_the_order_is_that_of_the_base(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "trained", source="en", target="es", order=3) as engine:
        engine.train(PAIRS[:5])
    given: list[tuple[str, dict[str, Any]]] = [("given", {"order": 3}), ("not given", {})]
    for name, options in given:
        Engine.create(tmp_path / name, source="en", target="es", base=tmp_path / "trained", **options).close()
        with Engine.open(tmp_path / name, write=False) as engine, engine.opened.reading() as state:
            assert engine.opened.store.settings["order"] == state.knowledge.models.language.order == 3
    for other in (2, 5):
        with pytest.raises(BadInputError, match="was trained with order=3; create the project with order=3"):
            Engine.create(tmp_path / "other", source="en", target="es", base=tmp_path / "trained", order=other)


def test_without_a_base_the_order_is_five_unless_given(tmp_path: Path) -> None:
    given: list[tuple[int, dict[str, Any]]] = [(5, {}), (2, {"order": 2})]
    for order, options in given:
        with Engine.create(tmp_path / str(order), source="en", target="es", **options) as engine:
            assert engine.opened.store.settings["order"] == order


def test_one_may_write_and_many_may_read(tmp_path: Path) -> None:
    path = tmp_path / "project"
    with new(path) as engine:
        engine.learn("green", "verde")
        with pytest.raises(BadInputError, match="open for writing by process"):
            Engine.open(path)
        program = "import sys; from dragoman import Engine; Engine.open(sys.argv[1])"
        done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
        assert "close it there first, or open it for reading only" in done.stderr
        with Engine.open(path, write=False) as one, Engine.open(path, write=False) as two:
            assert one.translate("green").text == two.translate("green").text == "verde"
            for change in (
                lambda: one.learn("a", "b"),
                lambda: one.forget(1),
                lambda: one.train(PAIRS[:2]),
                one.save_snapshot,
            ):
                with pytest.raises(BadInputError, match="reading only"):
                    change()
        engine.learn("red", "rojo")
    with Engine.open(path) as engine:
        assert engine.translate("red").text == "rojo"


def test_a_closed_project_does_nothing(tmp_path: Path) -> None:
    engine = new(tmp_path / "project")
    number = engine.learn("green", "verde")
    engine.close()
    engine.close()
    for use in (
        lambda: engine.translate("green"),
        lambda: engine.learn("a", "b"),
        lambda: engine.forget(number),
        lambda: engine.train(PAIRS),
        engine.history,
        engine.save_snapshot,
    ):
        with pytest.raises(BadInputError, match="is closed"):
            use()


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b"])
def test_nothing_translates_into_itself(text: str, tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        found = engine.translate(text, n=3)
        assert (found.text, found.score, found.alignment) == (text, 0.0, [])
        assert found.features.keys() == engine.weights.keys()


@pytest.mark.parametrize("n", [0, -1])
def test_at_least_one_translation_must_be_wanted(n: int, tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine, pytest.raises(BadInputError, match="at least 1"):
        engine.translate("green", n=n)


def test_bad_corrections_are_refused_and_nothing_changes(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        number = engine.learn("green", "verde")
        before, last = arrays_of(engine), engine.opened.store.journal.last_id
        long = "word " * 501
        for source, target, message in [
            ("", "verde", "source has 0 words"),
            ("green", " \n", "target has 0 words"),
            (long, "verde", "source has 501 words; give 1 to 500"),
            ("green", long, "target has 501 words"),
            ("green\ud800", "verde", "surrogate"),
            ("green", "\udfff", "surrogate"),
        ]:
            with pytest.raises(BadInputError, match=message):
                engine.learn(source, target, force=True)
            if source == "green":
                with pytest.raises(BadInputError, match=message):
                    engine.revise(number, target, force=True)
        with pytest.raises(BadInputError, match="surrogate"):
            engine.learn("red", "rojo", user="\ud800")
        for wrong in (0, -3, 99, 2**70):
            with pytest.raises(BadInputError, match="see the ids in the history"):
                engine.forget(wrong)
            with pytest.raises(BadInputError, match="see the ids in the history"):
                engine.revise(wrong, "verde")
        assert_same(arrays_of(engine), before)
        assert engine.opened.store.journal.last_id == last
        engine.forget(number)
        with pytest.raises(BadInputError, match="not a correction in force"):
            engine.forget(number)
        with pytest.raises(BadInputError, match="surrogate"):
            engine.translate("\ud800")


def test_very_long_lines_are_translated_or_refused(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        engine.learn("green", "verde")
        assert engine.translate("green " * 10_000).text == "verde " * 10_000
        with pytest.raises(BadInputError, match="the text has 30,000 words; translate at most"):
            engine.translate("green " * 30_000)
        engine.learn("green " * 500, "verde " * 500)
        assert engine.translate("green " * 500).memory == 2


@pytest.mark.parametrize(
    "text", ["🙂 👩‍👩‍👧", "a\x00b\x07c", "\u202eright to left", "水を飲む", "naïve\tcafé\r\nnext", "<s> </s> <unk>"]
)
def test_any_characters_go_through(text: str, tmp_path: Path) -> None:
    path = tmp_path / "project"
    with new(path) as engine:
        assert engine.translate(text).text
        engine.learn(text, text, force=True)
        assert engine.translate(text).text == text
    with Engine.open(path) as engine:
        assert engine.history()[0].source == text
        assert engine.translate(text).text == text


@pytest.mark.parametrize("code", ["", "e", "../a b", 'q"', "en-", "verylongcode"])
def test_what_is_no_language_is_refused(tmp_path: Path, code: str) -> None:
    with pytest.raises(BadInputError, match="is not a language code"):
        Engine.create(tmp_path / "project", source="en", target=code)
    assert not (tmp_path / "project").exists()


def test_a_base_of_other_languages_is_refused(trained: Path, tmp_path: Path) -> None:
    for target in ("de", "deu", "ger", "ast"):
        with pytest.raises(BadInputError, match=f"translates from en to es, not from en to {target}"):
            Engine.create(tmp_path / target, source="en", target=target, base=trained)
    for target in ("es-MX", "spa"):
        Engine.create(tmp_path / target, source="en-US", target=target, base=trained).close()


def test_a_directory_of_something_else_is_no_base(tmp_path: Path) -> None:
    ModelSet().save(tmp_path / "models")
    with pytest.raises(BadInputError, match="holds a ModelSet, not a Knowledge; give the directory of a base"):
        Engine.create(tmp_path / "project", source="en", target="es", base=tmp_path / "models")
    assert not (tmp_path / "project").exists()


def test_an_explanation_names_the_memory(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        number = engine.learn("Close the lid.", "Cierre la tapa.")
        told = engine.explain("Close the lid.")
        assert f"(correction {number}): Cierre la tapa." in told.note
        assert told.note.splitlines()[0] in told.html()
        assert str(told.tables()[0]) == told.note
        assert engine.explain("Close the green lid.").note == ""
        engine.memory = False
        assert engine.explain("Close the lid.").note == ""


@pytest.mark.parametrize(("year", "hours"), [(1, 14), (9999, -12)])
def test_a_time_that_utc_does_not_have_is_refused(tmp_path: Path, year: int, hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    time = datetime(1, 1, 1, tzinfo=zone) if year == 1 else datetime(9999, 12, 31, 23, tzinfo=zone)
    with new(tmp_path / "p") as engine:
        with pytest.raises(BadInputError, match="in UTC"):
            engine.learn("Close the lid.", "Cierre la tapa.", time=time)
        assert engine.history() == []


def test_opening_a_project_twice_in_one_process_says_which_call_helps(tmp_path: Path) -> None:
    with new(tmp_path / "project"), pytest.raises(BadInputError, match=r"which is this one.*close\(\).*write=False"):
        Engine.open(tmp_path / "project")


def test_an_engine_shows_its_project_its_languages_and_how_it_is_open(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        assert repr(engine) == f"<Engine {str(tmp_path / 'project')!r}: en to es, writing>"
        with Engine.open(tmp_path / "project", write=False) as reader:
            assert repr(reader).endswith("en to es, reading>")
    assert repr(engine).endswith("closed>")


def test_one_text_and_many_are_told_apart(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        for call in (engine.translate, engine.translate_text, engine.interact):
            with pytest.raises(BadInputError, match=r"expected one text, not a list; call translate_all\(texts\)"):
                call(["Close the lid."])  # type: ignore[arg-type]
        with pytest.raises(BadInputError, match="not None; give a string"):
            engine.translate(None)  # type: ignore[arg-type]
        with pytest.raises(BadInputError, match=r"expected many texts, not one; call translate\(text\)"):
            engine.translate_all("Close the lid.")
