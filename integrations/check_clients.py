"""The official clients of DeepL, LibreTranslate, ModernMT and OpenAI against a live server.

python check_clients.py http://127.0.0.1:8765 KEY http://127.0.0.1:9000/results
The last address is one that the server may send results to; they are received there.
"""

from __future__ import annotations

import sys
import tempfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import version
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit

import deepl
from libretranslatepy import LibreTranslateAPI
from modernmt import ModernMT
from openai import OpenAI

SOURCE, TARGET = "Press the red button.", "Pulse el botón rojo."


def check_deepl(url: str, key: str) -> None:
    """Translate, with tags, with a glossary; documents; usage; languages."""
    translator = deepl.Translator(key, server_url=url)
    assert translator.translate_text(SOURCE, target_lang="ES").text == TARGET
    marked = translator.translate_text(
        'Press <x id="5"></x> the <b>red button</b> &amp; wait.',
        source_lang="EN",
        target_lang="ES",
        tag_handling="xml",
        ignore_tags=["x"],
    ).text
    assert '<x id="5"></x>' in marked and "<b>" in marked and "</b>" in marked, marked
    made = translator.create_glossary("terms", "EN", "ES", {"drip tray": "cubeta"})
    assert (
        "cubeta"
        in translator.translate_text("Empty the drip tray.", source_lang="EN", target_lang="ES", glossary=made).text
    )
    assert made.glossary_id in [each.glossary_id for each in translator.list_glossaries()]
    check_documents(translator, made)
    translator.delete_glossary(made)
    assert made.glossary_id not in [each.glossary_id for each in translator.list_glossaries()]
    assert not translator.get_usage().any_limit_reached
    assert {"ES", "FR"} <= {each.code for each in translator.get_target_languages()}


def check_documents(translator: deepl.Translator, glossary: deepl.GlossaryInfo) -> None:
    """Upload a web page, wait, download it; with a glossary, and through files as the client's command does."""
    page = f"<p>{SOURCE}</p><p>Empty the <b>drip tray</b>.</p>"
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "page.html"), Path(folder, "page.es.html")
        before.write_text(page, encoding="utf-8")
        status = translator.translate_document_from_filepath(
            before, after, source_lang="EN", target_lang="ES", glossary=glossary
        )
        assert status.done
        found = after.read_text(encoding="utf-8")
    assert f"<p>{TARGET}</p>" in found and "<b>" in found and "cubeta" in found, found


def check_libretranslate(url: str, key: str) -> None:
    """Translate, languages with and without a key, detect."""
    api = LibreTranslateAPI(f"{url}/libretranslate", key)
    assert api.translate(SOURCE, "en", "es") == TARGET
    assert {each["code"] for each in api.languages()} == {"en", "es", "fr"}
    assert LibreTranslateAPI(f"{url}/libretranslate").languages()
    assert api.detect(SOURCE)[0]["language"] == "en"
    try:
        LibreTranslateAPI(f"{url}/libretranslate").translate(SOURCE, "en", "es")
    except HTTPError as error:
        assert error.code == 401
    else:
        raise AssertionError("translated without a key")


def check_modernmt(url: str, key: str) -> None:
    """Translate, memories, learn, the account, quality, and a batch whose result is sent to us."""
    api = ModernMT(key)
    api._ModernMT__base_url = f"{url}/modernmt"
    assert api.translate("en", "es", SOURCE).translation == TARGET
    [memory] = [each for each in api.memories.list() if each.name == "manual"]
    api.memories.add(memory.id, "en", "es", "Grind the beans.", "Muela los granos.")
    assert api.translate("en", "es", "Grind the beans.").translation == "Muela los granos."
    assert api.me().status == "active"
    assert api.qe("en", "es", SOURCE, TARGET).score == 1
    check_batch(api)


def check_batch(api: ModernMT) -> None:
    """Send a batch, receive its result, and have the client check the signature."""
    address, got = sys.argv[3], list[tuple[str, str]]()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            got.append((body, self.headers["X-ModernMT-Signature"]))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", urlsplit(address).port or 80), Receiver) as server:
        server.timeout = 60
        assert api.batch_translate(f"{address}/7", "en", "es", [SOURCE], options={"metadata": {"page": 7}})
        server.handle_request()
    [translation], metadata = api.handle_callback(*got[0])
    assert (translation.translation, metadata) == (TARGET, {"page": 7})


def check_openai(url: str, key: str) -> None:
    """Models, and a chat that translates."""
    api = OpenAI(api_key=key, base_url=f"{url}/v1")
    assert "manual" in [each.id for each in api.models.list()]
    asked = [{"role": "user", "content": f"Translate to Spanish: {SOURCE}"}]
    assert api.chat.completions.create(model="manual", messages=asked).choices[0].message.content == TARGET


if __name__ == "__main__":
    for name, check in (
        ("deepl", check_deepl),
        ("libretranslatepy", check_libretranslate),
        ("modernmt", check_modernmt),
        ("openai", check_openai),
    ):
        check(*sys.argv[1:3])
        print(f"{name} {version(name)}: passed")
