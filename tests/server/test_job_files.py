"""What jobs read and write is on disk, for a while, and goes on past what cannot be translated."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from dragoman.server.job_files import PREFIX, JobFiles
from dragoman.server.limits import Limits
from tests.server.support import make_projects, running

API = "/api/v1/projects/manual"


def finished(client: httpx.Client, job: dict[str, Any]) -> dict[str, Any]:
    until = time.monotonic() + 60
    while job["state"] in ("waiting", "running"):
        assert time.monotonic() < until
        time.sleep(0.02)
        job = client.get(f"{API}/jobs/{job['id']}").json()
    return job


def test_the_oldest_results_make_room_and_all_go_in_the_end() -> None:
    files = JobFiles(most_bytes=250, most_seconds=100)
    kept = [files.keep([b"x" * 100]) for _ in range(4)]
    assert [file.exists() for file in kept] == [False, False, True, True]
    files.discard(kept[2])
    assert not kept[2].exists()
    folder = kept[3].parent
    files.close()
    assert not folder.exists()


def test_results_are_removed_when_they_are_old() -> None:
    files = JobFiles(most_bytes=250, most_seconds=0.0)
    assert not files.keep([b"x"]).exists()
    files.close()


def test_what_was_put_aside_is_taken_once() -> None:
    files = JobFiles(1, 1)
    file = files.spool(b"data")
    assert files.take(file) == b"data"
    assert not file.exists()
    files.close()


def test_finished_exports_keep_no_memory_and_are_gone_with_the_server(tmp_path: Path) -> None:
    make_projects(tmp_path)
    lines = "".join(f"Press button {n}.\n" for n in range(2000)).encode()
    with running(tmp_path, limits=Limits(result_bytes=3 * len(lines))) as found, found.client() as client:
        document = finished(client, client.post(f"{API}/imports?name=page.txt", content=lines).json())["document"]
        jobs = [finished(client, client.post(f"{API}/documents/{document}/export").json()) for _ in range(5)]
        answers = [client.get(f"{API}/jobs/{job['id']}/result") for job in jobs]
        assert [answer.status_code for answer in answers] == [410, 410, 200, 200, 200]
        assert answers[-1].content == lines
        assert "page.txt" in answers[-1].headers["content-disposition"]
        kept = [job.result for job in found.app.state.context.jobs.of("manual") if job.result]
        assert all(isinstance(each, Path) for each in kept)
    assert not any(each.parent.exists() for each in kept)


def test_a_job_goes_on_after_a_segment_that_cannot_be_translated(tmp_path: Path) -> None:
    make_projects(tmp_path)
    sources = ["Close the lid.", "lid " * 20_500, "Open the lid."]
    lines = "".join(f"{source}\n" for source in sources).encode()
    with running(tmp_path) as found, found.client() as client:
        document = finished(client, client.post(f"{API}/imports?name=page.txt", content=lines).json())["document"]
        job = finished(client, client.post(f"{API}/documents/{document}/translate").json())
        segments = client.get(f"{API}/documents/{document}/segments").json()["segments"]
    assert job["state"] == "done"
    assert (job["skipped"], [each["segment"] for each in job["left_out"]]) == (1, [2])
    assert [each["target"] for each in segments] == ["Cierre la tapa.", "", "Abra la tapa."]


def test_a_directory_that_somebody_has_removed_is_made_again() -> None:
    with closing(JobFiles(1000, 60)) as files:
        first = files.spool(b"one").parent
        shutil.rmtree(first)  # as programs do that tidy up temporary files
        second = files.spool(b"two")
        assert (second.read_bytes(), second.parent == first) == (b"two", False)


def test_a_directory_elsewhere_is_not_touched_through_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to(tmp_path / "elsewhere")
    JobFiles(1000, 60).sweep()
    assert list((tmp_path / "elsewhere").iterdir()) == []
