"""The language of each text is guessed among those that the target can be translated from, whatever the interface."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from dragoman.engine import Engine
from tests.server.support import running


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("projects")
    known = {"en-es": ("Save the file.", "Guarde el archivo."), "es-en": ("Guardar", "Save")}
    known["fr-es"] = ("Enregistrez le fichier.", "Guarde el fichero.")
    for name, pair in known.items():
        source, target = name.split("-")
        with Engine.create(folder / name, source=source, target=target) as engine:
            engine.learn(*pair)
    with running(folder) as server, server.client() as client:
        yield client


MIXED = ["Save the file.", "Enregistrez le fichier."]


def test_with_one_language_for_the_target_that_is_the_one(client: httpx.Client) -> None:
    found = client.post("/v2/translate", json={"text": ["Guardar"], "target_lang": "EN-US"}).json()
    assert [(each["text"], each["detected_source_language"]) for each in found["translations"]] == [("Save", "ES")]
    body = {"q": "Guardar", "source": "auto", "target": "en"}
    found = client.post("/libretranslate/translate", json=body).json()
    assert (found["translatedText"], found["detectedLanguage"]["language"]) == ("Save", "es")
    found = client.request("GET", "/modernmt/translate", json={"q": "Guardar", "target": "en"}).json()["data"]
    assert (found["translation"], found["detectedLanguage"]) == ("Save", "es")


def test_a_project_that_is_named_decides(client: httpx.Client) -> None:
    body = {"text": ["Enregistrez le fichier."], "target_lang": "ES"}
    found = client.post("/deepl/en-es/v2/translate", json=body).json()["translations"]
    assert found[0]["detected_source_language"] == "EN"


def test_each_text_of_a_mixed_batch_has_its_own_language(client: httpx.Client) -> None:
    found = client.post("/v2/translate", json={"text": MIXED, "target_lang": "ES"}).json()["translations"]
    assert [(each["text"], each["detected_source_language"]) for each in found] == [
        ("Guarde el archivo.", "EN"),
        ("Guarde el fichero.", "FR"),
    ]
    body = {"q": MIXED[::-1], "source": "auto", "target": "es"}
    answer = client.post("/libretranslate/translate", json=body).json()
    assert answer["translatedText"] == ["Guarde el fichero.", "Guarde el archivo."]
    assert [each["language"] for each in answer["detectedLanguage"]] == ["fr", "en"]
    data = client.request("GET", "/modernmt/translate", json={"q": MIXED, "target": "es"}).json()["data"]
    assert [each["detectedLanguage"] for each in data] == ["en", "fr"]


def test_a_language_that_nobody_translates_is_named(client: httpx.Client) -> None:
    found = client.post("/v2/translate", json={"text": ["x"], "target_lang": "XX"})
    assert (found.status_code, "target_lang" in found.json()["message"]) == (400, True)
    found = client.post("/v2/translate", json={"text": ["x"], "source_lang": "XX", "target_lang": "ES"})
    assert (found.status_code, "source_lang" in found.json()["message"]) == (400, True)


def test_a_long_text_is_cut_and_put_together_again(client: httpx.Client) -> None:
    text = "Save the file.\n" * 2_000
    body = {"text": [text], "source_lang": "EN", "target_lang": "ES", "model_type": "prefer_quality_optimized"}
    [found] = client.post("/v2/translate", json=body).json()["translations"]
    assert found["text"] == "Guarde el archivo.\n" * 2_000
    assert found["model_type_used"] == "quality_optimized"
