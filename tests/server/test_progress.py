"""How is a project doing: what people changed in suggestions, counted from their confirmations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from dragoman.assess.progress_report import Confirmation, render_progress, sentence, summarise
from dragoman.engine import Engine
from dragoman.server.routes import progress
from tests.server.support import running

API = "/api/v1/projects/manual"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    (tmp_path / "answers.tsv").write_text("Close the lid.\tCierra el párpado.\n", encoding="utf-8")
    upstream = f"recorded:{tmp_path / 'answers.tsv'}"
    Engine.create(tmp_path / "projects" / "manual", source="en", target="es", upstream=upstream).close()
    with running(tmp_path / "projects", local_engines=True) as server, server.client() as found:
        yield found


def confirm(client: httpx.Client, number: int, suggestion: str | None, target: str) -> None:
    change: dict[str, Any] = {"target": target, "state": "confirmed", "key_strokes": 4, "milliseconds": 3000}
    if suggestion is not None:
        change["suggestion"] = suggestion
    client.put(f"{API}/documents/1/segments/{number}", json=change).raise_for_status()


def test_only_some_of_the_confirmed_segments_are_read_at_a_time(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    segments = [{"source": f"Close lid {letter}."} for letter in "abcdefgh"]
    client.post(f"{API}/documents", json={"name": "page", "segments": segments}).raise_for_status()
    for number in range(1, 9):
        confirm(client, number, None if number == 2 else "Cierre.", "Cierre la tapa.")
    monkeypatch.setattr(progress, "STEP", 2)
    assert client.get(f"{API}/progress").json()["segments"] == 7
    monkeypatch.setattr(progress, "NEWEST", 3)
    assert client.get(f"{API}/progress").json()["segments"] == 3


def test_a_project_in_which_nothing_was_confirmed_has_nothing_to_count(client: httpx.Client) -> None:
    found = client.get(f"{API}/progress").json()
    assert (found["segments"], found["changed"], found["curve"]) == (0, None, [])
    assert "Nothing has been confirmed" in client.get(f"{API}/progress.html").text


def test_progress_compares_what_was_suggested_with_what_was_confirmed(client: httpx.Client) -> None:
    segments = [{"source": "Close the lid."}, {"source": "Open it."}, {"source": "Wait."}]
    client.post(f"{API}/documents", json={"name": "<page>", "segments": segments})
    client.post("/api/v1/projects/manual/translate", json={"texts": ["Close the lid."]})
    confirm(client, 1, "Cierra la tapa.", "Cierre la tapa.")
    confirm(client, 2, "Ábralo.", "Ábralo.")
    confirm(client, 3, None, "Espere.")
    found = client.get(f"{API}/progress").json()
    assert found["segments"] == 2
    assert found["changed"] == 25.0
    assert found["unchanged"] == 50.0
    assert found["beside"] == {"segments": 1, "changed": 33.33, "engine": 100.0}
    assert found["documents"] == [{"name": "<page>", "segments": 2, "changed": 25.0}]
    page = client.get(f"{API}/progress.html")
    assert page.headers["content-type"].startswith("text/html")
    assert "style-src 'sha256-" in page.headers["content-security-policy"]
    assert "&lt;page&gt;" in page.text
    assert " style=" not in page.text


def test_the_sentence_compares_with_the_engine_once_there_is_enough() -> None:
    done = [Confirmation("page", "Cierra la tapa.", "Cierre la tapa.", "Cierra el párpado.", 4, 3000)] * 30
    assert sentence(summarise(done)) == (
        "Of 100 suggested words, 33.3 were changed. Beside that, the engine's own words differ from the confirmed text "
        "by 100.0, dragoman's by 33.3 in a hundred."
    )
    own = [Confirmation("page", "Abra.", "Abra.", None, 0, 0)] * 30
    assert "In the 30 segments it was asked for, " in sentence(summarise(done + own))
    assert "too few" in sentence(summarise(done[:3]))
    assert "the engine&#x27;s own words" in render_progress("manual", summarise(done))


def test_the_curve_has_the_engine_only_where_it_was_asked_for_all() -> None:
    asked = Confirmation("page", "a b", "a c", "d e", 1, 1)
    found = summarise([asked] * 30 + [asked._replace(engine=None)] * 30)
    assert [each["engine"] for each in found["curve"]] == [100.0] * 6 + [None] * 6
