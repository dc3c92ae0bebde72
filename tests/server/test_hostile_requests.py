"""Requests that cost their sender little and the server much: all of them cost little now, or are refused."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pydantic import ValidationError
from websockets.sync.client import ClientConnection, connect

from dragoman.editor import messages, segment_log, teamwork
from dragoman.editor.document_feed import PAUSE, DocumentFeed
from dragoman.editor.message import MOST_FIELDS, Sent
from dragoman.server import schemas
from dragoman.server.compatible.call import MOST_NAMES
from dragoman.server.compatible.chat import _read as read_chat
from dragoman.server.compatible.chat_items import take_apart
from dragoman.server.compatible.deepl import mask_elements
from dragoman.server.limits import Limits
from dragoman.server.marked_text import Entities
from tests.server.editor import API, make
from tests.server.support import Running, make_projects, running

MANY = 200_000  # of what is never closed: a search to the end for each of them would take hours


# ── Texts ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_elements_that_are_never_closed_are_read_in_one_pass() -> None:
    text = "<a>" * MANY
    assert mask_elements(text, {"a"}) == (text, {})
    assert len(mask_elements("<a>" * MANY + "</a>" * MANY, {"a"})[1]) == 1
    assert mask_elements("<a><b></a></b>", ()) == ("<a><b></a></b>", {})


def test_blocks_that_are_never_closed_are_read_in_one_pass() -> None:
    text = "<text>" * MANY
    assert read_chat({"messages": [{"role": "user", "content": text}]}) == ("", text)
    asked = {"role": "user", "content": f"To Spanish: <source>{text}```\nOpen.\n```"}
    assert read_chat({"messages": [asked]})[1] == "Open."


@pytest.mark.parametrize("text", ["\n" + "=" * MANY, "1." + " " * MANY + "\n2." + " " * MANY, "\n==" + "A" * MANY])
def test_lines_that_look_like_separators_are_read_in_one_pass(text: str) -> None:
    assert take_apart(text)[0] == [text]


def test_comments_that_are_never_closed_are_read_in_one_pass() -> None:
    found = Entities("<!-- a & b --> &amp; " + "<!--" * MANY)
    assert found.encode("<!-- a & b --> x & y") == "<!-- a & b --> x &amp; y"
    assert found.encode("&" + "<!--" * MANY).startswith("&amp;<!--")


# ── Lists and objects ────────────────────────────────────────────────────────────────────────────────────────────────


def lists_in(schema: Any) -> Iterator[dict[str, Any]]:
    """The lists in the schema of a model."""
    if isinstance(schema, dict):
        if schema.get("type") == "list":
            yield schema
        for value in schema.values():
            yield from lists_in(value)
    elif isinstance(schema, list | tuple):
        for value in schema:
            yield from lists_in(value)


def models(kind: type[Sent] = Sent) -> Iterator[type[Sent]]:
    for each in kind.__subclasses__():
        yield each
        yield from models(each)


def test_of_a_list_that_is_sent_only_the_first_mistake_is_told() -> None:
    assert {schemas.TranslationWanted, messages.Review} <= {*models()}
    slow = {
        each.__name__
        for each in models()
        for found in lists_in(each.__pydantic_core_schema__)
        if not found.get("fail_fast")
    }
    assert not slow
    with pytest.raises(ValidationError) as error:
        schemas.TranslationWanted.model_validate({"texts": [[]] * 400})
    assert error.value.error_count() == 1


def test_a_list_is_counted_before_its_items_are_looked_at() -> None:
    with pytest.raises(ValidationError, match="at most 500 items"):
        schemas.TranslationWanted.model_validate({"texts": [[]] * 501})


def test_of_an_object_with_too_many_fields_none_is_looked_at() -> None:
    with pytest.raises(ValidationError, match="more than 100 fields") as error:
        schemas.Correction.model_validate({f"x{n}": 1 for n in range(MOST_FIELDS + 1)})
    assert error.value.error_count() == 1


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found


@pytest.mark.parametrize("name", ["hints", "context_vector", "glossaries"])
def test_lists_of_names_are_bounded(client: httpx.Client, name: str) -> None:
    asked = {"q": "Close the lid.", "source": "en", "target": "es", name: ",".join(map(str, range(MOST_NAMES + 1)))}
    override = {"X-HTTP-Method-Override": "GET"}
    assert client.post("/modernmt/translate", json=asked, headers=override).status_code == 413


def test_names_that_are_kept_are_short(client: httpx.Client) -> None:
    pair = {"source": "en", "target": "es", "sentence": "Rinse the filter.", "translation": "Enjuague el filtro."}
    assert client.post("/modernmt/memories/manual/content", json=pair | {"tuid": "x" * 1001}).status_code == 400
    edit = {"action": "Translation changed", "source": ["a"], "target": ["b"], "translation": "es"}
    assert client.post("/hooks/weblate", json=edit, headers={"webhook-id": "x" * 201}).status_code == 400


@pytest.mark.parametrize("path", ["/api/v1/projects/", "/v2/translate/", "/libretranslate/languages/"])
def test_redirects_do_not_follow_the_host_header(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers={"Host": "evil.example", "X-Forwarded-For": "192.0.2.1"})
    assert (answer.status_code, answer.headers["location"]) == (307, path.rstrip("/"))


# ── What is kept for a segment ───────────────────────────────────────────────────────────────────────────────────────


def test_comments_are_bounded(client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teamwork, "MOST_COMMENTS", 2)
    monkeypatch.setattr(teamwork, "MOST_COMMENTS_ALL", 3)
    place = make(client, "Close the lid.", "Open the lid.")
    statuses = [
        client.post(f"{place}/segments/{number}/comments", json={"text": "Why?"}).status_code
        for number in (1, 1, 1, 2, 2)
    ]
    assert statuses == [201, 201, 409, 201, 409]


def test_of_what_was_only_typed_the_newest_is_kept(client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_log, "MOST_TYPED", 3)
    place = make(client, "Close the lid.")
    client.put(f"{place}/segments/1", json={"target": "Cierre.", "state": "translated"})
    for n in range(6):
        client.post(f"{place}/segments/1/versions", json={"target": f"Cierre {n}."})
    history = client.get(f"{place}/segments/1/about").json()["history"]
    assert [each["target"] for each in history] == ["Cierre 5.", "Cierre 4.", "Cierre 3.", "Cierre."]


# ── WebSockets ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_everybody_is_told_now_and_then_who_is_there_however_much_they_move() -> None:
    async def move() -> list[Any]:
        feed = DocumentFeed()
        with feed.listening("manual", 1, "ana") as ana, feed.listening("manual", 1, "bo") as bo:
            for number in range(1000):
                bo.segment = number
                feed.show_people("manual", 1)
            await asyncio.sleep(2 * PAUSE)
            return [ana.events.get_nowait() for _ in range(ana.events.qsize())]

    told = [each for each in asyncio.run(move()) if each["event"] == "people"]
    assert len(told) == 2
    assert [each["segment"] for each in told[-1]["people"]] == [None, 999]


def watch(server: Running, document: str) -> ClientConnection:
    path = f"ws://127.0.0.1:{server.port}{API}/documents/{document}/events"
    found: ClientConnection = connect(path, proxy=None)
    return found


def test_what_a_client_sends_in_all_sockets_is_read_only_so_fast(tmp_path: Any) -> None:
    make_projects(tmp_path)
    limits = Limits(client_messages=2, client_message_burst=6)
    with running(tmp_path, limits=limits) as server, server.client() as client:
        document = make(client, "Close the lid.").rpartition("/")[2]
        with watch(server, document) as one, watch(server, document) as other:
            began = time.monotonic()
            for socket in (one, other):
                for _ in range(5):
                    socket.send("nonsense")
            for socket in (one, other):
                said = 0
                while said < 5:  # nothing is lost
                    said += json.loads(socket.recv(timeout=30))["event"] == "error"
            assert time.monotonic() - began > 1  # six at once, the other four at two a second
