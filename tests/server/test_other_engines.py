"""A project over another engine, served: what it said is told, it is asked ahead, and only administrators choose it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from dragoman.engine import Engine
from dragoman.server.keys import Keys
from dragoman.server.routes import live
from tests.server.support import Running, running
from tests.upstream.support import Reaction, Request, as_json, serving

SAID = {
    "Open the lid.": "Abre la tapadera.",
    "Close the lid.": "Cierra la tapadera.",
    "Lift the lid.": "Levanta la tapadera.",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    file = tmp_path / "said.tsv"
    file.write_text("".join(f"{source}\t{said}\n" for source, said in SAID.items()), encoding="utf-8")
    (tmp_path / "projects").mkdir()
    with Engine.create(
        tmp_path / "projects" / "manual", source="en", target="es", upstream=f"recorded:{file}"
    ) as engine:
        engine.learn("Close the lid.", "Cierra la tapa.")
    return tmp_path / "projects"


@pytest.fixture
def server(folder: Path) -> Iterator[Running]:
    with running(folder) as found:
        yield found


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with server.client() as client:
        client.base_url = client.base_url.join("/api/v1/projects/manual/")
        yield client


def translated(client: httpx.Client, text: str, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = client.post("translations", json={"texts": [text], **options}).json()["translations"][0]
    return found


def test_a_translation_says_what_the_engine_said_and_which_words_replace_its_own(client: httpx.Client) -> None:
    found = translated(client, "Open the lid.", provenance=True)
    assert (found["text"], found["upstream"]) == ("Abre la tapa.", "Abre la tapadera.")
    changed = [(each["replaces"], each["corrections"]) for each in found["phrases"] if each["replaces"]]
    assert len(changed) == 1
    assert "tapadera" in changed[0][0]
    assert changed[0][1] == [2]


def test_a_translation_shows_each_change_with_its_evidence(client: httpx.Client) -> None:
    found = translated(client, "Open the lid.")
    [change] = [each for each in found["changes"] if each["used"]]
    assert (change["said"], change["words"], change["times"], change["seen"]) == ("tapadera", "tapa", 1, 1)
    assert 0.5 < change["probability"] <= 1
    assert change["last"] is None
    dated = translated(client, "Open the lid.", provenance=True)
    assert [each["last"][:2] for each in dated["changes"] if each["used"]] == ["20"]
    both = translated(client, "Open the lid.\nLift the lid.")
    assert (both["text"], both["upstream"]) == (
        "Abre la tapa.\nLevanta la tapa.",
        "Abre la tapadera.\nLevanta la tapadera.",
    )
    assert [each["said"] for each in both["changes"] if each["used"]] == ["tapadera", "tapadera"]


def test_a_refused_change_is_never_made_again(client: httpx.Client) -> None:
    refused = {"said": "tapadera", "words": "tapa"}
    for _ in range(2):
        given = client.post("settings/refused_changes", json=refused)
        assert (given.status_code, given.json()["settings"]["refused_changes"]) == (200, [["tapadera", "tapa"]])
    found = translated(client, "Open the lid.")
    assert found["text"] == "Abre la tapadera."
    assert not any(each["used"] for each in found["changes"])
    client.patch("settings", json={"refused_changes": []})
    assert translated(client, "Open the lid.")["text"] == "Abre la tapa."


def test_where_the_engine_is_silent_nothing_is_said(client: httpx.Client) -> None:
    assert translated(client, "the lid")["upstream"] is None


def test_a_live_session_tells_what_the_engine_said(server: Running) -> None:
    with connect(f"ws://127.0.0.1:{server.port}/api/v1/projects/manual/live") as socket:
        socket.send(json.dumps({"number": 1, "do": "open", "source": "Lift the lid."}))
        answer = json.loads(socket.recv())
    assert (answer["suffix"], answer["upstream"]) == ("Levanta la tapa.", "Levanta la tapadera.")


def test_until_a_slow_engine_has_answered_only_what_is_sure_is_suggested(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "ENGINE_SECONDS", 0.05)
    go = threading.Event()

    def react(request: Request) -> Reaction:
        go.wait(30)
        return as_json({"translatedText": ["Levanta la tapadera." for _ in request.json["q"]]})

    with serving(react) as service:
        with Engine.open(folder / "manual") as engine:
            engine.upstream = f"libretranslate:{service.url}"
        with running(folder) as server, connect(f"ws://127.0.0.1:{server.port}/api/v1/projects/manual/live") as socket:

            def open_text(text: str, number: int) -> tuple[str, str | None]:
                socket.send(json.dumps({"number": number, "do": "open", "source": text}))
                while "suffix" not in (answer := json.loads(socket.recv())):  # a correction needs no answer
                    assert answer == {"number": 1, "event": "engine"}
                return answer["suffix"], answer.get("silence")

            assert open_text("Close the lid.", 1) == ("Cierra la tapa.", "slow")
            assert open_text("Lift every cupboard of the engine.", 2) == ("", "slow")
            go.set()
            assert json.loads(socket.recv()) == {"number": 2, "event": "engine"}
            assert open_text("Lift every cupboard of the engine.", 3)[1] is None


def test_a_compatible_api_gives_the_fused_translation(server: Running) -> None:
    with server.client() as client:
        wanted = {"q": "Open the lid.", "source": "en", "target": "es"}
        assert client.post("/libretranslate/translate", json=wanted).json()["translatedText"] == "Abre la tapa."


def test_a_document_that_arrives_is_asked_for_in_batches(
    server: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []
    engine = server.app.state.context.projects.get("manual").engine
    monkeypatch.setattr(engine, "ask_ahead", lambda texts: asked.append(list(texts)))
    client.post("imports", params={"name": "page.txt"}, content=b"Open the lid.\nLift the lid.\n")
    wait_for_jobs(client, "import", "ask")
    client.post("documents", json={"name": "two", "segments": [{"source": "Open the lid.\nClose the lid."}]})
    wait_for_jobs(client, "import", "ask", "ask")
    assert asked == [["Open the lid.", "Lift the lid."], ["Open the lid.\nClose the lid."]]
    client.post("documents/1/translate")
    wait_for_jobs(client, "import", "ask", "ask", "translate")
    assert asked[2:3] == [["Open the lid.", "Lift the lid."]]


def wait_for_jobs(client: httpx.Client, *kinds: str) -> None:
    end = time.monotonic() + 60
    while [(job["kind"], job["state"]) for job in client.get("jobs").json()] != [(kind, "done") for kind in kinds]:
        assert time.monotonic() < end, client.get("jobs").json()
        time.sleep(0.02)


def test_settings_are_shown_and_changed(client: httpx.Client) -> None:
    before = client.get("settings").json()
    assert before["settings"]["share"] == 0.5
    after = client.patch("settings", json={"share": 0.7, "upstream": before["settings"]["upstream"]}).json()
    assert after["settings"] == before["settings"] | {"share": 0.7}
    assert after["revision"] > before["revision"]
    assert client.patch("settings", json={}).json() == after


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"share": 2}, 400),
        ({"share": []}, 400),
        ({"limit": 10**30}, 400),
        ({"adapter": {"name": []}}, 400),
        ({"adapter": {"name": "Ridge", "nbest": "x"}}, 400),
        ({"adapter": {"name": "Ridge", "nbest": 10**9}}, 400),
        ({"weights": {"language": "x"}}, 400),
        ({"upstream": 7}, 400),
        ({"upstream": "nmt"}, 400),
        ({"glossary": {}}, 422),
        ({"colour": 1}, 422),
    ],
)
def test_invalid_settings_are_refused_and_change_nothing(
    change: dict[str, Any], status: int, client: httpx.Client
) -> None:
    before = client.get("settings").json()
    assert client.patch("settings", json={"limit": 1000} | change).status_code == status
    assert client.get("settings").json() == before


LOCAL = [
    "command:touch x",
    "recorded:/etc/passwd",
    "ct2:/models/x",
    "deepl:#key-file=/etc/passwd",
    "deepl:#key-env=HOME",
]


@pytest.mark.parametrize("name", LOCAL)
def test_an_engine_that_reaches_into_the_machine_cannot_be_set_over_http(name: str, client: httpx.Client) -> None:
    answer = client.patch("settings", json={"upstream": name})
    assert answer.status_code == 403
    assert "--local-engines" in answer.json()["error"]["remedy"]
    assert client.get("settings").json()["settings"]["upstream"].endswith("said.tsv")


def test_other_engines_can_be_set_and_removed_over_http(client: httpx.Client) -> None:
    for name in ("libretranslate:http://127.0.0.1:9", None):
        assert client.patch("settings", json={"upstream": name}).json()["settings"]["upstream"] == name


def test_the_settings_tell_which_engines_can_be_set_and_why_one_is_silent(client: httpx.Client) -> None:
    assert not {"command", "ct2", "recorded"} & set(client.get("settings").json()["upstream_kinds"])
    client.patch("settings", json={"upstream": "libretranslate:http://127.0.0.1:9#seconds=1"})
    translated(client, "Nobody has been asked for this yet.")
    assert "127.0.0.1:9" in client.get("settings").json()["upstream_problem"]


def test_a_server_may_allow_engines_that_reach_into_the_machine(folder: Path) -> None:
    with running(folder, local_engines=True) as server, server.client() as client:
        assert "command" in client.get("/api/v1/projects/manual/settings").json()["upstream_kinds"]
        answer = client.patch("/api/v1/projects/manual/settings", json={"upstream": "command:cat"})
        assert answer.json()["settings"]["upstream"] == "command:cat"


def test_only_administrators_choose_the_engine_and_see_its_whole_name(folder: Path, tmp_path: Path) -> None:
    made = Keys(tmp_path / "keys.json")
    keys = {role: made.add(role, {"manual": role}) for role in ("read", "learn", "admin")}
    with running(folder, keys=tmp_path / "keys.json") as server:
        found = {}
        for role, key in keys.items():
            with server.client(key) as client:
                place = "/api/v1/projects/manual/settings"
                found[role] = (
                    client.get(place).json()["settings"]["upstream"].rpartition("/")[2],
                    "deepl" in client.get(place).json()["upstream_kinds"],
                    client.patch(place, json={"share": 0.6}).status_code,
                    client.patch(place, json={"upstream": None}).status_code,
                )
    assert found == {
        "read": ("recorded:", False, 403, 403),
        "learn": ("recorded:", False, 200, 403),
        "admin": ("said.tsv", True, 200, 200),
    }


ELSEWHERE = [
    "deepl:http://127.0.0.1:9",
    "deepl:https://deepl.example",
    "deepl:https://api.deepl.com#insecure=yes",
    "deepl:https://api.deepl.com.example",
    "modernmt:http://127.0.0.1:9",
    "openai:http://169.254.169.254/latest/meta-data#x#m",
    "openai:https://api.openai.com/v1/../elsewhere#m",
    "libretranslate:http://10.0.0.1:5000",
    "apertium:http://localhost:2737",
]


@pytest.fixture
def shared(folder: Path, tmp_path: Path) -> Iterator[httpx.Client]:
    """A client who administrates a project of a server with keys, and engines of its own list."""
    key = Keys(tmp_path / "keys.json").add("ana", {"manual": "admin"})
    engines = {"office": "libretranslate:http://127.0.0.1:9#seconds=1"}
    with running(folder, keys=tmp_path / "keys.json", engines=engines) as server, server.client(key) as client:
        client.base_url = client.base_url.join("/api/v1/projects/manual/")
        yield client


def test_the_servers_keys_go_to_no_address_that_an_administrator_of_a_project_names(shared: httpx.Client) -> None:
    for name in ELSEWHERE:
        answer = shared.patch("settings", json={"upstream": name})
        assert (answer.status_code, "office" in answer.json()["error"]["remedy"]) == (403, True), name
    assert shared.patch("settings", json={"upstream": "deepl:"}).status_code in (200, 400)  # without a key, 400


def test_engines_of_the_servers_list_are_chosen_by_name_and_their_address_is_not_told(shared: httpx.Client) -> None:
    assert shared.get("settings").json()["upstream_engines"] == ["office", "engine:en-es"]
    assert shared.patch("settings", json={"upstream": "office"}).json()["settings"]["upstream"] == "office"
    assert shared.patch("settings", json={"upstream": "office", "share": 0.6}).status_code == 200


@pytest.mark.parametrize("said", [{"error": "the; secret: page; of"}, "the; secret (200): page"])
def test_what_a_listed_engine_answered_and_where_it_is_are_told_to_no_tenant(
    said: object, folder: Path, tmp_path: Path
) -> None:
    keys = Keys(tmp_path / "keys.json")
    admin, reader = keys.add("ana", {"manual": "admin"}), keys.add("eve", {"manual": "translate"})
    with serving(lambda _: as_json(said, 404)) as service:
        engines = {"office": f"libretranslate:{service.url}#seconds=1"}
        with running(folder, keys=tmp_path / "keys.json", engines=engines) as server:
            with server.client(admin) as client:
                place = "/api/v1/projects/manual/settings"
                assert client.patch(place, json={"upstream": "office"}).status_code == 200
                tried = client.post(f"{place}/upstream/test").json()
                shown = client.get(place).json()
            with server.client(reader) as client:
                body = {"q": "Unknown words.", "source": "en", "target": "es"}
                refused = client.post("/libretranslate/translate", json=body)
    assert (tried["problem"], shown["upstream_problem"]) == ("office: answered 404",) * 2
    told = tried["text"] + refused.text + json.dumps(shown)
    assert refused.status_code == 503
    assert not any(each in told for each in ("secret", "page", service.url))
