"""What must not work, is refused with the right status, and the server goes on."""

from __future__ import annotations

import base64
import gzip
import json
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from dragoman.errors import BadInputError
from dragoman.server import app
from dragoman.server.auth import Authenticator
from dragoman.server.config import Settings
from dragoman.server.keys import Keys
from dragoman.server.limits import Limits
from dragoman.server.middleware import Budgets
from tests.server.support import Running, make_projects, running
from tests.store.replicas import until

MANUAL = "/api/v1/projects/manual"
CORRECTION = {"source": "Close the lid.", "target": "Cierre la tapa."}


@pytest.fixture
def alive(guarded: Running, keys: dict[str, str]) -> Iterator[None]:
    """Afterwards the server still translates."""
    yield
    with guarded.client(keys["translate"]) as client:
        answer = client.post(f"{MANUAL}/translations", json={"texts": ["Close the lid."]})
    assert answer.json()["translations"][0]["text"] == "Cierre la tapa."


def raw(server: Running, data: bytes, seconds: float = 5.0) -> bytes:
    """What the server says to bytes that no client would send."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as connection:
        connection.sendall(data)
        said = b""
        while part := connection.recv(65536):
            said += part
            if b"\r\n\r\n" in said:
                break
        return said


# ── Keys and roles ───────────────────────────────────────────────────────────────────────────────────────────────────

ASKED = [  # method, path, body, the least role in `manual` that is allowed it
    ("GET", MANUAL, None, "read"),
    ("GET", f"{MANUAL}/corrections", None, "read"),
    ("GET", f"{MANUAL}/glossary", None, "read"),
    ("GET", f"{MANUAL}/statistics", None, "read"),
    ("POST", f"{MANUAL}/translations", {"texts": ["lid"]}, "translate"),
    ("POST", f"{MANUAL}/corrections", CORRECTION, "learn"),
    ("PUT", f"{MANUAL}/glossary", {"source": "lid", "target": "tapa"}, "learn"),
    ("POST", f"{MANUAL}/documents", {"name": "x", "segments": []}, "learn"),
    ("POST", "/api/v1/projects", {"name": "new", "source": "en", "target": "es"}, "root"),
    ("POST", "/libretranslate/translate", {"q": "lid", "source": "en", "target": "es"}, "translate"),
    ("POST", "/libretranslate/suggest", {"q": "lid", "s": "tapa", "source": "en", "target": "es"}, "learn"),
    ("GET", "/modernmt/translate?q=lid&source=en&target=es", None, "translate"),
    ("POST", "/modernmt/memories/manual/content", {"source": "en"}, "learn"),
    ("GET", "/metrics", None, "root"),
]


@pytest.mark.parametrize(("method", "path", "body", "least"), ASKED)
@pytest.mark.usefixtures("alive")
def test_each_role_may_do_what_it_may(
    guarded: Running, keys: dict[str, str], method: str, path: str, body: object, least: str
) -> None:
    order = ["read", "translate", "learn", "root"]
    with guarded.client() as client:
        assert client.request(method, path, json=body).status_code == 401
        assert client.request(method, path, json=body, headers={"X-API-Key": "wrong"}).status_code == 401
    for name in (*order[: order.index(least)], "other"):
        with guarded.client(keys[name]) as client:
            refused = client.request(method, path, json=body).status_code
            # where no project is named, a key for another project leads to that one, which has other languages
            assert refused == 403 or (name == "other" and refused == 400), (name, refused)
    for name in order[order.index(least) : 3]:
        with guarded.client(keys[name]) as client:
            assert client.request(method, path, json=body).status_code in (200, 201, 204, 400)


def test_keys_come_in_all_the_ways_that_programs_send_them(guarded: Running, keys: dict[str, str]) -> None:
    key = keys["translate"]
    basic = base64.b64encode(f"anybody:{key}".encode()).decode()
    asked = {"q": "Close the lid.", "source": "en", "target": "es"}
    with guarded.client() as client:
        assert client.post("/libretranslate/translate", json=asked | {"api_key": key}).status_code == 200
        assert client.post("/libretranslate/translate", data=asked | {"api_key": key}).status_code == 200
        assert client.get("/modernmt/translate", params=asked, headers={"MMT-ApiKey": key}).status_code == 200
        pair = {"langpair": "en|es", "q": "lid", "key": key}
        assert client.get("/apertium/translate", params=pair).status_code == 200
        body = "<methodCall><methodName>translate</methodName><params/></methodCall>"
        assert client.post("/RPC2", content=body, headers={"Authorization": f"Basic {basic}"}).status_code == 200
        assert client.post("/RPC2", content=body).status_code == 401


def test_a_key_that_is_taken_away_is_refused_at_once(guarded: Running, keys_file: Path) -> None:
    key = Keys(keys_file).add("guest", {"manual": "read"})
    with guarded.client(key) as client:
        assert client.get(MANUAL).status_code == 200
        assert [each["name"] for each in client.get("/api/v1/projects").json()] == ["manual"]
        Keys(keys_file).remove("guest")
        assert client.get(MANUAL).status_code == 401
    assert key not in keys_file.read_text()
    assert keys_file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "damaged",
    ['{"keys": [', '{"keys": [{"name": "ana", "hash": "x", "roles": {"manual": "write"}}]}'],
    ids=["cut off", "no role"],
)
def test_while_the_file_of_keys_is_damaged_nobody_comes_in(guarded: Running, keys_file: Path, damaged: str) -> None:
    kept = keys_file.read_bytes()
    key = Keys(keys_file).add("guest", {"manual": "read"})
    with guarded.client(key) as client:
        keys_file.write_text(damaged)
        answer = client.get(MANUAL)
        keys_file.write_bytes(kept)
        assert (answer.status_code, answer.json()["error"]["what"]) == (503, "the server cannot read its keys")
        assert client.get(MANUAL).status_code == 401


def test_a_key_does_not_tell_which_projects_there_are(guarded: Running, keys: dict[str, str]) -> None:
    with guarded.client(keys["other"]) as client:
        missing, hidden = client.get("/api/v1/projects/missing"), client.get(MANUAL)
        assert missing.status_code == hidden.status_code == 403
    with guarded.client(keys["root"]) as client:
        assert client.get("/api/v1/projects/missing").status_code == 404


def test_the_journal_names_the_owner_of_the_key(guarded: Running, keys: dict[str, str]) -> None:
    with guarded.client(keys["learn"]) as client:
        client.post(f"{MANUAL}/corrections", json=CORRECTION | {"user": "somebody else"})
        rows = client.get(f"{MANUAL}/corrections", params={"limit": 1}).json()["corrections"]
    assert rows[0]["user"] == "learn"


def test_the_network_is_not_listened_to_without_keys_and_tls(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="there are no keys"):
        Settings(host="0.0.0.0").check()  # noqa: S104
    with pytest.raises(BadInputError, match="without TLS"):
        Settings(host="::", keys=tmp_path / "keys").check()
    Settings(host="192.0.2.1", keys=tmp_path / "keys", insecure=True).check()
    Settings(host="192.0.2.1", keys=tmp_path / "keys", certificate=tmp_path / "pem").check()


def test_a_proxy_on_this_machine_makes_nobody_local(guarded: Running, keys: dict[str, str]) -> None:
    lines = "GET /api/v1/projects HTTP/1.0", f"Host: 127.0.0.1:{guarded.port}", "Connection: close"  # as nginx sends it
    head = "\r\n".join(lines)
    assert b" 401 " in raw(guarded, f"{head}\r\n\r\n".encode())
    assert b" 200 " in raw(guarded, f"{head}\r\nX-API-Key: {keys['read']}\r\n\r\n".encode())
    with guarded.client() as client:
        assert client.get("/libretranslate/frontend/settings").json()["keyRequired"] is True


def test_programs_on_this_machine_can_be_let_in_without_a_key(
    tmp_path: Path, keys_file: Path, keys: dict[str, str]
) -> None:
    make_projects(tmp_path)
    with running(tmp_path, keys=keys_file, free_loopback=True) as server, server.client() as client:
        assert client.get("/api/v1/projects").status_code == 200
        assert client.get("/api/v1/projects", headers={"X-Forwarded-For": "192.0.2.1"}).status_code == 401
        assert client.get("/api/v1/projects", headers={"X-API-Key": "wrong"}).status_code == 401
        assert client.get(MANUAL, headers={"X-API-Key": keys["read"]}).json()["role"] == "read"


# ── Other sites, other names ─────────────────────────────────────────────────────────────────────────────────────────


def test_pages_of_other_sites_can_do_nothing(server: Running) -> None:
    form = {"q": "lid", "s": "tapa", "source": "en", "target": "es"}
    with server.client() as client:
        for headers in ({"Origin": "https://example.org"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
            assert client.post("/libretranslate/suggest", data=form, headers=headers).status_code == 403
        renamed = client.get("/api/v1/projects", headers={"Host": "example.org"})
        assert renamed.status_code == 401  # a page that had its name point at this machine
        through = client.get("/api/v1/projects", headers={"X-Forwarded-For": "192.0.2.1"})
        assert through.status_code == 401  # a proxy on this machine
        answer = client.get("/api/v1/projects", headers={"Origin": server.url})
        assert answer.status_code == 200
        assert not any(name.startswith("access-control") for name in answer.headers)


@pytest.mark.parametrize(
    "name", ["../manual", "..%2fmanual", "%2e%2e", "manual%00", "/etc/passwd", ".deleted", "a/../manual", "manual/"]
)
def test_names_that_lead_elsewhere_lead_nowhere(server: Running, name: str) -> None:
    before = {path.name for path in server.folder.iterdir()}
    said = raw(server, f"GET /api/v1/projects/{name} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    assert said.split()[1] in (b"404", b"307"), said
    with server.client() as client:
        made = client.post("/api/v1/projects", json={"name": name, "source": "en", "target": "es"})
        assert made.status_code == 422
    assert {path.name for path in server.folder.iterdir()} <= before | {".deleted", ".promised"}


# ── Bodies ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("alive")
def test_huge_bodies_are_refused(guarded: Running, keys: dict[str, str]) -> None:
    with guarded.client(keys["learn"]) as client:
        huge = {"texts": ["x" * 1000] * 100}
        assert client.post(f"{MANUAL}/translations", json=huge).status_code == 413
        assert client.post(f"{MANUAL}/translations", json={"texts": ["x" * 3000]}).status_code == 413
        pieces = (b"x" * 1000 for _ in range(1000))
        assert client.post(f"{MANUAL}/corrections", content=pieces).status_code == 413
        assert client.post(f"{MANUAL}/imports?name=a.tmx", content=b"x" * 200_000).status_code == 413
        assert client.post("/modernmt/memories/manual/content", json={"tmx": "x" * 50_000}).status_code == 413
        file = {"tmx": ("a.tmx", b"x" * 50_000)}
        assert client.post("/modernmt/memories/manual/content", files=file).status_code == 200
    with guarded.client() as client:
        assert client.post(f"{MANUAL}/imports?name=a.tmx", content=b"x" * 50_000).status_code == 401


CUT = [
    (f"{MANUAL}/imports?name=m.tsv&learn=true", "Dry the tray.\tSeque la bandeja.\nDry the lid.\tSeque la "),
    ("/libretranslate/suggest", "source=en&target=es&q=Dry+the+lid.&s=Seque+la"),
    (f"{MANUAL}/corrections", ""),
]


@pytest.mark.parametrize(("path", "body"), CUT)
def test_a_body_that_was_cut_off_is_not_learned(server: Running, path: str, body: str) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    with server.client() as client:
        before = client.get(MANUAL).json()["revision"], refusals(client)
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
            connection.sendall(f"{head}Content-Length: 80\r\n\r\n{body}".encode())
        until(lambda: refusals(client) > before[1])
        assert client.get(MANUAL).json()["revision"] == before[0]
        assert "Dry the" not in client.get(f"{MANUAL}/corrections", params={"search": "Dry the"}).text


def refusals(client: httpx.Client) -> int:
    """How many requests were answered with 400 before they came to any interface."""
    counted = re.search(r'^dragoman_refused_total\{reason="400"\} (\d+)', client.get("/metrics").text, re.MULTILINE)
    return int(counted[1]) if counted else 0


@pytest.mark.usefixtures("alive")
def test_slow_bodies_and_slow_heads_are_refused(guarded: Running, keys: dict[str, str]) -> None:
    key = f"Authorization: Bearer {keys['translate']}"
    head = f"POST {MANUAL}/translations HTTP/1.1\r\nHost: localhost\r\n{key}\r\nContent-Length: 100\r\n\r\n"
    assert b" 408 " in raw(guarded, head.encode())
    assert raw(guarded, b"GET /health HTTP/1.1\r\nHost: loc") == b""  # the server ends it


def test_what_is_too_long_for_a_field_is_too_large(server: Running) -> None:
    with server.client() as client:
        for texts in (["x" * 20_001], ["x"] * 501):
            assert client.post(f"{MANUAL}/translations", json={"texts": texts}).status_code == 413


def test_a_body_without_its_type_is_told_what_it_lacks(server: Running) -> None:
    with server.client() as client:
        body, form = '{"texts": ["lid"]}', {"Content-Type": "application/x-www-form-urlencoded"}
        answer = client.post(f"{MANUAL}/translations", content=body, headers=form)
    assert answer.status_code == 422
    assert "Content-Type: application/json" in answer.json()["error"]["remedy"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"texts": ["a"', 400),
        (b'{"texts": ["\xff\xfe"]}', 400),
        (b'{"texts": ["\\ud800"]}', 422),
        (b"[" * 15_000, 400),
        (b'{"texts": "a"}', 422),
        (b'{"texts": ["a"], "n": 1e9}', 422),
        (b'{"texts": ["a"], "n": NaN}', 422),
        (b"", 422),
    ],
)
@pytest.mark.usefixtures("alive")
def test_bad_json_and_bad_utf8(guarded: Running, keys: dict[str, str], body: bytes, status: int) -> None:
    with guarded.client(keys["learn"]) as client:
        kind = {"content-type": "application/json"}
        answer = client.post(f"{MANUAL}/translations", content=body, headers=kind)
        assert answer.status_code == status, answer.text
        assert answer.json()["error"]["what"]
        assert answer.json()["error"]["remedy"]
        assert client.post("/libretranslate/translate", content=body, headers=kind).status_code in (400, 401)


BOMB = b"""<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>
<methodCall><methodName>translate</methodName><params><param><value><string>&b;</string></value></param></params>
</methodCall>"""
OUTSIDE = b"""<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/passwd">]>
<methodCall><methodName>&a;</methodName><params/></methodCall>"""
DEEP = b"<methodCall><params><param>" + b"<value><array><data>" * 800


@pytest.mark.parametrize("body", [BOMB, OUTSIDE, DEEP, b"", b"\xff", b"<a/>", b"<methodCall/>"])
@pytest.mark.usefixtures("alive")
def test_xml_bombs(guarded: Running, keys: dict[str, str], body: bytes) -> None:
    with guarded.client(keys["learn"]) as client:
        answer = client.post("/RPC2", content=body, headers={"content-type": "text/xml"})
    assert answer.status_code == 200
    assert "<fault>" in answer.text
    assert "root:" not in answer.text
    assert len(answer.text) < 1000


ZIP = base64.b64decode("UEsDBBQAAAAIAAAAIQAAAAAAAgAAAAAAAAABAAAAYQMAUEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==")
LAUGHS = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
<xliff version="1.2"><file source-language="en" target-language="es" original="a" datatype="x"><body>
<trans-unit id="1"><source>&b;</source></trans-unit></body></file></xliff>"""


@pytest.mark.parametrize("data", [ZIP, gzip.compress(bytes(90_000)), LAUGHS], ids=["zip", "gzip", "entities"])
@pytest.mark.usefixtures("alive")
def test_bombs_in_uploads(guarded: Running, keys: dict[str, str], data: bytes) -> None:
    with guarded.client(keys["learn"]) as client:
        job = client.post(f"{MANUAL}/imports", params={"name": "page.xlf"}, content=data).json()
        while job["state"] in ("waiting", "running"):
            time.sleep(0.02)
            job = client.get(f"{MANUAL}/jobs/{job['id']}").json()
        assert job["state"] == "failed"
        assert job["document"] is None


@pytest.mark.usefixtures("alive")
def test_bytes_that_are_not_http(guarded: Running) -> None:
    assert b" 400 " in raw(guarded, b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n")
    assert b" 400 " in raw(guarded, b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n")
    assert b" 400 " in raw(guarded, b"GET / HTTP/1.1\r\n" + b"X: " + b"x" * 70_000 + b"\r\n\r\n")


@pytest.mark.parametrize("headers", [b"Host: [", b"Host: localhost\r\nOrigin: http://["])
def test_hosts_and_origins_that_are_no_addresses(server: Running, headers: bytes) -> None:
    assert b" 400 " in raw(server, b"GET /api/v1/projects HTTP/1.1\r\n" + headers + b"\r\n\r\n")


def test_too_many_requests() -> None:
    budgets = Budgets(rate=10, most=3)
    assert [budgets.take("ana") for _ in range(4)] == [True, True, True, False]
    assert budgets.take("ben")


# ── What gets out ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_no_path_and_no_text_gets_out(server: Running, caplog: pytest.LogCaptureFixture) -> None:
    with server.client() as client, caplog.at_level("INFO", logger="dragoman.server"):
        answers = [
            client.get("/api/v1/projects/secretname"),
            client.post(f"{MANUAL}/corrections", json={"source": "", "target": "secretword"}),
            client.get(f"{MANUAL}/concordance", params={"text": "secretword"}),
            client.post("/libretranslate/translate", json={"q": "secretword", "source": "en", "target": "es"}),
            client.get("/secretpath"),
        ]
    assert str(server.folder) not in "".join(answer.text for answer in answers)
    said = json.dumps([[record.getMessage(), getattr(record, "fields", {})] for record in caplog.records])
    assert "libretranslate.translate" in said
    assert "secret" not in said


def test_an_error_that_nobody_foresaw_is_answered(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    project = server.app.state.context.projects.get("manual")

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secretword")

    with server.client() as client:
        with monkeypatch.context() as patched:
            patched.setattr(project.engine, "history", fail)
            answer = client.get(f"{MANUAL}/corrections")
        assert answer.status_code == 500
        assert "secretword" not in answer.text
        assert client.get(f"{MANUAL}/corrections").status_code == 200


# ── Proxies and monitoring ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("address", "forwarded", "client"),
    [
        ("203.0.113.7", "198.51.100.1", "203.0.113.7"),  # anybody can write such a header
        ("10.0.0.2", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.2", "6.6.6.6, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.2", "198.51.100.1, 10.0.0.3", "198.51.100.1"),
        ("10.0.0.2", "", "10.0.0.2"),
        ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::/64"),  # whoever has one address of a network has all of them
        ("2001:db8:1:2::9", "", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "", "203.0.113.7"),
        ("10.0.0.2", "2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("10.0.0.2", "198.51.100.1:4711", "198.51.100.1"),  # as some proxies write it
        ("10.0.0.2", "[2001:db8:1:2::9]:4711", "2001:db8:1:2::/64"),
        ("::ffff:10.0.0.2", "198.51.100.1, ::ffff:10.0.0.3", "198.51.100.1"),
    ],
)
def test_behind_a_trusted_proxy_each_client_has_its_own_address(address: str, forwarded: str, client: str) -> None:
    auth = Authenticator(Settings(trusted_proxies=("10.0.0.0/8",)))
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    assert auth.client({"type": "http", "headers": headers, "client": (address, 1)}) == f"address {client}"


def test_networks_of_proxies_are_checked() -> None:
    with pytest.raises(BadInputError, match="is not a network"):
        Settings(trusted_proxies=("the office",)).check()


def test_monitoring_is_answered_however_much_others_ask(tmp_path: Path) -> None:
    make_projects(tmp_path)
    with running(tmp_path, limits=Limits(requests=0.001, burst=3)) as server, server.client() as client:
        answers = [client.get("/api/v1/projects").status_code for _ in range(5)]
        assert (answers[0], answers[-1]) == (200, 429)
        assert [client.get("/health").status_code for _ in range(5)] == [200] * 5


def test_numbers_beyond_all_bounds_are_refused_as_settings(server: Running) -> None:
    with server.client() as client:
        body = b'{"share": 1' + b"0" * 400 + b"}"
        answer = client.patch(f"{MANUAL}/settings", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)


@pytest.mark.parametrize(
    ("peer", "headers", "address"),
    [
        ("203.0.113.7", {"host": "evil.example"}, "http://192.0.2.1:8765"),
        ("203.0.113.7", {"host": "evil.example", "x-forwarded-proto": "https"}, "http://192.0.2.1:8765"),
        ("203.0.113.7", {"host": "192.0.2.1:80"}, "http://192.0.2.1:80"),
        ("203.0.113.7", {}, "http://192.0.2.1:8765"),
        ("10.0.0.2", {"host": "mt.example.org", "x-forwarded-proto": "https"}, "https://mt.example.org"),
        ("10.0.0.2", {"host": "mt.example.org", "x-forwarded-proto": "javascript"}, "http://mt.example.org"),
        ("10.0.0.2", {"host": "mt.example.org/x?y"}, "http://mt.example.org"),
    ],
)
def test_links_in_answers_lead_here_whatever_the_host_header_says(
    peer: str, headers: dict[str, str], address: str
) -> None:
    sent = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "scheme": "http", "headers": sent, "client": (peer, 1), "server": ("192.0.2.1", 8765)}
    assert Authenticator(Settings(trusted_proxies=("10.0.0.0/8",))).public_address(scope) == address
    named = Settings(public_address="https://mt.example.org/")
    assert Authenticator(named).public_address(scope) == "https://mt.example.org"


def test_the_address_of_a_translated_file_does_not_follow_the_host_header(
    guarded: Running, keys: dict[str, str]
) -> None:
    form, sent = {"source": "en", "target": "es", "api_key": keys["translate"]}, {"file": ("a.txt", b"Close the lid.")}
    with guarded.client() as client:
        answer = client.post("/libretranslate/translate_file", data=form, files=sent, headers={"Host": "evil.example"})
    assert answer.json()["translatedFileUrl"].startswith(f"{guarded.url}/libretranslate/download_file/")


def test_a_public_address_is_checked() -> None:
    for wrong in ("mt.example.org", "https://", "javascript:alert(1)", "https://a b"):
        with pytest.raises(BadInputError, match="is not the address of a server"):
            Settings(public_address=wrong).check()


def test_unknown_methods_compile_each_pattern_once(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    with server.client() as client:
        client.request("PROPFIND", MANUAL)
        monkeypatch.setattr(app, "compile_path", lambda _: pytest.fail("a pattern was made again"))
        assert client.request("PROPFIND", MANUAL).status_code == 405
