"""Engines over HTTP, against real servers: those of the protocols that dragoman itself speaks, and made ones."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dragoman.upstream import Silence, UnansweredError, Upstream, from_name
from dragoman.upstream.contract import UpstreamEngine
from tests.server.support import PAIRS, Running, make_projects, running
from tests.upstream.support import Reaction, Request, as_json, serving

KEY = "a1b2c3d4e5"
APY = """
# Apertium's server cannot be told to listen on this machine only.
from tornado.tcpserver import TCPServer
bind = TCPServer.bind
TCPServer.bind = lambda self, port, address=None, **options: bind(self, port, "127.0.0.1", **options)
from apertium_apy.apy import main
main()
"""


def make(name: str, source: str = "en", target: str = "es") -> UpstreamEngine:
    return from_name(name, source=source, target=target)


def say(engine: UpstreamEngine, *texts: str, marked: bool = False) -> list[str | None]:
    try:
        return [answer.text if answer else None for answer in engine.translate(texts, seconds=20, marked=marked)]
    finally:
        engine.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Dragoman's own server, which speaks LibreTranslate, ModernMT and Apertium."""
    folder = tmp_path_factory.mktemp("projects")
    make_projects(folder)
    with running(folder) as found:
        yield found


@pytest.mark.parametrize("kind", ["libretranslate", "modernmt", "apertium"])
def test_a_real_server_of_the_protocol_translates_a_batch(kind: str, server: Running) -> None:
    engine = make(f"{kind}:{server.url}/{kind}")
    assert say(engine, PAIRS[0][0], PAIRS[2][0]) == [PAIRS[0][1], PAIRS[2][1]]


def test_libretranslate_gives_alternatives_as_an_nbest_list(server: Running) -> None:
    engine = make(f"libretranslate:{server.url}/libretranslate#nbest=3")
    (answer,) = engine.translate([PAIRS[0][0]], seconds=20)
    engine.close()
    assert answer
    assert answer.nbest[0].text == answer.text
    assert 1 < len(answer.nbest) <= 3


def deepl(request: Request) -> Reaction:
    """DeepL's interface, as far as we use it: it knows two words and leaves tags alone."""
    assert request.path == "/v2/translate"
    if request.headers["Authorization"] != f"DeepL-Auth-Key {KEY}":
        return as_json({"message": "Forbidden"}, 403)
    words = {"Open": "Abra", "the file": "el archivo"}
    texts = list(request.json["text"])
    for one, other in words.items():
        texts = [text.replace(one, other) for text in texts]
    return as_json({"translations": [{"detected_source_language": "EN", "text": text} for text in texts]})


def test_deepl_gets_its_key_languages_and_tags_as_it_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPL_AUTH_KEY", KEY)
    monkeypatch.setattr("dragoman.upstream.checks.find_other", lambda *_: None)  # the service answers in Spanish
    with serving(deepl) as service:
        upstream = Upstream(make(f"deepl:{service.url}", "en-GB", "pt"), source="en-GB", target="pt")
        answers = upstream.ask_all(["Open <b>the file</b> & {name}.", "Open the file."])
        upstream.close()
    assert [answer and answer.text for answer in answers] == ["Abra <b>el archivo</b> & {name}.", "Abra el archivo."]
    marked, plain = (request.json for request in service.requests)
    assert marked["text"] == ['Open <x id="1"/>the file<x id="2"/> &amp; <x id="3"/>.']
    assert (marked["tag_handling"], marked["ignore_tags"]) == ("xml", ["x"])
    assert "tag_handling" not in plain
    assert (plain["source_lang"], plain["target_lang"]) == ("EN", "PT-PT")


def test_deepl_takes_its_key_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEEPL_AUTH_KEY", raising=False)
    (tmp_path / "key").write_text(f"{KEY}\n")
    with serving(deepl) as service:
        assert say(make(f"deepl:{service.url}#key-file={tmp_path / 'key'}"), "Open") == ["Abra"]


def test_a_wrong_key_is_an_answer_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPL_AUTH_KEY", "wrong-key")
    with serving(deepl) as service, pytest.raises(UnansweredError, match=r"refused our key \(403\): Forbidden"):
        say(make(f"deepl:{service.url}"), "Open")


def test_modernmt_is_asked_as_its_clients_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODERNMT_API_KEY", KEY)
    data = [{"translation": "Abra", "altTranslations": ["Abre"]}]
    with serving(lambda _: as_json({"status": 200, "data": data})) as service:
        engine = make(f"modernmt:{service.url}#nbest=2")
        (answer,) = engine.translate(["Open"], seconds=5)
        engine.close()
    assert answer
    assert [each.text for each in answer.nbest] == ["Abra", "Abre"]
    (request,) = service.requests
    assert (request.headers["MMT-ApiKey"], request.headers["X-HTTP-Method-Override"]) == (KEY, "GET")
    assert (request.json["q"], request.json["alt_translations"]) == (["Open"], 1)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("libretranslate", {"translatedText": ["one"]}),
        ("libretranslate", {"translatedText": "one"}),
        ("libretranslate", []),
        ("modernmt", {"data": [{"translation": "one"}]}),
        ("modernmt", {"data": [{"translation": "one"}, {"translation": 2}]}),
        ("deepl", {"translations": [{"text": "one"}, {}]}),
        ("deepl", {"translations": None}),
        ("apertium", {"responseData": [{"sourceLanguage": "eng", "targetLanguage": "spa"}]}),
    ],
)
def test_an_answer_of_another_form_is_none(kind: str, answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPL_AUTH_KEY", KEY)
    with serving(lambda _: as_json(answer)) as service, pytest.raises(UnansweredError, match="did not answer with"):
        say(make(f"{kind}:{service.url}"), "Open", "Close")


def test_apertium_that_lacks_the_languages_says_so() -> None:
    with (
        serving(lambda _: as_json({"responseData": []})) as service,
        pytest.raises(UnansweredError, match="does not translate from en into es; install that pair"),
    ):
        say(make(f"apertium:{service.url}"), "Open")


def test_a_batch_that_is_too_large_is_sent_in_halves() -> None:
    def react(request: Request) -> Reaction:
        texts = request.json["q"]
        return as_json({"error": "too many"}, 413) if len(texts) > 2 else as_json({"translatedText": texts})

    with serving(react) as service:
        upstream = Upstream(make(f"libretranslate:{service.url}"), source="en", target="es")
        outcomes = upstream.outcomes([f"Botón {number}" for number in range(5)])
        upstream.close()
    assert all(outcome.answer for outcome in outcomes)
    assert max(len(request.json["q"]) for request in service.requests[1:]) <= 3


def test_the_real_apertium_server_translates() -> None:
    modes = Path("/usr/share/apertium")
    if shutil.which("apertium-apy") is None or not (modes / "modes" / "eng-spa.mode").exists():
        pytest.skip("Apertium's server is not installed: apt-get install apertium-eng-spa apertium-apy")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        ["/usr/bin/python3", "-c", APY, "--port", str(port), str(modes)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.2)
        upstream = Upstream(make(f"apertium:http://127.0.0.1:{port}"), source="en", target="es")
        answers = upstream.ask_all(["The house is big.", "Open <b>{name}</b> now."])
        assert answers[0], upstream.problem
        assert answers[0].text == "La casa es grande."
        assert answers[1]
        assert "<b>{name}</b>" in answers[1].text
        german = Upstream(make(f"apertium:http://127.0.0.1:{port}", "en", "de"), source="en", target="de")
        assert german.outcome("Open", seconds=None).silence is Silence.FAILED
        assert "does not translate from en into de" in (german.problem or "")
        for each in (upstream, german):
            each.close()
    finally:
        # It ends only when the programs it started do, and they may take long: all of them go at once.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
