"""The interfaces of other programs, with the clients of those programs where there are any."""

from __future__ import annotations

import gzip
import json
import time
import xmlrpc.client
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import httpx
import pytest
from libretranslatepy import LibreTranslateAPI
from modernmt import ModernMT, ModernMTException

from dragoman.server.compatible.modernmt import import_status
from dragoman.server.jobs import Job
from tests.server.support import Running, make_projects, running

PLACEHOLDERS = "[X12X]", "%s", "%(name)s", "{count}", '<g id="1">', "</g>", "&amp;"


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found


# ── LibreTranslate ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_libretranslate_with_its_client(server: Running) -> None:
    api = LibreTranslateAPI(f"{server.url}/libretranslate")
    assert api.translate("Press the red button.", "en", "es") == "Pulse el botón rojo."
    assert {"code": "en", "name": "English", "targets": ["es", "fr"]} in api.languages()
    assert api.detect("Retire la bandeja que está en la tapa.")[0]["language"] == "es"


def test_libretranslate_learns_what_is_suggested(client: httpx.Client) -> None:
    better = {"q": "Grind the beans.", "s": "Muela los granos.", "source": "en", "target": "es"}
    assert client.post("/libretranslate/suggest", json=better).json() == {"success": True}
    form = {"q": "Grind the beans.", "source": "en", "target": "es"}
    assert client.post("/libretranslate/translate", data=form).json() == {"translatedText": "Muela los granos."}


def test_libretranslate_takes_lists_alternatives_and_guesses(client: httpx.Client) -> None:
    asked = {
        "q": ["Close the lid.", "Open the lid.\nClose the lid."],
        "source": "auto",
        "target": "es",
        "alternatives": 2,
    }
    answer = client.post("/libretranslate/translate", json=asked).json()
    assert answer["translatedText"][0] == "Cierre la tapa."
    assert answer["translatedText"][1] == "Abra la tapa.\nCierre la tapa."
    assert [each["language"] for each in answer["detectedLanguage"]] == ["en", "en"]
    assert len(answer["alternatives"]) == 2
    assert all(len(each) <= 2 for each in answer["alternatives"])
    chosen = client.post("/libretranslate/other/translate", json={"q": "lid", "source": "en", "target": "fr"})
    assert chosen.json() == {"translatedText": "lid"}


@pytest.mark.parametrize("number", ["Infinity", "NaN", "1e999", '"many"', "[1]"])
def test_a_number_that_is_none_is_refused(client: httpx.Client, number: str) -> None:
    body = f'{{"q": "lid", "source": "en", "target": "es", "alternatives": {number}}}'
    assert client.post("/libretranslate/translate", content=body).status_code == 400


def test_libretranslate_answers_what_weblate_tries(client: httpx.Client) -> None:
    asked = {"q": ["test"], "source": "en", "target": "de", "api_key": ""}
    assert client.post("/libretranslate/translate", json=asked).json() == {"translatedText": ["test"]}
    assert client.get("/libretranslate/health").json() == {"status": "ok"}
    assert client.get("/libretranslate/frontend/settings").json()["suggestions"] is True


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"source": "en", "target": "es"}, 400),
        ({"q": "x", "source": "en", "target": "ja"}, 400),
        ({"q": 5, "source": "en", "target": "es"}, 400),
        ({"q": ["x"] * 501, "source": "en", "target": "es"}, 413),
        ({"q": "\ud800", "source": "en", "target": "es"}, 400),
    ],
)
def test_libretranslate_says_what_is_wrong(client: httpx.Client, sent: dict[str, object], status: int) -> None:

    answer = client.post(
        "/libretranslate/translate", content=json.dumps(sent), headers={"content-type": "application/json"}
    )
    assert answer.status_code == status
    assert isinstance(answer.json()["error"], str)


def test_libretranslate_lists_languages_without_a_key_and_with_its_own(guarded: Running, keys: dict[str, str]) -> None:
    def codes(key: str | None, path: str = "") -> list[str]:
        return [each["code"] for each in LibreTranslateAPI(f"{guarded.url}/libretranslate{path}", key).languages()]

    assert codes(None) == ["en", "es", "fr"]
    assert codes(None, "/manual") == codes(None, "/nothing") == codes(None)  # which projects there are is not told
    assert codes(keys["translate"], "/manual") == ["en", "es"]
    assert codes(keys["translate"]) == ["en", "es"]
    api = LibreTranslateAPI(f"{guarded.url}/libretranslate", keys["translate"])
    assert api.translate("Close the lid.", "en", "es") == "Cierre la tapa."
    with pytest.raises(HTTPError):
        codes("wrong")


def test_libretranslate_lists_no_language_as_its_own_target(client: httpx.Client) -> None:
    listed = client.get("/libretranslate/languages").json()
    assert all(each["code"] not in each["targets"] for each in listed)
    assert [each["code"] for each in client.get("/libretranslate/other/languages").json()] == ["en", "fr"]


def test_libretranslate_translates_a_file(guarded: Running, keys: dict[str, str]) -> None:
    form = {"source": "en", "target": "es", "api_key": keys["translate"]}
    with guarded.client() as client:
        sent = {"file": ("guide.html", b"<p>Close the lid.</p>")}
        answer = client.post("/libretranslate/translate_file", data=form, files=sent)
        address = answer.json()["translatedFileUrl"]
        assert address.startswith(f"{guarded.url}/libretranslate/download_file/")
        assert client.get(address).text == "<p>Cierre la tapa.</p>"
        assert client.get(f"{address}x").status_code == 404
        assert client.post("/libretranslate/translate_file", data=form).status_code == 400
        unknown = client.post("/libretranslate/translate_file", data=form, files={"file": ("x.exe", b"x")})
        assert unknown.status_code == 400


def test_libretranslate_describes_itself(client: httpx.Client) -> None:
    found = client.get("/libretranslate/spec").json()
    assert {"/translate", "/languages", "/suggest", "/translate_file"} <= found["paths"].keys()
    assert found["servers"][0]["url"].endswith("/libretranslate")


# ── ModernMT ─────────────────────────────────────────────────────────────────────────────────────────────────────────


TMX = """<?xml version="1.0"?><tmx version="1.4">
<header srclang="en" adminlang="en" segtype="sentence" o-tmf="x" datatype="plaintext" creationtool="x"
 creationtoolversion="1"/><body><tu><tuv xml:lang="en"><seg>Foam the milk.</seg></tuv>
<tuv xml:lang="es"><seg>Espume la leche.</seg></tuv></tu></body></tmx>"""


@pytest.fixture
def modernmt(server: Running) -> ModernMT:
    found = ModernMT("any key")
    found._ModernMT__base_url = f"{server.url}/modernmt"
    return found


def test_modernmt_with_its_client(modernmt: ModernMT) -> None:
    assert modernmt.translate("en", "es", "Press the red button.").translation == "Pulse el botón rojo."
    several = modernmt.translate("en-GB", "es-ES", ["Close the lid.", "Open the lid."], options={"alt_translations": 2})
    assert [each.translation for each in several] == ["Cierre la tapa.", "Abra la tapa."]
    assert modernmt.translate(None, "es", "Close the lid.").detectedLanguage == "en"
    assert modernmt.list_supported_languages() == ["en", "es", "fr"]
    assert modernmt.detect_language("the lid of the tray").detectedLanguage == "en"
    manual = next(memory for memory in modernmt.memories.list() if memory.name == "manual")
    assert modernmt.get_context_vector("en", "es", "the lid") == f"{manual.id}:1.00"
    assert modernmt.translate("en", "es", "Close the lid.", hints=[manual.id]).translation == "Cierre la tapa."


def test_modernmt_memories_learn_and_revise(modernmt: ModernMT, tmp_path: Path) -> None:
    memory = modernmt.memories.create("My Handbook", "a description")
    assert memory.name == "my-handbook"
    assert modernmt.memories.get(memory.id).id == memory.id
    job = modernmt.memories.add(memory.id, "en", "es", "Heat the milk.", "Caliente la leche.", tuid="u1")
    assert job.progress == 1
    assert modernmt.memories.get_import_status(job.id).progress == 1
    hint = [memory.id]
    assert modernmt.translate("en", "es", "Heat the milk.", hints=hint).translation == "Caliente la leche."
    modernmt.memories.replace(memory.id, "u1", "en", "es", "Heat the milk.", "Calienta la leche.")
    modernmt.memories.replace(memory.id, "u2", "en", "es", "Cool the milk.", "Enfría la leche.")
    assert modernmt.translate("en", "es", "Heat the milk.", hints=hint).translation == "Calienta la leche."
    assert modernmt.translate("en", "es", "Cool the milk.", hints=hint).translation == "Enfría la leche."
    with pytest.raises(ModernMTException, match="translates en to es"):
        modernmt.memories.add(memory.id, "en", "fr", "Heat the milk.", "Chauffez le lait.")
    tmx = tmp_path / "memory.tmx"
    tmx.write_text(TMX)
    with tmx.open("rb") as file:
        job = modernmt.memories.import_tmx(memory.id, file)
    while modernmt.memories.get_import_status(job.id).progress < 1:
        time.sleep(0.02)
    assert modernmt.translate("en", "es", "Foam the milk.", hints=hint).translation == "Espume la leche."
    modernmt.memories.delete(memory.id)
    with pytest.raises(ModernMTException) as refused:
        modernmt.memories.get(memory.id)
    assert (refused.value.status, refused.value.type) == (404, "NotFoundException")


def test_modernmt_with_real_verbs(client: httpx.Client) -> None:
    asked = {"q": "Close the lid.", "source": "en", "target": "es"}
    answer = client.get("/modernmt/translate", params=asked).json()
    assert answer["status"] == 200
    assert answer["data"]["translation"] == "Cierre la tapa."
    assert client.get("/modernmt/languages").json()["data"]["en"] == ["es", "fr"]
    wrong = client.get("/modernmt/translate", params=asked | {"target": "ja"})
    assert wrong.json()["error"]["type"] == "InvalidParameterException"


def test_modernmt_forgets_a_pair_whose_unit_has_another_sentence_now(client: httpx.Client) -> None:
    unit = {"source": "en", "target": "es", "tuid": "tank"}
    content, tank = "/modernmt/memories/manual/content", "Llene el depósito."
    client.post(content, json=unit | {"sentence": "Fill the tank.", "translation": tank})
    assert client.put(content, json=unit | {"sentence": "Fill the big tank.", "translation": tank}).status_code == 200
    rows = client.get("/api/v1/projects/manual/corrections", params={"search": "tank"}).json()["corrections"]
    learned = {row["source"] for row in rows if not row["forgotten"]}  # other tests speak of tanks, too
    assert "Fill the big tank." in learned
    assert "Fill the tank." not in learned


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_modernmt_learns_nothing_from_a_unit_that_cannot_be_kept(client: httpx.Client, method: str) -> None:
    pair = {"source": "en", "target": "es", "sentence": "Empty the sink.", "translation": "Vacíe el fregadero."}
    body = json.dumps(pair | {"tuid": "\ud800"})
    answer = client.request(method, "/modernmt/memories/manual/content", content=body)
    assert answer.status_code == 400
    assert not client.get("/api/v1/projects/manual/corrections", params={"search": "sink"}).json()["corrections"]


@pytest.fixture
def weblate(guarded: Running, keys: dict[str, str]) -> Iterator[httpx.Client]:
    """A client that asks ModernMT as Weblate does, with a key that may learn."""
    headers = {"MMT-ApiKey": keys["learn"]}
    with httpx.Client(base_url=f"{guarded.url}/modernmt", headers=headers, timeout=30, trust_env=False) as found:
        yield found


def test_modernmt_answers_what_weblate_tries(weblate: httpx.Client) -> None:
    asked = {"q": "test", "source": "en", "target": "de"}
    assert weblate.get("/translate", params=asked).json()["data"]["translation"] == "test"


def test_modernmt_glossaries_leave_no_memories_behind(weblate: httpx.Client) -> None:
    def names() -> list[str]:
        return [each["name"] for each in weblate.get("/memories").json()["data"]]

    before, title = names(), "weblate:1:en:es:abc0"
    made = [weblate.post("/memories", data={"name": title}).json()["data"] for _ in range(3)][-1]
    assert len(names()) == len(before) + 1
    table = {"csv": b"en,es\r\ndrip tray,cubeta\r\n"}
    added = weblate.post(f"/memories/{made['id']}/glossary", data={"type": "unidirectional"}, files=table)
    assert added.json()["data"]["size"] == 1
    [glossary] = [each for each in weblate.get("/memories").json()["data"] if each["name"] == title]
    asked = {"q": "Clean the drip tray.", "source": "en", "target": "es"}
    with_terms = weblate.get("/translate", params=asked | {"glossaries": glossary["id"]}).json()
    assert "cubeta" in with_terms["data"]["translation"]
    assert "cubeta" not in weblate.get("/translate", params=asked).json()["data"]["translation"]
    assert weblate.delete(f"/memories/{glossary['id']}").status_code == 200
    assert names() == before


def test_modernmt_terms_of_a_project_are_added_to_its_glossary(client: httpx.Client) -> None:
    terms = [{"language": "en", "term": "steam wand"}, {"language": "es", "term": "vaporizador"}]
    assert client.put("/modernmt/memories/manual/glossary", json={"terms": terms}).status_code == 200
    found = client.get("/modernmt/translate", params={"q": "Clean the steam wand.", "source": "en", "target": "es"})
    assert "vaporizador" in found.json()["data"]["translation"]
    wrong = client.post("/modernmt/memories/manual/glossary", files={"csv": b"en,fr\na,b\n"})
    assert wrong.status_code == 400


def matecat(client: httpx.Client, method: str, path: str, **fields: str) -> Any:
    """What MateCat sends: a form that is always posted, with the method in a header."""
    answer = client.post(f"/modernmt{path}", data=fields, headers={"X-HTTP-Method-Override": method})
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def test_matecat_connects_learns_and_uploads_compressed_memories(client: httpx.Client) -> None:
    assert matecat(client, "GET", "/users/me")["status"] == "active"
    [memory] = matecat(client, "POST", "/memories/connect", external_ids="x_mm-abc")
    assert memory["name"] == "x_mm-abc"
    pair = {"source": "en", "target": "es", "sentence": "Warm the cup.", "translation": "Caliente la taza."}
    matecat(client, "POST", "/memories/content", memories="x_mm-abc,x_mm-def", **pair)
    again = {"tuid": "3:1", "session": "s"} | pair | {"translation": "Caliente su taza."}
    matecat(client, "PUT", "/memories/x_mm-abc/content", **again)
    rows = client.get("/api/v1/projects/manual/corrections", params={"search": "Warm the cup"}).json()["corrections"]
    assert [row["target"] for row in rows if not row["forgotten"]] == ["Caliente su taza."]
    upload = {"tmx": ("memory.tmx.gz", gzip.compress(TMX.replace("milk", "cream").encode()))}
    job = client.post("/modernmt/memories/manual/content", data={"compression": "gzip"}, files=upload).json()["data"]
    while matecat(client, "GET", f"/import-jobs/{job['id']}")["progress"] < 1:
        time.sleep(0.02)
    assert matecat(client, "GET", "/translate", q="Foam the cream.", source="en", target="es")["translation"] == (
        "Espume la leche."
    )
    broken = client.post("/modernmt/memories/manual/content", files={"tmx": ("m.gz", b"\x1f\x8bxx")})
    assert broken.status_code == 400


def test_an_import_that_goes_on_is_not_said_to_be_done() -> None:
    read = Job("import", "manual", state="running", done=4, total=4)  # what was read is learned next
    assert import_status(read)["progress"] < 1
    assert import_status(replace(read, state="done"))["progress"] == 1


# ── Moses and Apertium ───────────────────────────────────────────────────────────────────────────────────────────────


def test_moses_with_an_xml_rpc_client(server: Running) -> None:
    with xmlrpc.client.ServerProxy(f"{server.url}/RPC2") as moses:
        answer = moses.translate({"text": "Press the green lid.", "align": "true", "word-align": "true", "nbest": 3})
        assert isinstance(answer, dict)
        assert answer["nbest"][0]["hyp"] == answer["text"]
        assert answer["align"][0].keys() == {"tgt-start", "src-start", "src-end"}
        assert answer["word-align"][0].keys() == {"source-word", "target-word"}
        updated = moses.updater({"source": "Descale it.", "target": "Descalcifíquela.", "alignment": "0-0"})
        assert updated == "Phrase table updated"
        assert moses.translate({"text": "Descale it."}) == {"text": "Descalcifíquela."}
        with pytest.raises(xmlrpc.client.Fault, match="missing"):
            moses.translate({})
        with pytest.raises(xmlrpc.client.Fault, match="no method"):
            moses.optimize({})
    with xmlrpc.client.ServerProxy(f"{server.url}/RPC2/other") as other:
        assert other.translate({"text": "Descale it."}) == {"text": "Descale it."}


def test_apertium(client: httpx.Client) -> None:
    for pair in ("en|es", "eng|spa", "en_GB|es"):
        answer = client.get(
            "/apertium/translate", params={"langpair": pair, "q": "Close the lid.", "markUnknown": "no"}
        )
        assert answer.json()["responseStatus"] == 200
        assert answer.json()["responseData"] == {"translatedText": "Cierre la tapa."}
    assert {"sourceLanguage": "en", "targetLanguage": "es"} in client.get("/apertium/listPairs").json()["responseData"]
    wrong = client.get("/apertium/translate", params={"langpair": "en|ja", "q": "x"})
    assert (wrong.status_code, wrong.json()["responseStatus"]) == (400, 400)
    assert client.get("/apertium/translate", params={"langpair": "en", "q": "x"}).status_code == 400


def test_apertium_writes_json_as_omegat_reads_it(client: httpx.Client) -> None:
    answer = client.get("/apertium/translate", params={"langpair": "en|es", "q": "Close the lid."})
    assert '"translatedText": "Cierre la tapa."' in answer.text
    assert '"responseStatus": 200' in answer.text


# ── All of them ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_placeholders_come_back_intact_through_every_interface(server: Running, client: httpx.Client) -> None:
    text = f"Press the green {' '.join(PLACEHOLDERS)} button."
    languages = {"q": text, "source": "en", "target": "es"}
    moses = xmlrpc.client.ServerProxy(f"{server.url}/RPC2")
    with moses:
        answered = moses.translate({"text": text})
    assert isinstance(answered, dict)
    apertium = client.get("/apertium/translate", params={"langpair": "en|es", "q": text}).json()
    answers = [
        client.post("/libretranslate/translate", json=languages).json()["translatedText"],
        client.get("/modernmt/translate", params=languages).json()["data"]["translation"],
        apertium["responseData"]["translatedText"],
        answered["text"],
        client.post("/api/v1/projects/manual/translations", json={"texts": [text]}).json()["translations"][0]["text"],
    ]
    for answer in answers:
        assert [answer.count(each) for each in PLACEHOLDERS] == [text.count(each) for each in PLACEHOLDERS]


def shape_of(answer: httpx.Response) -> str:
    """Whose errors look like this one."""
    assert answer.is_error
    said = answer.json()
    if said.keys() == {"error"}:
        return "libretranslate" if isinstance(said["error"], str) else "own"
    if said.keys() == {"status", "error"} and said["error"].keys() == {"type", "message"}:
        return "modernmt"
    return "apertium" if said["responseStatus"] == answer.status_code else "none"


@pytest.mark.parametrize("name", ["libretranslate", "modernmt", "apertium"])
def test_all_errors_have_the_shape_that_clients_expect(
    name: str, server: Running, client: httpx.Client, guarded: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = f"/{name}/translate"
    large, foreign = b"x" * (2 << 20), {"Origin": "http://elsewhere.example"}
    refused = {
        413: client.post(place, content=large),
        403: client.get(place, headers=foreign),
        404: client.get(f"/{name}/nothing/at/all"),
        405: client.patch(place),
        400: client.request("GET" if name == "modernmt" else "POST", place, content=b"{"),
    }
    with guarded.client() as stranger:
        refused[401] = stranger.get("/modernmt/memories") if name == "modernmt" else stranger.post(place, json={})
        if name == "modernmt":
            upload = stranger.post("/modernmt/memories/manual/content", files={"tmx": b"<tmx/>"})
            assert shape_of(upload) == name
    monkeypatch.setattr(server.app.state.context.projects, "opened", None)
    pair = {"q": "lid", "source": "en", "target": "es", "langpair": "en|es"}
    refused[500] = client.request("GET" if name == "modernmt" else "POST", place, json=pair)
    assert {status: (answer.status_code, shape_of(answer)) for status, answer in refused.items()} == {
        status: (status, name) for status in refused
    }


@pytest.mark.parametrize("root", ["libretranslate", "modernmt", "apertium"])
def test_each_can_answer_at_the_root(root: str, tmp_path: Path) -> None:
    make_projects(tmp_path)
    with running(tmp_path, root=root) as found:
        if root == "libretranslate":
            assert LibreTranslateAPI(found.url).translate("Close the lid.", "en", "es") == "Cierre la tapa."
        elif root == "modernmt":
            api = ModernMT("any key")
            api._ModernMT__base_url = found.url
            assert api.translate("en", "es", "Close the lid.").translation == "Cierre la tapa."
        with found.client() as client:
            assert client.get("/health").json()["status"] == "ok"
            assert client.head("/health").status_code == 200
            assert shape_of(client.post("/translate", content=b"x" * (2 << 20))) == root
            assert shape_of(client.get("/api/v1/nothing")) == "own"
            if root == "apertium":
                answer = client.get("/translate", params={"langpair": "en|es", "q": "Close the lid."})
                assert answer.json()["responseData"]["translatedText"] == "Cierre la tapa."


# ── OPUS-CAT ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def opus(client: httpx.Client, method: str, **more: str) -> Any:
    """As the plug-ins for Trados Studio and memoQ ask."""
    asked = {"tokenCode": "0", "srcLangCode": "en", "trgLangCode": "es", "modelTag": '""'} | more
    answer = client.get(f"/MtRestService/{method}", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json() if "json" in answer.headers["content-type"] else answer.text


def test_opus_cat_as_its_plug_ins_look_for_languages(client: httpx.Client) -> None:
    assert "en-es" in opus(client, "ListSupportedLanguagePairs")
    assert "manual" in opus(client, "GetLanguagePairModelTags")
    assert "manual, en to es" in opus(client, "CheckModelStatus", modelTag="manual")
    refused = client.get(
        "/MtRestService/TranslateJson", params={"input": "a", "srcLangCode": "en", "trgLangCode": "xx"}
    )
    assert refused.status_code == 400


def test_opus_cat_gives_words_and_their_links(client: httpx.Client) -> None:
    found = opus(client, "TranslateJson", input="Close the lid.")
    assert found["translation"] == found["Translation"] == "Cierre la tapa."
    assert found["SegmentedSourceSentence"] == ["▁Close", "▁the", "▁lid", "."]
    assert found["SegmentedTranslation"] == ["▁Cierre", "▁la", "▁tapa", "."]
    assert "0-0" in found["AlignmentString"].split() and found["SegmentedAlignmentTargetToSource"]["0"] == [0]
    assert opus(client, "Translate", input="Close the lid.") == "Cierre la tapa."
    assert opus(client, "TranslateStream", input="Close the lid.") == "Cierre la tapa."


def test_opus_cat_keeps_the_words_that_stand_for_tags(client: httpx.Client) -> None:
    found = opus(client, "TranslateJson", input="Close TAGPAIRSTART the lid TAGPAIREND . PLACEHOLDER")
    assert found["translation"].count("TAGPAIRSTART ") == found["translation"].count(" TAGPAIREND") == 1
    assert "PLACEHOLDER" in found["translation"] and "<" not in found["translation"]


def test_opus_cat_teaches_with_its_batch_task(client: httpx.Client) -> None:
    asked = {"tokenCode": "0", "srcLangCode": "en", "trgLangCode": "es", "modelTag": "manual"}
    pairs = [{"Source": "Descale the boiler.", "Target": "Descalcifique la caldera."}, {"Source": "", "Target": "x"}]
    job = {"Input": pairs, "Validation": [], "UniqueNewSegments": [], "IncludeTagPairs": False}
    assert client.post("/MtRestService/Customize", params=asked, json=job).status_code == 200
    assert opus(client, "TranslateJson", input="Descale the boiler.")["translation"] == "Descalcifique la caldera."
    assert client.post("/MtRestService/PreOrderBatch", params=asked, json=["Close the lid."]).status_code == 200
    assert client.post("/MtRestService/PreOrderBatch", params=asked, json={"a": 1}).status_code == 400
    assert client.post("/MtRestService/Customize", params=asked, content=b"{").status_code == 400
