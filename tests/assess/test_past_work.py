"""Reading past work: files in the order in which people worked."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.assess.past_work import read_past_work
from dragoman.errors import BadInputError
from dragoman.formats.tmx import TmxEntry, write_tmx

UNIT = '<tu{}><tuv xml:lang="en"><seg>{}</seg></tuv><tuv xml:lang="es"{}><seg>{}</seg></tuv></tu>'
TMX = '<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>{}</body></tmx>'
PO = 'msgid ""\nmsgstr "Language: {}\\n"\n\n{}'


def entry(source: str, target: str, flags: str = "") -> str:
    return f'{flags}msgid "{source}"\nmsgstr "{target}"\n\n'


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_units_of_a_memory_are_sorted_by_their_creation_date(tmp_path: Path) -> None:
    units = [
        UNIT.format(' creationdate="20240301T000000Z"', "three", "", "tres"),
        UNIT.format(' creationdate="20240101T000000Z"', "one", "", "uno"),
        UNIT.format("", "two", ' creationdate="20240201T000000Z"', "dos"),
    ]
    work = read_past_work([written(tmp_path / "memory.tmx", TMX.format("".join(units)))])
    assert [pair.target for pair in work.pairs] == ["uno", "dos", "tres"]
    assert (work.source, work.target, work.order) == ("en", "es", "creation date")


def test_a_memory_without_dates_keeps_its_order(tmp_path: Path) -> None:
    file = tmp_path / "memory.tmx"
    file.write_bytes(write_tmx([TmxEntry("1", "two", "dos"), TmxEntry("2", "one", "uno")], "en", "es"))
    work = read_past_work([file])
    assert [pair.source for pair in work.pairs] == ["two", "one"]
    assert work.order == "order of the file"


def test_entries_of_a_catalogue_that_are_not_finished_are_left_out_and_counted(tmp_path: Path) -> None:
    entries = [entry("one", "uno"), entry("two", "dos", "#, fuzzy\n"), entry("three", ""), entry("four", "cuatro")]
    work = read_past_work([written(tmp_path / "es.po", PO.format("es", "".join(entries)))], source="en")
    assert [pair.source for pair in work.pairs] == ["one", "four"]
    assert work.left_out == {"not confirmed": 1, "not translated": 1}


def test_the_files_of_a_directory_are_documents(tmp_path: Path) -> None:
    written(tmp_path / "texts" / "b.tsv", "three\ttres\n")
    written(tmp_path / "texts" / "a.tsv", "one\tuno\ntwo\tdos\n")
    work = read_past_work([tmp_path / "texts"], "en", "es")
    assert [(pair.source, pair.document) for pair in work.pairs] == [
        ("one", "a.tsv"),
        ("two", "a.tsv"),
        ("three", "b.tsv"),
    ]


def test_a_file_that_does_not_state_its_languages_needs_them(tmp_path: Path) -> None:
    file = written(tmp_path / "memory.tsv", "one\tuno\ntwo\tdos\n")
    with pytest.raises(BadInputError, match="does not state its target language") as refused:
        read_past_work([file], "en")
    assert "--target" in str(refused.value.remedy)


@pytest.mark.parametrize(
    ("text", "what"), [("one\tuno\n", "only 1 finished translation to replay"), ("one\n", "no finished translations")]
)
def test_too_little_past_work_is_refused(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(BadInputError, match=what):
        read_past_work([written(tmp_path / "memory.tsv", text)], "en", "es")


def test_files_in_different_languages_are_refused(tmp_path: Path) -> None:
    for language in ("es", "fr"):
        written(tmp_path / f"{language}.po", PO.format(language, entry("one", "un") + entry("two", "deux")))
    with pytest.raises(BadInputError, match="different languages, es and fr"):
        read_past_work([tmp_path], source="en")


def test_too_little_says_what_was_left_out_and_where(tmp_path: Path) -> None:
    file = written(tmp_path / "es.po", PO.format("es", entry("one", "uno") + entry("two", "")))
    with pytest.raises(BadInputError, match="only 1 finished translation to replay") as raised:
        read_past_work([file], source="en")
    assert "1 not translated" in raised.value.what
    assert raised.value.where == file
