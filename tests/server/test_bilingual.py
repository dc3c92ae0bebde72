"""Bilingual files for review outside: what goes out comes back, changed where somebody has changed it."""

from __future__ import annotations

import tracemalloc
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from dragoman.editor import bilingual as files
from dragoman.editor.document_store import DocumentStore
from dragoman.server.routes import bilingual
from dragoman.upstream.contract import Languages
from tests.server.editor import API, confirm, finished, make
from tests.server.support import Running

SOURCES = ["Wipe the <b>lid</b> & base.", 'Line one\nline two\t"quoted"', "Wait.", "Dry it."]
KINDS = ("xlf", "html", "docx")


def changed(kind: str, data: bytes, old: str, new: str) -> bytes:
    """A file in which a reviewer has changed a word."""
    if kind != "docx":
        return data.replace(old.encode(), new.encode())
    made = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as before, zipfile.ZipFile(made, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name).replace(old.encode(), new.encode()))
    return made.getvalue()


@pytest.mark.parametrize("kind", KINDS)
def test_a_bilingual_file_is_read_back_and_only_what_was_changed_changes(server: Running, kind: str) -> None:
    with server.client() as client:
        place = make(client, *SOURCES)
        targets = ["Limpie la <b>tapa</b> & base.", 'Línea uno\nlínea dos\t"citada"', "Espere.", ""]
        confirm(client, place, 3, targets[2], accept=[])
        for number in (1, 2):
            draft = {"target": targets[number - 1], "state": "translated"}
            client.put(f"{place}/segments/{number}", json=draft).raise_for_status()
        answer = client.get(f"{place}/bilingual.{kind}")
        assert answer.headers["content-disposition"].endswith(f"page.{kind}")

        def read_back(data: bytes) -> dict[str, object]:
            params = {"name": f"page.{kind}"}
            return finished(client, client.post(f"{place}/bilingual", params=params, content=data).json())

        versions = [each["version"] for each in client.get(f"{place}/segments").json()["segments"]]
        same = read_back(answer.content)
        assert (same["state"], same["count"], same["skipped"]) == ("done", 0, 0)
        assert [each["version"] for each in client.get(f"{place}/segments").json()["segments"]] == versions
        done = read_back(changed(kind, answer.content, "Espere.", "Aguarde."))
        assert (done["count"], done["skipped"]) == (1, 0)
        found = client.get(f"{place}/segments").json()["segments"]
        assert [each["target"] for each in found] == [*targets[:2], "Aguarde.", ""]
        assert found[2]["state"] == "confirmed"
        assert client.get(f"{API}/concordance", params={"text": "Aguarde"}).json()["hits"]
        other = read_back(changed(kind, changed(kind, answer.content, "Wait.", "Wait!"), "Espere.", "Pare."))
        assert other["left_out"] == [{"segment": 3, "what": "its source is another one in the file"}]


@pytest.mark.parametrize(
    ("name", "data"), [("a.docx", b"PK"), ("a.xlf", b"<xliff"), ("a.html", b"<p>"), ("a.doc", b"x")]
)
def test_what_is_no_bilingual_file_is_refused(server: Running, name: str, data: bytes) -> None:
    with server.client() as client:
        place = make(client, "Wait.")
        answer = client.post(f"{place}/bilingual", params={"name": name}, content=data)
        assert answer.status_code == 400, answer.text


def test_a_table_of_word_that_would_take_too_much_memory_is_refused(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bilingual, "MOST_ROWS", 3)
    with server.client() as client:
        place = make(client, *SOURCES)
        assert [client.get(f"{place}/bilingual.{kind}").status_code for kind in KINDS] == [200, 200, 413]


@pytest.mark.parametrize("kind", KINDS)
def test_reading_back_takes_little_more_memory_than_the_rows(tmp_path: Path, kind: str) -> None:
    store = DocumentStore(tmp_path / "d.db")
    document = store.add("a.tsv", ((str(n), f"Press {n}.", f"Pulse {n}.", "translated") for n in range(3_000)))
    data = files.write(kind, "a.tsv", Languages("en", "es"), store.in_order(document))
    store.close()
    files.read(data, f"a.{kind}")  # what is loaded once does not count
    tracemalloc.start()
    assert len(files.read(data, f"a.{kind}")) == 3_000
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 8 << 20  # a tree of all elements takes 15 MB and more
