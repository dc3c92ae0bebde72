"""HTTP: deadlines, trying again, redirects, sizes; and keys that show up nowhere."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from typing import Any

import pytest

from dragoman.upstream import Silence, UnansweredError
from dragoman.upstream.contract import EngineName
from dragoman.upstream.transport import LARGEST, Key, Transport
from tests.upstream.support import Reaction, Request, as_json, serving

KEY = "sk-a1b2c3d4e5"


def transport(url: str, pauses: list[float] | None = None) -> Transport:
    place = EngineName("libretranslate", url)
    sleep: Callable[[float], None] = time.sleep if pauses is None else pauses.append
    return Transport(place, url, Key(KEY), {"Authorization": f"Bearer {KEY}"}, sleep)


def ask(url: str, pauses: list[float] | None = None, seconds: float = 20) -> Any:
    sender = transport(url, pauses)
    try:
        return sender.post("/translate", seconds, 5, json={"q": "hello"})
    finally:
        sender.close()


def in_turn(*reactions: Reaction) -> Callable[[Request], Reaction]:
    rest = iter(reactions)
    return lambda _: next(rest)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_may_pass_is_tried_again_with_growing_pauses(status: int) -> None:
    pauses: list[float] = []
    with serving(in_turn(as_json({}, status), as_json({}, status), as_json("done"))) as service:
        assert ask(service.url, pauses) == "done"
    assert len(service.requests) == 3
    assert 0 < pauses[0] < pauses[1]


def test_an_error_that_a_text_may_have_caused_is_tried_again_once() -> None:
    with (
        serving(lambda _: as_json({}, 500)) as service,
        pytest.raises(UnansweredError, match="answered 500") as caught,
    ):
        ask(service.url, [])
    assert (len(service.requests), caught.value.blames_texts) == (2, True)


@pytest.mark.parametrize("how", ["seconds", "date"])
def test_the_pause_that_a_server_asks_for_is_kept(how: str) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=7), usegmt=True)
    pauses: list[float] = []
    header = {"Retry-After": "7" if how == "seconds" else later}
    with serving(in_turn(as_json({}, 429, **header), as_json("done"))) as service:
        assert ask(service.url, pauses) == "done"
    assert 4 < pauses[0] <= 7


def test_a_pause_longer_than_the_time_allowed_is_not_waited_for() -> None:
    with (
        serving(lambda _: as_json({}, 429, **{"Retry-After": "60"})) as service,
        pytest.raises(UnansweredError, match="answered 429") as caught,
    ):
        ask(service.url, seconds=2)
    assert (caught.value.silence, caught.value.wait, len(service.requests)) == (Silence.SPENT, 60.0, 1)


@pytest.mark.parametrize(
    ("status", "says", "blames"),
    [
        (400, "answered 400: what is this", True),
        (413, "answered 413", True),
        (401, r"refused our key \(401\): what is this; check the key", False),
        (403, r"refused our key \(403\)", False),
        (456, r"says that the quota is used up \(456\)", False),
        (418, "answered 418", False),
    ],
)
def test_what_will_not_pass_is_not_tried_again(status: int, says: str, blames: bool) -> None:
    with (
        serving(lambda _: as_json({"error": {"message": "what is\nthis"}}, status)) as service,
        pytest.raises(UnansweredError, match=says) as caught,
    ):
        ask(service.url)
    assert len(service.requests) == 1
    assert caught.value.blames_texts is blames


def test_a_redirect_is_not_followed() -> None:
    with (
        serving(lambda _: as_json("theft")) as thief,
        serving(lambda _: (307, {"Location": f"{thief.url}/translate"}, b"")) as service,
        pytest.raises(UnansweredError, match=r"redirects to 127\.0\.0\.1; name the address"),
    ):
        ask(service.url)
    assert thief.requests == []


def test_a_server_that_takes_too_long_is_left() -> None:
    go_on, answered = threading.Event(), threading.Event()

    def wait(_: Request) -> Reaction:
        go_on.wait(30)
        answered.set()
        return as_json("late")

    with serving(wait) as service:
        with pytest.raises(UnansweredError, match="did not answer in time") as caught:
            ask(service.url, seconds=0.3)
        left_early = not answered.is_set()
        go_on.set()
    assert left_early
    assert caught.value.silence is Silence.SLOW


def test_an_answer_without_end_is_cut_off() -> None:
    with (
        serving(lambda _: (200, {}, b"x" * (LARGEST + 1000))) as service,
        pytest.raises(UnansweredError, match="sends more than 8 megabytes") as caught,
    ):
        ask(service.url)
    assert caught.value.silence is Silence.RAMBLING


def test_an_answer_that_is_not_json_is_none() -> None:
    with (
        serving(lambda _: (200, {}, b"<html>Sign in</html>")) as service,
        pytest.raises(UnansweredError, match="answered with something other than JSON"),
    ):
        ask(service.url)


def test_a_server_that_is_not_there_is_tried_again_and_then_named() -> None:
    pauses: list[float] = []
    with pytest.raises(UnansweredError, match=r"libretranslate:http://127\.0\.0\.1:9: cannot be reached"):
        ask("http://127.0.0.1:9", pauses)
    assert len(pauses) == 3


def complain(status: int, _: Request) -> Reaction:
    return as_json({"error": f"your key {KEY} is odd"}, status)


def test_a_key_shows_up_in_no_error_log_or_repr(caplog: pytest.LogCaptureFixture) -> None:
    seen = [repr(transport("http://127.0.0.1:9")), repr(vars(transport("http://127.0.0.1:9"))), repr(Key(KEY))]
    with caplog.at_level(logging.DEBUG):
        for status in (200, 301, 400, 401, 403, 404, 418, 456, 500):
            with serving(partial(complain, status)) as service:
                try:
                    ask(service.url, [])
                except UnansweredError as error:
                    seen += [str(error), repr(error), repr(error.__cause__), repr(error.__context__)]
                assert service.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    seen += [record.getMessage() for record in caplog.records]
    assert len(seen) > 10
    assert [text for text in seen if KEY in text] == []


def test_requests_are_counted_before_they_are_sent_and_characters_once() -> None:
    counted: list[tuple[int, int]] = []
    with serving(in_turn(as_json({}, 503), as_json("done"))) as service:
        sender = transport(service.url, [])
        sender.meter = lambda requests, characters: counted.append((requests, characters))
        sender.post("/translate", 5, 42, json={})
        sender.close()
    assert counted == [(1, 42), (1, 0)]


@pytest.mark.parametrize("encoding", ["gzip", "zstd", "gzip, gzip", "deflate"])
def test_compressed_answers_are_not_asked_for_and_not_unpacked(encoding: str) -> None:
    with serving(lambda _: as_json("done", 200, **{"Content-Encoding": encoding})) as service:
        with pytest.raises(UnansweredError, match="compressed"):
            ask(service.url)
        assert {request.headers["Accept-Encoding"] for request in service.requests} == {"identity"}
