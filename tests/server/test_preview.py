"""The text around a segment, over the API."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.server.editor import XLIFF, confirm, make, upload
from tests.server.support import Running

PAGE = "<h1>Lids</h1><p>Press <b>the green button</b>. Close the lid.</p><p>1 &lt; 2 <script>alert(1)</script></p>"


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found


def test_a_preview_has_the_paragraph_with_its_segments_and_what_their_tags_look_like(client: httpx.Client) -> None:
    place = upload(client, "page.html", PAGE)
    found = client.get(f"{place}/preview", params={"segment": 2}).json()
    assert [block["place"]["role"] for block in found["blocks"]] == ["heading", "paragraph", "paragraph"]
    assert [run["segment"] for run in found["blocks"][1]["runs"] if run["kind"] == "segment"] == [2, 3]
    press = next(each for each in found["segments"] if each["number"] == 2)
    assert (press["source"], press["target"], press["state"]) == ("Press <b>the green button</b>.", "", "new")
    assert [(each["tag"], each["look"]) for each in press["looks"]] == [("<b>", "bold"), ("</b>", "plain")]
    assert "alert" not in json.dumps(found)


def test_a_preview_has_translations_as_they_are_now(client: httpx.Client) -> None:
    place = upload(client, "page.html", PAGE)
    assert confirm(client, place, 3, "Cierre la tapa.").status_code == 200
    found = client.get(f"{place}/preview", params={"segment": 2}).json()
    assert [(each["target"], each["state"]) for each in found["segments"] if each["number"] == 3] == [
        ("Cierre la tapa.", "confirmed")
    ]


def test_a_preview_of_other_files_is_the_neighbouring_texts_with_notes(client: httpx.Client) -> None:
    place = upload(client, "a.xlf", XLIFF)
    found = client.get(f"{place}/preview", params={"segment": 1}).json()
    assert [block["place"]["role"] for block in found["blocks"]] == ["string", "string"]
    assert "lid.png" in found["blocks"][1]["note"]


def test_a_document_that_came_from_no_file_has_a_preview(client: httpx.Client) -> None:
    place = make(client, *(f"Open <b>lid {n}</b>." for n in range(1, 21)))
    found = client.get(f"{place}/preview", params={"segment": 10, "before": 2, "after": 3}).json()
    assert [each["number"] for each in found["segments"]] == [8, 9, 10, 11, 12, 13]
    assert [each["look"] for each in found["segments"][0]["looks"]] == ["bold", "plain"]
    assert (found["more_before"], found["more_after"]) == (True, True)


def test_a_preview_is_refused_for_segments_that_do_not_exist(client: httpx.Client) -> None:
    place = make(client, "Open the lid.")
    assert client.get(f"{place}/preview", params={"segment": 2}).status_code == 404
    assert client.get(f"{place}/preview", params={"segment": 1, "before": 100000}).status_code == 422


def test_rows_are_loaded_while_a_large_file_is_read_for_the_preview(
    server: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, project = upload(client, "page.html", PAGE), server.app.state.context.projects.get("manual")
    read, go_on, waiting = project.open_file, threading.Event(), threading.Semaphore(0)

    def slowly(number: int) -> Any:
        waiting.release()
        assert go_on.wait(60)
        return read(number)

    def preview() -> int:
        with server.client() as other:
            return other.get(f"{place}/preview", params={"segment": 2}).status_code

    monkeypatch.setattr(project, "open_file", slowly)
    with ThreadPoolExecutor() as people:
        asked = [people.submit(preview) for _ in range(max(2, os.cpu_count() or 2))]
        try:
            for _ in asked:
                assert waiting.acquire(timeout=30)
            assert client.get(f"{place}/segments", timeout=10).status_code == 200
        finally:
            go_on.set()
        assert {each.result() for each in asked} == {200}
