"""Two tenants with the same languages: what belongs to one is not there for the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from dragoman.engine import Engine
from dragoman.server.config import Settings
from dragoman.server.keys import Keys
from dragoman.server.registry import ProjectRegistry
from dragoman.server.reserved_names import FILE, LONGEST, MOST_EACH
from tests.server.support import running

TERMS = {"name": "lids", "source_lang": "EN", "target_lang": "ES", "entries": "lid\ttapa", "entries_format": "tsv"}


class Tenants(NamedTuple):
    ana: httpx.Client
    ben: httpx.Client
    root: httpx.Client


@pytest.fixture(scope="module")
def tenants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    folder = tmp_path_factory.mktemp("tenants")
    for name in ("alpha", "beta"):
        Engine.create(folder / "projects" / name, source="en", target="es").close()
    made = Keys(folder / "keys.json")
    keys = [
        made.add("ana", {"alpha": "admin"}),
        made.add("ben", {"beta": "admin"}),
        made.add("root", {"*": "admin"}),
    ]
    with running(folder / "projects", keys=folder / "keys.json") as server:
        clients = [server.client(key) for key in keys]
        yield Tenants(*clients)
        for client in clients:
            client.close()


def names(client: httpx.Client, path: str, within: str) -> list[str]:
    return [each["name"] for each in client.get(path).json()[within]]


def test_a_glossary_belongs_to_the_key_that_made_it(tenants: Tenants) -> None:
    ana, ben, root = tenants
    made = ana.post("/v2/glossaries", json=TERMS).json()["glossary_id"]
    assert names(ben, "/v2/glossaries", "glossaries") == []
    assert [ben.get(f"/v2/glossaries/{made}{rest}").status_code for rest in ("", "/entries")] == [404, 404]
    assert ben.delete(f"/v2/glossaries/{made}").status_code == 404
    asked = {"text": ["lid"], "source_lang": "EN", "target_lang": "ES", "glossary_id": made}
    assert ben.post("/v2/translate", json=asked).status_code == 404
    other = ben.post("/v2/glossaries", json=TERMS | {"entries": "lid\tcubierta"}).json()["glossary_id"]  # the same name
    assert ana.get(f"/v2/glossaries/{made}/entries").text == "lid\ttapa"
    assert names(root, "/v2/glossaries", "glossaries") == ["lids", "lids"]
    assert [ana.delete(f"/v2/glossaries/{made}").status_code, ben.delete(f"/v2/glossaries/{other}").status_code] == [
        204,
        204,
    ]


def test_a_memory_belongs_to_the_key_that_made_it_and_tells_nothing_of_others(tenants: Tenants) -> None:
    ana, ben, _ = tenants
    place = "/modernmt/memories"
    mine = ana.post(place, json={"name": "Handbook"}).json()["data"]
    assert ana.post(place, json={"name": "Handbook"}).json()["data"]["name"] == mine["name"]
    assert mine["name"] not in names(ben, place, "data")
    assert ben.get(f"{place}/{mine['id']}").status_code in (403, 404)
    assert ben.delete(f"{place}/{mine['id']}").status_code in (403, 404)
    taken, free = (ben.post(place, json={"name": name}).json()["data"]["name"] for name in ("alpha", "gamma"))
    assert (len(taken), taken[:6], free[:6]) == (len("alpha-123456"), "alpha-", "gamma-")
    assert mine["name"] in names(ana, place, "data")


def test_a_glossary_in_the_place_of_a_memory_belongs_to_its_key(tenants: Tenants) -> None:
    ana, ben, _ = tenants
    place = "/modernmt/memories"
    made = ana.post(place, json={"name": "terms"}).json()["data"]
    assert ana.post(f"{place}/{made['id']}/glossary", files={"csv": b"en,es\nlid,tapa\n"}).status_code == 200
    assert "terms" in names(ana, place, "data")
    assert "terms" not in names(ben, place, "data")
    assert ben.post(f"{place}/terms/glossary", files={"csv": b"en,es\nlid,otra\n"}).status_code == 404


def test_a_glossary_for_a_memory_of_others_is_refused_as_if_there_were_none(tenants: Tenants) -> None:
    terms = {"terms": [{"language": "en", "term": "lid"}, {"language": "es", "term": "tapa"}]}
    theirs, nobodys = (tenants.ben.put(f"/modernmt/memories/{name}/glossary", json=terms) for name in ("alpha", "none"))
    assert (theirs.status_code, theirs.text) == (nobodys.status_code, nobodys.text)
    assert tenants.ana.put("/modernmt/memories/alpha/glossary", json=terms).status_code == 200


def test_names_of_memories_are_bounded_in_size_and_number(tenants: Tenants) -> None:
    _, ben, _ = tenants
    place = "/modernmt/memories"
    assert ben.post(place, json={"name": "x" * (LONGEST + 1)}).status_code == 400
    answers = [ben.post(place, json={"name": f"memory {n}"}).status_code for n in range(MOST_EACH + 5)]
    assert (answers[0], answers[-1]) == (200, 429)


@pytest.mark.parametrize(
    ("contents", "found"),
    [(b"old-name\nother\n", ["old-name", "other"]), (b"\xff\xfe\n{\n{}\n[]\nfine\n../x\n", ["fine"])],
)
def test_a_damaged_file_of_names_does_not_keep_the_server_from_starting(
    tmp_path: Path, contents: bytes, found: list[str]
) -> None:
    (tmp_path / FILE).write_bytes(contents)
    registry = ProjectRegistry(Settings(paths=(tmp_path,)).paths)
    assert [each.name for each in registry.reserved.all()] == found
