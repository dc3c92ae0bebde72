"""Clients of every interface, over an engine that is quick, slow, dead or lying.

`python -m tests.server.engine_behind` tries all of them and prints the table of docs/evidence/tools.md.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from typing import Any
from xmlrpc.client import Fault, dumps, loads

import httpx

from dragoman.engine import Engine
from dragoman.server import batches
from tests.server.support import running
from tests.upstream.support import Reaction, Request, Service, as_json, serving

NOUNS = {"door": "puerta", "lid": "tapa", "cup": "taza", "box": "caja", "key": "llave", "table": "mesa"}
VERBS = {"Open": "Abra", "Close": "Cierre", "Clean": "Limpie", "Move": "Mueva"}
SAID = {f"{verb} that <b>{noun}</b>.": f"{v} esa <b>{n}</b>." for verb, v in VERBS.items() for noun, n in NOUNS.items()}
TEXTS = list(SAID)[:20]


class Caller(httpx.Client):
    """A client of the server, and where results arrive that the server sends by itself."""

    def __init__(self, address: str, receiver: str, results: Queue[Any]) -> None:
        super().__init__(base_url=address, timeout=60, trust_env=False)
        self.receiver, self.results = receiver, results


Interface = Callable[[Caller, list[str]], tuple[int, list[str]]]


LIES: dict[str, Callable[[str], str]] = {
    "refuses": lambda _: "I'm sorry, but I can't help with that.",
    "says German": lambda _: "Bitte öffnen Sie jetzt diese Tür und schließen Sie sie wieder.",
    "says nothing": lambda _: "",
    "goes on and on": lambda _: "Abra esa puerta. " * 9,
}


class FakeEngine:
    """What the engine behind the server does: answer, refuse our key (`dead`), be `busy`, break, or one of the lies."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.kind = "quick"

    def react(self, request: Request) -> Reaction:
        self.may_answer.wait(30)
        if self.kind == "dead":
            return as_json({"error": "broken"}, status=401)
        if self.kind == "busy":
            return as_json({"error": "later"}, status=429, **{"Retry-After": "60"})
        if self.kind == "breaks" and any("Break" in text for text in request.json["q"]):
            return as_json({"error": "broken"}, status=500)
        say = LIES.get(self.kind, _say)
        return as_json({"translatedText": [say(text) for text in request.json["q"]]})


def _say(text: str) -> str:
    for word, said in (VERBS | NOUNS | {"that": "esa"}).items():
        text = text.replace(word, said)
    return text


def deepl(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    body = {"text": texts, "source_lang": "EN", "target_lang": "ES", "tag_handling": "xml"}
    found = client.post("/v2/translate", json=body)
    return found.status_code, [each["text"] for each in found.json().get("translations", [])]


def libretranslate(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    found = client.post("/libretranslate/translate", json={"q": texts, "source": "en", "target": "es"})
    return found.status_code, found.json().get("translatedText", [])


def libretranslate_html(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    body = {"q": texts, "source": "en", "target": "es", "format": "html"}
    found = client.post("/libretranslate/translate", json=body)
    return found.status_code, found.json().get("translatedText", [])


def modernmt(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    found = client.request("GET", "/modernmt/translate", json={"q": texts, "source": "en", "target": "es"})
    return found.status_code, [each["translation"] for each in found.json().get("data", [])]


def modernmt_batch(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    body = {"q": texts, "source": "en", "target": "es", "webhook": client.receiver}
    assert client.post("/modernmt/translate/batch", json=body).status_code == 200
    result = client.results.get(timeout=60)["result"]
    return result["status"], [each["translation"] for each in result.get("data", [])]


def omegat(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    """As our script for OmegaT asks, a segment at a time."""
    form = {"source": "en", "target": "es"}
    found = [client.post("/libretranslate/manual/translate", data=form | {"q": text}) for text in texts]
    bad = [each.status_code for each in found if each.status_code != 200]
    return (bad[0], []) if bad else (200, [each.json()["translatedText"] for each in found])


def weblate(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    """As our module for Weblate asks; Weblate's own modules ask as the interfaces above and below."""
    body, agent = {"q": texts, "source": "en", "target": "es"}, {"User-Agent": "Weblate/5.14.3"}
    found = client.post("/libretranslate/translate", json=body, headers=agent)
    return found.status_code, found.json().get("translatedText", [])


def own(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    """Our own API, which marks what the engine did not say."""
    found = client.post("/api/v1/projects/manual/translations", json={"texts": texts}).json()["translations"]
    if any(each["upstream_flaw"] for each in found):
        return 203, []
    silent = any(each["upstream"] is None for each in found)
    return (204, []) if silent else (200, [each["text"] for each in found])


def openai(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    body = {"model": "manual", "messages": [{"role": "user", "content": "\n---\n".join(texts)}]}
    found = client.post("/v1/chat/completions", json=body)
    choices = found.json().get("choices", [])
    return found.status_code, choices[0]["message"]["content"].split("\n---\n") if choices else []


def openai_stream(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    body = {"model": "manual", "stream": True, "messages": [{"role": "user", "content": "\n---\n".join(texts)}]}
    found = client.post("/v1/chat/completions", json=body)
    if found.status_code != 200:
        return found.status_code, []
    first = json.loads(found.text.partition("\n")[0].removeprefix("data: "))
    return 200, first["choices"][0]["delta"]["content"].split("\n---\n")


def apertium(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    found = [client.post("/apertium/translate", data={"langpair": "en|es", "q": text}) for text in texts]
    bad = [each.status_code for each in found if each.status_code != 200]
    return (bad[0], []) if bad else (200, [each.json()["responseData"]["translatedText"] for each in found])


def moses(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    made = []
    for text in texts:
        found = client.post("/RPC2", content=dumps(({"text": text},), "translate").encode())
        try:
            made.append(str(loads(found.text)[0][0]["text"]))  # type: ignore[call-overload,index]
        except Fault:
            return 503, []
    return 200, made


def opus_cat(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    about = {"tokenCode": "0", "srcLangCode": "en", "trgLangCode": "es"}
    found = [client.get("/MtRestService/TranslateJson", params=about | {"input": text}) for text in texts]
    bad = [each.status_code for each in found if each.status_code != 200]
    return (bad[0], []) if bad else (200, [each.json()["translation"] for each in found])


def openai_responses(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    found = client.post("/v1/responses", json={"model": "manual", "input": "\n---\n".join(texts)})
    made = found.json().get("output", [])
    return found.status_code, made[0]["content"][0]["text"].split("\n---\n") if made else []


def deepl_document(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    page = "".join(f"<p>{text}</p>\n" for text in texts).encode()
    form = {"source_lang": "EN", "target_lang": "ES"}
    about = client.post("/v2/document", data=form, files={"file": ("page.html", page)}).json()
    place, key = f"/v2/document/{about['document_id']}", {"document_key": about["document_key"]}
    while (found := client.post(place, json=key).json())["status"] not in ("done", "error"):
        time.sleep(0.01)
    if found["status"] == "error":
        assert "engine" in found["error_message"]
        return 503, []
    return 200, re.findall(r"<p>(.*)</p>", client.post(f"{place}/result", json=key).text)


def libretranslate_file(client: Caller, texts: list[str]) -> tuple[int, list[str]]:
    page = "".join(f"<p>{text}</p>\n" for text in texts).encode()
    form = {"source": "en", "target": "es"}
    found = client.post("/libretranslate/translate_file", data=form, files={"file": ("page.html", page)})
    if found.status_code != 200:
        return found.status_code, []
    return 200, re.findall(r"<p>(.*)</p>", client.get(found.json()["translatedFileUrl"]).text)


IN_BATCHES = [deepl, deepl_document, libretranslate, libretranslate_html, libretranslate_file, weblate, modernmt]
IN_BATCHES += [modernmt_batch, openai, openai_stream, openai_responses]
ALL = [*IN_BATCHES, apertium, moses, opus_cat, omegat]


@contextmanager
def behind(folder: Path) -> Iterator[tuple[Caller, FakeEngine, Service]]:
    """A server over an engine that does as it is told; its client."""
    fake, results = FakeEngine(), Queue[Any]()

    def receive(request: Request) -> Reaction:
        results.put(request.json)
        return as_json({})

    with serving(fake.react) as service, serving(receive) as receiver:
        name = f"libretranslate:{service.url}"
        with Engine.create(folder / "manual", source="en", target="es", upstream=name):
            pass
        with (
            running(folder, callbacks=(receiver.url,)) as server,
            Caller(server.url, receiver.url, results) as client,
        ):
            yield client, fake, service


# ── The table ────────────────────────────────────────────────────────────────────────────────────────────────────────

NAMES: dict[Interface, str] = {
    deepl: "DeepL, texts",
    deepl_document: "DeepL, documents",
    libretranslate: "LibreTranslate, texts",
    libretranslate_html: "LibreTranslate, HTML",
    libretranslate_file: "LibreTranslate, files",
    weblate: "Weblate, our module",
    modernmt: "ModernMT, `translate`",
    modernmt_batch: "ModernMT, `batch_translate`",
    openai: "OpenAI, chat",
    openai_stream: "OpenAI, chat as a stream",
    openai_responses: "OpenAI, responses",
    apertium: "Apertium",
    moses: "Moses",
    opus_cat: "OPUS-CAT (Trados, memoQ)",
    omegat: "OmegaT, our script",
    own: "our own API",
}
SPECIAL: dict[tuple[Interface, int], str] = {  # what stands in the place of a status
    (deepl_document, 503): "`error`",
    (modernmt_batch, 503): "503 in the callback",
    (modernmt_batch, 529): "529 in the callback",
    (moses, 503): "fault −500",
    (own, 203): "`upstream_flaw`",
    (own, 204): "`upstream: null`",
}


def table(folder: Path) -> list[str]:
    """What every interface answers over every kind of engine, as rows of Markdown."""
    columns = {kind: dict[Interface, str]() for kind in ("quick", "dead", "slow, and again", "lies")}
    for number, (kind, column) in enumerate(columns.items()):
        with behind(folder / str(number)) as (client, fake, _):
            for text, interface in zip(TEXTS, NAMES, strict=False):
                if kind != "slow, and again":
                    cells = []
                    for fake.kind in LIES if kind == "lies" else [kind]:
                        cells.append(_cell(interface, client, text))
                    column[interface] = "; ".join(dict.fromkeys(cells))
                    continue
                fake.may_answer.clear()
                first = _in_a_moment(interface, client, text)
                fake.may_answer.set()
                column[interface] = f"{first}; {_cell(interface, client, text)}"
    rows = [["interface", *columns], ["---"] * (1 + len(columns))]
    rows += [[name, *(column[interface] for column in columns.values())] for interface, name in NAMES.items()]
    return [f"| {' | '.join(row)} |" for row in rows]


def _cell(interface: Interface, client: Caller, text: str) -> str:
    """A status; of a translation, also whether it is the engine's."""
    status, made = interface(client, [text])
    if status == 200 and made != [SAID[text]]:
        return "200, the source" if made == [text] else f"200, {made[0]!r}"
    return SPECIAL.get((interface, status), str(status))


def _in_a_moment(interface: Interface, client: Caller, text: str) -> str:
    """The same for a client, or a job, that has no patience."""
    before = {name: getattr(batches, name) for name in ("PATIENCE", "JOB_PATIENCE", "CLIENTS")}
    for name in ("PATIENCE", "JOB_PATIENCE"):
        setattr(batches, name, 0.2)
    batches.CLIENTS = {}
    try:
        return _cell(interface, client, text)
    finally:
        for name, value in before.items():
            setattr(batches, name, value)


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        print("\n".join(table(Path(place))))
