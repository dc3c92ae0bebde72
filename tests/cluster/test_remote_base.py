"""A base that is elsewhere is fetched once, checked, and mapped; what was broken off goes on."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from typer.testing import CliRunner

from dragoman import Engine
from dragoman.cli import app
from dragoman.errors import BadInputError, DamagedFileError
from dragoman.files import MANIFEST
from dragoman.models.knowledge import Knowledge
from dragoman.remote_base import bases_directory, fetch

pytestmark = pytest.mark.kernels

URL = "memory://models/en-es"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    knowledge = Knowledge()
    knowledge.train([("green button", "botón verde"), ("red button", "botón rojo")])
    knowledge.save(tmp_path_factory.mktemp("base") / "base")
    return tmp_path_factory.getbasetemp() / "base0" / "base"


@pytest.fixture(autouse=True)
def remote(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[fsspec.AbstractFileSystem]:
    monkeypatch.setenv("DRAGOMAN_BASES", str(tmp_path / "cache"))
    files = fsspec.filesystem("memory")
    files.put(str(base), "/models/en-es", recursive=True)
    yield files
    files.rm("/models", recursive=True)


def test_it_is_fetched_once_and_mapped(base: Path, tmp_path: Path, remote: fsspec.AbstractFileSystem) -> None:
    told: list[tuple[int, int]] = []
    found = fetch(URL, progress=lambda _, done, total: told.append((done, total)))
    assert found.parent == bases_directory() == tmp_path / "cache"
    assert told[-1][0] == told[-1][1] > 0
    assert (found / MANIFEST).read_bytes() == (base / MANIFEST).read_bytes()
    assert fetch(f"file://{base}/") == found  # the same base at another place
    for path in remote.find("/models"):
        if not path.endswith(MANIFEST):
            remote.rm(path)
    assert fetch(URL) == found
    with Engine.create(tmp_path / "project", source="en", target="es", base=URL) as engine:
        assert engine.translate("red button").text == "botón rojo"


def test_a_path_is_left_as_it_is(base: Path) -> None:
    assert fetch(base) == fetch(str(base)) == base


def test_what_was_broken_off_goes_on(remote: fsspec.AbstractFileSystem) -> None:
    names = sorted(path for path in remote.find("/models") if path.endswith(".npy"))
    hidden = remote.cat_file(names[-1])
    remote.rm(names[-1])
    with pytest.raises(DamagedFileError, match="a file of the base is missing"):
        fetch(URL)
    remote.pipe_file(names[-1], hidden)
    for path in names[:3]:
        remote.rm(path)  # which need not be fetched again
    assert Knowledge.open(fetch(URL), verify=True).source.mode == "text"
    assert not list(bases_directory().glob("*.part"))


def test_a_file_that_changed_on_its_way_is_refused_and_fetched_again(remote: fsspec.AbstractFileSystem) -> None:
    name = next(path for path in remote.find("/models") if "language.inner.keys" in path)
    good = remote.cat_file(name)
    remote.pipe_file(name, good[:-1] + b"\xff")
    with pytest.raises(DamagedFileError, match=r"sha256 .* fetch it again"):
        fetch(URL)
    remote.pipe_file(name, good)
    assert fetch(URL).is_dir()


def test_what_is_no_base_is_refused(remote: fsspec.AbstractFileSystem) -> None:
    with pytest.raises(BadInputError, match="memory://models/none: there is no base here"):
        fetch("memory://models/none")
    with pytest.raises(BadInputError, match="cannot read from such a location"):
        fetch("nosuch://models/en-es")
    for manifest in (b"{", b"[]", json.dumps({"checksum": "../x", "arrays": {}}).encode()):
        remote.pipe_file(f"/models/en-es/{MANIFEST}", manifest)
        with pytest.raises(DamagedFileError, match="not the manifest of a base"):
            fetch(URL)
    assert not bases_directory().exists()


def test_a_cache_that_was_emptied_is_filled_again(tmp_path: Path) -> None:
    Engine.create(tmp_path / "project", source="en", target="es", base=URL).close()
    shutil.rmtree(bases_directory())
    with pytest.raises(BadInputError, match="there is no base here"):
        Engine.open(tmp_path / "project")
    fetch(URL)
    Engine.open(tmp_path / "project").close()


def test_commands(tmp_path: Path) -> None:
    project = str(tmp_path / "project")
    done = CliRunner().invoke(app, ["create", project, "--source", "en", "--target", "es", "--base", URL])
    assert done.exit_code == 0, done.output
    assert str(fetch(URL)) in CliRunner().invoke(app, ["fetch", URL]).stdout
    with Engine.open(project, write=False) as engine:
        assert engine.translate("green button").text == "botón verde"
