"""Several people on one document: undo of one's own work, repetitions, comments, review, push and presence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from dragoman.server.keys import Keys
from tests.server.editor import API, XLIFF, confirm, make, upload
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


ROLES = {"ana": "learn", "bo": "review", "eve": "read", "tom": "translate"}


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


def test_a_repetition_that_was_filled_gives_way_to_what_was_typed_there_meanwhile(
    ana: httpx.Client, bo: httpx.Client
) -> None:
    place = make(ana, "Dry the hose.", "Dry the hose.", "Dry the hose.")
    typed_on = [bo.get(f"{place}/segments/{number}").json()["version"] for number in (2, 3)]
    assert confirm(ana, place, 1, "Seque la manguera.").json()["filled"] == [2, 3]
    assert confirm(bo, place, 2, "Seque el tubo.", version=typed_on[0]).status_code == 200
    found = [each["target"] for each in ana.get(f"{place}/segments").json()["segments"]]
    assert found[:2] == ["Seque la manguera.", "Seque el tubo."]
    ana.put(f"{place}/segments/3", json={"target": "Séquela.", "state": "translated"})
    assert confirm(bo, place, 3, "Seque el tubo.", version=typed_on[1]).status_code == 409  # a person's own


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
    confirm(ana, place, 2, "Vacíe el depósito.")
    assert ana.get(f"{place}/numbers", params={"stage": "review"}).json()["numbers"] == [2]
    done = bo.post(f"{place}/review", json={"segments": [1, 2]}).json()["segments"]
    assert [(each["number"], each["stage"], each["reviewer"], each["user"]) for each in done] == [
        (2, "done", "bo", "ana")
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
        "translate",
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


def test_others_are_sent_a_change_and_where_one_is(
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
        confirm(ana, place, 1, "Limpie la lámpara.")
        event = until(socket, "segment")
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


def test_undo_is_a_stack_and_what_was_taken_back_can_be_done_again(ana: httpx.Client, bo: httpx.Client) -> None:
    place = make(ana, "Lift the tray.", "Lower the tray.")
    for number, target in ((1, "Levante la bandeja."), (2, "Baje."), (2, "Baje la bandeja.")):
        assert confirm(ana, place, number, target).is_success

    def texts() -> list[str]:
        return [ana.get(f"{place}/segments/{n}").json()["target"] for n in (1, 2)]

    def steps(which: str, client: httpx.Client = ana) -> list[tuple[str, bool]]:
        return [(each["what"], each["possible"]) for each in client.get(f"{place}/steps").json()[which]]

    second = "Confirmed segment 2: “Baje la bandeja.”", "Confirmed segment 2: “Baje.”"
    first = "Confirmed segment 1: “Levante la bandeja.”"
    assert steps("undo") == [(second[0], True), (second[1], False), (first, True)]
    assert steps("undo", bo) == []
    ana.post(f"{place}/undo", json={})
    assert texts() == ["Levante la bandeja.", "Baje."]
    assert steps("undo") == [(second[1], True), (first, True)]
    assert steps("redo") == [(second[0], True)]
    ana.post(f"{place}/undo", json={})
    assert texts() == ["Levante la bandeja.", ""]
    ana.post(f"{place}/undo", json={})
    assert texts() == ["", ""]
    assert ana.post(f"{place}/undo", json={}).json()["error"]["code"] == "nothing-to-undo"
    for wanted in ("", "Baje.", "Baje la bandeja."):
        done = ana.post(f"{place}/redo", json={}).json()
        assert done["what"].startswith("Did again your confirmation of segment"), done
        assert texts() == ["Levante la bandeja.", wanted]
    assert texts() == ["Levante la bandeja.", "Baje la bandeja."]
    assert ana.get(f"{API}/concordance", params={"text": "Baje la bandeja."}).json()["hits"]  # it is learned again
    assert bo.post(f"{place}/redo", json={}).json()["error"]["code"] == "nothing-to-redo"
    ana.post(f"{place}/undo", json={})
    confirm(ana, place, 1, "Suba la bandeja.")
    assert steps("redo") == []  # something else was done since


def test_a_text_that_is_typed_is_kept_among_the_versions_whoever_types(ana: httpx.Client, bo: httpx.Client) -> None:
    place = make(ana, "Lift the cup.")
    for client, text in ((ana, "Levante"), (ana, "Levante"), (bo, "Suba"), (ana, "Alce la taza.")):
        assert client.post(f"{place}/segments/1/versions", json={"target": text}).status_code == 204
    version = ana.get(f"{place}/segments/1").json()["version"]
    draft = {"target": "Levante la taza.", "state": "translated", "version": version}
    assert ana.put(f"{place}/segments/1", json=draft).is_success
    refused = bo.put(f"{place}/segments/1", json=draft | {"target": "Suba la taza."})
    assert refused.json()["error"]["code"] == "conflict"
    segment = ana.get(f"{place}/segments/1").json()
    assert (segment["target"], segment["version"]) == ("Levante la taza.", version + 1)
    history = ana.get(f"{place}/segments/1/about").json()["history"]
    assert [(each["user"], each["target"]) for each in history] == [
        ("bo", "Suba la taza."),
        ("ana", "Levante la taza."),
        ("ana", "Alce la taza."),
        ("bo", "Suba"),
        ("ana", "Levante"),
    ]


def test_nobody_approves_their_own_work_and_only_reviewers_approve(ana: httpx.Client, bo: httpx.Client) -> None:
    place = make(ana, "Lift the lid slowly.", "Lower the lid slowly.")
    confirm(ana, place, 1, "Levante la tapa despacio.")
    confirm(bo, place, 2, "Baje la tapa despacio.")
    assert ana.post(f"{place}/review", json={"segments": [2]}).json()["error"]["needed"] == "review"
    assert bo.post(f"{place}/review", json={"segments": [2]}).json()["error"]["code"] == "own-work"
    assert bo.post(f"{place}/review", json={"segments": [1]}).json()["segments"][0]["stage"] == "done"
    confirm(bo, place, 1, "Alce la tapa despacio.")  # the reviewer's change is taught, and shown as a difference
    history = ana.get(f"{place}/segments/1/about").json()["history"]
    assert ["delete", "Levante"] in history[0]["diff"]
    assert ["insert", "Alce"] in history[0]["diff"]


def test_what_a_translator_confirms_is_learned_once_it_is_approved(
    team: tuple[Running, dict[str, str], Path], bo: httpx.Client
) -> None:
    place = make(bo, "Shake the bottle.")
    with team[0].client(team[1]["tom"]) as tom:
        confirmed = confirm(tom, place, 1, "Agite la botella.").json()
        assert confirmed["unlearned"] == "it is learned when a reviewer has approved it"
        assert (confirmed["state"], confirmed["correction"]) == ("confirmed", None)
        assert tom.post(f"{API}/corrections", json={"source": "a", "target": "b"}).status_code == 403
    assert not bo.get(f"{API}/concordance", params={"text": "botella"}).json()["hits"]
    approved = bo.post(f"{place}/review", json={"segments": [1]}).json()["segments"][0]
    assert approved["stage"] == "done"
    assert bo.get(f"{API}/concordance", params={"text": "botella"}).json()["hits"]


def test_all_findings_of_a_check_are_accepted_at_once(ana: httpx.Client) -> None:
    place = make(ana, "Wait 5 minutes.", "Wait 6 minutes.")
    for number in (1, 2):
        confirm(ana, place, number, "Espere unos minutos.")
    assert ana.get(f"{place}/report").json()["counts"]["numbers"] == 2
    ana.put(f"{place}/accepted", json={"check": "numbers", "reason": "as agreed"}).raise_for_status()
    assert ana.get(f"{place}/report").json()["counts"]["numbers"] == 0


def test_repetitions_are_confirmed_too_where_that_is_wanted_and_taken_back_together(ana: httpx.Client) -> None:
    place = make(ana, "Press 5 times.", "Press 5 times.", "Wait.", "Press 5 times.")
    assert ana.patch(place, json={"propagation": "confirm"}).json()["propagation"] == "confirm"
    assert confirm(ana, place, 1, "Pulse 5 veces.").json()["filled"] == [2, 4]
    assert states(ana, place) == "ccnc"
    assert ana.post(f"{place}/undo", json={}).json()["segments"] == [1, 2, 4]
    assert states(ana, place) == "nnnn"
    ana.post(f"{place}/redo", json={}).raise_for_status()
    assert states(ana, place) == "ccnc"
    ana.patch(place, json={"propagation": "off"}).raise_for_status()
    assert ana.get(place).json()["repetitions"] is False
