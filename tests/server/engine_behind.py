"""Clients of every interface, over an engine that is quick, slow, dead or lying.

`python -m tests.server.engine_behind` tries all of them and prints the table of docs/use/connect-tools.md.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from xmlrpc.client import Fault, dumps, loads

import httpx

from dragoman.engine import Engine
from tests.server.support import running
from tests.upstream.support import Reaction, Request, Service, as_json, serving

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


def openai_responses(client: httpx.Client, texts: list[str]) -> tuple[int, list[str]]:
    found = client.post("/v1/responses", json={"model": "manual", "input": "\n---\n".join(texts)})
    made = found.json().get("output", [])
    return found.status_code, made[0]["content"][0]["text"].split("\n---\n") if made else []


def deepl_document(client: httpx.Client, texts: list[str]) -> tuple[int, list[str]]:
    page = "".join(f"<p>{text}</p>\n" for text in texts).encode()
    form = {"source_lang": "EN", "target_lang": "ES"}
    about = client.post("/v2/document", data=form, files={"file": ("page.html", page)}).json()
    place, key = f"/v2/document/{about['document_id']}", {"document_key": about["document_key"]}
    while (found := client.post(place, json=key).json())["status"] not in ("done", "error"):
        time.sleep(0.01)
    if found["status"] == "error":
        assert "without the engine" in found["error_message"]
        return 503, []
    return 200, re.findall(r"<p>(.*)</p>", client.post(f"{place}/result", json=key).text)


def libretranslate_file(client: httpx.Client, texts: list[str]) -> tuple[int, list[str]]:
    page = "".join(f"<p>{text}</p>\n" for text in texts).encode()
    form = {"source": "en", "target": "es"}
    found = client.post("/libretranslate/translate_file", data=form, files={"file": ("page.html", page)})
    if found.status_code != 200:
        return found.status_code, []
    return 200, re.findall(r"<p>(.*)</p>", client.get(found.json()["translatedFileUrl"]).text)


IN_BATCHES = [deepl, deepl_document, libretranslate, libretranslate_html, libretranslate_file, modernmt, openai]
IN_BATCHES += [openai_responses]
ALL = [*IN_BATCHES, apertium, moses, opus_cat]


@contextmanager
def behind(folder: Path) -> Iterator[tuple[httpx.Client, FakeEngine, Service]]:
    fake = FakeEngine()
    with serving(fake.react) as service:
        name = f"libretranslate:{service.url}"
        with Engine.create(folder / "manual", source="en", target="es", upstream=name):
            pass
        with running(folder) as server, server.client() as client:
            yield client, fake, service
