"""Replacing in many segments at once: no cap, progress, cancelling, one undo, and learned afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from dragoman.editor.document_store import DocumentStore
from dragoman.server.limits import Limits
from tests.server.editor import API, confirm, finished
from tests.server.support import Running, make_projects, running

SIZE = 12_000
WANTED = {"find": "tapa", "replace": "cubierta", "preview": False}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with a large document of drafts."""
    folder: Path = tmp_path_factory.mktemp("large")
    make_projects(folder)
    documents = DocumentStore(folder / "manual" / "documents.db")
    documents.add("lids.tsv", ((str(n), f"Lid {n}.", f"Tapa {n}.", "translated") for n in range(1, SIZE + 1)))
    documents.close()
    with running(folder) as server:
        yield server


def text(client: httpx.Client, number: int) -> str:
    return str(client.get(f"{API}/documents/1/segments/{number}").json()["target"])


def found(client: httpx.Client, word: str) -> int:
    return len(client.get(f"{API}/documents/1/numbers", params={"search": word}).json()["numbers"])


def test_all_that_is_found_is_replaced_and_taken_back_by_one_undo(large: Running) -> None:
    with large.client() as client:
        client.timeout = httpx.Timeout(120)
        job = client.post(f"{API}/documents/1/replacements/job", json=WANTED)
        assert job.status_code == 202, job.text
        done = finished(client, job.json())
        assert (done["state"], done["count"], done["total"]) == ("done", SIZE, SIZE)
        assert (found(client, "cubierta"), found(client, "tapa")) == (SIZE, 0)
        undone = client.post(f"{API}/documents/1/undo", json={"change": done["change"]}).json()
        assert len(undone["segments"]) == SIZE
        assert (found(client, "cubierta"), found(client, "tapa")) == (0, SIZE)
        again = client.post(f"{API}/documents/1/redo", json={}).json()
        assert again["what"] == f"Did again your replacement in {SIZE} segments"
        assert found(client, "cubierta") == SIZE
        client.post(f"{API}/documents/1/undo", json={}).raise_for_status()


def test_a_replacement_that_is_cancelled_keeps_what_it_has_done_and_can_be_taken_back(large: Running) -> None:
    with large.client() as client:
        client.timeout = httpx.Timeout(120)
        job = client.post(f"{API}/documents/1/replacements/job", json=WANTED).json()
        assert client.delete(f"{API}/jobs/{job['id']}").status_code == 204
        done = finished(client, job)
        assert done["state"] == "done"
        assert done["count"] == found(client, "cubierta")
        if done["count"]:
            client.post(f"{API}/documents/1/undo", json={}).raise_for_status()
        assert found(client, "tapa") == SIZE


def test_confirmed_segments_stay_confirmed_and_are_learned_afterwards(large: Running) -> None:
    with large.client() as client:
        segments = [{"source": f"Clean cup {n}."} for n in range(1, 31)]
        number = client.post(f"{API}/documents", json={"name": "cups", "segments": segments}).json()["id"]
        place = f"{API}/documents/{number}"
        for n in range(1, 31):
            assert confirm(client, place, n, f"Limpie la taza {n}.").is_success
        done = client.post(f"{place}/replacements", json={"find": "taza", "replace": "vaso", "preview": False}).json()
        assert done["count"] == 30
        jobs = client.get(f"{API}/jobs").json()
        for job in (each for each in jobs if each["kind"] == "teach"):
            assert finished(client, job)["state"] == "done"
        segment = client.get(f"{place}/segments/7").json()
        assert (segment["target"], segment["state"]) == ("Limpie la vaso 7.", "confirmed")
        learned = client.get(f"{API}/corrections/{segment['correction']}").json()
        assert learned["target"] == "Limpie la vaso 7."
        assert len(client.post(f"{place}/undo", json={}).json()["segments"]) == 30
        assert client.get(f"{place}/segments/7").json()["target"] == "Limpie la taza 7."


def test_what_a_file_cannot_hold_is_left_as_it_is_among_many(large: Running) -> None:
    with large.client() as client:
        segments = [{"source": f"Wash cup {n}."} for n in range(1, 26)]
        number = client.post(f"{API}/documents", json={"name": "wash", "segments": segments}).json()["id"]
        place = f"{API}/documents/{number}"
        for n in range(1, 26):
            assert confirm(client, place, n, f"Lave la taza {n}.").is_success
        wanted = {"find": " la taza", "replace": "\tla taza", "preview": False}
        done = client.post(f"{place}/replacements", json=wanted).json()
        assert (done["count"], len([each for each in done["segments"] if each["problem"]])) == (0, 25)
        assert client.get(f"{place}/segments/3").json()["target"] == "Lave la taza 3."


def test_a_replacement_is_done_although_no_other_job_may_be_started(tmp_path: Path) -> None:
    make_projects(tmp_path)
    documents = DocumentStore(tmp_path / "manual" / "documents.db")
    documents.add("lids.tsv", ((str(n), f"Lid {n}.", f"Tapa {n}.", "confirmed") for n in range(1, 31)))
    documents.close()
    with running(tmp_path, limits=Limits(jobs=1)) as server, server.client() as client:
        done = finished(client, client.post(f"{API}/documents/1/replacements/job", json=WANTED).json())
        assert (done["state"], done["count"], done["error"]) == ("done", 30, None)
        [teaching] = [each for each in client.get(f"{API}/jobs").json() if each["kind"] == "teach"]
        assert finished(client, teaching)["state"] == "done"
