"""Translations that the setting `least_confidence` withholds from other programs."""

from __future__ import annotations

import json
import xmlrpc.client
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from dragoman.engine import Engine
from tests.server.support import Running, make_projects, running

KNOWN, UNKNOWN = "Press the green button.", "Grease every sprocket."
TAUGHT = "Pulse el botón verde."


@pytest.fixture(scope="module")
def careful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server whose project withholds what is not sure."""
    folder = tmp_path_factory.mktemp("careful")
    make_projects(folder)
    with Engine.open(folder / "manual") as engine:
        engine.learn("Open <b>the lid</b> again.", "Vuelva a abrir <b>la tapa</b>.")
        engine.least_confidence = 0.9
    with running(folder) as found:
        yield found


@pytest.fixture
def client(careful: Running) -> Iterator[httpx.Client]:
    with careful.client() as found:
        yield found


def libretranslate(client: httpx.Client, text: str, **more: Any) -> Any:
    asked = {"q": text, "source": "en", "target": "es"} | more
    return client.post("/libretranslate/translate", json=asked).raise_for_status().json()


def modernmt(client: httpx.Client, text: str) -> Any:
    asked = {"q": text, "source": "en", "target": "es"}
    return client.get("/modernmt/translate", params=asked).raise_for_status().json()["data"]["translation"]


def apertium(client: httpx.Client, text: str) -> Any:
    answer = client.get("/apertium/translate", params={"langpair": "en|es", "q": text}).raise_for_status().json()
    return answer["responseData"]["translatedText"]


def opus_cat(client: httpx.Client, text: str) -> Any:
    asked = {"input": text, "srcLangCode": "en", "trgLangCode": "es", "modelTag": "", "tokenCode": ""}
    return client.get("/MtRestService/TranslateJson", params=asked).raise_for_status().json()["translation"]


def chat(client: httpx.Client, text: str) -> Any:
    asked = {"model": "manual", "messages": [{"role": "user", "content": text}], "n": 2}
    choices = client.post("/v1/chat/completions", json=asked).raise_for_status().json()["choices"]
    return choices[0]["message"]["content"]


def moses(client: httpx.Client, text: str, **more: str) -> Any:
    with xmlrpc.client.ServerProxy(f"{client.base_url}/RPC2/manual") as server:
        answer = server.translate({"text": text} | more)
    assert isinstance(answer, dict)
    return answer["text"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda client, text: libretranslate(client, text)["translatedText"],
        modernmt,
        apertium,
        opus_cat,
        chat,
        moses,
        lambda client, text: moses(client, text, align="true"),
    ],
    ids=["libretranslate", "modernmt", "apertium", "opus-cat", "openai", "moses", "moses, aligned"],
)
def test_an_interface_gives_no_text_for_what_is_not_sure(client: httpx.Client, ask: Any) -> None:
    assert (ask(client, KNOWN), ask(client, UNKNOWN)) == (TAUGHT, "")


def test_only_the_item_that_is_not_sure_is_empty(client: httpx.Client) -> None:
    assert json.loads(chat(client, json.dumps([KNOWN, UNKNOWN]))) == [TAUGHT, ""]


def test_alternatives_are_withheld_with_the_translation(client: httpx.Client) -> None:
    assert libretranslate(client, UNKNOWN, alternatives=2) == {"translatedText": "", "alternatives": []}


def test_a_correction_with_other_slots_is_sure(client: httpx.Client) -> None:
    said = libretranslate(client, "Open [X5X]the lid[X15X] again.")["translatedText"]
    assert said == "Vuelva a abrir [X5X]la tapa[X15X]."


def test_what_only_compares_or_must_answer_withholds_nothing(client: httpx.Client) -> None:
    asked = {"source": "en", "target": "es", "sentence": UNKNOWN, "translation": UNKNOWN}
    assert client.get("/modernmt/translate/qe", params=asked).json()["data"]["score"] > 0
    deepl = client.post("/v2/translate", json={"text": [UNKNOWN], "source_lang": "EN", "target_lang": "ES"}).json()
    assert deepl["translations"][0]["text"]
    assert "sprocket" in libretranslate(client, f"<p>{UNKNOWN}</p>", format="html")["translatedText"]
    own = client.post("/api/v1/projects/manual/translations", json={"texts": [UNKNOWN]}).json()["translations"][0]
    assert own["text"]
    assert not own["withheld"]


def test_without_the_setting_everything_is_answered(client: httpx.Client) -> None:
    settings = "/api/v1/projects/manual/settings"
    assert client.patch(settings, json={"least_confidence": 0}).status_code < 300
    try:
        assert apertium(client, UNKNOWN)
    finally:
        client.patch(settings, json={"least_confidence": 0.9}).raise_for_status()
