"""Reference memories: read-only, with priorities, switched on and off."""

from __future__ import annotations

import httpx

from tests.server.editor import API, make
from tests.server.support import Running


def matches(client: httpx.Client, source: str) -> list[tuple[str, str]]:
    place = make(client, source)
    found = client.get(f"{place}/segments/1/about").json()["matches"]
    return [(each["memory"], each["target"]) for each in found if each["memory"]]


def test_memories_offer_translations_by_similarity_and_priority_and_teach_nothing(server: Running) -> None:
    with server.client() as client:
        before = client.get(API).json()["revision"]
        one = "Rinse the filter basket.\tEnjuague el cestillo.\nRinse the cup.\tEnjuague la taza.\n"
        other = "Rinse the filter basket.\tAclare la cesta del filtro.\n"
        made = [
            client.post(f"{API}/memories", params={"name": name}, content=text.encode()).json()
            for name, text in (("client.tsv", one), ("agency.tsv", other))
        ]
        assert [(each["name"], each["priority"], each["entries"]) for each in made] == [
            ("client.tsv", 1, 2),
            ("agency.tsv", 2, 1),
        ]
        wanted = "Rinse the filter basket."
        first, second = ("client.tsv", "Enjuague el cestillo."), ("agency.tsv", "Aclare la cesta del filtro.")
        assert matches(client, wanted)[:2] == [first, second]
        assert matches(client, "Rinse the filter baskets now.")[:1] == [first]
        client.patch(f"{API}/memories/{made[0]['id']}", json={"priority": 3}).raise_for_status()
        assert matches(client, wanted)[:2] == [second, first]
        client.patch(f"{API}/memories/{made[1]['id']}", json={"enabled": False}).raise_for_status()
        assert matches(client, wanted) == [first]
        assert client.delete(f"{API}/memories/{made[0]['id']}").status_code == 204
        assert matches(client, wanted) == []
        client.delete(f"{API}/memories/{made[1]['id']}")
        assert client.get(f"{API}/memories").json() == []
        assert client.delete(f"{API}/memories/99").status_code == 404
        assert client.get(API).json()["revision"] == before
        assert client.post(f"{API}/memories", params={"name": "empty.tsv"}, content=b"a\t\n").status_code == 400


def test_a_memory_may_be_as_large_as_a_file(server: Running) -> None:
    lines = (f"Wait for the light number {n}, and then press the button.\tEspere la luz {n}.\n" for n in range(20_000))
    data = "".join(lines).encode()
    assert len(data) > 1 << 20
    with server.client() as client:
        added = client.post(f"{API}/memories", params={"name": "large.tsv"}, content=data)
        assert (added.status_code, added.json()["entries"]) == (201, 20_000)
        client.delete(f"{API}/memories/{added.json()['id']}")
