"""Servers that misbehave, below HTTP or against their own interface: no exception, no hang, no good answer lost."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

import pytest

from dragoman.upstream import AnswerOrSilence, Silence, Upstream
from tests.upstream.support import as_json, serving

KINDS = ("libretranslate", "deepl", "openai")
KEY = "sk-very-secret-0123456789"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
Behaviour = Callable[[socket.socket], None]


@contextmanager
def raw_server(behave: Behaviour) -> Iterator[str]:
    """A server that reads something and then does what it likes with the connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    threading.Thread(target=work, args=(connection,), daemon=True).start()

        def work(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                connection.recv(1 << 16)
                behave(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def name_of(kind: str, url: str) -> str:
    return f"openai:{url}/v1#m&seconds=1" if kind == "openai" else f"{kind}:{url}#seconds=1"


def ask(
    kind: str, url: str, texts: tuple[str, ...] = ("Open the file.", "Close the lid.")
) -> tuple[list[AnswerOrSilence], str]:
    """The outcomes of an engine, and the problem that is shown."""
    with closing(Upstream(name_of(kind, url), source="en", target="es")) as upstream:
        return upstream.outcomes(list(texts)), upstream.problem or ""


def half_a_json(connection: socket.socket) -> None:
    connection.sendall(HEAD + b'Content-Length: 900\r\n\r\n{"translations": [{"te')


def whole_half_a_json(connection: socket.socket) -> None:
    connection.sendall(HEAD + b'Content-Length: 22\r\n\r\n{"translations": [{"te')


def nonsense(connection: socket.socket) -> None:
    connection.sendall(bytes(range(256)) * 4)


def hang_up(connection: socket.socket) -> None:
    connection.shutdown(socket.SHUT_RDWR)


def false_gzip(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde")


def odd_pause(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 429 Slow\r\nRetry-After: 99999999999999999999\r\nContent-Length: 0\r\n\r\n")


def error_page(connection: socket.socket) -> None:
    page = b"<html><body><h1>502 Bad Gateway</h1>" + KEY.encode() + b"</body></html>"
    connection.sendall(b"HTTP/1.1 502 Bad\r\nContent-Length: %d\r\n\r\n" % len(page) + page)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DEEPL_AUTH_KEY", "OPENAI_API_KEY", "LIBRETRANSLATE_API_KEY"):
        monkeypatch.setenv(name, KEY)


@pytest.mark.parametrize(
    "behave", [half_a_json, whole_half_a_json, nonsense, hang_up, false_gzip, odd_pause, error_page]
)
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_a_server_sends_is_a_silence_with_a_problem(kind: str, behave: Behaviour) -> None:
    with raw_server(behave) as url:
        outcomes, problem = ask(kind, url)
    assert [outcome.answer for outcome in outcomes] == [None, None]
    assert {outcome.silence for outcome in outcomes} <= {Silence.FAILED, Silence.SLOW, Silence.SPENT, Silence.RESTING}
    assert problem.startswith(f"{kind}:http://127.0.0.1")
    assert KEY not in problem


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n", b"HTTP/1.1 200 OK\r\nX-A: "])
def test_an_answer_that_only_drips_is_given_up_in_time(head: bytes) -> None:
    def drip(connection: socket.socket) -> None:
        connection.sendall(head)
        while True:
            connection.sendall(b" ")
            time.sleep(0.1)

    with raw_server(drip) as url:
        began = time.monotonic()
        outcomes, problem = ask("deepl", url)
    assert time.monotonic() - began < 4
    assert outcomes[0].silence is Silence.SLOW
    assert problem.endswith("did not answer in time")


@pytest.mark.parametrize("alternatives", [[["Abre"]], [], 5, "no", [3, None], {"a": 1}, [[], [], []]])
def test_alternatives_of_another_form_do_not_cost_the_translations(alternatives: object) -> None:
    said = {"translatedText": ["Abra el archivo.", "Cierre la tapa."], "alternatives": alternatives}
    with serving(lambda _: as_json(said)) as service:
        outcomes, _ = ask("libretranslate", f"{service.url}")
    assert [outcome.answer and outcome.answer.text for outcome in outcomes] == said["translatedText"]


@pytest.mark.parametrize(
    "answer", [None, 5, "text", [], {"translations": {"text": "x"}}, {"choices": [None]}, {"data": 1}]
)
@pytest.mark.parametrize("kind", ["libretranslate", "deepl", "openai", "modernmt"])
def test_json_of_any_other_form_is_a_silence(kind: str, answer: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODERNMT_API_KEY", KEY)
    with serving(lambda _: as_json(answer)) as service:
        outcomes, problem = ask(kind, service.url)
    assert [outcome.answer for outcome in outcomes] == [None, None]
    assert "unexpected" not in problem
