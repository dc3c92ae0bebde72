"""Numbers that people use, find and replace, the memory and the glossary as files, concordance, projects."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.server.editor import API, confirm, finished, make
from tests.server.support import Running, make_projects, running


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of these tests, since they count."""
    folder: Path = tmp_path_factory.mktemp("numbers")
    make_projects(folder)
    with running(folder) as found:
        yield found


@pytest.fixture
def client(own: Running) -> Iterator[httpx.Client]:
    with own.client() as found:
        yield found


def test_text_confirmed_unread_does_not_count_as_saving(client: httpx.Client) -> None:
    place = make(client, "Close the door now.", "Open the door now.", "Lock the door now.")
    work = {"suggestion": "Cierre la puerta ahora.", "key_strokes": 2, "milliseconds": 9000}
    confirm(client, place, 1, "Cierre la puerta ahora.", user="ana", **work)
    rushed = {"suggestion": "Abra la puerta ahora.", "milliseconds": 20}
    confirm(client, place, 2, "Abra la puerta ahora.", user="bo", **rushed)
    typed = {"suggestion": "x", "key_strokes": 500, "milliseconds": 9000}
    confirm(client, place, 3, "Trabe la puerta ahora.", user="cy", **typed)
    found = client.get(f"{place}/effort").json()
    rows = {row["name"]: row for row in found["by_person"]}
    assert (rows["ana"]["saved"], rows["ana"]["unread"]) == (91.3, 0)
    assert (rows["bo"]["saved"], rows["bo"]["unread"]) == (None, 1)
    assert rows["cy"]["saved"] == 0.0  # never less than nothing
    assert found["total"]["segments"] == 3
    table = client.get(f"{place}/effort.csv")
    assert table.headers["content-type"].startswith("text/csv")
    assert table.text.splitlines()[0].startswith("by,name,document,segments")
    points = client.get(f"{API}/curve", params={"points": 2}).json()["points"]
    assert sum(point["segments"] for point in points) == 3


def test_a_document_is_analysed_against_the_memory(client: httpx.Client) -> None:
    place = make(client, "Close the lid.", "Close the lid.", "Close the lids.", "Something else entirely here.")
    assert client.get(f"{place}/analysis").json()["error"]["code"] == "not-found"
    assert finished(client, client.post(f"{place}/analysis").json())["state"] == "done"
    rows = {row["band"]: (row["segments"], row["words"]) for row in client.get(f"{place}/analysis").json()["rows"]}
    assert (rows["100"], rows["repetition"], rows["95-99"], rows["new"]) == ((1, 3), (1, 3), (1, 3), (1, 4))
    assert "repetition,1,3" in client.get(f"{place}/analysis.csv").text
    listed = client.get(f"{place}/segments").json()["segments"]
    assert [each["match"] for each in listed] == [100.0, None, 96.6, None]


def test_pretranslation_tells_where_drafts_come_from(client: httpx.Client) -> None:
    place = make(client, "Close the lid.", "Close the green lid.")
    assert finished(client, client.post(f"{place}/translate", params={"use": "memory"}).json())["state"] == "done"
    assert client.get(f"{place}/overview").json()["states"] == "tn"
    finished(client, client.post(f"{place}/translate").json())
    listed = client.get(f"{place}/segments").json()["segments"]
    assert [(each["origin"], each["match"]) for each in listed] == [("memory", 100.0), ("machine", None)]


def test_replacing_is_previewed_made_and_taken_back_at_once(client: httpx.Client) -> None:
    place = make(client, "The kettle.", "The kettles.", "The kettle {0}.")
    for number, target in enumerate(["La tetera.", "Las teteras.", "La tetera {0}."], 1):
        assert confirm(client, place, number, target).status_code == 200
    wanted = {"find": "TETERA", "replace": "caldera", "words": True}
    seen = client.post(f"{place}/replacements", json=wanted).json()
    assert [(each["number"], each["after"]) for each in seen["segments"]] == [
        (1, "La caldera."),
        (3, "La caldera {0}."),
    ]
    assert client.get(f"{place}/segments/1").json()["target"] == "La tetera."
    bad = client.post(f"{place}/replacements", json={"find": " {0}", "replace": "", "preview": False}).json()
    assert (bad["count"], bad["segments"][0]["problem"]) == (0, "{0} is missing")
    done = client.post(f"{place}/replacements", json=wanted | {"preview": False, "segments": [1, 3]}).json()
    assert done["count"] == 2
    assert client.get(f"{place}/segments/3").json()["state"] == "confirmed"
    learned = client.post(f"{API}/translations", json={"texts": ["The kettle."]}).json()["translations"][0]["text"]
    assert learned == "La caldera."
    undone = client.post(f"{place}/undo", json={}).json()
    assert (undone["what"], undone["segments"]) == ("Took back your replacement in 2 segments", [1, 3])
    assert client.get(f"{place}/segments/1").json()["target"] == "La tetera."


def test_expressions_are_replaced_with_their_groups(client: httpx.Client) -> None:
    place = make(client, "5 kg of sand", "12 kg of salt", "Sand")
    for number, target in enumerate(["5kg de arena", "12kg de sal", "Arena"], 1):
        client.put(f"{place}/segments/{number}", json={"target": target, "state": "translated"})
    wanted = {"find": r"(\d+)kg", "replace": r"\1 kg", "regex": True}
    seen = client.post(f"{place}/replacements", json=wanted).json()
    assert [each["after"] for each in seen["segments"]] == ["5 kg de arena", "12 kg de sal"]
    done = client.post(f"{place}/replacements", json=wanted | {"preview": False, "leave": [2]}).json()
    assert (done["count"], client.get(f"{place}/segments/2").json()["target"]) == (1, "12kg de sal")
    assert client.post(f"{place}/undo", json={"change": done["change"]}).json()["segments"] == [1]


@pytest.mark.parametrize(
    ("find", "replace", "said"),
    [
        ("(", "", "this is not a regular expression"),
        ("a", r"\3", "the replacement cannot be used"),
        ("(a|aa)+$", "", "takes too long"),
    ],
)
def test_expressions_that_cannot_be_used_are_refused(client: httpx.Client, find: str, replace: str, said: str) -> None:
    place = make(client, "Close the lid.")
    client.put(f"{place}/segments/1", json={"target": "a" * 60 + "b", "state": "translated"})
    answer = client.post(f"{place}/replacements", json={"find": find, "replace": replace, "regex": True})
    assert answer.status_code == 400 and said in answer.json()["error"]["what"]


def test_an_expression_that_matches_nothing_at_all_places_replaces_nothing(client: httpx.Client) -> None:
    place = make(client, "Close the lid.")
    client.put(f"{place}/segments/1", json={"target": "Cierre.", "state": "translated"})
    seen = client.post(f"{place}/replacements", json={"find": "x*", "replace": "-", "regex": True}).json()
    assert seen["count"] == 0


def test_the_memory_goes_out_and_in_as_a_file(client: httpx.Client) -> None:
    tmx = client.get(f"{API}/memory.tmx").content
    assert b"Cierre la tapa." in tmx
    before = client.get(API).json()["revision"]
    again = client.post(f"{API}/memory", params={"name": "m.tmx"}, content=tmx)
    assert finished(client, again.json())["state"] == "done"
    assert client.get(API).json()["revision"] == before  # it knew all of it
    new = b"The spout.\tEl pico.\n"
    job = finished(client, client.post(f"{API}/memory", params={"name": "m.tsv"}, content=new).json())
    assert (job["kind"], job["done"]) == ("memory", 1)
    assert "El pico." in client.get(f"{API}/memory.tsv").text


def test_a_draft_of_the_machine_stays_in_the_history_of_a_segment_that_a_person_has_changed(
    client: httpx.Client,
) -> None:
    place = make(client, "Press the green button.", "Press the green lid.")
    finished(client, client.post(f"{place}/translate").json())
    drafts = [client.get(f"{place}/segments/{number}").json()["target"] for number in (1, 2)]
    client.put(f"{place}/segments/2", json={"target": "Pulse ya.", "state": "translated"})
    found = [client.get(f"{place}/segments/{number}/about").json()["history"] for number in (1, 2)]
    assert [(each["action"], each["target"]) for each in found[0]] == [("memory", drafts[0])]
    assert [each["action"] for each in found[1]] == ["draft", "machine"]
    assert found[1][1]["target"] == drafts[1]


def test_the_glossary_goes_out_and_in_as_a_file(client: httpx.Client) -> None:
    table = b"source,target\ngasket,junta\nlever,palanca\n"
    added = client.post(f"{API}/glossary", params={"name": "t.csv"}, content=table).json()
    assert (added["added"], added["changed"], added["known"]) == (2, 0, 0)
    for kind in ("tbx", "csv", "tsv"):
        data = client.get(f"{API}/glossary.{kind}").content
        again = client.post(f"{API}/glossary", params={"name": f"t.{kind}"}, content=data).json()
        assert (again["added"], again["changed"], again["known"]) == (0, 0, 2), kind


def test_what_is_said_of_a_term_goes_in_and_out_over_the_api(client: httpx.Client) -> None:
    term = {"source": "faucet", "target": "grifo", "note": "of the sink", "forbidden": ["llave"], "case": "same"}
    assert client.put(f"{API}/glossary", json=term).status_code == 204
    try:
        assert client.put(f"{API}/glossary", json={"source": "faucet", "admitted": ["caño"]}).status_code == 204
        assert term | {"admitted": ["caño"]} in client.get(f"{API}/glossary").json()["terms"]
        assert "faucet,llave,of the sink,forbidden,same" in client.get(f"{API}/glossary.csv").text
        assert "deprecatedTerm-admn-sts" in client.get(f"{API}/glossary.tbx").text
        assert client.put(f"{API}/glossary", json={"source": "faucet"}).status_code == 422
    finally:
        assert client.delete(f"{API}/glossary", params={"source": "faucet"}).status_code == 204
    assert "faucet" not in client.get(f"{API}/glossary").text


def test_concordance_ignores_accents_and_knows_wildcards_and_totals(client: httpx.Client) -> None:
    found = client.get(f"{API}/concordance", params={"text": "BOTON", "limit": 1}).json()
    assert (len(found["hits"]), found["total"], found["total_is_exact"]) == (1, 2, True)
    hit = found["hits"][0]
    assert hit["target"][slice(*hit["in_target"][0])] == "botón"
    wild = client.get(f"{API}/concordance", params={"text": "enc*da"}).json()["hits"]
    assert [each["target"] for each in wild] == ["La luz verde está encendida."]


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [("en", "xx", "“xx” is not a language code"), ("en", "en", "source and target language are both “en”")],
)
def test_a_project_needs_two_languages(client: httpx.Client, source: str, target: str, said: str) -> None:
    refused = client.post("/api/v1/projects", json={"name": "odd", "source": source, "target": target})
    assert (refused.status_code, refused.json()["error"]["what"]) == (422, said)


def test_a_project_is_renamed_with_all_that_it_has(client: httpx.Client) -> None:
    client.post("/api/v1/projects", json={"name": "first", "source": "en", "target": "es"})
    client.post("/api/v1/projects/first/documents", json={"name": "page", "segments": [{"source": "Lid."}]})
    assert client.patch("/api/v1/projects/first", json={"name": "Bad name"}).status_code == 422
    assert client.patch("/api/v1/projects/first", json={"name": "manual"}).status_code == 409
    assert client.patch("/api/v1/projects/first", json={"name": "second"}).json()["name"] == "second"
    assert client.get("/api/v1/projects/first").status_code == 404
    assert len(client.get("/api/v1/projects/second/documents").json()) == 1


def test_the_endings_of_files_are_told(client: httpx.Client) -> None:
    assert {".xlf", ".po", ".docx"} <= set(client.get("/api/v1/formats").json()["endings"])
