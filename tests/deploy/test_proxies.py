"""The example proxies, run for real with a certificate made here: pages, corrections, live sessions over TLS."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from dragoman.server.keys import Keys
from tests.deploy.ending import SECONDS, process_of
from tests.server.support import make_projects, running

pytestmark = pytest.mark.outside

DEPLOY = Path(__file__).parents[2] / "deploy"
NAME = "mt.example.org"  # in the examples


def require(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for localhost, signed by itself, and its private key."""
    place = tmp_path_factory.mktemp("tls")
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    files: list[str | Path] = ["-keyout", place / "key.pem", "-out", place / "cert.pem"]
    command: list[str | Path] = [
        require("openssl"),
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        *names,
        *files,
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
    return place / "cert.pem", place / "key.pem"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, str]]:
    """Port and key of a server."""
    place = tmp_path_factory.mktemp("served")
    key = Keys(place / "keys.json").add("ana", {"*": "learn"})
    make_projects(place / "projects")
    with running(place / "projects", keys=place / "keys.json") as found:
        yield found.port, key


@contextmanager
def started(command: list[str | Path], port: int, log: Path) -> Iterator[None]:
    """A proxy that listens, until the end of the block."""
    with log.open("wb") as out, process_of(command, out) as process:
        end = time.monotonic() + SECONDS
        while not listening(port):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.1)
        yield


def listening(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(SECONDS)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def check_through_tls(port: int, key: str, certificate: Path) -> None:
    trusted = ssl.create_default_context(cafile=str(certificate))
    headers = {"Authorization": f"Bearer {key}"}
    address = f"https://localhost:{port}"
    with httpx.Client(base_url=address, verify=trusted, trust_env=False, timeout=SECONDS) as client:
        end = time.monotonic() + SECONDS
        while client.get("/health").status_code != 200:  # the proxy may not have asked the server for its health yet
            assert time.monotonic() < end
            time.sleep(0.1)
        assert "<title>" in client.get("/").text
        assert client.get("/api/v1/projects").status_code == 401  # what comes through a proxy is not local
        pair = {"source": "Close the lid.", "target": "Cierre la tapa.", "force": True}
        answer = client.post("/api/v1/projects/manual/corrections", json=pair, headers=headers)
        assert answer.status_code == 201, answer.text
    live = f"wss://localhost:{port}/api/v1/projects/manual/live"
    with connect(live, ssl=trusted, additional_headers=headers, proxy=None, open_timeout=SECONDS) as session:
        session.send(json.dumps({"number": 1, "do": "open", "source": "Close the lid."}))
        assert json.loads(session.recv(timeout=SECONDS))["suffix"] == "Cierre la tapa."


def test_nginx(server: tuple[int, str], certificate: tuple[Path, Path], tmp_path: Path) -> None:
    program, port = require("nginx"), free_port()
    site = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    for old, new in (
        ("127.0.0.1:8765", f"127.0.0.1:{server[0]}"),
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        (f"server_name {NAME}", "server_name localhost"),
        (f"/etc/letsencrypt/live/{NAME}/fullchain.pem", str(certificate[0])),
        (f"/etc/letsencrypt/live/{NAME}/privkey.pem", str(certificate[1])),
    ):
        assert old in site
        site = site.replace(old, new)
    (tmp_path / "site.conf").write_text(site, encoding="utf-8")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {tmp_path}/{kind};" for kind in kinds)
    main = f"pid {tmp_path}/pid; error_log stderr; events {{}} http {{ access_log off; {places} include site.conf; }}"
    (tmp_path / "nginx.conf").write_text(main, encoding="utf-8")
    command: list[str | Path] = [program, "-p", tmp_path, "-c", tmp_path / "nginx.conf", "-g", "daemon off;"]
    with started(command, port, tmp_path / "log"):
        check_through_tls(port, server[1], certificate[0])


def test_caddy(
    server: tuple[int, str], certificate: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, port = require("caddy"), free_port()
    site = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    site = site.replace("encode gzip", f"tls {certificate[0]} {certificate[1]}\n\tencode gzip")
    options = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n"
    (tmp_path / "Caddyfile").write_text(options + site, encoding="utf-8")
    monkeypatch.setenv("DRAGOMAN_DOMAIN", f"https://localhost:{port}")
    monkeypatch.setenv("DRAGOMAN_SERVERS", f"127.0.0.1:{free_port()} 127.0.0.1:{server[0]}")  # the first is gone
    monkeypatch.setenv("HOME", str(tmp_path))
    command: list[str | Path] = [program, "run", "--config", tmp_path / "Caddyfile", "--adapter", "caddyfile"]
    with started(command, port, tmp_path / "log"):
        check_through_tls(port, server[1], certificate[0])
