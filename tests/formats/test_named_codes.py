"""Placeholders that only some formats have are tags there, and survive an engine that reads them as text."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dragoman import Engine
from dragoman.formats import read_document
from dragoman.formats.filled_document import fill_document

PROGRAM = (
    'import re, sys\nfor line in sys.stdin: print("De " + re.sub(r"[$:|%{]", "", line.strip()).upper(), flush=True)\n'
)


@pytest.mark.parametrize(
    ("name", "text", "filled"),
    [
        (
            "messages.json",
            '{"a": {"message": "Download $1 now or ask $USER$ for $2.50."}}',
            '{"a": {"message": "De DOWNLOAD $1 NOW OR ASK $USER$ FOR 2.50."}}',
        ),
        (
            "en.php",
            "<?php return ['a' => ':Count items were moved|:Count item of :A was moved'];",
            "<?php return ['a' => 'De :Count ITEMS WERE MOVED|De :Count ITEM OF :A WAS MOVED'];",
        ),
        (
            "x.json",
            '{"a": "Hello $t(common.name), see @:common.link"}',
            '{"a": "De HELLO $t(common.name), SEE @:common.link"}',
        ),
    ],
)
@pytest.mark.outside
def test_placeholders_of_a_format_survive_an_engine(tmp_path: Path, name: str, text: str, filled: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    with Engine.create(tmp_path / "project", source="en", target="es") as engine:
        engine.upstream = f"command:{sys.executable} {program}"
        document = read_document(text.encode(), name, source="en", target="es")
        made = fill_document(engine, document)
    assert made.data.decode() == filled


def test_forms_of_laravel_are_segments() -> None:
    text = "<?php return ['a' => '{0} none|[1,19] some <b>files</b>|many', 'b' => 'One'];"
    document = read_document(text.encode(), "en.php", source="en", target="es")
    assert [segment.source for segment in document.segments] == ["{0} none", "[1,19] some <b>files</b>", "many", "One"]
