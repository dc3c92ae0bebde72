"""What the page asks for beyond the usual interface: alignments, where corrections come from, the sample."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from dragoman.editor import sample_project
from dragoman.editor.document_store import DocumentStore
from dragoman.engine import Engine


def test_words_of_any_two_texts_are_aligned(address: str) -> None:
    with httpx.Client(base_url=f"{address}/api/v1/projects/manual", trust_env=False) as client:
        pair = {"source": "Clean the green lid.", "target": "Limpie la tapa verde"}
        found = client.post("/alignments", json=pair).json()
        words = [
            (pair["source"][one["start"] : one["end"]], pair["target"][other["start"] : other["end"]])
            for one, other in ((found["source_tokens"][s], found["target_tokens"][t]) for s, t in found["alignment"])
        ]
        assert {("lid", "tapa"), ("green", "verde")} <= set(words)
        empty = client.post("/alignments", json=pair | {"target": ""}).json()
        assert (len(empty["source_tokens"]), empty["target_tokens"], empty["alignment"]) == (5, [], [])


def test_a_correction_tells_the_segment_it_came_from(address: str) -> None:
    with httpx.Client(base_url=f"{address}/api/v1/projects/manual", trust_env=False) as client:
        change = {"target": "Pulse la tapa roja.", "state": "confirmed"}
        number = client.put("/documents/1/segments/1", json=change).json()["correction"]
        found = client.get(f"/corrections/{number}").json()
        assert (found["document"], found["segment"], found["name"]) == (1, 1, "tasks.tsv")
        assert client.get("/corrections/1").json()["segment"] is None
        assert client.get("/corrections/999999").status_code == 404


def test_the_sample_is_two_thirds_translated_and_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_project, "KNOWN", 20)
    told: list[int] = []
    place = sample_project.make_sample(tmp_path / "projects", lambda done, _: told.append(done))
    assert told == list(range(1, 21))
    assert sample_project.make_sample(tmp_path / "projects") == place
    assert [each.name for each in place.parent.iterdir()] == [sample_project.SAMPLE]
    documents = DocumentStore(place / "documents.db")
    [about] = documents.documents()
    documents.close()
    assert (about.states["confirmed"], about.states["new"]) == (20, 691)
    with Engine.open(place, write=False) as engine:
        assert len(engine.history(100)) == 20
