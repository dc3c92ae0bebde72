"""Several people on one document: undo of one's own work, repetitions, comments, review, push and presence."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from dragoman.server.keys import Keys
from tests.server.desk import API, XLIFF, confirm, make, upload
from tests.server.support import Running, make_projects, running


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, dict[str, str], Path]]:
    """A server with keys of two people who may learn, and of one who may read."""
    folder = tmp_path_factory.mktemp("team")
    make_projects(folder)
    file = tmp_path_factory.mktemp("keys") / "keys.json"
    keys = {name: Keys(file).add(name, {"manual": role}) for name, role in ROLES.items()}
    with running(folder, keys=file) as server:
        yield server, keys, file


ROLES = {"ana": "learn", "bo": "learn", "eve": "read"}


@pytest.fixture
def ana(team: tuple[Running, dict[str, str], Path]) -> Iterator[httpx.Client]:
    with team[0].client(team[1]["ana"]) as found:
        yield found


@pytest.fixture
def bo(team: tuple[Running, dict[str, str], Path]) -> Iterator[httpx.Client]:
    with team[0].client(team[1]["bo"]) as found:
        yield found


@pytest.fixture
def eve(team: tuple[Running, dict[str, str], Path]) -> Iterator[httpx.Client]:
    with team[0].client(team[1]["eve"]) as found:
        yield found


def states(client: httpx.Client, place: str) -> str:
    return str(client.get(f"{place}/overview").json()["states"])


def test_only_ones_own_last_confirmation_is_taken_back_and_named(ana: httpx.Client, bo: httpx.Client) -> None:
    place = make(ana, "Close the lid.", "Open the lid.", "Lift the lid.")
    confirm(ana, place, 1, "Cierre la tapa.")
    confirm(bo, place, 2, "Abra la tapa.")
    assert "segment 1" in ana.get(f"{place}/undo").json()["what"]
    undone = ana.post(f"{place}/undo", json={}).json()
    assert undone["what"] == "Took back your confirmation of segment 1: “Cierre la tapa.”"
    assert (undone["segments"], undone["segment"]["state"], states(ana, place)) == ([1], "new", "ncn")
    nothing = ana.post(f"{place}/undo", json={})
    assert (nothing.status_code, nothing.json()["error"]["code"]) == (409, "nothing-to-undo")


def test_a_confirmation_that_is_named_is_taken_back_and_not_a_later_one(ana: httpx.Client, bo: httpx.Client) -> None:
    place = make(ana, "Lock the gate.", "Lift the gate.")
    first = confirm(ana, place, 1, "Cierre el portón.").json()["change"]
    confirm(ana, place, 2, "Suba el portón.")
    assert bo.post(f"{place}/undo", json={"change": first}).status_code == 409
    assert ana.post(f"{place}/undo", json={"change": first}).json()["segments"] == [1]
    again = ana.post(f"{place}/undo", json={"change": first})
    assert again.status_code == 409 and "taken back already" in again.json()["error"]["what"]
    assert states(ana, place) == "nc"


def test_what_somebody_else_has_changed_since_is_not_taken_back(ana: httpx.Client, bo: httpx.Client) -> None:
    place = make(ana, "Shut the hatch.")
    confirm(ana, place, 1, "Cierre la escotilla.")
    confirm(bo, place, 1, "Cierre la compuerta.")
    assert ana.post(f"{place}/undo", json={}).status_code == 409
    back = bo.post(f"{place}/undo", json={}).json()["segment"]
    assert (back["target"], back["state"]) == ("Cierre la escotilla.", "confirmed")


def test_repetitions_are_filled_as_drafts_and_taken_back_together(ana: httpx.Client, bo: httpx.Client) -> None:
    place = make(ana, *["Check the hose."] * 5)
    bo.put(f"{place}/segments/3", json={"target": "Mire la manguera.", "state": "translated"})
    done = confirm(ana, place, 1, "Revise la manguera.").json()
    assert (done["filled"], done["filled_count"]) == ([2, 4, 5], 3)
    listed = ana.get(f"{place}/segments").json()["segments"]
    assert [each["target"] for each in listed] == [
        *["Revise la manguera.", "Revise la manguera.", "Mire la manguera."],
        *["Revise la manguera."] * 2,
    ]
    assert [each["origin"] for each in listed] == ["person", "repetition", "person", "repetition", "repetition"]
    confirm(bo, place, 4, "Revise la manguera.")
    undone = ana.post(f"{place}/undo", json={}).json()
    assert (undone["segments"], states(ana, place)) == ([1, 2, 5], "nntcn")


def test_repetitions_can_be_switched_off(ana: httpx.Client) -> None:
    place = make(ana, "Dry the hose.", "Dry the hose.")
    assert ana.patch(place, json={"repetitions": False}).json()["repetitions"] is False
    assert confirm(ana, place, 1, "Seque la manguera.").json()["filled"] == []
    assert confirm(ana, place, 1, "Seque bien la manguera.", fill=True).json()["filled"] == [2]


def test_a_segment_tells_its_context_its_history_and_what_people_say(ana: httpx.Client, eve: httpx.Client) -> None:
    place = upload(ana, "page.xlf", XLIFF)
    confirm(ana, place, 2, "Cierre la tapa.")
    said = eve.post(f"{place}/segments/2/comments", json={"text": "Which lid?"}).json()
    about = ana.get(f"{place}/segments/2/about").json()
    assert about["links"] == ["https://x.org/lid.png"]
    assert [(each["action"], each["user"]) for each in about["history"]] == [("confirmed", "ana")]
    assert [(each["user"], each["text"]) for each in about["comments"]] == [("eve", "Which lid?")]
    assert ["delete", "Open"] in [match["diff"][0] for match in about["matches"]]
    comment = f"{place}/segments/2/comments/{said['id']}"
    assert ana.delete(comment).status_code == 403
    assert ana.patch(comment, json={"resolved": True}).json()["resolved"]
    assert eve.delete(comment).status_code == 204
    assert ana.get(f"{place}/segments/2").json()["comments"] == 0


def test_segments_are_assigned_translated_reviewed_and_done(ana: httpx.Client, bo: httpx.Client) -> None:
    place = make(ana, "Fill the tank.", "Empty the tank.", "Clean the tank.")
    assert ana.post(f"{place}/assign", json={"assignee": "bo", "first": 2, "last": 3}).json() == {"segments": 2}
    mine = bo.get(f"{place}/numbers", params={"assigned": "bo"}).json()["numbers"]
    assert (mine, bo.get(f"{place}/numbers", params={"assigned": "-"}).json()["numbers"]) == ([2, 3], [1])
    confirm(bo, place, 2, "Vacíe el depósito.")
    assert ana.get(f"{place}/numbers", params={"stage": "review"}).json()["numbers"] == [2]
    done = ana.post(f"{place}/review", json={"segments": [1, 2]}).json()["segments"]
    assert [(each["number"], each["stage"], each["reviewer"], each["user"]) for each in done] == [
        (2, "done", "ana", "bo")
    ]
    assert ana.get(place).json()["stages"] == {"translate": 2, "review": 0, "done": 1}
    confirm(bo, place, 2, "Vacíe el tanque.")
    assert ana.get(f"{place}/segments/2").json()["stage"] == "review"
    assert set(ana.get(f"{API}/people").json()["people"]) >= {"ana", "bo"}


def test_a_key_says_who_one_is_and_what_one_may_do(
    team: tuple[Running, dict[str, str], Path], ana: httpx.Client, eve: httpx.Client
) -> None:
    assert ana.get("/api/v1/me").json() == {
        "name": "ana",
        "signed_in": True,
        "key": True,
        "projects": {"manual": "learn"},
        "may_create": False,
    }
    place = make(ana, "Close the lid.")
    refused = confirm(eve, place, 1, "Cierre la tapa.")
    error = refused.json()["error"]
    assert (refused.status_code, error["code"], error["role"], error["needed"]) == (
        403,
        "role-missing",
        "read",
        "learn",
    )
    keys = Keys(team[2])
    gone = keys.add("gone", {"manual": "learn"})
    with team[0].client(gone) as client:
        assert client.get("/api/v1/me").status_code == 200
        keys.remove("gone")
        unknown = client.get("/api/v1/me")
        assert (unknown.status_code, unknown.json()["error"]["code"]) == (401, "key-unknown")
    with team[0].client() as client:
        assert client.get("/api/v1/me").json()["error"]["code"] == "key-required"


def dial(server: Running, place: str, key: str) -> ClientConnection:
    url = f"ws://127.0.0.1:{server.port}{place}/events"
    found: ClientConnection = connect(url, proxy=None, subprotocols=["dragoman", f"key.{key}"])  # type: ignore[list-item]
    return found


def until(socket: ClientConnection, kind: str) -> dict[str, Any]:
    """The next event of a kind."""
    while True:
        event: dict[str, Any] = json.loads(socket.recv(timeout=10))
        if event["event"] == kind:
            return event


def test_others_see_a_change_and_where_one_is_within_a_second(
    team: tuple[Running, dict[str, str], Path], ana: httpx.Client
) -> None:
    server, keys, _ = team
    place = make(ana, "Wipe the lamp.", "Wipe the lamp.")
    with dial(server, place, keys["eve"]) as socket:
        assert [each["user"] for each in until(socket, "hello")["people"]] == ["eve"]
        until(socket, "people")
        with dial(server, place, keys["bo"]) as other:
            other.send(json.dumps({"segment": 2}))
            while ("bo", 2) not in [(each["user"], each["segment"]) for each in until(socket, "people")["people"]]:
                pass
        began = time.monotonic()
        confirm(ana, place, 1, "Limpie la lámpara.")
        event = until(socket, "segment")
        assert time.monotonic() - began < 1
        assert (event["by"], event["segment"]["target"]) == ("ana", "Limpie la lámpara.")
        assert until(socket, "segments")["numbers"] == [2]
        ana.put(f"{API}/glossary", json={"source": "lamp", "target": "lámpara"})
        assert until(socket, "glossary")["target"] == "lámpara"
        ana.delete(f"{API}/glossary", params={"source": "lamp"})
        ana.delete(place)
        assert until(socket, "deleted")
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=10)


def test_a_document_is_renamed(ana: httpx.Client) -> None:
    place = make(ana, "Close the lid.")
    assert ana.patch(place, json={"name": "page 4"}).json()["name"] == "page 4"
    assert ana.get(place).json()["assignee"] is None
    assert ana.patch(place, json={"assignee": "bo"}).json()["assignee"] == "bo"
