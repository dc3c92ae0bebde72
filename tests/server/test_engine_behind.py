"""Every interface over an engine that is quick, slow, dead or lying: asked in batches, and never passed off as done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from xmlrpc.client import Fault, dumps, loads

import httpx
import pytest

from dragoman.engine import Engine
from dragoman.server import batches
from tests.server.support import running
from tests.upstream.support import Reaction, Request, Service, as_json, serving

pytestmark = pytest.mark.kernels

NOUNS = {"door": "puerta", "lid": "tapa", "cup": "taza", "box": "caja", "key": "llave", "table": "mesa"}
VERBS = {"Open": "Abra", "Close": "Cierre", "Clean": "Limpie", "Move": "Mueva"}
SAID = {f"{verb} that <b>{noun}</b>.": f"{v} esa <b>{n}</b>." for verb, v in VERBS.items() for noun, n in NOUNS.items()}
TEXTS = list(SAID)[:20]
Interface = Callable[[httpx.Client, list[str]], tuple[int, list[str]]]


class FakeEngine:
    """What the engine behind the server does."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.kind = "quick"

    def react(self, request: Request) -> Reaction:
        self.may_answer.wait(30)
        texts = request.json["q"]
        if self.kind == "dead":
            return as_json({"error": "broken"}, status=401)
        if self.kind == "lying":
            return as_json({"translatedText": ["I'm sorry, but I can't help with that."] * len(texts)})
        return as_json({"translatedText": [_say(text) for text in texts]})


def _say(text: str) -> str:
    for word, said in (VERBS | NOUNS | {"that": "esa"}).items():
        text = text.replace(word, said)
    return text


def deepl(client: httpx.Client, texts: list[str]) -> tuple[int, list[str]]:
    body = {"text": texts, "source_lang": "EN", "target_lang": "ES", "tag_handling": "xml"}
    found = client.post("/v2/translate", json=body)
    return found.status_code, [each["text"] for each in found.json().get("translations", [])]


def libretranslate(client: httpx.Client, texts: list[str]) -> tuple[int, list[str]]:
    found = client.post("/libretranslate/translate", json={"q": texts, "source": "en", "target": "es"})
    return found.status_code, found.json().get("translatedText", [])


def libretranslate_html(client: httpx.Client, texts: list[str]) -> tuple[int, list[str]]:
    body = {"q": texts, "source": "en", "target": "es", "format": "html"}
    found = client.post("/libretranslate/translate", json=body)
    return found.status_code, found.json().get("translatedText", [])


def modernmt(client: httpx.Client, texts: list[str]) -> tuple[int, list[str]]:
    found = client.request("GET", "/modernmt/translate", json={"q": texts, "source": "en", "target": "es"})
    return found.status_code, [each["translation"] for each in found.json().get("data", [])]


def openai(client: httpx.Client, texts: list[str]) -> tuple[int, list[str]]:
    body = {"model": "manual", "messages": [{"role": "user", "content": "\n---\n".join(texts)}]}
    found = client.post("/v1/chat/completions", json=body)
    choices = found.json().get("choices", [])
    return found.status_code, choices[0]["message"]["content"].split("\n---\n") if choices else []


def apertium(client: httpx.Client, texts: list[str]) -> tuple[int, list[str]]:
    found = [client.post("/apertium/translate", data={"langpair": "en|es", "q": text}) for text in texts]
    bad = [each.status_code for each in found if each.status_code != 200]
    return (bad[0], []) if bad else (200, [each.json()["responseData"]["translatedText"] for each in found])


def moses(client: httpx.Client, texts: list[str]) -> tuple[int, list[str]]:
    made = []
    for text in texts:
        found = client.post("/RPC2", content=dumps(({"text": text},), "translate").encode())
        try:
            made.append(str(loads(found.text)[0][0]["text"]))  # type: ignore[call-overload,index]
        except Fault:
            return 503, []
    return 200, made


def opus_cat(client: httpx.Client, texts: list[str]) -> tuple[int, list[str]]:
    about = {"tokenCode": "0", "srcLangCode": "en", "trgLangCode": "es"}
    found = [client.get("/MtRestService/TranslateJson", params=about | {"input": text}) for text in texts]
    bad = [each.status_code for each in found if each.status_code != 200]
    return (bad[0], []) if bad else (200, [each.json()["translation"] for each in found])


ALL = [deepl, libretranslate, libretranslate_html, modernmt, openai, apertium, moses, opus_cat]
IN_BATCHES = [deepl, libretranslate, libretranslate_html, modernmt, openai]


@contextmanager
def behind(folder: Path) -> Iterator[tuple[httpx.Client, FakeEngine, Service]]:
    fake = FakeEngine()
    with serving(fake.react) as service:
        name = f"libretranslate:{service.url}"
        with Engine.create(folder / "manual", source="en", target="es", upstream=name):
            pass
        with running(folder) as server, server.client() as client:
            yield client, fake, service


def test_many_texts_are_asked_for_in_few_calls(tmp_path: Path) -> None:
    with behind(tmp_path) as (client, _, service):
        for number, interface in enumerate(IN_BATCHES):
            texts, before = [f"{text} {number}" for text in TEXTS], len(service.requests)
            assert interface(client, texts) == (200, [f"{SAID[text]} {number}" for text in TEXTS])
            assert len(service.requests) - before <= 4


@pytest.mark.parametrize("kind", ["dead", "lying"])
def test_an_engine_without_a_usable_answer_is_an_error(kind: str, tmp_path: Path) -> None:
    with behind(tmp_path) as (client, fake, _):
        fake.kind = kind
        assert {interface.__name__: interface(client, TEXTS[:2]) for interface in ALL} == {
            interface.__name__: (503, []) for interface in ALL
        }


def test_an_engine_that_takes_too_long_is_an_error_until_its_answer_has_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with behind(tmp_path) as (client, fake, service):
        for number, interface in enumerate(ALL):
            text, before = f"{TEXTS[0]} {number}", len(service.requests)
            fake.may_answer.clear()
            monkeypatch.setattr(batches, "PATIENCE", 0.2)
            status, made = interface(client, [text])
            assert (status in (503, 529), made) == (True, [])
            fake.may_answer.set()
            monkeypatch.setattr(batches, "PATIENCE", 30.0)
            assert interface(client, [text]) == (200, [f"{SAID[TEXTS[0]]} {number}"])
            assert len(service.requests) == before + 1


def test_our_own_api_marks_what_the_engine_did_not_say(tmp_path: Path) -> None:
    with behind(tmp_path) as (client, fake, service):
        fake.kind = "dead"
        found = client.post("/api/v1/projects/manual/translations", json={"texts": TEXTS}).json()["translations"]
        assert {each["upstream"] for each in found} == {None}
        assert len(service.requests) <= 4


def test_what_dragoman_knows_itself_needs_no_engine(tmp_path: Path) -> None:
    with behind(tmp_path) as (client, fake, _):
        fake.kind = "dead"
        pair = {"source": "Close the lid.", "target": "Cierre la tapa."}
        client.post("/api/v1/projects/manual/corrections", json=pair)
        assert libretranslate(client, ["Close the lid."]) == (200, ["Cierre la tapa."])
        assert libretranslate(client, ["Close the lid", "Open that door."])[0] == 503
