"""Edits that other programs report: signed, each learned once, in whatever order they arrive."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from dragoman.engine import Engine
from dragoman.server.keys import Keys
from dragoman.server.webhooks import new_secret, sign
from tests.server.support import Running, make_projects, running
from tests.server.test_running import serving

Sent = dict[str, Any]


def edit(number: int, source: str | list[str], target: str | list[str], **more: object) -> Sent:
    """What Weblate reports of a change."""
    texts = {name: [text] if isinstance(text, str) else text for name, text in (("source", source), ("target", target))}
    about = {"change_id": number, "action": "Translation changed", "translation": "es", "author": "ana"}
    return about | texts | {"url": f"/translate/app/ui/es/?checksum={source}"} | more


class Weblate:
    """Sends webhooks as Weblate does."""

    def __init__(self, client: httpx.Client, secret: str) -> None:
        self.client, self.secret = client, secret

    def send(
        self, sent: Sent, message: str | None = None, path: str = "/hooks/weblate", age: float = 0
    ) -> httpx.Response:
        message, now = message or f"{sent['source']} {sent['change_id']}", time.time() - age
        body = json.dumps(sent).encode()
        headers = {
            "webhook-id": message,
            "webhook-timestamp": str(now),
            "webhook-signature": sign(self.secret, message, str(int(now)), body),
            "content-type": "application/json",
        }
        return self.client.post(path, content=body, headers=headers)

    def learn(self, sent: Sent, message: str | None = None) -> dict[str, Any]:
        answer = self.send(sent, message)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Weblate]]:
    folder = tmp_path_factory.mktemp("weblate")
    make_projects(folder / "projects")
    keys = Keys(folder / "keys.json")
    secret = keys.add("weblate", {"*": "learn"}, webhook=True)
    with running(folder / "projects", keys=folder / "keys.json") as server, server.client() as client:
        yield server, Weblate(client, secret)


@pytest.fixture
def weblate(signed: tuple[Running, Weblate]) -> Weblate:
    return signed[1]


@pytest.fixture
def engine(signed: tuple[Running, Weblate]) -> Engine:
    found: Engine = signed[0].app.state.context.projects.get("manual").engine
    return found


def targets(engine: Engine, source: str) -> list[str]:
    return [target for _, known, target in engine.memory_texts() if known == source]


def test_an_edit_is_learned_and_helps_with_a_similar_string(weblate: Weblate, engine: Engine) -> None:
    assert weblate.learn(edit(1, "Clean the steam wand.", "Limpie el vaporizador.")) == {"learned": 1}
    assert engine.translate("Remove the steam wand.").text == "Retire el vaporizador."
    [row] = engine.history(1)
    assert row.user == "ana"


def test_an_edit_of_the_same_string_revises_it(weblate: Weblate, engine: Engine) -> None:
    weblate.learn(edit(1, "Clean the wand.", "Limpie la varita."))
    assert weblate.learn(edit(2, "Clean the wand.", "Limpie el tubo.", old=["Limpie la varita."])) == {"revised": 1}
    assert targets(engine, "Clean the wand.") == ["Limpie el tubo."]


def test_an_edit_revises_what_was_imported_before(weblate: Weblate, engine: Engine) -> None:
    changed = edit(1, "Close the lid.", "Cierre la tapadera.", old=["Cierre la tapa."])
    assert weblate.learn(changed) == {"revised": 1}
    assert targets(engine, "Close the lid.") == ["Cierre la tapadera."]


def test_the_same_text_in_two_strings_is_not_revised_by_the_other(weblate: Weblate, engine: Engine) -> None:
    weblate.learn(edit(1, "Right", "Derecha", url="/a"))
    weblate.learn(edit(2, "Right", "Correcto", old=["Derecha"], url="/b"))
    assert sorted(targets(engine, "Right")) == ["Correcto", "Derecha"]


def test_a_delivery_counts_once_and_an_old_one_not_at_all(weblate: Weblate, engine: Engine) -> None:
    first, second = edit(1, "Wait.", "Espera."), edit(2, "Wait.", "Espere.", old=["Espera."])
    assert weblate.learn(second) == {"learned": 1}
    assert weblate.learn(first) == {"outdated": 1}
    assert weblate.learn(second) == {"known": 1}
    assert targets(engine, "Wait.") == ["Espere."]


def test_plural_forms_belong_to_their_sources(weblate: Weblate, engine: Engine) -> None:
    sent = edit(1, ["one bean", "many beans"], ["un grano", "muchos granos"])
    assert weblate.learn(sent) == {"learned": 2}
    assert targets(engine, "many beans") == ["muchos granos"]
    assert weblate.learn(sent | {"change_id": 2, "target": ["un grano", "varios granos"]}) == {"known": 1, "revised": 1}


@pytest.mark.parametrize(
    "more",
    [{"action": "Suggestion added"}, {"action": "Automatically translated"}, {"translation": "ja"}, {"target": []}],
)
def test_what_nobody_has_accepted_is_left_out(weblate: Weblate, engine: Engine, more: Sent) -> None:
    before = engine.correction_count
    assert "ignored" in weblate.learn(edit(1, "Stop.", "Pare.") | more)
    assert engine.correction_count == before


def test_suspicious_and_empty_texts_are_counted(weblate: Weblate) -> None:
    assert weblate.learn(edit(1, "Press the green button now.", "Pulseeeeeeeeee")) == {"flagged": 1}
    assert weblate.learn(edit(2, "\u200b", "\u200b\u200b.")) == {"refused": 1}


def test_only_signed_deliveries_are_taken(weblate: Weblate) -> None:
    sent = edit(1, "Stop.", "Pare.")
    assert weblate.client.post("/hooks/weblate", json=sent).status_code == 401
    assert weblate.send(sent, age=3600).status_code == 400
    assert Weblate(weblate.client, new_secret()).send(sent).status_code == 401


def test_a_secret_of_webhooks_is_no_key(weblate: Weblate) -> None:
    headers = {"Authorization": f"Bearer {weblate.secret}"}
    assert weblate.client.get("/api/v1/projects", headers=headers).status_code == 401


def test_a_key_in_the_address_will_do_without_a_signature(guarded: Running, keys: dict[str, str]) -> None:
    address = f"http://x:{keys['learn']}@127.0.0.1:{guarded.port}/hooks/weblate/manual"
    with guarded.client() as client:
        answer = client.post(address, json=edit(1, "Stop.", "Pare."), headers={"webhook-id": "a"})
    assert answer.json() == {"learned": 1}


PO = b'msgid "Wipe it."\nmsgstr "Limpielo."\n\nmsgid "Dry it."\nmsgstr "Sequelo."\n'


def test_a_file_that_is_sent_again_teaches_only_what_is_new(guarded: Running, keys: dict[str, str]) -> None:
    with guarded.client(keys["learn"]) as client:

        def send(data: bytes, **more: str | bool) -> dict[str, int]:
            answer = client.post("/hooks/file/manual", params={"name": "locale/sent-again.po", **more}, content=data)
            assert answer.status_code == 200, answer.text
            found: dict[str, int] = answer.json()
            return found

        assert send(PO) == {"new": 2}
        assert send(PO) == {"known": 2}
        assert send(PO.replace(b"Sequelo", b"Seque")) == {"known": 1, "changed": 1}
        assert send(PO.partition(b"\n\n")[0], forget=True) == {"known": 1, "forgotten": 1}
        wrong = client.post("/hooks/file/manual", params={"name": "x.exe"}, content=b"x")
        assert wrong.status_code == 400
    with guarded.client(keys["translate"]) as client:
        assert client.post("/hooks/file/manual", params={"name": "es.po"}, content=PO).status_code == 403


def test_importing_a_document_again_learns_nothing_twice(guarded: Running, keys: dict[str, str]) -> None:
    tmx = (
        b'<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>Turn it off.</seg></tuv>'
        b'<tuv xml:lang="es"><seg>Apague la maquina.</seg></tuv></tu></body></tmx>'
    )
    with guarded.client(keys["learn"]) as client:
        for _ in range(3):
            job = client.post(
                "/api/v1/projects/manual/imports", params={"name": "m.tmx", "learn": True}, content=tmx
            ).json()
            while client.get(f"/api/v1/projects/manual/jobs/{job['id']}").json()["state"] != "done":
                time.sleep(0.05)
        rows = client.get("/api/v1/projects/manual/corrections", params={"search": "Turn it off"}).json()
    assert len(rows["corrections"]) == 1


def deliveries(count: int, chance: random.Random) -> list[tuple[str, Sent]]:
    """Edits of different strings, a tenth of them delivered twice, in any order."""
    edits = [edit(n, f"Press button {n} of the machine.", f"Pulse el botón {n} de la máquina.") for n in range(count)]
    sent = [*edits, *chance.sample(edits, count // 10)]
    chance.shuffle(sent)
    return [(f"msg{each['change_id']}", each) for each in sent]


def learn_over_a_kill(folder: Path, count: int) -> Counter[str]:
    """Deliver edits to a server that is killed on the way, then again what it did not acknowledge; what it learned."""
    Engine.create(folder / "manual", source="en", target="es").close()
    secret = Keys(folder / "keys.json").add("weblate", {"*": "learn"}, webhook=True)
    remaining = deliveries(count, random.Random(3))
    while remaining:
        with serving(str(folder / "manual"), "--keys", str(folder / "keys.json")) as (process, client, _):
            kill: Callable[[], None] = process.kill
            first = len(remaining) > count // 2
            unconfirmed = _deliver(Weblate(client, secret), remaining, kill if first else None, count // 2)
            remaining = unconfirmed
    with Engine.open(folder / "manual", write=False) as engine:
        return Counter(row.source or "" for row in engine.changes() if row.kind == "learn")


def _deliver(
    weblate: Weblate, waiting: list[tuple[str, Sent]], kill: Callable[[], None] | None, after: int
) -> list[tuple[str, Sent]]:
    """Send what is waiting, from four threads; what was not acknowledged, and so has to be sent again."""
    lock, failed, queue = threading.Lock(), list[tuple[str, Sent]](), list(reversed(waiting))

    def send() -> None:
        while True:
            with lock:
                if not queue:
                    return
                message, sent = queue.pop()
                if kill and len(waiting) - len(queue) == after:
                    threading.Thread(target=kill).start()
            try:
                weblate.learn(sent, message)
            except (httpx.TransportError, AssertionError):
                failed.append((message, sent))

    threads = [threading.Thread(target=send) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return failed


def test_edits_are_learned_exactly_once_although_the_server_is_killed(tmp_path: Path) -> None:
    found = learn_over_a_kill(tmp_path, 100)
    assert len(found) == 100
    assert set(found.values()) == {1}


@pytest.mark.parametrize("number", [2**63, 2**63 - 1, -1])
def test_a_number_that_no_change_has_is_refused(weblate: Weblate, number: int) -> None:
    assert weblate.send(edit(number, "Warm the cups.", "Caliente las tazas.")).status_code == 400


def test_the_journal_names_the_author_on_one_short_line(weblate: Weblate, engine: Engine) -> None:
    weblate.learn(edit(1, "Warm the cup.", "Caliente la taza.", author="ana\n\x00admin" + "x" * 1000))
    [row] = engine.history(1)
    assert row.user is not None
    assert (row.user[:9], len(row.user)) == ("ana admin", 200)


def test_nobody_passes_for_the_owner_of_another_key(guarded: Running, keys: dict[str, str]) -> None:
    headers = {"webhook-id": "1", "Authorization": f"Bearer {keys['learn']}"}
    with guarded.client() as client:
        for number, author in ((1, "root"), (2, "ana"), (3, "learn")):
            sent = edit(number, f"Clean the filter {number}.", f"Limpie el filtro {number}.", author=author)
            answer = client.post("/hooks/weblate/manual", json=sent, headers=headers | {"webhook-id": str(number)})
            assert answer.json() == {"learned": 1}
    rows = guarded.app.state.context.projects.get("manual").engine.history(3)
    assert sorted(row.user for row in rows) == ["ana", "learn", "root (via learn)"]
