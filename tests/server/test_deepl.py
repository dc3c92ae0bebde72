"""DeepL's interface, with its own client; and OpenAI's, as tools call it."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from typing import Any

import deepl
import httpx
import pytest
from deepl.api_data import MultilingualGlossaryDictionaryEntries

from dragoman.engine import Engine
from dragoman.server.html_text import translate_html
from tests.server.support import Running


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found


@pytest.fixture
def translator(guarded: Running, keys: dict[str, str]) -> Iterator[deepl.Translator]:
    found = deepl.Translator(keys["learn"], server_url=guarded.url)
    yield found
    found.close()  # type: ignore[no-untyped-call]


def test_deepl_translates_with_its_client(translator: deepl.Translator) -> None:
    one = translator.translate_text(
        "Press the red button.", source_lang="EN", target_lang="ES", formality="prefer_more"
    )
    assert isinstance(one, deepl.TextResult)
    assert (one.text, one.detected_source_lang) == ("Pulse el botón rojo.", "EN")
    several = translator.translate_text(["Close the lid.", "Open the lid."], target_lang="ES")
    assert isinstance(several, list)
    assert [each.text for each in several] == ["Cierre la tapa.", "Abra la tapa."]


def test_deepl_keeps_tags(translator: deepl.Translator) -> None:
    def translate(text: str, **options: Any) -> str:
        found = translator.translate_text(text, source_lang="EN", target_lang="ES", **options)
        assert isinstance(found, deepl.TextResult)
        return found.text

    xml = translate('Open <x id="5"></x> <b>the lid</b> &amp; wait.', tag_handling="xml", ignore_tags=["x"])
    assert '<x id="5"></x> <b>la tapa</b> &amp; ' in xml
    assert "<keep>the lid</keep>" in translate("Open <keep>the lid</keep>.", tag_handling="xml", ignore_tags="keep")
    html = translate("<p>Open <b>the lid</b>.</p>\n<p>Close the lid.</p>", tag_handling="html")
    assert html == "<p>Abra <b>la tapa</b>.</p>\n<p>Cierre la tapa.</p>"


def test_deepl_translates_documents_with_its_client(translator: deepl.Translator) -> None:
    page = b"<html><body><p>Press <b>the red button</b>.</p><p>Close the lid.</p></body></html>"
    out = io.BytesIO()
    handle = translator.translate_document_upload(page, filename="page.html", source_lang="EN", target_lang="ES")
    while not (found := translator.translate_document_get_status(handle)).done:
        assert found.ok, found.error_message
        time.sleep(0.05)
    assert found.billed_characters == len("Press <b>the red button</b>.") + len("Close the lid.")
    translator.translate_document_download(handle, out)
    assert (
        out.getvalue() == "<html><body><p>Pulse <b>el botón rojo</b>.</p><p>Cierre la tapa.</p></body></html>".encode()
    )


def test_deepl_documents_use_glossaries_and_guess_their_language(translator: deepl.Translator) -> None:
    made = translator.create_glossary("lids", "EN", "ES", {"lid": "cubierta"})
    out = io.BytesIO()
    given = b"Clean the lid and close the lid.\n"
    status = translator.translate_document(
        given, out, filename="a.txt", target_lang="ES", source_lang="EN", glossary=made
    )
    assert status.done
    assert "cubierta" in out.getvalue().decode()
    again = io.BytesIO()
    translator.translate_document(given, again, filename="a.txt", target_lang="ES")
    assert "tapa" in again.getvalue().decode()
    translator.delete_glossary(made)


def test_deepl_documents_are_refused_with_a_reason_and_only_shown_to_who_has_their_key(
    translator: deepl.Translator, guarded: Running, keys: dict[str, str]
) -> None:
    with pytest.raises(deepl.DocumentTranslationException, match="not well-formed XML"):
        translator.translate_document(b"?", io.BytesIO(), filename="a.xlf", source_lang="EN", target_lang="ES")
    with pytest.raises(deepl.DeepLException, match="its own format"):
        translator.translate_document_upload(b"a", filename="a.txt", target_lang="ES", output_format="pdf")
    handle = translator.translate_document_upload(b"lid", filename="a.txt", source_lang="EN", target_lang="ES")
    wrong = deepl.DocumentHandle(handle.document_id, "0" * 64)
    with pytest.raises(deepl.DeepLException, match="no such document"):
        translator.translate_document_get_status(wrong)
    with guarded.client(keys["other"]) as other:
        place = f"/v2/document/{handle.document_id}"
        assert other.post(place, json={"document_key": handle.document_key}).status_code == 403
        assert other.post(f"{place}/result", json={"document_key": "x"}).status_code == 404


def test_deepl_glossaries_are_created_used_listed_and_deleted(translator: deepl.Translator) -> None:
    made = translator.create_glossary("terms", "EN", "ES", {"drip tray": "cubeta", "beans": "café"})
    assert (made.name, made.ready, made.entry_count) == ("terms", True, 2)
    assert made.glossary_id in [each.glossary_id for each in translator.list_glossaries()]
    assert translator.get_glossary_entries(made) == {"drip tray": "cubeta", "beans": "café"}
    with_terms = translator.translate_text("Clean the drip tray.", source_lang="EN", target_lang="ES", glossary=made)
    without = translator.translate_text("Clean the drip tray.", source_lang="EN", target_lang="ES")
    assert "cubeta" in str(with_terms)
    assert "cubeta" not in str(without)
    translator.delete_glossary(made)
    with pytest.raises(deepl.GlossaryNotFoundException):
        translator.get_glossary(made.glossary_id)


def test_deepl_usage_and_languages(translator: deepl.Translator) -> None:
    assert not translator.get_usage().any_limit_reached
    assert [each.code for each in translator.get_source_languages()] == ["EN"]
    assert [each.code for each in translator.get_target_languages()] == ["ES"]
    [pair] = translator.get_glossary_languages()
    assert (pair.source_lang, pair.target_lang) == ("en", "es")


def test_deepl_refuses_in_the_words_of_its_client(guarded: Running, keys: dict[str, str]) -> None:
    with pytest.raises(deepl.AuthorizationException):
        deepl.Translator("wrong", server_url=guarded.url).get_usage()
    with pytest.raises(deepl.DeepLException, match="not supported"):
        deepl.Translator(keys["learn"], server_url=guarded.url).translate_text("x", source_lang="EN", target_lang="JA")
    with pytest.raises(deepl.AuthorizationException):  # may translate, but not change glossaries
        deepl.Translator(keys["translate"], server_url=guarded.url).create_glossary("x", "EN", "ES", {"a": "b"})


def test_deepl_below_its_name_and_that_of_a_project(server: Running) -> None:
    for path in ("/deepl/", "/deepl/manual/"):
        translator = deepl.Translator("any", server_url=f"{server.url}{path}")
        assert str(translator.translate_text("Open the lid.", target_lang="ES")) == "Abra la tapa."


# ── HTML ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_libretranslate_honours_html(client: httpx.Client) -> None:
    asked = {"q": "<p>Open <b>the lid</b>.</p><p>Close the lid.</p>", "source": "en", "target": "es", "format": "html"}
    answer = client.post("/libretranslate/translate", json=asked).json()
    assert answer == {"translatedText": "<p>Abra <b>la tapa</b>.</p><p>Cierre la tapa.</p>"}


def test_html_without_words_stays(server: Running) -> None:
    engine: Engine = server.app.state.context.projects.get("manual").engine
    assert translate_html(engine, "<br>") == "<br>"


# ── OpenAI ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def ask(client: httpx.Client, *messages: tuple[str, str], **more: object) -> str:
    sent = {"model": "manual", "messages": [{"role": role, "content": text} for role, text in messages]} | more
    answer = client.post("/v1/chat/completions", json=sent)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["choices"][0]["message"]["content"])


@pytest.mark.parametrize(
    "asked",
    [
        "Close the lid.",
        "Translate the following text to Spanish: Close the lid.",
        'Please translate this from English into Spanish:\n\n"Close the lid."',
        "Translate into Spanish.\n```\nClose the lid.\n```",
        "Translate what is in the tags. <text>Close the lid.</text>",
    ],
)
def test_a_chat_translates_what_it_is_sent(client: httpx.Client, asked: str) -> None:
    assert ask(client, ("user", asked)) == "Cierre la tapa."


def test_a_chat_takes_the_languages_from_its_instructions(client: httpx.Client) -> None:
    system = "You translate text from language 'en' to language 'fr'. Reply with the translation only."
    assert ask(client, ("system", system), ("user", "Close the lid."), model="any") == "Close the lid."
    assert ask(client, ("user", "Close the lid."), model="en-es") == "Cierre la tapa."
    parts = "Close the lid.\n==WEBLATE_PART==\nOpen the lid."
    assert ask(client, ("user", parts)) == "Cierre la tapa.\n==WEBLATE_PART==\nAbra la tapa."


@pytest.mark.parametrize("model", ["manul", "gpt-5", ""])
def test_a_chat_with_a_model_that_is_none_of_several_projects_is_refused(client: httpx.Client, model: str) -> None:
    asked = {"model": model, "messages": [{"role": "user", "content": "Close the lid."}]}
    answer = client.post("/v1/chat/completions", json=asked)
    assert answer.status_code == 404
    assert "choose one of " in answer.json()["error"]["message"]
    assert "manual" in answer.json()["error"]["message"]


def test_a_misspelt_model_is_refused_even_if_the_languages_are_named(client: httpx.Client) -> None:
    asked = {"model": "manul", "messages": [{"role": "user", "content": "Translate into Spanish: Close the lid."}]}
    assert client.post("/v1/chat/completions", json=asked).status_code == 404
    assert ask(client, ("user", "Translate into Spanish: Close the lid."), model="auto") == "Cierre la tapa."


def test_a_chat_says_what_is_wrong(client: httpx.Client, guarded: Running) -> None:
    assert client.post("/v1/chat/completions", json={"messages": []}).json()["error"]["type"] == "invalid_request_error"
    asked = {"model": "en-ja", "messages": [{"role": "user", "content": "Close the lid."}]}
    assert client.post("/openai/v1/chat/completions", json=asked).status_code == 400
    with guarded.client() as stranger:
        assert stranger.get("/v1/models").json()["error"]["type"] == "authentication_error"


def test_a_chat_can_be_a_stream(client: httpx.Client) -> None:
    sent = {"model": "manual", "stream": True, "messages": [{"role": "user", "content": "Close the lid."}]}
    lines = client.post("/v1/chat/completions", json=sent).text.split("\n\n")
    assert json.loads(lines[0].removeprefix("data: "))["choices"][0]["delta"]["content"] == "Cierre la tapa."
    assert "data: [DONE]" in lines


def test_the_models_are_the_projects(client: httpx.Client) -> None:
    assert "manual" in [each["id"] for each in client.get("/v1/models").json()["data"]]


def test_glossaries_of_version_3_have_a_dictionary_for_each_pair(server: Running) -> None:
    client = deepl.DeepLClient("any", server_url=server.url)
    pairs = [("EN", "ES", {"lid": "tapadera"}), ("EN", "FR", {"lid": "couvercle"})]
    made = client.create_multilingual_glossary("both", [MultilingualGlossaryDictionaryEntries(*pair) for pair in pairs])
    try:
        assert [(each.source_lang, each.target_lang, each.entry_count) for each in made.dictionaries] == [
            ("EN", "ES", 1),
            ("EN", "FR", 1),
        ]
        options: dict[str, Any] = {"source_lang": "EN", "glossary": made}
        assert "tapadera" in str(client.translate_text("Lift that lid now.", target_lang="ES", **options))
        assert "couvercle" in str(client.translate_text("Lift that lid now.", target_lang="FR", **options))
        more = MultilingualGlossaryDictionaryEntries("EN", "ES", {"drip tray": "cubeta"})
        changed = client.update_multilingual_glossary_dictionary(made, more)
        assert [each.entry_count for each in changed.dictionaries if each.target_lang == "ES"] == [2]
        client.replace_multilingual_glossary_dictionary(made, more)
        entries = client.get_multilingual_glossary_entries(made, "EN", "ES").dictionaries[0].entries
        assert str(entries) == "drip tray\tcubeta"
        assert client.update_multilingual_glossary_name(made, "renamed").name == "renamed"
        assert "renamed" in [each.name for each in client.list_multilingual_glossaries()]
        client.delete_multilingual_glossary_dictionary(made, source_lang="EN", target_lang="FR")
        assert len(client.get_multilingual_glossary(made.glossary_id).dictionaries) == 1
    finally:
        client.delete_multilingual_glossary(made)
    with pytest.raises(deepl.GlossaryNotFoundException):
        client.get_multilingual_glossary(made.glossary_id)


def test_items_of_json_and_of_numbered_lists_are_looked_up_one_by_one(client: httpx.Client) -> None:
    def say(content: str, **options: Any) -> list[str]:
        body = {"model": "manual", "messages": [{"role": "user", "content": content}], **options}
        choices = client.post("/v1/chat/completions", json=body).json()["choices"]
        return [choice["message"]["content"] for choice in choices]

    assert say('{"a": "Close the lid.", "n": [1, "Close the lid."]}') == [
        '{"a": "Cierre la tapa.", "n": [1, "Cierre la tapa."]}'
    ]
    assert say("1. Close the lid.\n2. Close the lid.") == ["1. Cierre la tapa.\n2. Cierre la tapa."]
    several = say("Close the green lid.", n=3)
    assert len(several) == len(set(several)) > 1


def test_responses_and_single_models_are_there(client: httpx.Client) -> None:
    body = {"model": "manual", "input": "Translate to Spanish: Close the lid."}
    found = client.post("/v1/responses", json=body).json()
    assert (found["status"], found["output"][0]["content"][0]["text"]) == ("completed", "Cierre la tapa.")
    body["input"] = [{"role": "user", "content": [{"type": "input_text", "text": "Close the lid."}]}]  # type: ignore[assignment]
    assert client.post("/v1/responses", json=body).json()["output"][0]["content"][0]["text"] == "Cierre la tapa."
    assert client.get("/v1/models/manual").json()["id"] == "manual"
    assert client.get("/v1/models/none").status_code == 404


def test_modernmts_account_and_quality_estimation(server: Running) -> None:
    from modernmt import ModernMT

    api = ModernMT("any")
    api._ModernMT__base_url = f"{server.url}/modernmt"
    assert api.me().billingPeriod.chars == 0
    good, bad = (api.qe("en", "es", "Close the lid.", said).score for said in ("Cierre la tapa.", "Buenos días."))
    assert good == 1.0 > bad
