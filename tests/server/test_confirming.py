"""Confirmed means delivered: what the file cannot hold is held, and what is doubtful is asked about."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from dragoman.quality.delivery import PROBED
from tests.server.editor import XLIFF, confirm, download, finished, make, upload
from tests.server.support import Running


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found


@pytest.mark.parametrize(
    "target", ['Pulse el botón <g id="1">verde.', 'Pulse </g>verde<g id="1">.', "Pulse el botón verde.", "Pulse\x0c."]
)
def test_what_the_file_cannot_hold_is_kept_as_a_draft_and_not_confirmed(client: httpx.Client, target: str) -> None:
    place = upload(client, "page.xlf", XLIFF)
    refused = confirm(client, place, 1, target)
    error = refused.json()["error"]
    assert (refused.status_code, error["code"]) == (409, "held")
    assert [each["check"] for each in error["findings"]] == ["file"]
    assert (error["segment"]["state"], error["segment"]["target"], error["segment"]["held"]) == (
        "translated",
        target,
        True,
    )
    assert confirm(client, place, 1, target, version=1).json()["error"]["code"] == "held"  # sent again
    assert client.get(place).json()["held"] == 1
    report = client.get(f"{place}/report").json()
    assert (report["deliverable"], report["held"], report["not_delivered_count"]) == (False, 1, 2)


def test_a_line_break_in_a_line_of_text_is_held(client: httpx.Client) -> None:
    place = upload(client, "page.txt", "Close the lid.\nOpen the lid.\n")
    refused = confirm(client, place, 1, "Cierre\nla tapa.").json()["error"]
    assert (refused["code"], "line break" in refused["what"]) == ("held", True)
    assert confirm(client, place, 1, "Cierre la tapa.").status_code == 200
    assert confirm(client, place, 2, "Abra la tapa.").status_code == 200
    assert client.get(f"{place}/report").json()["deliverable"]
    assert download(client, place) == ("Cierre la tapa.\nAbra la tapa.\n", [])


def test_what_a_large_file_cannot_hold_is_held_when_it_is_confirmed(client: httpx.Client) -> None:
    cue = "{0}\n00:{1:02d}:{2:02d},000 --> 00:{1:02d}:{2:02d},900\nThis is line number {0} of the film.\n\n"
    film = "".join(cue.format(n, n // 60, n % 60) for n in range(1, 1200))
    assert len(film) > PROBED
    place = upload(client, "film.srt", film)
    refused = confirm(client, place, 600, "La <g> línea.")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "held")
    assert confirm(client, place, 600, "Línea 600.").status_code == 200
    text, left_out = download(client, place)
    assert "Línea 600." in text and left_out == []


def test_a_draft_sent_again_is_no_conflict_with_itself(client: httpx.Client) -> None:
    place = upload(client, "page.txt", "Close the lid.\n")
    draft = {"target": "Cierre", "state": "translated", "version": 1}
    first, again = (client.put(f"{place}/segments/1", json=draft) for _ in range(2))  # the first answer was lost
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.json()["version"] == first.json()["version"] == 2
    other = client.put(f"{place}/segments/1", json={**draft, "target": "Cierra"})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "conflict")


def test_an_earlier_confirmation_stays_when_a_later_one_is_refused(client: httpx.Client) -> None:
    place = upload(client, "page.txt", "Close the big lid.\n")
    confirm(client, place, 1, "Cierre la tapa grande.")
    refused = confirm(client, place, 1, "Cierre\nla tapa.").json()["error"]
    assert (refused["segment"]["state"], refused["segment"]["target"]) == ("confirmed", "Cierre la tapa grande.")
    assert download(client, place)[0] == "Cierre la tapa grande.\n"


@pytest.mark.parametrize(
    ("source", "target", "check"),
    [
        ("Open {count} files.", "Abra los archivos.", "placeholders"),
        ("Open %(name)s.", "Abra.", "placeholders"),
        ("Open %s.", "Abra %d.", "placeholders"),
        ("Open the <b>lid</b>.", "Abra la tapa.", "tags"),
        ("Open the flange.", "Abra la flange.", "untranslated"),
    ],
)
def test_what_is_doubtful_is_asked_about_once(client: httpx.Client, source: str, target: str, check: str) -> None:
    place = make(client, source)
    error = confirm(client, place, 1, target).json()["error"]
    assert (error["code"], {each["check"] for each in error["findings"]}) == ("questions", {check})
    accept = [{"check": check, "reason": "as the customer wants it"}]
    done = confirm(client, place, 1, target, accept=accept, version=error["segment"]["version"])
    assert done.status_code == 200, done.text
    assert {each["accepted"]["reason"] for each in done.json()["findings"] if each["check"] == check} == {
        "as the customer wants it"
    }
    assert done.json()["warnings"] == 0
    client.put(f"{place}/segments/1", json={"target": target, "state": "translated"})
    assert confirm(client, place, 1, target).status_code == 200  # it was answered before


def test_a_check_that_is_switched_off_asks_nothing(client: httpx.Client) -> None:
    place = make(client, "Press {count} knobs.")
    off = client.put(f"{place}/checks", json={"off": ["placeholders"]}).json()["checks"]
    assert [each["check"] for each in off if not each["on"]] == ["placeholders"]
    assert confirm(client, place, 1, "Pulse los pomos.").status_code == 200
    assert client.put(f"{place}/checks", json={"off": ["file"]}).status_code == 422


def test_a_file_with_a_segment_that_does_not_fit_is_written_without_it_and_says_so(client: httpx.Client) -> None:
    place = upload(client, "page.txt", "Close the small lid.\nOpen the small lid.\n")
    confirm(client, place, 1, "Cierre la tapita.")
    client.put(f"{place}/segments/2", json={"target": "Abra\nla tapita.", "state": "translated"})
    text, left_out = download(client, place)
    assert text == "Cierre la tapita.\nOpen the small lid.\n"
    assert [each["segment"] for each in left_out] == [2]
    missing = client.get(f"{place}/report").json()["not_delivered"]
    assert [(each["segment"], "line break" in each["what"]) for each in missing] == [(2, True)]


def test_limits_and_notes_of_the_file_are_told(client: httpx.Client) -> None:
    place = upload(client, "page.xlf", XLIFF)
    segment = client.get(f"{place}/segments/2").json()
    assert segment["note"] == "see https://x.org/lid.png"


def test_an_export_says_what_is_in_it_untranslated_and_as_a_draft(client: httpx.Client) -> None:
    place = upload(client, "page.txt", "Close it.\nOpen it.\nLift it.\n")
    confirm(client, place, 2, "Ábralo.")
    client.put(f"{place}/segments/3", json={"target": "Levántelo.", "state": "translated"})
    job = finished(client, client.post(f"{place}/export").json())
    assert (job["untranslated"], job["unconfirmed"], job["left_out"]) == ([1], [3], [])


def test_a_copied_word_is_asked_about_if_it_was_suggested_not_if_it_was_typed(client: httpx.Client) -> None:
    place = make(client, "Turn the ratchet.", "Turn the trunnion.")
    suggested = confirm(client, place, 1, "Gire el ratchet.", suggestion="Gire ratchet.")
    assert suggested.json()["error"]["code"] == "questions"
    assert confirm(client, place, 2, "Gire el trunnion.", suggestion="Gire.").status_code == 200
