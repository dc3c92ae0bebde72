"""`dragoman engine`: getting engines from an index, a package, a directory or a mirror, and removing them."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from zipfile import ZipFile

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.upstream.installed import find, installed
from dragoman.upstream.offers import offers

RUN = CliRunner()


@pytest.fixture(autouse=True)
def engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of fetched engines."""
    monkeypatch.setenv("DRAGOMAN_ENGINES", str(tmp_path / "engines"))
    return tmp_path / "engines"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine in the box as a package of Argos Translate: the layout is theirs."""
    path = tmp_path_factory.mktemp("mirror") / "translate-en_eo-1_5.argosmodel"
    model = find("en-es").model
    about = {"package_version": "1.5", "argos_version": "1.5", "from_code": "en", "to_code": "es"}
    with ZipFile(path, "w") as files:
        for each in model.iterdir():
            inner = each.name if each.name == "sentencepiece.model" else f"model/{each.name}"
            files.write(each, f"translate-en_eo-1_5/{inner}")
        files.writestr("translate-en_eo-1_5/metadata.json", json.dumps(about))
        files.writestr("translate-en_eo-1_5/README.md", "# a package\n")
        files.writestr("translate-en_eo-1_5/stanza/unneeded.pt", "x")
        files.writestr("translate-en_eo-1_5/../../escaped.py", "x")
    return path


class Mirror(BaseHTTPRequestHandler):
    """Serves one file and its index, goes on where it is asked to, and breaks off once at half of it."""

    file: Path
    ranges: list[str | None]

    def do_GET(self) -> None:
        data = self.file.read_bytes()
        if self.path == "/index.json":
            link = f"http://{self.headers['Host']}/{self.file.name}"
            entry = {"from_code": "en", "to_code": "eo", "package_version": "1.5", "links": [link]}
            data = json.dumps([entry]).encode()
            self.send_response(200)
        else:
            asked = self.headers["Range"]
            self.ranges.append(asked)
            begun = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
            self.send_response(206 if asked else 200)
            data = data[begun:]
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        breaks = self.path != "/index.json" and len(self.ranges) == 1
        self.wfile.write(data[: len(data) // 2] if breaks else data)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def mirror(package: Path) -> Iterator[tuple[str, list[str | None]]]:
    """The address of an index, and what was asked for of the package."""
    ranges: list[str | None] = []
    handler = type("Handler", (Mirror,), {"file": package, "ranges": ranges})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=partial(server.serve_forever, poll_interval=0.05), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/index.json", ranges
    server.shutdown()
    server.server_close()


def run(*arguments: object, code: int = 0) -> str:
    done = RUN.invoke(app, ["engine", *map(str, arguments)])
    said = f"{done.output}{done.exception or ''}"
    assert (done.exit_code == 0) == (code == 0), said
    return said


def test_an_engine_is_got_from_a_mirror_in_two_parts_and_translates(mirror: tuple[str, list[str | None]]) -> None:
    index, ranges = mirror
    assert "en-eo: en to eo, Argos Translate, version 1.5" in run("list", "--source", "en", "--from", index)
    assert "goes on where it stopped" in run("get", "en-eo", "--from", index, "--yes", code=1)
    assert "en-eo" not in {each.name for each in installed()}
    assert "engine:en-eo translates from en to eo" in run("get", "en-eo", "--from", index, "--yes")
    assert ranges[0] is None
    assert ranges[1] is not None
    assert "verde" in run("test", "en-eo", "The house is green.")
    assert (find("en-eo").path / "card.md").read_text() == "# a package\n"


def test_what_a_package_brings_beside_its_engine_stays_out(package: Path, engines: Path) -> None:
    run("get", "mine", "--from", package, "--yes", "--source", "en")
    found = {path.relative_to(engines).as_posix() for path in engines.rglob("*") if path.is_file()}
    assert "mine/model/model.bin" in found
    assert not [path for path in found if "escaped" in path or "unneeded" in path or ".part" in path]
    assert not list(engines.parent.rglob("escaped.py"))


def test_a_directory_is_taken_and_removed_again(engines: Path) -> None:
    run("get", "local", "--from", find("en-es").path, "--yes")
    assert find("local").target == "es"
    run("remove", "local")
    assert list(engines.iterdir()) == []
    assert "pip uninstall" in run("remove", "en-es", code=1)


def test_a_package_that_is_another_one_is_refused(package: Path) -> None:
    right = hashlib.sha256(package.read_bytes()).hexdigest()
    assert "its checksum is" in run("get", "mine", "--from", package, "--yes", "--checksum", "0" * 64, code=1)
    run("get", "mine", "--from", package, "--yes", "--checksum", right)


def test_what_holds_no_engine_leaves_the_one_that_is_there(tmp_path: Path, package: Path) -> None:
    run("get", "mine", "--from", package, "--yes")
    with ZipFile(tmp_path / "empty.zip", "w") as files:
        files.writestr("x/metadata.json", json.dumps({"from_code": "en", "to_code": "es"}))
    (tmp_path / "damaged.zip").write_bytes(package.read_bytes()[:100_000])
    for name in ("empty.zip", "damaged.zip", "absent.zip"):
        run("get", "mine", "--from", tmp_path / name, "--yes", code=1)
    assert find("mine").target == "es"


def test_the_licence_is_shown_and_asked_about(package: Path) -> None:
    done = RUN.invoke(app, ["engine", "get", "mine", "--from", str(package)], input="n\n")
    assert "licence:" in done.output
    assert "mine" not in {each.name for each in installed()}


@pytest.mark.parametrize("index", [b"{", b"[1]", b'[{"to_code": "en"}]', b"{}x"])
def test_what_is_no_index_is_refused(index: bytes) -> None:
    with pytest.raises(Exception, match="not an index of engines"):
        offers(index)


def test_the_newest_package_of_a_pair_is_offered() -> None:
    pair = {"from_code": "en", "to_code": "de", "links": ["http://127.0.0.1/"]}
    entries = [pair | {"package_version": version} for version in ("1.9", "1.10")]
    assert [each.version for each in offers(json.dumps(entries).encode())] == ["1.10"]
