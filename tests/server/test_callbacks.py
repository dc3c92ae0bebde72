"""ModernMT's batches: results are sent, signed, to addresses that the server's configuration lists, and to no other."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import jwt
import pytest
from modernmt import ModernMT, ModernMTException

from dragoman.engine import Engine
from dragoman.errors import BadInputError, DamagedFileError
from dragoman.server import callbacks
from dragoman.server.api_errors import ApiError
from dragoman.server.callbacks import Callbacks
from dragoman.server.config import Settings
from dragoman.server.keys import Keys
from tests.server.support import PAIRS, Running, running
from tests.upstream.support import Reaction, Request, serving


class Receiver:
    """What waits for results; fails first as often as it is told to."""

    def __init__(self) -> None:
        self.failures, self.got = list[int](), threading.Semaphore(0)
        self.requests = list[Request]()  # all that arrived

    def react(self, request: Request) -> Reaction:
        self.requests.append(request)
        if self.failures:
            status = self.failures.pop(0)
            return status, {"Location": "/elsewhere"} if status == 302 else {}, b""
        self.got.release()
        return 200, {}, b"thanks"

    def wait(self) -> Request:
        assert self.got.acquire(timeout=60)
        return self.requests[-1]


class Site(NamedTuple):
    """A server that may send results to a receiver, and below which address."""

    server: Running
    receiver: Receiver
    address: str
    keys: dict[str, str]

    def client(self, key: str = "root") -> ModernMT:
        return client_of(self.server, self.keys[key])

    def wait_for_jobs(self) -> None:
        jobs = self.server.app.state.context.jobs
        while any(job.state not in ("done", "failed") for job in jobs.of("manual")):
            time.sleep(0.01)


def client_of(server: Running, key: str = "any") -> ModernMT:
    found = ModernMT(key)
    found._ModernMT__base_url = f"{server.url}/modernmt"
    return found


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A project that has learned, and one over an engine that is dead."""
    folder, receiver = tmp_path_factory.mktemp("callbacks"), Receiver()
    made, roles = Keys(folder / "keys.json"), {"root": {"*": "admin"}, "read": {"manual": "read"}}
    keys = {name: made.add(name, role) for name, role in roles.items()}
    with serving(lambda _: (401, {}, b"")) as dead, serving(receiver.react) as service:
        with Engine.create(folder / "projects/manual", source="en", target="es") as engine:
            for pair in PAIRS:
                engine.learn(*pair)
        upstream = f"libretranslate:{dead.url}"
        Engine.create(folder / "projects/over", source="en", target="fr", upstream=upstream).close()
        settings = {"keys": folder / "keys.json", "callbacks": (f"{service.url}/results/",)}
        with running(folder / "projects", **settings) as server:
            yield Site(server, receiver, f"{service.url}/results/es?job=7", keys)


@pytest.fixture
def site(listed: Site) -> Site:
    """The same, as if nothing had arrived yet."""
    listed.receiver.requests.clear()
    return listed


def signature(request: Request) -> str:
    return {name.lower(): value for name, value in request.headers.items()}["x-modernmt-signature"]


def test_the_official_client_gets_its_batch_and_believes_the_signature(site: Site) -> None:
    client, texts = site.client(), [source for source, _ in PAIRS]
    assert client.batch_translate(site.address, "en", "es", texts, options={"metadata": {"page": 3}}) is True
    sent = site.receiver.wait()
    assert sent.path == "/results/es?job=7"
    made, metadata = client.handle_callback(sent.body.decode(), signature(sent))
    assert [each.translation for each in made] == [target for _, target in PAIRS]
    assert metadata == {"page": 3}
    assert client.batch_translate(site.address, None, "es", "Close the lid.") is True
    sent = site.receiver.wait()
    alone, metadata = client.handle_callback(sent.body.decode(), signature(sent))
    assert (alone.translation, alone.detectedLanguage, metadata) == ("Cierre la tapa.", "en", None)
    with pytest.raises(jwt.InvalidSignatureError):
        client.handle_callback(sent.body.decode(), jwt.encode({}, Callbacks((), None).private_key, algorithm="RS256"))


def test_the_key_stays_the_same_and_is_nobody_elses(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    first = Callbacks((), file).public_key
    assert base64.b64decode(first).startswith(b"-----BEGIN PUBLIC KEY-----")
    assert Callbacks((), file).public_key == first
    assert file.stat().st_mode & 0o777 == 0o600
    assert Callbacks((), None).public_key != first
    file.write_bytes(b"-----BEGIN")
    with pytest.raises(DamagedFileError, match="delete it"):
        _ = Callbacks((), file).public_key


def test_what_the_receiver_cannot_take_is_sent_again_but_never_elsewhere(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callbacks, "PAUSES", (0.0, 0.0, 0.0))
    client, receiver = site.client(), site.receiver
    receiver.failures[:] = [503, 500]
    client.batch_translate(site.address, "en", "es", "Close the lid.")
    sent = receiver.wait()
    assert client.handle_callback(sent.body.decode(), signature(sent))[0].translation == "Cierre la tapa."
    assert len(receiver.requests) == 3
    for refusal in (302, 404):  # not where it points to; not again
        receiver.failures[:] = [refusal]
        client.batch_translate(site.address, "en", "es", "Close the lid.")
        site.wait_for_jobs()
    assert [each.path for each in receiver.requests] == ["/results/es?job=7"] * 5


def test_an_engine_that_is_silent_is_an_error_in_the_callback(site: Site) -> None:
    client = site.client()
    client.batch_translate(site.address, "en", "fr", ["Open that door."], options={"metadata": "m"})
    sent = site.receiver.wait()
    with pytest.raises(ModernMTException) as told:
        client.handle_callback(sent.body.decode(), signature(sent))
    assert (told.value.status, told.value.metadata) == (503, "m")


def test_the_same_idempotency_key_is_one_batch(site: Site) -> None:
    client = site.client()
    for text in ("Close the lid.", "Open the lid."):
        client.batch_translate(site.address, "en", "es", text, options={"idempotency_key": "k1"})
    assert site.receiver.wait()
    site.wait_for_jobs()
    assert len(site.receiver.requests) == 1


def test_mistakes_are_told_at_once_and_nothing_is_sent(site: Site) -> None:
    asked = {"q": "Close the lid.", "source": "en", "target": "es", "webhook": site.address}
    wrong = ({"target": "ja"}, {"webhook": ["no"]}, {"q": 3}, {"webhook": "http://127.0.0.1:1/inside"})
    with site.server.client(site.keys["root"]) as client:
        found = [client.post("/modernmt/translate/batch", json=asked | each) for each in wrong]
    assert [each.status_code for each in found] == [400, 400, 400, 403]
    assert "--callbacks" in found[-1].json()["error"]["message"]
    with pytest.raises(ModernMTException) as refused:  # a key that may not translate
        site.client("read").batch_translate(site.address, "en", "es", "Close the lid.")
    assert refused.value.status == 403
    assert not site.receiver.requests


def test_a_server_without_a_list_sends_nothing_anywhere(server: Running) -> None:
    with pytest.raises(ModernMTException, match="--callbacks") as refused:
        client_of(server).batch_translate("http://127.0.0.1:1/x", "en", "es", "Close the lid.")
    assert refused.value.status == 403


@pytest.mark.parametrize(
    ("listed", "address", "fits"),
    [
        ("https://cms.example.org/mt", "https://cms.example.org/mt", True),
        ("https://cms.example.org/mt", "https://CMS.example.org:443/mt/es?job=1", True),
        ("https://cms.example.org/mt", "https://cms.example.org/mt?job=1", True),
        ("https://cms.example.org", "https://cms.example.org/any/path", True),
        ("https://cms.example.org/mt", "https://cms.example.org/mtx", False),
        ("https://cms.example.org/mt", "http://cms.example.org/mt", False),
        ("https://cms.example.org/mt", "https://cms.example.org:8443/mt", False),
        ("https://cms.example.org/mt", "https://cms.example.org.evil.net/mt", False),
        ("https://cms.example.org/mt", "https://cms.example.org@evil.net/mt", False),
        ("https://cms.example.org/mt", "https://user:pw@cms.example.org/mt", False),
        ("https://cms.example.org/mt", "https://cms.example.org/mt/../admin", False),
        ("https://cms.example.org/mt", "https://cms.example.org/mt/%2e%2E/admin", False),
        ("https://cms.example.org/mt", "https://cms.example.org\\@evil.net/mt", False),
        ("https://cms.example.org/mt", "https://cms.example.org/mt\r\nX: y", False),
        ("https://cms.example.org/mt", "https://cms.example.org:port/mt", False),
        ("https://cms.example.org/mt", "file:///etc/passwd", False),
        ("https://cms.example.org/mt", "", False),
    ],
)
def test_an_address_is_below_a_listed_one_or_refused(listed: str, address: str, fits: bool) -> None:
    found = Callbacks((listed,), None)
    if fits:
        found.check(address)
        return
    with pytest.raises(ApiError) as refused:
        found.check(address)
    assert refused.value.status == 403


@pytest.mark.parametrize(
    "wrong", ["cms.example.org", "ftp://cms.example.org", "https://a@b/", "https://a/?x", "https://"]
)
def test_only_addresses_can_be_listed(wrong: str) -> None:
    with pytest.raises(BadInputError, match="not the address"):
        Settings(callbacks=(wrong,)).check()
