"""A base that is elsewhere is fetched once, checked, and mapped; what was broken off goes on."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from email.message import Message
from functools import partial
from http.client import IncompleteRead
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request

import fsspec
import pytest
from typer.testing import CliRunner

from dragoman import Engine, remote_base
from dragoman.base_card import BaseCard, publish, read_card
from dragoman.cli import app
from dragoman.errors import BadInputError, DamagedFileError, StorageError
from dragoman.files import MANIFEST, open_arrays, write_arrays
from dragoman.models.knowledge import Knowledge
from dragoman.remote_base import MOST_BYTES, WebFiles, bases_directory, fetch

pytestmark = pytest.mark.kernels

URL = "memory://models/en-es"
REDIRECTS = [
    ("https://9.9.9.9/base", "https://8.8.8.8/base", True),
    ("http://9.9.9.9/base", "https://8.8.8.8/base", True),
    ("https://9.9.9.9/base", "http://9.9.9.9/base", False),
    ("http://9.9.9.9/base", "ftp://9.9.9.9/base", False),
    *(("https://9.9.9.9/base", f"https://{host}/base", False) for host in ("127.0.0.1", "10.1.1.1", "169.254.169.254")),
    ("https://9.9.9.9/base", "https://[fe80::1]/base", False),
    ("http://10.1.1.1/base", "http://10.1.1.2/base", True),
]


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
    assert str(fetch(URL)) in CliRunner().invoke(app, ["base", "fetch", URL]).stdout
    with Engine.open(project, write=False) as engine:
        assert engine.translate("green button").text == "botón verde"


def _card(**changes: str) -> BaseCard:
    return replace(BaseCard("en", "es", licence="CC-BY-4.0", version="2026.1", corpus="a manual"), **changes)


def test_a_published_base_is_asked_for_by_its_checksum(
    base: Path, tmp_path: Path, remote: fsspec.AbstractFileSystem
) -> None:
    checksum = publish(base, tmp_path / "upload", _card())
    remote.put(str(tmp_path / "upload"), "/models/published", recursive=True)
    url = "memory://models/published"
    with pytest.raises(DamagedFileError, match=rf"another base is there: its checksum is {checksum}"):
        fetch(f"{url}#{'0' * 16}")
    with pytest.raises(BadInputError, match="'latest' is not a checksum"):
        fetch(f"{url}#latest")
    assert not bases_directory().exists()  # nothing was downloaded
    found = fetch(f"{url}#{checksum[:16].upper()}")
    assert read_card(found) == _card()
    assert open_arrays(found)[0].keys() == open_arrays(base)[0].keys()


@pytest.fixture
def web(base: Path) -> Iterator[str]:
    """The address of a web server that serves the base."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(base))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_web_server_needs_no_driver(web: str, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    found = fetch(f"{web}/")
    assert (found / MANIFEST).read_bytes() == (base / MANIFEST).read_bytes()
    with pytest.raises(BadInputError, match="there is no base here"):
        fetch(f"{web}/none")


def test_a_web_server_that_is_not_there(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(BadInputError, match="cannot be read"):
        fetch(f"http://127.0.0.1:{port}/en-es")
    assert not (tmp_path / "cache").exists()


def test_a_download_that_breaks_off_can_be_tried_again(web: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = WebFiles.open

    def broken(files: WebFiles, url: str, mode: str = "rb") -> Any:
        if "phrases" in url:
            raise IncompleteRead(b"")
        return whole(files, url, mode)

    with monkeypatch.context() as patch:
        patch.setattr(WebFiles, "open", broken)
        with pytest.raises(StorageError, match="the download was interrupted"):
            fetch(web)
    assert (fetch(web) / MANIFEST).exists()


def test_the_languages_of_a_published_base_are_checked(base: Path, tmp_path: Path) -> None:
    publish(base, tmp_path / "upload", _card())
    with pytest.raises(BadInputError, match="translates from en to es, not from en to fr"):
        Engine.create(tmp_path / "project", source="en", target="fr", base=f"file://{tmp_path}/upload")
    assert not (tmp_path / "project").exists()
    Engine.create(tmp_path / "project", source="en-GB", target="spa", base=f"file://{tmp_path}/upload").close()


def test_a_manifest_that_was_changed_is_refused_before_anything_is_downloaded(
    remote: fsspec.AbstractFileSystem,
) -> None:
    path = f"/models/en-es/{MANIFEST}"
    remote.pipe_file(path, remote.cat_file(path).replace(b'"tokens": "text"', b'"tokens": "word"'))
    with pytest.raises(DamagedFileError, match="wrong checksum"):
        fetch(URL)
    assert not bases_directory().exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"licence": "free to use"}, "'free to use' is not a licence"),
        ({"licence": ""}, "'' is not a licence"),
        ({"version": "newest one"}, "'newest one' is not a version"),
        ({"target": "xx"}, "'xx' is not a language code"),
    ],
)
def test_cards_that_say_nothing_are_refused(changes: dict[str, str], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        _card(**changes)
    assert _card(licence="(MIT OR Apache-2.0) AND LicenseRef-corpus").licence


@pytest.mark.parametrize("card", [{}, [], {"source": "en", "target": "es", "licence": 3, "version": "1"}])
def test_cards_that_cannot_be_are_refused(tmp_path: Path, card: object) -> None:
    write_arrays(tmp_path, {}, {"card": card})
    with pytest.raises(BadInputError, match="publish it again"):
        read_card(tmp_path)


def test_publishing_by_command(base: Path, tmp_path: Path) -> None:
    project, upload = str(tmp_path / "project"), str(tmp_path / "upload")
    Engine.create(project, source="en", target="es", base=base).close()
    command = ["publish", project, upload, "--licence", "CC0-1.0", "--version", "1"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    line = done.stdout.splitlines()[-1].partition("--base URL")[2]
    used = ["create", str(tmp_path / "other"), "--source", "en", "--target", "es", "--base", f"file://{upload}{line}"]
    made = CliRunner().invoke(app, used)
    assert made.exit_code == 0, made.output
    assert "base: en to es, version 1, licence CC0-1.0" in made.output
    assert "not empty" in str(CliRunner().invoke(app, command).exception)


def _sealed(base: Path, change: Callable[[dict[str, Any]], object]) -> bytes:
    """The manifest of a base as somebody may write it who wants to harm: changed, with the right checksum."""
    manifest = json.loads((base / MANIFEST).read_bytes())
    change(manifest)
    del manifest["checksum"]
    manifest["checksum"] = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
    return json.dumps(manifest).encode()


def _first(manifest: dict[str, Any], **changes: object) -> None:
    next(iter(manifest["arrays"].values())).update(changes)


NOT_ABOUT: list[object] = [[], None, "x"]
NOT_ARRAYS: list[object] = [[], {"a": "b"}, {"a": []}]


@pytest.mark.parametrize(
    "change",
    [
        *(lambda manifest, name=name: _first(manifest, file=name) for name in ("../x.npy", "..", ".", "", "/x.npy", 5)),
        *(lambda manifest, name=name: _first(manifest, file=name) for name in ("a\0.npy", "\ud800.npy", "a b.npy")),
        lambda manifest: _first(manifest, file=MANIFEST),
        lambda manifest: _first(manifest, file=f"{'a' * 5000}.npy"),
        *(lambda manifest, size=size: _first(manifest, bytes=size) for size in ("many", -5, None, 1.5)),
        lambda manifest: next(iter(manifest["arrays"].values())).pop("sha256"),
        *(lambda manifest, about=about: manifest.update(about=about) for about in NOT_ABOUT),
        *(lambda manifest, arrays=arrays: manifest.update(arrays=arrays) for arrays in NOT_ARRAYS),
    ],
)
def test_a_manifest_that_was_made_to_harm_is_refused_before_anything_is_downloaded(
    base: Path, remote: fsspec.AbstractFileSystem, change: Callable[[dict[str, Any]], object]
) -> None:
    remote.pipe_file(f"/models/en-es/{MANIFEST}", _sealed(base, change))
    with pytest.raises(DamagedFileError, match=r"not the manifest of a base|does not describe files of arrays"):
        fetch(URL)
    assert not bases_directory().exists()


@pytest.mark.parametrize("data", [b"[" * 200_000, b'{"arrays":' * 200_000, b" " * (MOST_BYTES + 1) + b"{}"])
def test_a_manifest_that_is_deep_or_endless_is_refused(remote: fsspec.AbstractFileSystem, data: bytes) -> None:
    remote.pipe_file(f"/models/en-es/{MANIFEST}", data)
    with pytest.raises(DamagedFileError, match="not the manifest of a base"):
        fetch(URL)


def test_a_base_without_its_arrays_is_refused(base: Path, tmp_path: Path, remote: fsspec.AbstractFileSystem) -> None:
    remote.pipe_file(f"/models/en-es/{MANIFEST}", _sealed(base, lambda manifest: manifest.update(arrays={})))
    with pytest.raises(DamagedFileError, match="its arrays are not those of a base"):
        Engine.create(tmp_path / "project", source="en", target="es", base=URL)
    assert not (tmp_path / "project").exists()


def test_a_file_that_does_not_end_is_cut(remote: fsspec.AbstractFileSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_base, "PIECE", 1 << 10)
    name = next(path for path in remote.find("/models") if "language.inner.keys" in path)
    remote.pipe_file(name, remote.cat_file(name) + bytes(1 << 20))
    with pytest.raises(DamagedFileError, match=r"language\.inner\.keys-\w+\.npy: is longer than its [\d,]+ bytes"):
        fetch(URL)
    remote.pipe_file(name, remote.cat_file(name)[:100])
    with pytest.raises(StorageError, match=r"language\.inner\.keys\S+: .* interrupted \(100 of [\d,]+ bytes came"):
        fetch(URL)


def test_languages_are_compared_before_anything_is_downloaded(
    base: Path, tmp_path: Path, remote: fsspec.AbstractFileSystem
) -> None:
    publish(base, tmp_path / "upload", _card(source="de"))
    remote.put(str(tmp_path / "upload"), "/models/published", recursive=True)
    arguments = ["create", str(tmp_path / "project"), "--source", "en", "--target", "es", "--base"]
    done = CliRunner().invoke(app, [*arguments, "memory://models/published"])
    assert "translates from de to es, not from en to es" in str(done.exception)
    assert not bases_directory().exists()


@pytest.mark.parametrize("corpus", ["red \x1b[31m", "two\nlines", "turned \u202e round", "x" * 1001])
def test_a_card_cannot_write_to_terminals(corpus: str) -> None:
    with pytest.raises(BadInputError, match="the description of the corpus cannot be shown"):
        _card(corpus=corpus)


@pytest.mark.parametrize(("old", "new", "followed"), REDIRECTS)
def test_redirects_lead_neither_into_this_network_nor_away_from_https(old: str, new: str, followed: bool) -> None:
    files = WebFiles()
    answer = (302, "Found", Message(), new)
    if followed:
        assert files.redirects.redirect_request(Request(old), BytesIO(), *answer)  # noqa: S310 (nothing is opened)
    else:
        with pytest.raises(HTTPError, match=re.escape(f"a redirect to {new} is not followed")):
            files.redirects.redirect_request(Request(old), BytesIO(), *answer)  # noqa: S310 (nothing is opened)


def test_a_redirect_in_one_network_is_followed(web: str) -> None:
    class Moved(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(301)
            self.send_header("Location", f"{web}{self.path}")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Moved) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        assert fetch(f"http://127.0.0.1:{server.server_port}") == fetch(web)
        server.shutdown()
