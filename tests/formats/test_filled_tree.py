"""A directory is one job: its tree is kept, only what has changed is translated, and corrections stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman import Engine
from dragoman.cli import app


@pytest.fixture
def project(tmp_path: Path) -> Path:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        for source, target in {"open the lid": "abra la tapa", "close the lid": "cierre la tapa"}.items():
            engine.learn(source, target)
    return tmp_path / "p"


def fill(project: Path, root: Path, out: Path) -> str:
    done = CliRunner().invoke(app, ["fill", str(project), str(root), str(out)])
    assert done.exit_code == 0, done.output
    return done.output + (done.stderr if done.stderr_bytes else "")


def test_only_what_has_changed_is_translated_and_corrections_are_kept(project: Path, tmp_path: Path) -> None:
    root, out = tmp_path / "site", tmp_path / "out"
    (root / "docs").mkdir(parents=True)
    page, other = root / "docs/page.md", root / "en.json"
    page.write_text("Open the lid.\n\nClose the lid.\n")
    other.write_text('{"a": "Open the lid"}\n')
    (root / "picture.png").write_bytes(b"x")
    assert "1 files: no format for .png" in fill(project, root, out)
    translated = out / "docs/page.md"
    assert translated.read_text() == "Abra la tapa.\n\nCierre la tapa.\n"
    assert (out / "es.json").exists()
    written = (out / "es.json").stat().st_mtime_ns

    translated.write_text("Abra usted la tapa.\n\nCierre la tapa.\n")  # by a person
    page.write_text("Close the lid.\n\nOpen the lid.\n\nOpen the lid and close the lid.\n")
    output = fill(project, root, out)
    assert "unchanged" in output
    assert (out / "es.json").stat().st_mtime_ns == written
    lines = translated.read_text().split("\n\n")
    assert lines[:2] == ["Cierre la tapa.", "Abra usted la tapa."]

    other.unlink()
    assert "site/en.json, whose source is gone" in fill(project, root, out)
    assert (out / "es.json").exists()
