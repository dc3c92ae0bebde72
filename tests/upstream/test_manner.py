"""Context, formality, neighbours and corrections reach the engines that can use them: DeepL and language models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.bench_language_model import measure

from dragoman.engine import Engine
from dragoman.formats import read_document
from dragoman.formats.filled_document import fill_document
from dragoman.project.consultant import RequestOptions, with_options
from dragoman.upstream import Hints, prompt
from tests.server.support import running
from tests.upstream.support import Reaction, Request, as_json, serving

RECORDED = {"Open the lid.": "Abre la tapadera.", "Wait.": "Espera."}
PAIRS = [
    ("Close the lid of the tank.", "Cierre la tapa del depósito."),
    ("Open the lid of the tank.", "Abra la tapa del depósito."),
    ("Lift the lid of the tank.", "Alce la tapa del depósito."),
]


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPL_AUTH_KEY", "a1b2c3d4e5")


def deepl(request: Request) -> Reaction:
    return as_json({"translations": [{"text": RECORDED.get(text, "Nada.")} for text in request.json["text"]]})


def model(request: Request) -> Reaction:
    """A recorded language model: what it says for each text that it is asked for."""
    asked = request.json["messages"][-1]["content"].rpartition("Translate th")[2].splitlines()[1:]
    said = {line.partition(": ")[0]: RECORDED.get(line.partition(": ")[2], "Nada.") for line in asked}
    return as_json({"choices": [{"index": 0, "message": {"content": json.dumps(said)}, "finish_reason": "stop"}]})


def test_deepl_is_told_context_and_formality_and_asked_again_for_others(tmp_path: Path) -> None:
    with serving(deepl) as service, Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.upstream = f"deepl:{service.url}#glossary-id=g1"
        for options in (
            RequestOptions("A coffee machine.", "less"),
            RequestOptions("A coffee machine.", "less"),
            RequestOptions(),
        ):
            with with_options(options):
                assert engine.translate("Open the lid.").text == "Abre la tapadera."
    told, plain = (request.json for request in service.requests)
    assert (told["context"], told["formality"], told["glossary_id"]) == ("A coffee machine.", "less", "g1")
    assert "context" not in plain
    assert "formality" not in plain


def test_the_formality_of_a_project_is_in_the_name_of_its_engine(tmp_path: Path) -> None:
    with serving(deepl) as service, Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.upstream = f"deepl:{service.url}#formality=prefer_more"
        engine.translate("Wait.")
    assert service.requests[0].json["formality"] == "prefer_more"


def test_the_text_around_segments_of_a_document_goes_with_them_in_one_request(tmp_path: Path) -> None:
    with serving(deepl) as service, Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.upstream = f"deepl:{service.url}"
        document = read_document(b"Open the lid.\nWait.\n", "a.txt", source="en", target="es")
        assert fill_document(engine, document).data.decode() == "Abre la tapadera.\nEspera.\n"
        assert engine.translate("Wait.").text == "Espera."  # kept, whatever was around
    (request,) = service.requests
    assert (request.json["text"], request.json["context"]) == (["Open the lid.", "Wait."], "Open the lid. Wait.")


def test_deepl_is_shown_the_nearest_corrections_if_that_is_wanted(tmp_path: Path) -> None:
    with serving(deepl) as service, Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.learn(*PAIRS[0])
        for options in ("", "#examples=yes"):
            engine.upstream = f"deepl:{service.url}{options}"
            engine.ask_ahead([PAIRS[1][0]])
    without, shown = (request.json for request in service.requests)
    assert "example_translations" not in without
    assert shown["example_translations"] == [dict(zip(("source", "target"), PAIRS[0], strict=True))]


def test_a_language_model_is_told_context_and_formality() -> None:
    hints = Hints(context="A coffee machine.", formality="prefer_less")
    system, user = (each["content"] for each in prompt.write(["Open it."], [hints], "en", "es"))
    assert system.endswith("Be less formal than usual.")
    assert "for context only, not to be translated:\nA coffee machine.\n" in user


def test_our_own_deepl_interface_hands_context_and_formality_on(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    with serving(deepl) as service:
        name = f"deepl:{service.url}"
        Engine.create(tmp_path / "projects" / "manual", source="en", target="es", upstream=name).close()
        asked = {"text": ["Open the lid."], "source_lang": "EN", "target_lang": "ES", "context": "Coffee."}
        with running(tmp_path / "projects") as server, server.client() as client:
            answer = client.post("/v2/translate", json=asked | {"formality": "more"}).json()
    assert answer["translations"][0]["text"] == "Abre la tapadera."
    (request,) = service.requests
    assert (request.json["context"], request.json["formality"]) == ("Coffee.", "more")


@pytest.mark.parametrize(("number", "shown"), [(0, 0), (1, 1), (6, 2)])
def test_the_benchmark_shows_a_language_model_so_many_corrections(number: int, shown: int) -> None:
    with serving(model) as service:
        answers, made = measure(f"openai:{service.url}/v1#tiny&corrections={number}", PAIRS, ("en", "es"))
    assert (answers, len(made)) == (["Nada."] * 3, 3)
    last = service.requests[-1].json["messages"][-1]["content"]
    assert sum(f"=> {target}" in last for _, target in PAIRS) == shown
