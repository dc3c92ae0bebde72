"""Our own interface, over HTTP, with a real client."""

from __future__ import annotations

import json
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from xmlrpc.client import Fault, ServerProxy

import httpx
import pytest

from dragoman.engine import Engine
from dragoman.errors import StorageError
from dragoman.server import jobs
from dragoman.server.registry import ProjectRegistry
from dragoman.server.workers import FairQueue
from tests.server.support import Running, running
from tests.store.replicas import until

API = "/api/v1/projects/manual"


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found


def learn(client: httpx.Client, source: str, target: str, **more: Any) -> int:
    answer = client.post(f"{API}/corrections", json={"source": source, "target": target} | more)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def test_projects_are_listed_made_and_put_aside(client: httpx.Client, server: Running) -> None:
    assert {each["name"] for each in client.get("/api/v1/projects").json()} >= {"manual", "other"}
    assert client.get(API).json()["role"] == "admin"
    made = client.post("/api/v1/projects", json={"name": "fresh", "source": "en", "target": "de", "sample": True})
    assert (made.status_code, made.json()["revision"]) == (201, 0)
    assert client.get("/api/v1/projects/fresh/documents").json()[0]["states"]["new"] > 100
    assert client.post("/api/v1/projects", json=made.json() | {}).status_code == 422
    again = client.post("/api/v1/projects", json={"name": "fresh", "source": "en", "target": "de"})
    assert again.status_code == 409
    assert client.delete("/api/v1/projects/fresh").status_code == 204
    assert client.get("/api/v1/projects/fresh").status_code == 404
    assert not (server.folder / "fresh").exists()
    assert list((server.folder / ".deleted").iterdir())


def test_a_project_that_others_stand_on_is_not_deleted(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "general", source="en", target="es") as engine:
        engine.train([("green button", "botón verde"), ("red lid", "tapa roja"), ("the red button", "el botón rojo")])
    languages = {"source": "en", "target": "es"}
    with running(tmp_path) as server, server.client() as client:
        client.post("/api/v1/projects", json={"name": "client", "base": "general"} | languages)
        client.post("/api/v1/projects", json={"name": "above", "base": "client"} | languages)
        for refused in (client.delete("/api/v1/projects/general"), client.delete("/modernmt/memories/general")):
            assert refused.status_code == 409
            assert "the base of client, above" in refused.text
        assert client.get("/api/v1/projects/general").status_code == 200
        for name in ("client", "above", "general"):
            assert client.delete(f"/api/v1/projects/{name}").status_code == 204


def test_a_project_that_is_deleted_meanwhile_is_not_there_and_leaves_no_jobs(
    client: httpx.Client, server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted, place = {"name": "brief", "source": "en", "target": "es"}, "/api/v1/projects/brief"
    client.post("/api/v1/projects", json=wanted)
    assert client.post(f"{place}/imports?name=page.txt", content=b"Close the lid.").status_code == 202
    begun, waiting, delete = threading.Event(), threading.Event(), ProjectRegistry.delete

    class WatchedQueue(FairQueue):
        async def enter(self, client: str, size: int = 0, group: str = "") -> None:
            if begun.is_set():
                waiting.set()
            await super().enter(client, size, group)

    def slowly(projects: ProjectRegistry, name: str) -> None:
        begun.set()
        assert waiting.wait(30)
        delete(projects, name)

    server.app.state.context.projects.get("brief").writing = WatchedQueue(1, 1, 10, 10)

    monkeypatch.setattr(ProjectRegistry, "delete", slowly)
    deleting = threading.Thread(target=httpx.delete, args=[f"{server.url}{place}"], kwargs={"trust_env": False})
    deleting.start()
    begun.wait()
    answer = client.post(f"{place}/corrections", json={"source": "Close the lid.", "target": "Cierre la tapa."})
    deleting.join()
    assert (answer.status_code, answer.json()["error"]["what"]) == (404, "project 'brief' was deleted")
    assert client.post("/api/v1/projects", json=wanted).status_code == 201
    assert client.get(f"{place}/jobs").json() == []
    client.delete(place)


def test_a_project_that_somebody_else_has_open_is_not_the_fault_of_whoever_asks(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    writing = Engine.create(tmp_path / "manual", source="en", target="es")
    with writing, running(tmp_path) as found, found.client() as client:
        answer = client.get(API)
        assert client.get("/ready").json()["problems"] == 1
        with ServerProxy(f"{found.url}/RPC2") as moses, pytest.raises(Fault, match="'manual' cannot be opened"):
            moses.translate({"text": "Close the lid."})
    assert answer.status_code == 503
    assert "'manual' cannot be opened: is open for writing by process" in answer.json()["error"]["what"]
    (said,) = {record.levelname for record in caplog.records if record.message == "not opened"}
    assert said == "WARNING"  # so that `dragoman workbench` says it, too


def test_a_project_that_cannot_be_opened_is_listed_with_its_problem(tmp_path: Path) -> None:
    writing = Engine.create(tmp_path / "manual", source="en", target="es")
    Engine.create(tmp_path / "other", source="en", target="fr").close()
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "project.json").write_text("{")
    pair = {"q": "Close the lid.", "source": "en", "target": "es"}
    with closing(writing), running(tmp_path) as found, found.client() as client:
        opened, *others = client.get("/api/v1/projects").json()
        assert opened["name"] == "other"
        assert [(each["name"], each["source"], each["role"]) for each in others] == [
            ("damaged", None, "admin"),
            ("manual", "en", "admin"),
        ]
        problem = others[1]["problem"]
        assert "is open for writing by process" in problem["what"]
        for answer in (
            client.post("/libretranslate/translate", json=pair),
            client.get("/modernmt/translate", params=pair),
            client.get("/apertium/translate", params={"q": pair["q"], "langpair": "en|es"}),
        ):
            assert answer.status_code == 503
            assert f"'manual' cannot be opened: {problem['what']}" in json.dumps(answer.json())
        assert client.post("/libretranslate/translate", json=pair | {"target": "ja"}).status_code == 400
        assert client.post("/libretranslate/other/translate", json=pair).status_code == 400
        writing.close()
        assert client.post("/libretranslate/translate", json=pair).status_code == 200  # it can be opened now
        assert [each["name"] for each in client.get("/api/v1/projects").json()] == ["manual", "other", "damaged"]


def test_translations_say_how_they_came_about(client: httpx.Client) -> None:
    wanted = {"texts": ["Press the green button.", "Press the green lid.", ""], "n": 3, "memory": True}
    answer = client.post(f"{API}/translations", json=wanted | {"confidence": True, "provenance": True}).json()
    assert answer["revision"] >= 6
    known, new, empty = answer["translations"]
    assert known["text"] == "Pulse el botón verde."
    assert known["memory"] == 1
    assert known["confidence"] == 1
    assert new["memory"] is None
    assert 1 <= len(new["nbest"]) <= 3
    assert new["nbest"][0]["text"] == new["text"]
    assert len(new["word_confidences"]) == len(new["target_tokens"])
    assert all(0 <= each <= 1 for each in new["word_confidences"])
    assert all(phrase["corrections"] for phrase in new["phrases"] if phrase["kind"] == "phrase")
    tokens = [new["text"][token["start"] : token["end"]] for token in new["target_tokens"]]
    assert "".join(tokens) == new["text"].replace(" ", "")
    assert {j for j, _ in new["alignment"]} <= set(range(len(new["source_tokens"])))
    assert empty["text"] == ""


def test_a_translation_of_too_little_confidence_is_withheld(client: httpx.Client) -> None:
    wanted = {"texts": ["Press the green button.", "Grease every sprocket."], "least_confidence": 0.9}
    known, unknown = client.post(f"{API}/translations", json=wanted).json()["translations"]
    assert (known["text"], known["withheld"]) == ("Pulse el botón verde.", False)
    assert (unknown["text"], unknown["target_tokens"], unknown["withheld"]) == ("", [], True)
    assert unknown["confidence"] < 0.9
    assert client.post(f"{API}/translations", json=wanted | {"least_confidence": 2}).status_code == 422


def test_a_text_is_translated_line_by_line(client: httpx.Client) -> None:
    text = "\nOpen the lid.\r\n\r\n\tClose the lid!\tRemove the drip tray.\n"
    wanted = {"texts": [text], "n": 3, "confidence": True, "provenance": True}
    found = client.post(f"{API}/translations", json=wanted).json()["translations"][0]
    assert found["text"] == "\nAbra la tapa.\r\n\r\n\tCierre la tapa!\tRetire la bandeja de goteo.\n"
    source, target = (
        [text[t["start"] : t["end"]] for t in found[f"{side}_tokens"]]
        for side, text in (("source", text), ("target", found["text"]))
    )
    assert source[-5:] == ["Remove", "the", "drip", "tray", "."]
    assert target[-6:] == ["Retire", "la", "bandeja", "de", "goteo", "."]
    assert found["alignment"][-1] == [len(source) - 1, len(target) - 1]
    assert found["phrases"][-1]["source"][1] == len(source)
    assert found["phrases"][-1]["target"][1] == len(target)
    assert found["phrases"][-1]["corrections"]
    assert len(found["word_confidences"]) == len(target)
    assert found["word_confidences"][0] == 1.0
    texts = [one["text"] for one in found["nbest"]]
    assert texts[0] == found["text"]
    assert len(set(texts)) == len(texts) > 1
    assert {one.count("\n") for one in texts} == {4}
    assert found["memory"] is None
    assert found["matches"] == []


def test_a_correction_is_learned_revised_forgotten_and_listed(client: httpx.Client) -> None:
    number = learn(client, "Wipe the steam wand.", "Limpie el tubo.", user="ana")
    new = client.put(f"{API}/corrections/{number}", json={"target": "Limpie la varilla."}).json()["id"]
    found = client.post(f"{API}/translations", json={"texts": ["Wipe the steam wand."]}).json()
    assert found["translations"][0]["text"] == "Limpie la varilla."
    assert found["revision"] >= new
    listed = client.get(f"{API}/corrections", params={"search": "steam wand"}).json()["corrections"]
    assert [(row["id"], row["forgotten"], row["user"]) for row in listed] == [(new, False, None), (number, True, "ana")]
    assert client.delete(f"{API}/corrections/{new}").status_code == 200
    assert client.delete(f"{API}/corrections/{new}").status_code == 409
    assert client.delete(f"{API}/corrections/999999").status_code == 404


def test_a_correction_sent_again_is_learned_once(client: httpx.Client) -> None:
    pair = "Empty the drip tray.", "Vacíe la bandeja."
    number = learn(client, *pair, once=True)
    assert learn(client, *pair, once=True) == number
    assert learn(client, *pair) > number


def test_learning_in_flight_is_finished_when_the_client_disconnects(
    client: httpx.Client, server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = server.app.state.context.projects.get("manual").engine
    begun, gone, learn = threading.Event(), threading.Event(), engine.learn

    def slowly(*pair: str, **options: Any) -> int:
        begun.set()
        assert gone.wait(30)
        return int(learn(*pair, **options))

    monkeypatch.setattr(engine, "learn", slowly)
    source = "Replace the water filter every month."
    body = json.dumps({"source": source, "target": "Cambie el filtro cada mes."}).encode()
    head = f"POST {API}/corrections HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + body)
        assert begun.wait(30)
    gone.set()

    def learned() -> list[Any]:
        found = client.get(f"{API}/corrections", params={"search": source}).json()
        return list(found["corrections"])

    until(lambda: bool(learned()))
    assert len(learned()) == 1


def test_what_looks_like_a_mistake_is_kept_and_refused(client: httpx.Client) -> None:
    copied = {"source": "Clean the small filter.", "target": "Clean the small filter."}
    answer = client.post(f"{API}/corrections", json=copied)
    assert answer.status_code == 409
    assert "copy" in answer.json()["error"]["reason"]
    assert client.post(f"{API}/corrections", json=copied | {"force": True}).status_code == 201


def test_glossary_takes_effect_at_once(client: httpx.Client) -> None:
    assert client.put(f"{API}/glossary", json={"source": "lid", "target": "cubierta"}).status_code == 204
    assert {"source": "lid", "target": "cubierta"} in client.get(f"{API}/glossary").json()["terms"]
    wanted = {"texts": ["Press the lid."], "memory": False}
    assert "cubierta" in client.post(f"{API}/translations", json=wanted).json()["translations"][0]["text"]
    assert client.delete(f"{API}/glossary", params={"source": "lid"}).status_code == 204
    assert client.delete(f"{API}/glossary", params={"source": "lid"}).status_code == 404


def test_concordance_tells_where_a_text_stands(client: httpx.Client) -> None:
    hits = client.get(f"{API}/concordance", params={"text": "BUTTON", "limit": 2}).json()["hits"]
    assert len(hits) == 2
    assert all(hit["source"][slice(*place)].lower() == "button" for hit in hits for place in hit["in_source"])


def test_concordance_finds_corrections_in_force_behind_forgotten_ones(client: httpx.Client) -> None:
    kept = learn(client, "Unplug the grinder.", "Desenchufe el molinillo.")
    for n in range(9):
        number = learn(client, f"Unplug the grinder {n} times.", f"Desenchufe el molinillo {n} veces.")
        client.delete(f"{API}/corrections/{number}")
    hits = client.get(f"{API}/concordance", params={"text": "grinder", "limit": 2}).json()["hits"]
    assert [hit["id"] for hit in hits] == [kept]


def test_the_number_of_a_change_that_no_database_can_hold_is_refused(client: httpx.Client) -> None:
    document = client.post(f"{API}/documents", json={"name": "page", "segments": [{"source": "Lid."}]}).json()["id"]
    refused = client.post(f"{API}/documents/{document}/undo", json={"change": 2**63})
    assert refused.status_code == 422, refused.text


def test_segments_are_drafted_confirmed_and_undone(client: httpx.Client) -> None:
    texts = ["Fill the water tank.", "Empty the water tank."]
    document = client.post(f"{API}/documents", json={"name": "page", "segments": [{"source": text} for text in texts]})
    place = f"{API}/documents/{document.json()['id']}"
    one = client.put(f"{place}/segments/1", json={"target": "Llene", "state": "translated", "version": 1}).json()
    assert (one["state"], one["version"]) == ("translated", 2)
    late = client.put(f"{place}/segments/1", json={"target": "Rellene", "state": "translated", "version": 1})
    assert late.status_code == 409
    done = {"target": "Llene el depósito de agua.", "state": "confirmed", "suggestion": "Llene el", "key_strokes": 9}
    learned = client.put(f"{place}/segments/1", json=done).json()
    again = client.put(f"{place}/segments/1", json=done).json()
    assert learned == again  # a client that got no answer may send the same again
    assert learned["edits"] == 3
    better = client.put(f"{place}/segments/1", json=done | {"target": "Llene el depósito."}).json()
    assert better["correction"] > learned["correction"]
    statistics = client.get(f"{API}/statistics").json()
    assert statistics["effort"]["key_strokes"] >= 9
    assert statistics["effort"]["ksmr"] > 0
    assert client.delete(f"{API}/corrections/{better['correction']}").status_code == 200
    undone = client.get(f"{place}/segments/1").json()
    assert (undone["state"], undone["correction"]) == ("translated", None)
    listed = client.get(f"{place}/segments", params={"state": "new", "search": "EMPTY"}).json()
    assert [segment["number"] for segment in listed["segments"]] == [2]
    assert listed["document"]["states"] == {"new": 1, "translated": 1, "confirmed": 0, "locked": 0}
    assert client.delete(place).status_code == 204
    assert client.get(place).status_code == 404


MANY = "lid " * 600


@pytest.mark.parametrize(
    ("source", "target", "why"),
    [
        (MANY, "tapa " * 600, "the source has 600 words"),
        ("Lid.", "tapa " * 600, "the target has 600 words"),
        (" \t ", "", "the source has 0 words"),
    ],
)
def test_what_cannot_be_learned_is_confirmed_without(client: httpx.Client, source: str, target: str, why: str) -> None:
    segments = [{"source": source}, {"source": "Shut the lid."}]
    document = client.post(f"{API}/documents", json={"name": "long", "segments": segments}).json()["id"]
    place, before = f"{API}/documents/{document}", client.get(API).json()["revision"]
    done = {"target": target, "state": "confirmed", "version": 1}
    confirmed = client.put(f"{place}/segments/1", json=done)
    assert confirmed.status_code == 200, confirmed.text
    given = confirmed.json()
    assert (given["state"], given["correction"], given["unlearned"]) == ("confirmed", None, why)
    assert client.put(f"{place}/segments/1", json=done).json() == given  # sent again, since no answer came
    learned = client.put(f"{place}/segments/2", json={"target": "Cierre la tapa.", "state": "confirmed"}).json()
    assert (learned["unlearned"], learned["correction"]) == (None, before + 1)
    assert client.get(place).json()["states"]["confirmed"] == 2
    exported = finished(client, client.post(f"{place}/export").json())
    lines = client.get(f"{API}/jobs/{exported['id']}/result").text.split("\n")
    left_out = [each["segment"] for each in exported["left_out"]]
    assert left_out == [1] if "\t" in source else lines[0].endswith(f"\t{target}")
    draft = client.put(f"{place}/segments/1", json={"target": target, "state": "translated"}).json()
    assert (draft["state"], draft["unlearned"]) == ("translated" if target else "new", None)
    assert client.put(f"{place}/segments/1", json=done | {"version": draft["version"]}).json()["unlearned"] == why
    assert client.get(API).json()["revision"] == before + 1


def test_what_was_learned_is_forgotten_when_its_segment_gets_what_cannot_be(client: httpx.Client) -> None:
    segments = [{"source": "Shut the small lid."}]
    document = client.post(f"{API}/documents", json={"name": "long", "segments": segments}).json()["id"]
    place = f"{API}/documents/{document}/segments/1"
    learned = client.put(place, json={"target": "Cierre la tapita.", "state": "confirmed"}).json()
    given = client.put(place, json={"target": "tapa " * 600, "state": "confirmed"}).json()
    assert (given["state"], given["correction"], given["target"]) == ("confirmed", None, "tapa " * 600)
    assert client.get(f"{API}/corrections/{learned['correction']}").json()["forgotten"]
    again = client.put(place, json={"target": "Cierre la tapita.", "state": "confirmed"}).json()
    assert again["correction"] > learned["correction"]


def test_a_segment_that_is_not_translated_is_not_confirmed(client: httpx.Client) -> None:
    segments = [{"source": "Shut the lid."}, {"source": MANY}]
    document = client.post(f"{API}/documents", json={"name": "page", "segments": segments}).json()["id"]
    for number in (1, 2):
        place = f"{API}/documents/{document}/segments/{number}"
        refused = client.put(place, json={"target": " ", "state": "confirmed"})
        assert (refused.status_code, refused.json()["error"]["what"]) == (400, "the target is empty")


@contextmanager
def full(server: Running) -> Iterator[None]:
    """A disk that has no room left at the worst moment: what was learned from a segment cannot be written beside it."""
    with sqlite3.connect(server.folder / "manual" / "documents.db") as database:
        refuse = "BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
        database.execute(f"CREATE TRIGGER full BEFORE UPDATE OF correction ON segments {refuse}")
        database.commit()
        try:
            yield
        finally:
            database.execute("DROP TRIGGER full")
    database.close()


@pytest.mark.parametrize("begun", ["new", "confirmed"])
@pytest.mark.parametrize("again", ["Retire la bandeja.", "Quite la bandeja."])
def test_what_could_not_be_written_beside_its_segment_is_learned_once(
    client: httpx.Client, server: Running, begun: str, again: str
) -> None:
    source = f"Remove the tray that is {begun} {again.split()[0]}."
    document = client.post(f"{API}/documents", json={"name": "page", "segments": [{"source": source}]}).json()["id"]
    place = f"{API}/documents/{document}/segments/1"
    if begun == "confirmed":
        assert client.put(place, json={"target": "Saque la bandeja.", "state": "confirmed"}).status_code == 200
    done = {"target": "Retire la bandeja.", "state": "confirmed", "version": client.get(place).json()["version"]}
    with full(server):
        assert client.put(place, json=done).status_code == 503
    segment = client.put(place, json=done | {"target": again, "key_strokes": 3}).json()
    assert (segment["target"], segment["state"], segment["key_strokes"]) == (again, "confirmed", 3)
    rows = client.get(f"{API}/corrections", params={"search": source}).json()["corrections"]
    assert [(row["id"], row["target"]) for row in rows if not row["forgotten"]] == [(segment["correction"], again)]
    assert [row["target"] for row in rows].count("Retire la bandeja.") == 1
    assert client.put(place, json={"target": again, "state": "translated"}).json()["correction"] is None
    rows = client.get(f"{API}/corrections", params={"search": source}).json()["corrections"]
    assert all(row["forgotten"] for row in rows)


def test_segments_are_drafts_again_when_an_old_copy_of_the_journal_is_brought_back(tmp_path: Path) -> None:
    Engine.create(tmp_path / "manual", source="en", target="es").close()
    sources = [f"Close the {each} lid." for each in ("first", "second", "third")]
    unit = {"source": "en", "target": "es", "sentence": "Open the lid.", "translation": "Abra la tapa.", "tuid": "7"}
    with running(tmp_path) as found, found.client() as client:
        segments = [{"source": source} for source in sources]
        document = client.post(f"{API}/documents", json={"name": "lids", "segments": segments}).json()["id"]
        place = f"{API}/documents/{document}/segments"
        client.put(f"{place}/1", json={"target": "Cierre la primera tapa.", "state": "confirmed"})
        _copy(tmp_path / "manual" / "journal.db", tmp_path / "copy.db")
        client.put(f"{place}/2", json={"target": "Cierre la segunda tapa.", "state": "confirmed"})
        client.post("/modernmt/memories/manual/content", json=unit)
    (tmp_path / "copy.db").replace(tmp_path / "manual" / "journal.db")
    (tmp_path / "manual" / "journal.db.head").unlink()
    with running(tmp_path) as found, found.client() as client:
        states = [each["state"] for each in client.get(place).json()["segments"]]
        assert states == ["confirmed", "translated", "new"]
        for number, target in ((3, "Cierre la tercera tapa."), (2, "Cierre la tapa segunda.")):
            assert client.put(f"{place}/{number}", json={"target": target, "state": "confirmed"}).status_code == 200
        assert client.put("/modernmt/memories/manual/content", json=unit).status_code == 200
        rows = client.get(f"{API}/corrections").json()["corrections"]
    assert {row["source"]: row["target"] for row in rows if not row["forgotten"]} == {
        sources[0]: "Cierre la primera tapa.",
        sources[1]: "Cierre la tapa segunda.",
        sources[2]: "Cierre la tercera tapa.",
        "Open the lid.": "Abra la tapa.",
    }


def _copy(journal: Path, to: Path) -> None:
    with closing(sqlite3.connect(journal)) as connection, closing(sqlite3.connect(to)) as copy:
        connection.backup(copy)


def test_a_correction_of_somebody_else_is_not_taken_for_a_segments_own(
    client: httpx.Client, server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = "Shake the milk well.", "Agite bien la leche."
    document = client.post(f"{API}/documents", json={"name": "page", "segments": [{"source": source}] * 2}).json()["id"]
    place, done = f"{API}/documents/{document}/segments", {"target": target, "state": "confirmed"}

    def fail(*_: object, **__: object) -> int:
        raise StorageError("the journal cannot be written")

    with monkeypatch.context() as patched:
        patched.setattr(server.app.state.context.projects.get("manual").engine, "learn", fail)
        assert client.put(f"{place}/1", json=done).status_code == 503
    other = client.put(f"{place}/2", json=done).json()["correction"]
    assert client.put(f"{place}/1", json=done).json()["correction"] > other


def finished(client: httpx.Client, job: dict[str, Any]) -> dict[str, Any]:
    while job["state"] in ("waiting", "running"):
        time.sleep(0.02)
        job = client.get(f"{API}/jobs/{job['id']}").json()
    return job


def test_a_document_is_translated_and_exported_by_jobs(client: httpx.Client) -> None:
    segments = [{"source": f"Press the green button {n} times."} for n in range(45)]
    document = client.post(f"{API}/documents", json={"name": "page", "segments": segments}).json()["id"]
    job = finished(client, client.post(f"{API}/documents/{document}/translate").json())
    assert (job["state"], job["done"], job["total"]) == ("done", 45, 45)
    exported = finished(client, client.post(f"{API}/documents/{document}/export").json())
    result = client.get(f"{API}/jobs/{exported['id']}/result")
    first = result.content.decode().splitlines()[0]
    assert first.startswith("Press the green button 0 times.\tPulse el botón verde")
    assert client.get(f"{API}/jobs/{job['id']}/result").status_code == 409
    assert client.get(f"{API}/jobs/nothing").status_code == 404
    assert len(client.get(f"{API}/jobs").json()) >= 2


def test_a_document_without_a_file_is_exported_as_pairs_that_an_import_reads_back(client: httpx.Client) -> None:
    sources = ["C:\\temp\\new", "a\ttab", "\\\\server", "two\nlines", "a\\"]
    segments = [{"source": source, "target": f"¡{source}!"} for source in sources]
    document = client.post(f"{API}/documents", json={"name": "paths", "segments": segments}).json()["id"]
    exported = finished(client, client.post(f"{API}/documents/{document}/export").json())
    assert [(each["segment"], "contains a" in each["what"]) for each in exported["left_out"]] == [(2, True), (4, True)]
    result = client.get(f"{API}/jobs/{exported['id']}/result").content
    again = finished(client, client.post(f"{API}/imports", params={"name": "paths.tsv"}, content=result).json())
    read = client.get(f"{API}/documents/{again['document']}/segments").json()["segments"]
    assert [(one["source"], one["target"]) for one in read] == [
        (source, f"¡{source}!") for source in sources if not {"\t", "\n"} & set(source)
    ]


def test_line_breaks_and_tags_of_a_document_are_kept(client: httpx.Client) -> None:
    def targets(document: int) -> list[str]:
        assert finished(client, client.post(f"{API}/documents/{document}/translate").json())["state"] == "done"
        segments = client.get(f"{API}/documents/{document}/segments").json()["segments"]
        return [segment["target"] for segment in segments]

    sent = {"name": "page", "segments": [{"source": "Open the lid.\nClose the lid.\n"}]}
    assert targets(client.post(f"{API}/documents", json=sent).json()["id"]) == ["Abra la tapa.\nCierre la tapa.\n"]
    po = rb'msgid "Open the lid.\nClose the lid.\n"' + b'\nmsgstr ""\n'
    imported = finished(client, client.post(f"{API}/imports", params={"name": "a.po"}, content=po).json())
    assert targets(imported["document"]) == ["Abra la tapa.\nCierre la tapa.\n"]


@pytest.fixture
def interfering(server: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Somebody changes a segment just after a job has looked which there are."""
    documents = server.app.state.context.projects.get("manual").documents
    look = documents.segments

    def interfere(number: int, **change: Any) -> None:
        def segments(document: int, **which: Any) -> Any:
            found = look(document, **which)
            changed = client.put(f"{API}/documents/{document}/segments/{number}", json=change)
            assert changed.status_code == 200, changed.text
            return found

        monkeypatch.setattr(documents, "segments", segments)

    return interfere


def test_what_is_edited_while_a_document_is_translated_stays(
    client: httpx.Client, interfering: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    segments = [{"source": f"Press the red button {n} times."} for n in range(45)]
    document = client.post(f"{API}/documents", json={"name": "page", "segments": segments}).json()["id"]
    interfering(7, target="Pulse siete veces.", state="translated")
    job = finished(client, client.post(f"{API}/documents/{document}/translate").json())
    assert (job["state"], job["done"], job["total"]) == ("done", 45, 45)
    assert [each["segment"] for each in job["left_out"]] == [7]
    monkeypatch.undo()
    listed = client.get(f"{API}/documents/{document}/segments").json()["segments"]
    assert [one["target"] for one in listed if one["number"] == 7] == ["Pulse siete veces."]
    assert {one["state"] for one in listed} == {"translated"}


def test_what_is_confirmed_while_a_file_is_learned_stays(
    client: httpx.Client, interfering: Callable[..., None]
) -> None:
    texts = "".join(f"Open the cover number {n}.\tAbra la cubierta {n}.\n" for n in range(1, 61))
    interfering(55, target="Abra la tapa número 55.", state="confirmed")
    sent = client.post(f"{API}/imports", params={"name": "m.tsv", "learn": True}, content=texts.encode())
    job = finished(client, sent.json())
    assert (job["state"], [each["segment"] for each in job["left_out"]]) == ("done", [55])
    rows = client.get(f"{API}/corrections", params={"search": "the cover number", "limit": 100}).json()["corrections"]
    assert len(rows) == 60
    assert [row["target"] for row in rows if "number 55." in row["source"]] == ["Abra la tapa número 55."]


def test_a_job_that_runs_can_be_asked_for_whatever_else_is_done(
    server: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = client.post(f"{API}/documents", json={"name": "page", "segments": [{"source": "Lid."}]}).json()["id"]
    going_on, engine = threading.Event(), server.app.state.context.projects.get("manual").engine
    translate = engine.translate

    def wait(text: str, **options: Any) -> Any:
        going_on.wait(30)
        return translate(text, **options)

    monkeypatch.setattr(jobs, "KEPT", 3)
    monkeypatch.setattr(engine, "translate", wait)
    running_job = client.post(f"{API}/documents/{document}/translate").json()
    others = [finished(client, client.post(f"{API}/documents/{document}/export").json())["id"] for _ in range(5)]
    assert client.get(f"{API}/jobs/{running_job['id']}").json()["state"] == "running"
    assert client.get(f"{API}/jobs/{others[0]}").status_code == 404
    going_on.set()
    assert finished(client, running_job)["state"] == "done"


XLIFF = """<?xml version="1.0" encoding="utf-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
 <file original="a" source-language="en" target-language="es" datatype="plaintext"><body>
  <trans-unit id="1"><source>Press the <g id="1">green</g> button.</source></trans-unit>
  <trans-unit id="2"><source>Tighten the screw.</source><target state="final">Apriete el tornillo.</target></trans-unit>
  <trans-unit id="3"><source>Loosen the screw.</source></trans-unit>
 </body></file>
</xliff>
"""


def test_a_file_comes_back_with_its_targets_filled_in(client: httpx.Client) -> None:
    sent = client.post(f"{API}/imports", params={"name": "page.xlf", "learn": True}, content=XLIFF.encode())
    assert sent.status_code == 202
    job = finished(client, sent.json())
    assert (job["state"], job["total"], job["left_out"]) == ("done", 1, [])
    place = f"{API}/documents/{job['document']}"
    states = [segment["state"] for segment in client.get(f"{place}/segments").json()["segments"]]
    assert states == ["new", "confirmed", "new"]
    learned = client.post(f"{API}/translations", json={"texts": ["Tighten the screw."]}).json()["translations"][0]
    assert learned["text"] == "Apriete el tornillo."
    done = {"target": 'Pulse el botón <g id="1">verde</g>.', "state": "confirmed"}
    assert client.put(f"{place}/segments/1", json=done).status_code == 200
    broken = {"target": 'Afloje el <g id="9">tornillo.', "state": "translated"}
    assert client.put(f"{place}/segments/3", json=broken).status_code == 200
    exported = finished(client, client.post(f"{place}/export").json())
    assert [each["segment"] for each in exported["left_out"]] == [3]
    result = client.get(f"{API}/jobs/{exported['id']}/result")
    assert "page.xlf" in result.headers["content-disposition"]
    text = result.content.decode()
    assert 'Pulse el botón <g id="1">verde</g>.' in text
    assert text.replace("\n", "").startswith(XLIFF.partition("<body>")[0].replace("\n", ""))


def test_a_file_in_other_languages_or_of_no_known_kind_is_refused(client: httpx.Client) -> None:
    for name, data, said in (
        ("page.xlf", XLIFF.replace('target-language="es"', 'target-language="fr"'), "en to fr"),
        ("page.exe", "x", "file type"),
        ("page.xlf", "<xliff", ""),
    ):
        job = finished(client, client.post(f"{API}/imports", params={"name": name}, content=data.encode()).json())
        assert job["state"] == "failed"
        assert said in job["error"]["what"]


@pytest.mark.parametrize("path", ["/health", "/ready", "/"])
def test_monitors_get_the_head_of_an_answer(client: httpx.Client, path: str) -> None:
    asked, whole = client.head(path), client.get(path)
    assert (asked.status_code, asked.content) == (200, b"")
    assert asked.headers["content-type"] == whole.headers["content-type"]
    assert "HEAD" not in client.get("/api/v1/openapi.json").text
    refused = client.head("/api/v1/projects")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, POST")


def test_metrics_count_operations_without_any_text(client: httpx.Client) -> None:
    client.post(f"{API}/translations", json={"texts": ["xylophone"]})
    text = client.get("/metrics").text
    assert 'dragoman_operation_seconds_bucket{le="+Inf",operation="translate"}' in text
    assert 'route="translations.translate_texts",status="200"' in text
    assert 'dragoman_corrections{project="manual"}' in text
    assert "xylophone" not in text


def test_the_description_of_the_interface_is_complete(client: httpx.Client) -> None:
    described = client.get("/api/v1/openapi.json").json()
    for path, operations in described["paths"].items():
        for operation in operations.values():
            assert operation.get("description"), path
            assert operation.get("tags"), path


def test_a_word_graph_has_the_translation_as_its_best_path(client: httpx.Client) -> None:
    learn(client, "Turn the knob.", "Gire el mando.")
    graph = client.post(f"{API}/word-graphs", json={"text": "Turn the knob.", "arcs": 50}).json()
    assert {"Gire", "mando"} <= {word for arc in graph["arcs"] for word in arc["words"]}
    assert graph["states"] == max(arc["target"] for arc in graph["arcs"]) + 1
    assert len(graph["source_tokens"]) == 4 and graph["upstream"] is None
    for wrong in ({"text": "Turn", "arcs": 0}, {"text": "Turn", "arcs": 10**9}, {"arcs": 5}):
        assert client.post(f"{API}/word-graphs", json=wrong).status_code == 422
