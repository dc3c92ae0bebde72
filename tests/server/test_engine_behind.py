"""Every interface over an engine that is quick, slow, dead or lying: asked in batches, and never passed off as done."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dragoman.server import batches, workers
from dragoman.upstream import transport
from tests.server.engine_behind import ALL, IN_BATCHES, LIES, SAID, TEXTS, behind, libretranslate, own


def test_many_texts_are_asked_for_in_few_calls(tmp_path: Path) -> None:
    with behind(tmp_path) as (client, _, service):
        for number, interface in enumerate(IN_BATCHES):
            texts, before = [f"{text} {number}" for text in TEXTS], len(service.requests)
            assert interface(client, texts) == (200, [f"{SAID[text]} {number}" for text in TEXTS])
            assert len(service.requests) - before <= 4


def test_an_engine_that_is_dead_is_an_error(tmp_path: Path) -> None:
    with behind(tmp_path) as (client, fake, _):
        fake.kind = "dead"
        found = {interface.__name__: interface(client, TEXTS[:2]) for interface in ALL}
        assert found == {interface.__name__: (503, []) for interface in ALL}


def test_what_an_engine_lies_about_stays_as_it_is(tmp_path: Path) -> None:
    with behind(tmp_path) as (client, fake, _):
        for text, lie in zip(TEXTS, LIES, strict=False):
            fake.kind = lie
            found = {interface.__name__: interface(client, [text]) for interface in ALL}
            assert found == {interface.__name__: (200, [text]) for interface in ALL}, lie
            assert own(client, [text]) == (203, [])  # marked as doubtful


def test_a_text_that_the_engine_cannot_do_blocks_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "FIRST_PAUSE", 0.01)
    with behind(tmp_path) as (client, fake, _):
        fake.kind = "breaks"
        for number, interface in enumerate(ALL):
            texts = [f"{text} {number}" for text in TEXTS[:9]]
            texts[4] = f"Break that <b>door</b>, number {number}."
            said = [f"{SAID[text]} {number}" for text in TEXTS[:9]]
            assert interface(client, texts) == (200, [*said[:4], texts[4], *said[5:]]), interface.__name__


def test_the_pause_that_an_engine_asks_for_is_passed_on(tmp_path: Path) -> None:
    with behind(tmp_path) as (client, fake, _):
        fake.kind = "busy"
        body = {"q": TEXTS[:1], "source": "en", "target": "es"}
        found = client.post("/libretranslate/translate", json=body)
    assert found.status_code == 503
    assert 50 < int(found.headers["Retry-After"]) <= 60


def test_an_engine_that_takes_too_long_is_an_error_until_its_answer_has_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with behind(tmp_path) as (client, fake, service):
        for number, interface in enumerate(ALL):
            text = TEXTS[number]
            fake.may_answer.clear()
            for each in ("PATIENCE", "JOB_PATIENCE"):
                monkeypatch.setattr(batches, each, 0.2)
            status, made = interface(client, [text])
            assert (status in (503, 529), made) == (True, [])
            fake.may_answer.set()
            for each in ("PATIENCE", "JOB_PATIENCE"):
                monkeypatch.setattr(batches, each, 30.0)
            assert interface(client, [text]) == (200, [SAID[text]])
            verb, noun = (word.encode() for word in (text.split()[0], text.split(">")[1].split("<")[0]))
            asked = [each for each in service.requests if verb in each.body and noun in each.body]
            assert len(asked) == 1  # a word inside tags may be asked for by itself


def test_nobody_waits_longer_because_others_wait_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "PATIENCE", 1.0)
    monkeypatch.setattr(workers, "ENGINES", 1)
    with behind(tmp_path) as (client, fake, _), ThreadPoolExecutor(10) as threads:
        fake.may_answer.clear()
        began = time.monotonic()
        found = list(threads.map(lambda text: libretranslate(client, [text]), TEXTS[:10]))
        took = time.monotonic() - began
        fake.may_answer.set()
    assert found == [(529, [])] * 10
    assert took < 8


def test_our_own_api_marks_what_the_engine_did_not_say(tmp_path: Path) -> None:
    with behind(tmp_path) as (client, fake, service):
        fake.kind = "dead"
        found = client.post("/api/v1/projects/manual/translations", json={"texts": TEXTS}).json()["translations"]
        assert {each["upstream"] for each in found} == {None}
        assert len(service.requests) <= 4


def test_what_dragoman_knows_itself_needs_no_engine(tmp_path: Path) -> None:
    with behind(tmp_path) as (client, fake, _):
        fake.kind = "dead"
        pair = {"source": "Close the lid.", "target": "Cierre la tapa."}
        client.post("/api/v1/projects/manual/corrections", json=pair)
        assert libretranslate(client, ["Close the lid."]) == (200, ["Cierre la tapa."])
        assert libretranslate(client, ["Close the lid", "Open that door."])[0] == 503
