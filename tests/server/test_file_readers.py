"""Files of strangers are read in a process of their own, with bounds; and come out as if they had been read here."""

from __future__ import annotations

import io
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from dragoman.editor import edited_project, merges_and_splits
from dragoman.editor.open_files import OpenFiles
from dragoman.formats import read_document
from dragoman.server import file_process, file_readers
from dragoman.server.limits import Limits
from tests.server.editor import API, finished
from tests.server.support import Running, make_projects, running

LINES = [f"Close the lid number {n} and press the green button." for n in range(4000)]
TEXT = "\n".join(LINES).encode()  # more than is read in the server itself

TERMS = b"source,target\n" + b"".join(b"w%d,x%d\n" % (n, n) for n in range(100_000))


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("readers")
    make_projects(folder)
    with running(folder, limits=Limits(reading_bytes=32 << 20, held_bytes=16 << 20)) as found:
        yield found


@pytest.fixture
def client(own: Running) -> Iterator[httpx.Client]:
    with own.client() as found:
        yield found


@pytest.fixture
def nothing_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if the server itself reads a file."""
    monkeypatch.setattr(edited_project, "read_document", lambda *_, **__: pytest.fail("read in the server"))


def docx(paragraphs: int) -> bytes:
    body = "".join(f"<w:p><w:r><w:t>ab {n}</w:t></w:r></w:p>" for n in range(paragraphs))
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
        part = f'<Override PartName="/word/document.xml" ContentType="{kind}"/>'
        archive.writestr("[Content_Types].xml", f"<Types>{part}</Types>")
        archive.writestr("word/document.xml", f"<w:document {space}><w:body>{body}</w:body></w:document>")
    return packed.getvalue()


def send(client: httpx.Client, data: bytes, name: str, path: str = "imports") -> dict[str, object]:
    answer = client.post(f"{API}/{path}", params={"name": name}, content=data)
    assert answer.status_code == 202, answer.text
    return finished(client, answer.json())


@pytest.mark.usefixtures("nothing_read_here")
def test_a_file_is_imported_and_exported_without_being_read_in_the_server(client: httpx.Client) -> None:
    job = send(client, TEXT, "page.txt")
    assert (job["state"], job["total"]) == ("done", len(LINES))
    place = f"{API}/documents/{job['document']}"
    listed = client.get(f"{place}/segments", params={"limit": 2}).json()["segments"]
    assert [each["source"] for each in listed] == LINES[:2]
    written = finished(client, client.post(f"{place}/export").json())
    assert client.get(f"{API}/jobs/{written['id']}/result").content == TEXT


def test_what_is_written_elsewhere_is_what_would_be_written_here(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(TEXT)
    about = {"file": str(tmp_path / "in"), "name": "page.txt", "source": "en", "target": "es", "segments": 10_000}
    found = file_process.read(about | {"out": str(tmp_path / "rows")})
    here = read_document(TEXT, "page.txt", source="en", target="es")
    rows = list(file_process.read_rows(tmp_path / "rows"))
    assert found["segments"] == len(rows) == len(here.segments)
    assert [tuple(each[:4]) for each in rows] == [(one.id, one.source, one.target, one.state) for one in here.segments]
    (tmp_path / "targets").write_text('["1", "Cierre la tapa.", "confirmed"]\n["2", "x\\ny", "confirmed"]\n')
    answer = file_process.write(about | {"targets": str(tmp_path / "targets"), "out": str(tmp_path / "out")})
    assert list(answer["left_out"]) == ["2"]
    assert (tmp_path / "out").read_bytes().startswith(b"Cierre la tapa.\nClose the lid number 1")


def test_segments_that_were_merged_are_written_so(client: httpx.Client, own: Running) -> None:
    page = "".join(f"<p>Close lid {n}. Wait for {n} minutes.</p>" for n in range(4000))
    job = send(client, page.encode(), "page.html")
    project, number = own.app.state.context.projects.get("manual"), int(str(job["document"]))
    merges_and_splits.merge(project, number, 1, "ana")
    project.documents.change(project.documents.segment(number, 1), target="Cierre y espere.", state="confirmed")
    written = finished(client, client.post(f"{API}/documents/{number}/export").json())
    assert (written["state"], written["left_out"]) == ("done", [])
    assert client.get(f"{API}/jobs/{written['id']}/result").text == page.replace(
        "Close lid 0. Wait for 0 minutes.", "Cierre y espere."
    )


def test_a_target_that_a_large_file_cannot_hold_is_listed_and_held(client: httpx.Client, own: Running) -> None:
    job = send(client, TEXT, "held.txt")
    store = own.app.state.context.projects.get("manual").documents
    number = int(str(job["document"]))
    store.change(store.segment(number, 2), target="dos\nlíneas", state="confirmed")
    written = finished(client, client.post(f"{API}/documents/{number}/export").json())
    assert [each["segment"] for each in written["left_out"]] == [2]
    assert store.segment(number, 2).held


@pytest.mark.usefixtures("nothing_read_here")
@pytest.mark.parametrize(
    ("data", "name"),
    [
        (docx(140_000), "bomb.docx"),
        (b"a\n" * 3_000_000, "lines.txt"),
    ],
)
def test_a_file_that_becomes_too_large_is_refused(client: httpx.Client, data: bytes, name: str) -> None:
    job = send(client, data, name)
    assert job["state"] == "failed"
    assert "takes more than 32 MB of memory" in str(job["error"])
    assert client.post(f"{API}/translations", json={"texts": ["Close the lid."]}).status_code == 200


@pytest.mark.parametrize(
    ("path", "name", "data"),
    [
        ("/hooks/file/manual", "lines.txt", b"a\n" * 1_500_000),
        (f"{API}/memories", "lines.txt", b"a\n" * 1_500_000),
        (f"{API}/glossary", "terms.csv", TERMS),
    ],
)
def test_files_that_are_read_in_the_server_are_examined_first(
    client: httpx.Client, path: str, name: str, data: bytes
) -> None:
    answer = client.post(path, params={"name": name}, content=data)
    assert answer.status_code in (400, 413), answer.text
    if answer.status_code == 400:
        assert "takes more than 16 MB of memory" in answer.text


def test_an_archive_in_a_bilingual_file_is_examined_first(client: httpx.Client) -> None:
    job = send(client, TEXT, "two.txt")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<a>" + b" " * (64 << 20) + b"</a>")
    place = f"{API}/documents/{job['document']}/bilingual"
    answer = client.post(place, params={"name": "two.docx"}, content=packed.getvalue())
    assert answer.status_code == 400
    assert "takes more than 16 MB of memory" in answer.text


def test_a_memory_is_learned_from_what_another_process_has_read(client: httpx.Client) -> None:
    rows = "".join(f"Open lid {n} now.\tAbra la tapa {n} ahora.\n" for n in range(5))
    job = send(client, rows.encode(), "memory.tsv", "memory")
    assert (job["state"], job["done"]) == ("done", 5)
    assert client.post(f"{API}/translations", json={"texts": ["Open lid 3 now."]}).json()["translations"][0][
        "text"
    ] == ("Abra la tapa 3 ahora.")


def test_a_process_that_dies_or_takes_too_long_fails_its_job_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_projects(tmp_path)
    with running(tmp_path, limits=Limits(reading_seconds=0.05)) as server, server.client() as client:
        for script in ("import os; os.abort()", "import time; time.sleep(60)"):
            monkeypatch.setattr(file_readers, "COMMAND", (sys.executable, "-c", script))
            job = send(client, TEXT, "page.txt")
            assert job["state"] == "failed"
            assert "takes more than" in str(job["error"])
        assert not server.app.state.context.readers._running


def test_stopping_ends_what_is_being_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_projects(tmp_path)
    monkeypatch.setattr(file_readers, "COMMAND", (sys.executable, "-c", "import time; time.sleep(60)"))
    with running(tmp_path) as server, server.client() as client:
        client.post(f"{API}/imports", params={"name": "page.txt"}, content=TEXT)
        while not server.app.state.context.readers._running:
            time.sleep(0.01)
        begin = time.monotonic()
    assert time.monotonic() - begin < 20


def test_open_files_are_counted_by_the_memory_they_take() -> None:
    files, read = OpenFiles(most_bytes=100), lambda: read_document(b"a\n", "a.txt")
    for number in (1, 2, 3):
        files.expect(("manual", number), 40)
        files.get(("manual", number), read)
    assert list(files._files) == [("manual", 2), ("manual", 3)]
    files.expect(("manual", 4), 1 << 30)
    files.get(("manual", 4), read)
    assert list(files._files) == [("manual", 4)]  # at least one, however large
    files.drop("manual")
    assert not files._files
    assert not files._memory
