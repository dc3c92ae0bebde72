"""Filling files: what people wrote is kept, sources are never written to, and one failure stops nothing else."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dragoman import Engine
from dragoman.cli import app
from dragoman.errors import BadInputError
from dragoman.files import write_durably
from dragoman.formats import read_document
from dragoman.formats.fill_record import RECORD
from tests.formats.samples import TARGETS, TEXTS

PAIRS = {"open the lid": "abra la tapa", "close the lid": "cierre la tapa", "the lid": "la tapa"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("filled") / "p"
    with Engine.create(place, source="en", target="es") as engine:
        for source, target in PAIRS.items():
            engine.learn(source, target)
    return place


def fill(project: Path, *arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["fill", str(project), *map(str, arguments)])


def refused(project: Path, *arguments: str | Path) -> str:
    done = fill(project, *arguments)
    assert done.exit_code != 0
    return str(done.exception)


def done(project: Path, *arguments: str | Path) -> str:
    result = fill(project, *arguments)
    assert result.exit_code == 0, result.exception
    return result.stderr


def put(place: Path, text: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return place


def test_a_translation_that_people_wrote_is_not_overwritten(project: Path, tmp_path: Path) -> None:
    source = put(tmp_path / "loc/en.json", '{"a": "Open the lid", "b": "Close the lid"}')
    people = put(tmp_path / "loc/es.json", '{"a": "Ábrelo ya"}')
    assert "`fill` did not write it; --overwrite" in refused(project, source, people)
    assert people.read_text() == '{"a": "Ábrelo ya"}'
    assert "kept 1 translations by people; --learn-confirmed" in done(project, source, people, "--overwrite")
    assert json.loads(people.read_text()) == {"a": "Ábrelo ya", "b": "Cierre la tapa"}


@pytest.mark.parametrize("way", ["same", "symlink", "hard link", "directory"])
def test_a_source_is_never_written_to(way: str, project: Path, tmp_path: Path) -> None:
    source = put(tmp_path / "a" / "a.html", "<p>Open the lid</p>")
    out = tmp_path / "b" / "a.html"
    out.parent.mkdir()
    if way == "symlink":
        out.symlink_to(source)
    elif way == "hard link":
        os.link(source, out)
    if way == "directory":
        (tmp_path / "c").symlink_to(source.parent)
        for same in (source.parent, tmp_path / "c", source.parent / ".." / "a"):
            assert "is both the source and the output" in refused(project, source.parent, same, "--overwrite")
    else:
        place = source if way == "same" else out
        assert "would overwrite a source" in refused(project, source, place, "--overwrite")
        if way != "same":
            stderr = done(project, source.parent, out.parent, "--overwrite")
            assert "would overwrite a source" in stderr
    assert source.read_text() == "<p>Open the lid</p>"


def test_of_two_sources_of_one_translation_the_renamed_one_is_filled(project: Path, tmp_path: Path) -> None:
    put(tmp_path / "in/en.json", '{"a": "Open the lid"}')
    put(tmp_path / "in/es.json", '{"a": "Ábrelo"}')
    assert "es.json is the translation of" in done(project, tmp_path / "in", tmp_path / "out")
    assert json.loads((tmp_path / "out/es.json").read_text()) == {"a": "Abra la tapa"}


def test_what_people_changed_stays_when_the_source_changes(project: Path, tmp_path: Path) -> None:
    source, out = put(tmp_path / "a.md", "Open the lid.\n\nClose the lid.\n"), tmp_path / "a.es.md"
    done(project, source, out)
    put(out, out.read_text().replace("Abra la tapa.", "Abra usted."))
    for _ in range(2):  # also when that was written by `fill`
        done(project, source, out)
        assert out.read_text() == "Abra usted.\n\nCierre la tapa.\n"
    put(source, "The lid.\n\nClose the lid.\n\nOpen the lid.\n")
    assert "kept 1 translations by people" in done(project, source, out)
    assert out.read_text() == "La tapa.\n\nCierre la tapa.\n\nAbra usted.\n"
    put(source, "The lid.\n")
    done(project, source, out)
    put(source, "The lid.\n\nOpen the lid.\n")
    done(project, source, out)
    assert out.read_text() == "La tapa.\n\nAbra usted.\n"


def test_what_people_wrote_is_learned_if_that_is_wanted(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es"):
        pass
    source, out = put(tmp_path / "en.json", '{"a": "Open the lid"}'), tmp_path / "es.json"
    done(tmp_path / "p", source, out)
    put(out, '{"a": "Abra la tapa"}')
    assert "kept 1 translations by people; --learn-confirmed learns them" in done(tmp_path / "p", source, out)
    assert "1 learned" in fill(tmp_path / "p", source, out, "--learn-confirmed").stdout
    assert "kept" not in done(tmp_path / "p", source, out)
    with Engine.open(tmp_path / "p", write=False) as engine:
        assert engine.translate("Open the lid").text == "Abra la tapa"


@pytest.mark.parametrize(
    ("name", "source", "change"),
    [
        ("a.md", "Open the lid.\n\n```\n# code\n```\n", ("# code", "# código")),
        ("a.html", "<p>Open the lid</p>\n", ("</p>", "</p><p>Y otra cosa</p>")),
        ("a.json", '{"a": "Open the lid"}', ('"}', '", "b": "Otra"}')),
        ("a.po", 'msgid "open the lid"\nmsgstr ""\n', ("msgid", "# nota\nmsgid")),
    ],
)
def test_what_people_wrote_elsewhere_in_the_file_is_not_overwritten(
    name: str, source: str, change: tuple[str, str], project: Path, tmp_path: Path
) -> None:
    file, out = put(tmp_path / "in" / name, source), tmp_path / "out" / name
    out.parent.mkdir()
    done(project, file, out)
    changed = put(out, out.read_text().replace(*change)).read_text()
    assert changed.count(change[1]) == 1
    assert "was changed beyond its sentences; --overwrite" in refused(project, file, out)
    assert out.read_text() == changed
    put(file, source + "\n")
    assert f"left out: {name}: was changed beyond" in done(project, file.parent, out.parent)
    assert out.read_text() == changed


def test_what_cannot_be_read_is_left_even_if_it_may_be_overwritten(project: Path, tmp_path: Path) -> None:
    source = put(tmp_path / "en.json", '{"a": "Open the lid"}')
    out = tmp_path / "es.json"
    out.write_bytes('{"a": "Ábralo"}'.encode("latin-1"))
    assert "exists, and cannot be read" in refused(project, source, out, "--overwrite")
    assert out.read_bytes() == '{"a": "Ábralo"}'.encode("latin-1")


def test_states_and_texts_of_a_bilingual_file_are_kept(project: Path, tmp_path: Path) -> None:
    units = "".join(
        f'<trans-unit id="{number}"><source>{text}</source></trans-unit>'
        for number, text in enumerate(["open the lid", "close the lid", "open the lid"])
    )
    source = put(
        tmp_path / "a.xlf",
        f'<xliff version="1.2"><file source-language="en" target-language="es"><body>{units}</body></file></xliff>',
    )
    out = tmp_path / "b.xlf"
    done(project, source, out)
    text = out.read_text()
    assert text.count("abra la tapa</target>") == 2
    at = text.rindex("abra la tapa</target>")
    put(out, text[:at] + "ábrela" + text[at + len("abra la tapa") :])
    done(project, source, out)
    again = out.read_text()
    assert again.count(">abra la tapa</target>") == again.count(">ábrela</target>") == 1
    assert again.index("abra la tapa<") < again.index("ábrela<")


def test_an_interrupted_run_leaves_records_of_what_it_wrote(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, out = tmp_path / "in", tmp_path / "out"
    for name in "abc":
        put(root / f"{name}.md", "Open the lid.\n\nClose the lid.\n")

    def interrupted(place: Path, data: bytes) -> None:
        if place.name == "b.md":
            raise KeyboardInterrupt
        write_durably(place, data)

    with monkeypatch.context() as patched:
        patched.setattr("dragoman.formats.fill_files.write_durably", interrupted)
        assert fill(project, root, out).exit_code != 0
    assert sorted(path.name for path in out.iterdir()) == [RECORD, "a.md"]
    put(out / "a.md", "Abra usted.\n\nCierre la tapa.\n")
    put(root / "a.md", "Close the lid.\n\nOpen the lid.\n")
    done(project, root, out)
    assert (out / "a.md").read_text() == "Cierre la tapa.\n\nAbra usted.\n"
    assert (out / "c.md").exists()

    put(root / "b.md", "The lid.\n\nClose the lid.\n")  # its new line is written, and it is not
    with monkeypatch.context() as patched:
        patched.setattr("dragoman.formats.fill_files.write_durably", interrupted)
        fill(project, root, out)
    assert "La tapa" not in (out / "b.md").read_text()
    done(project, root, out)
    assert (out / "b.md").read_text() == "La tapa.\n\nCierre la tapa.\n"


def test_a_record_that_is_torn_or_lost_overwrites_nothing(project: Path, tmp_path: Path) -> None:
    root, out = tmp_path / "in", tmp_path / "out"
    for name in "ab":
        put(root / f"{name}.md", "Open the lid.\n")
    done(project, root, out)
    record = out / RECORD
    record.write_bytes(record.read_bytes()[:-20])
    put(root / "a.md", "Close the lid.\n")
    put(root / "b.md", "Close the lid.\n")
    assert "b.md: exists, and `fill` did not write it" in done(project, root, out)
    assert [(out / f"{name}.md").read_text() for name in "ab"] == ["Cierre la tapa.\n", "Abra la tapa.\n"]
    done(project, root, out, "--overwrite")
    put(root / "a.md", "The lid.\n")
    assert "exists" not in done(project, root, out)
    shutil.rmtree(out)
    done(project, root, out)


def test_one_failing_segment_or_file_is_named_and_the_rest_is_written(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "in/a.md", "Open the lid.\n\nClose the lid.\n")
    put(tmp_path / "in/b.md", "Open the lid.\n")
    put(tmp_path / "in/c.md", "Close the lid.\n")
    translate = Engine.translate_text

    def failing(engine: Engine, text: str) -> object:
        if text == "Open the lid.":
            raise IndexError("list index out of range")
        return translate(engine, text)

    monkeypatch.setattr(Engine, "translate_text", failing)
    stderr = done(project, tmp_path / "in", tmp_path / "out")
    assert stderr.count("cannot be translated (IndexError: list index out of range)") == 2
    texts = [(tmp_path / "out" / name).read_text() for name in ("a.md", "b.md", "c.md")]
    assert texts == ["Open the lid.\n\nCierre la tapa.\n", "Open the lid.\n", "Cierre la tapa.\n"]


def test_what_is_mostly_unknown_is_left_and_not_counted(project: Path, tmp_path: Path) -> None:
    text = "Open the unit that must be installed by a technician."
    source = put(tmp_path / "a.md", f"{text}\n\nOpen the lid.\n")
    result = fill(project, source, tmp_path / "b.md", "--json")
    assert json.loads(result.stdout)["translated"] == 1
    assert "1 left in en: not known" in result.stderr
    assert (tmp_path / "b.md").read_text() == f"{text}\n\nAbra la tapa.\n"


def test_a_sentence_in_a_wrapped_paragraph_may_be_changed_and_rewrapped(project: Path, tmp_path: Path) -> None:
    source, out = put(tmp_path / "a.md", "Open the lid now.\nClose the lid.\n"), tmp_path / "b.md"
    done(project, source, out)
    put(out, "Abra la tapa ya. Cierre usted la tapa.\n")
    put(source, "Open the lid now.\nClose the lid.\n\nThe lid.\n")
    done(project, source, out)
    assert out.read_text() == "Abra la tapa ya. Cierre usted la tapa.\n\nLa tapa.\n"


def test_all_that_was_changed_in_every_format_is_kept(project: Path, tmp_path: Path) -> None:
    changed = 0
    for name, text in (TEXTS | TARGETS).items():
        source, out = put(tmp_path / "in" / name, text), tmp_path / "out" / name
        out.parent.mkdir(exist_ok=True)
        if fill(project, source, out).exit_code:
            continue
        document = read_document(out.read_bytes(), name, source="en", target="es")
        for number in (0, -1):
            one = document.segments[number]
            new = f"Ñu {one.target or one.source}"
            try:
                out.write_bytes(document.fill({one.id: new}))
            except BadInputError:
                continue
            assert fill(project, source, out).exit_code == 0, name
            again = read_document(out.read_bytes(), name, source="en", target="es")
            assert new in {each.target or each.source for each in again.segments}, name
            changed += 1
    assert changed > 30
