"""Live sessions, with a real WebSocket client."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from dragoman.server.keys import Keys
from dragoman.server.limits import Limits
from tests.formats.samples import ALL
from tests.server.editor import confirm, upload
from tests.server.support import PAIRS, Running, make_projects, running
from tests.store.replicas import until

LIVE = "/api/v1/projects/manual/live"


def dial(server: Running, **options: Any) -> ClientConnection:
    found: ClientConnection = connect(f"ws://127.0.0.1:{server.port}{LIVE}", proxy=None, **options)
    return found


@pytest.fixture
def socket(server: Running) -> Iterator[ClientConnection]:
    with dial(server) as found:
        yield found


def ask(socket: ClientConnection, **asked: Any) -> dict[str, Any]:
    socket.send(json.dumps(asked))
    answer = json.loads(socket.recv(timeout=30))
    assert isinstance(answer, dict)
    assert answer["number"] == asked["number"]
    return answer


def test_a_text_is_completed_key_by_key(socket: ClientConnection) -> None:
    opened = ask(socket, number=1, do="open", source="Press the green lid.")
    assert opened["prefix"] == ""
    assert opened["revision"] >= 6
    for n, prefix in enumerate(("P", "Pu"), start=2):
        assert ask(socket, number=n, do="prefix", prefix=prefix)["prefix"] == prefix
    answer = ask(socket, number=9, do="prefix", prefix="Pulse la t", words=True)
    assert answer["suffix"].startswith("apa")
    assert all(0 <= word["confidence"] <= 1 for word in answer["words"])
    assert all(answer["suffix"][word["begin"] :].startswith(word["text"]) for word in answer["words"])
    other = ask(socket, number=10, do="reject")
    assert other["suffix"] != answer["suffix"]
    assert "words" not in other


def test_a_completion_ends_before_a_word_of_too_little_confidence(socket: ClientConnection) -> None:
    whole = ask(socket, number=1, do="open", source="Close the lid of the sprocket now.", words=True)
    least = 0.01
    end = next(word["begin"] for word in whole["words"] if word["confidence"] < least)
    for number, do in ((2, "open"), (3, "prefix")):
        source = {"source": "Close the lid of the sprocket now."} if do == "open" else {}
        found = ask(socket, number=number, do=do, least_confidence=least, words=True, **source)
        assert 0 < len(found["suffix"]) < len(whole["suffix"])
        assert found["suffix"] == whole["suffix"][:end].rstrip()
        assert all(word["confidence"] >= least for word in found["words"])


def test_a_copied_unknown_word_has_no_confidence(socket: ClientConnection) -> None:
    ask(socket, number=1, do="open", source="Close the sprocket 5 {0}.")
    words = {word["text"]: word for word in ask(socket, number=2, do="prefix", prefix="", words=True)["words"]}
    assert (words["sprocket"]["confidence"], words["sprocket"]["untranslated"]) == (0.0, True)
    assert words["5"]["confidence"] > 0.5
    assert words["{0}"]["confidence"] > 0.5
    assert not words["{0}"]["untranslated"]


def test_what_was_corrected_comes_first(socket: ClientConnection) -> None:
    opened = ask(socket, number=1, do="open", source="Close the lid.")
    assert (opened["suffix"], opened["origin"]) == ("Cierre la tapa.", "memory")


def test_opening_a_segment_answers_with_its_matches_and_tokens(socket: ClientConnection, server: Running) -> None:
    source = "Press the green <b>button</b>!"
    with server.client() as client:
        page = {"name": "page", "segments": [{"source": source}]}
        document = client.post("/api/v1/projects/manual/documents", json=page).json()["id"]
        opened = ask(socket, number=1, do="open", document=document, segment=1)
        translated = client.post("/api/v1/projects/manual/translations", json={"texts": [source]}).json()
    [found] = translated["translations"]
    assert opened["matches"] == found["matches"]
    target = opened["matches"][0]["target"]  # its codes are where the words that they are around are linked
    assert target.replace("<b>", "").replace("</b>", "") == "Pulse el botón verde."
    assert opened["source_tokens"] == found["source_tokens"]
    tags = [source[each["start"] : each["end"]] for each in opened["source_tokens"] if each["tag"]]
    assert tags == ["<b>", "</b>"]
    assert "matches" not in ask(socket, number=2, do="prefix", prefix="P")


def test_a_newer_prefix_makes_older_ones_stale(socket: ClientConnection) -> None:
    ask(socket, number=0, do="open", source="Remove the red drip tray of the green button.")
    typed = "Retire la bandeja roja"
    for n in range(1, len(typed) + 1):
        socket.send(json.dumps({"number": n, "do": "prefix", "prefix": typed[:n]}))
    answers = [json.loads(socket.recv(timeout=10)) for _ in typed]
    assert [answer["number"] for answer in answers] == list(range(1, len(typed) + 1))
    assert any(answer.get("stale") for answer in answers)
    assert answers[-1]["prefix"] == typed


def test_errors_are_answers_and_the_session_goes_on(socket: ClientConnection) -> None:
    assert "nothing is open" in ask(socket, number=1, do="prefix", prefix="P")["error"]["what"]
    for wrong in ("not JSON", "[]", '{"number": 2, "do": "fly"}', '{"number": 2, "do": "open", "more": 1}', "5"):
        socket.send(wrong)
        assert json.loads(socket.recv(timeout=10))["error"]["what"]
    assert "nothing to open" in ask(socket, number=3, do="open")["error"]["what"]
    assert "no segment" in ask(socket, number=3, do="open", document=999, segment=1)["error"]["what"]
    ask(socket, number=4, do="open", source="Clean the two filters.")
    socket.send(
        json.dumps({"number": 5, "do": "accept", "text": "Limpie los dos filtros."})
    )  # learning is not for here
    assert json.loads(socket.recv(timeout=10))["error"]["what"]
    assert ask(socket, number=6, do="prefix", prefix="L")["prefix"] == "L"


def test_a_wrong_request_is_answered_under_its_number(socket: ClientConnection) -> None:
    assert "do" in ask(socket, number=6, do="nosuch")["error"]["what"]
    assert ask(socket, number=7, do="open", source="Press.", nosuch=1)["error"]
    socket.send('{"number": 8, "do": "open", "source": "\\ud83d"}')  # as browsers write half a surrogate pair
    assert json.loads(socket.recv(timeout=10))["number"] == 8
    socket.send("{")
    assert json.loads(socket.recv(timeout=10))["number"] is None


def drain(socket: ClientConnection) -> None:
    """Read until the other end closes the connection."""
    while True:
        socket.recv(timeout=10)


def test_a_flood_is_ended_and_others_go_on(guarded: Running, keys: dict[str, str]) -> None:
    headers = {"Authorization": f"Bearer {keys['learn']}"}
    with dial(guarded, additional_headers=headers) as quiet, dial(guarded, additional_headers=headers) as loud:
        with suppress(ConnectionClosed):
            for n in range(5000):
                loud.send(json.dumps({"number": n, "do": "prefix", "prefix": "x"}))
        with pytest.raises(ConnectionClosed) as closed:
            drain(loud)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008
        assert ask(quiet, number=1, do="open", source="Close the lid.")["suffix"] == "Cierre la tapa."


def test_a_message_that_is_too_large_ends_the_session(server: Running) -> None:
    with dial(server) as socket:
        socket.send("x" * 100_000)
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=10)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009


def test_keys_are_asked_for_and_may_come_as_a_protocol(guarded: Running, keys: dict[str, str]) -> None:
    for options in ({}, {"additional_headers": {"X-API-Key": "wrong"}}, {"subprotocols": ["dragoman", "key.wrong"]}):
        with pytest.raises(InvalidStatus) as refused:
            dial(guarded, **options)
        assert refused.value.response.status_code == 403
    with pytest.raises(InvalidStatus):
        dial(guarded, subprotocols=["dragoman", f"key.{keys['read']}"])
    with dial(guarded, subprotocols=["dragoman", f"key.{keys['translate']}"]) as socket:
        assert socket.subprotocol == "dragoman"
        assert ask(socket, number=1, do="open", source="Close the lid.")["suffix"] == "Cierre la tapa."


@pytest.mark.usefixtures("keys")
def test_a_key_that_is_revoked_ends_the_session(guarded: Running, keys_file: Path) -> None:
    key = Keys(keys_file).add("guest", {"manual": "translate"})
    with dial(guarded, subprotocols=["dragoman", f"key.{key}"]) as socket:
        ask(socket, number=1, do="open", source="Warm the cup.")
        Keys(keys_file).remove("guest")
        with pytest.raises(ConnectionClosed) as closed:
            ask(socket, number=2, do="prefix", prefix="C")
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1008, "unknown key")


def test_pages_of_other_sites_may_not_connect(server: Running) -> None:
    with pytest.raises(InvalidStatus):
        dial(server, origin="https://example.org")
    with dial(server, origin=f"http://127.0.0.1:{server.port}") as socket:
        assert ask(socket, number=1, do="open", source="Close the lid.")["suffix"]


def test_memory_of_sessions_is_bounded_and_freed(tmp_path: Path) -> None:
    make_projects(tmp_path)
    narrow = Limits(session_bytes=1 << 40, key_bytes=1, live_bytes=1 << 40)
    with running(tmp_path, limits=narrow) as found, dial(found) as socket:
        refused = ask(socket, number=1, do="open", source="Press the green button.")
        assert "too much memory" in refused["error"]["what"]
        assert "nothing is open" in ask(socket, number=2, do="prefix", prefix="P")["error"]["what"]
        assert found.app.state.context.session_memory.total == 0


def test_a_closed_session_gives_its_memory_back(server: Running) -> None:
    memory = server.app.state.context.session_memory
    until(lambda: memory.total == 0)
    with dial(server) as socket:
        ask(socket, number=1, do="open", source="Press the green button.")
        first = memory.total
        assert first > 0
        ask(socket, number=2, do="open", source="Press the green button.")
        assert memory.total == first
    until(lambda: memory.total == 0)


def test_a_hostile_text_is_refused_or_answered_and_the_session_goes_on(socket: ClientConnection) -> None:
    marks = "".join(random.Random(1).choices(".,;:!?()[]{}<>", k=8000))
    answer = ask(socket, number=1, do="open", source=marks)
    assert "suffix" in answer or answer["error"]["what"]
    assert ask(socket, number=2, do="open", source="Close the lid.")["suffix"] == "Cierre la tapa."


def test_nothing_follows_a_finished_sentence(socket: ClientConnection) -> None:
    for number, (source, target) in enumerate(PAIRS):
        opened = ask(socket, number=3 * number, do="open", source=f"{source[:-1]} now.", prefix=target, words=True)
        assert (opened["suffix"], opened["words"]) == ("", [])
        other = ask(socket, number=3 * number + 1, do="prefix", prefix=f"{target[:-1]} ya.")
        assert other["suffix"] == ""
    two = ask(socket, number=100, do="open", source="Close the lid. Press the green button.", prefix="Cierre la tapa.")
    assert two["suffix"].strip()


def test_what_is_confirmed_is_what_was_typed_in_every_format(server: Running) -> None:
    with server.client() as client, dial(server) as socket:
        for n, (name, data) in enumerate(ALL.items()):
            place = upload(client, name, data)
            for segment in client.get(f"{place}/segments").json()["segments"][:4]:
                if segment["state"] == "locked":
                    continue
                number, typed = segment["number"], f"{segment['source']} ñ."
                opened = ask(socket, number=n, do="open", document=int(place.rpartition("/")[2]), segment=number)
                assert ask(socket, number=n, do="prefix", prefix=typed)["prefix"] == typed
                accept = [{"check": check} for check in ("untranslated", "placeholders", "length")]
                answer = confirm(client, place, number, typed, suggestion=opened["suffix"], force=True, accept=accept)
                kept = client.get(f"{place}/segments/{number}").json()
                if answer.status_code == 200:
                    assert (kept["target"], kept["state"]) == (typed, "confirmed"), name
                else:  # the file cannot hold it, which is said, and it is kept as it is
                    assert answer.json()["error"]["code"] == "held", (name, answer.text)
                    assert kept["target"] == typed or segment["state"] == "confirmed"
