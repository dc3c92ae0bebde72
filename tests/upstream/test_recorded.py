"""Recorded answers: given as they are, to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import BadInputError
from dragoman.upstream import Scored, Silence, Upstream, from_name


def over(file: Path) -> Upstream:
    return Upstream(f"recorded:{file}", source="en", target="es")


def test_answers_are_given_as_they_are_even_without_a_tag(tmp_path: Path) -> None:
    file = tmp_path / "said.tsv"
    file.write_text("Open <b>it</b> \t Abra  eso \nClose\tCierre\r\n", encoding="utf-8")
    upstream = over(file)
    answers = upstream.ask_all(["Open <b>it</b> ", "Close"])
    assert [answer and answer.text for answer in answers] == [" Abra  eso ", "Cierre"]
    assert upstream.outcome("Press").silence is Silence.EMPTY


def test_what_is_recorded_for_lines_is_the_answer_for_texts_made_of_them(tmp_path: Path) -> None:
    file = tmp_path / "said.tsv"
    file.write_text("Open it.\tAbra.\t-0.1\nOpen it.\tAbre.\t-0.9\nClose it.\tCierre.\n", encoding="utf-8")
    upstream = over(file)
    texts = ["Open it.\n", " Open it.\r\n\r\n\tClose it. ", "Open it.\nPress it.", "\n", " 12 "]
    answers = upstream.ask_all(texts)
    assert [answer and answer.text for answer in answers] == ["Abra.\n", " Abra.\r\n\r\n\tCierre. ", None, None, None]
    assert answers[0]
    assert [each.text for each in answers[0].nbest] == ["Abra.\n", "Abre.\n"]


def test_lines_with_the_same_source_are_an_nbest_list(tmp_path: Path) -> None:
    file = tmp_path / "said.tsv"
    file.write_text("Open\tAbra\t-0.1\nOpen\tAbre\t-0.9\n", encoding="utf-8")
    answer = over(file).ask("Open")
    assert answer
    assert (answer.text, answer.nbest) == ("Abra", (Scored("Abra", -0.1), Scored("Abre", -0.9)))


@pytest.mark.parametrize("line", ["no tab", "a\tb\tmuch"])
def test_a_line_that_is_no_answer_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "said.tsv"
    file.write_text(f"Open\tAbra\n{line}\n", encoding="utf-8")
    with pytest.raises(BadInputError, match=r"said\.tsv, line 2: not a recorded answer; write source, tab"):
        from_name(f"recorded:{file}", source="en", target="es")


def test_another_file_is_another_version(tmp_path: Path) -> None:
    versions = set()
    for number, text in enumerate(["Open\tAbra\n", "Open\tAbre\n"]):
        file = tmp_path / f"{number}.tsv"
        file.write_text(text, encoding="utf-8")
        versions.add(from_name(f"recorded:{file}", source="en", target="es").version)
    assert len(versions) == 2
