"""Checks over HTTP: live, as a filter, as a report; and lists of segments that are loaded page by page."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.server.editor import API, confirm, finished, make
from tests.server.support import Running


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found


def test_a_draft_is_checked_without_being_saved(client: httpx.Client) -> None:
    place = make(client, "Wait 5 minutes.")
    found = client.post(f"{place}/segments/1/check", json={"target": "Espere  6 minutos"}).json()["findings"]
    assert [each["check"] for each in found] == ["numbers", "numbers", "punctuation", "spaces"]
    assert (found[0]["source_start"], found[1]["start"]) == (5, 8)
    assert client.get(f"{place}/segments/1").json()["target"] == ""


def test_findings_can_be_accepted_with_a_reason_and_taken_back(client: httpx.Client) -> None:
    place = make(client, "Wait 7 minutes.")
    confirm(client, place, 1, "Espere siete minutos.")
    assert client.get(f"{place}/segments", params={"warnings": "numbers"}).json()["segments"][0]["warnings"] == 1
    found = client.put(f"{place}/segments/1/accepted", json={"check": "numbers", "reason": "in words"}).json()
    assert [each["accepted"]["reason"] for each in found["findings"]] == ["in words"]
    assert client.get(f"{place}/segments", params={"warnings": "any"}).json()["segments"] == []
    client.delete(f"{place}/segments/1/accepted", params={"check": "numbers"})
    assert client.get(f"{place}/numbers", params={"warnings": "numbers"}).json() == {"numbers": [1]}


def test_contradictions_are_in_the_report(client: httpx.Client) -> None:
    place = make(client, "Empty the tray.", "Empty the tray.", "Clean the tray.")
    for number, target in enumerate(["Vacíe la bandeja.", "Vacíe el plato.", "Vacíe la bandeja."], 1):
        assert confirm(client, place, number, target).status_code == 200
    report = client.get(f"{place}/report").json()
    assert report["deliverable"]
    assert (report["counts"]["same-source"], report["counts"]["same-target"]) == (1, 1)
    assert {(each["segment"], each["check"]) for each in report["findings"]} == {(2, "same-source"), (3, "same-target")}


def test_a_job_checks_a_document_again(client: httpx.Client) -> None:
    sent = {"name": "page", "segments": [{"source": "Take 3.", "target": "Tome 4."}, {"source": "Take 1."}]}
    place = f"{API}/documents/{client.post(f'{API}/documents', json=sent).json()['id']}"
    assert client.get(f"{place}/overview").json()["warned"] == []
    assert finished(client, client.post(f"{place}/check").json())["done"] == 2
    overview = client.get(f"{place}/overview").json()
    assert (overview["states"], overview["warned"]) == ("tn", [1])


def test_a_term_is_found_as_a_whole_word_only(client: httpx.Client) -> None:
    place = make(client, "The capsule.", "The cap.")
    client.put(f"{API}/glossary", json={"source": "cap", "target": "tapón"})
    try:
        checked = [
            client.post(f"{place}/segments/{number}/check", json={"target": "La pieza."}).json()["findings"]
            for number in (1, 2)
        ]
    finally:
        client.delete(f"{API}/glossary", params={"source": "cap"})
    assert [[each["what"] for each in found] for found in checked] == [[], ["“cap” should be “tapón”"]]


def test_segments_are_loaded_page_by_page_in_both_directions(client: httpx.Client) -> None:
    place = make(client, *(f"Turn knob {n}." for n in range(1, 31)))

    def numbers(**which: object) -> list[int]:
        found = client.get(f"{place}/segments", params=which).json()["segments"]  # type: ignore[arg-type]
        return [each["number"] for each in found]

    assert numbers(after=10, limit=3) == [11, 12, 13]
    assert numbers(before=10, limit=3) == [7, 8, 9]
    assert numbers(around=15, limit=5) == [13, 14, 15, 16, 17]
    assert numbers(around=1, limit=3) == [1, 2, 3]
    assert numbers(search="knob 2", before=25, limit=2) == [23, 24]
    assert client.get(f"{place}/segments", params={"after": 28, "limit": 2}).json()["more"] is False
    assert client.get(f"{place}/segments", params={"after": 20, "limit": 2}).json()["more"] is True
    overview = client.get(f"{place}/overview").json()
    assert (overview["segments"], overview["states"]) == (30, "n" * 30)


def test_a_segment_that_no_table_can_hold_is_in_the_report_of_a_document_without_a_file(client: httpx.Client) -> None:
    place = make(client, "Open the lid.\nClose it.", "Close it.")
    assert confirm(client, place, 1, "Abra la tapa.\nCiérrela.").status_code == 200
    assert confirm(client, place, 2, "Ciérrela.").status_code == 200
    report = client.get(f"{place}/report").json()
    assert (report["deliverable"], [each["segment"] for each in report["not_delivered"]]) == (False, [1])
