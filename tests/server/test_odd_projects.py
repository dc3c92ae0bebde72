"""A project that is damaged, or in the way, is its own problem: the others are served."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.errors import StorageError
from dragoman.server.api_errors import api_error
from dragoman.server.keys import Keys
from dragoman.server.observability import without_places
from dragoman.server.registry import number_of
from tests.server.support import make_projects, running

ODD = [
    [],
    {"settings": []},
    {"settings": {"tokens": 5}},
    {"settings": {"preset": []}},
    {"source": 5, "target": {}},
    {"base": {"path": "\0"}},
    {"base": 7},
    {"format": "new"},
    {"journal": 5},
]


def test_odd_project_files_are_listed_as_problems_and_the_others_served(tmp_path: Path) -> None:
    make_projects(tmp_path)
    about = json.loads((tmp_path / "other" / "project.json").read_bytes())
    for n, odd in enumerate(ODD):
        Engine.create(tmp_path / f"odd-{n}", source="en", target="es").close()
        changed = {**about, **odd} if isinstance(odd, dict) else odd
        (tmp_path / f"odd-{n}" / "project.json").write_text(json.dumps(changed))
    (tmp_path / "odd-1" / "verified.json").write_text('{"x": [[]]}')
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "project.json").write_text("[" * 100_000)
    with running(tmp_path) as found, found.client() as client:
        ready = client.get("/ready")
        assert ready.status_code == 200
        assert ready.json()["problems"] == len(ready.json()["projects"]) >= 5
        assert "deep" in ready.json()["projects"]
        assert "manual" not in ready.json()["projects"]
        listed = client.get("/api/v1/projects")
        assert listed.status_code == 200
        assert {"manual", "other"} <= {each["name"] for each in listed.json()}
        assert str(tmp_path) not in listed.text
        for name in ready.json()["projects"]:
            assert client.get(f"/api/v1/projects/{name}").status_code == 503
        translated = client.post("/api/v1/projects/manual/translations", json={"texts": ["Close the lid."]})
        assert translated.json()["translations"][0]["text"] == "Cierre la tapa."


def test_a_project_that_cannot_be_deleted_is_still_there(tmp_path: Path) -> None:
    make_projects(tmp_path)
    with running(tmp_path) as found, found.client() as client:
        (tmp_path / ".deleted").write_text("a file where the directory should be")
        assert client.delete("/api/v1/projects/manual").status_code == 503
        assert client.get("/api/v1/projects/manual").status_code == 200
        (tmp_path / ".deleted").unlink()
        assert client.delete("/api/v1/projects/manual").status_code == 204
        assert client.get("/api/v1/projects/manual").status_code == 404


def test_a_project_whose_directory_cannot_be_moved_is_still_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_projects(tmp_path)

    def fail(*_: object) -> None:
        raise OSError(16, "busy")

    with running(tmp_path) as found, found.client() as client:
        with monkeypatch.context() as patched:
            patched.setattr(Path, "rename", fail)
            assert client.delete("/api/v1/projects/manual").status_code == 503
        assert client.get("/api/v1/projects/manual").status_code == 200


def test_a_key_of_one_project_is_told_of_no_other(tmp_path: Path) -> None:
    make_projects(tmp_path / "projects")
    (tmp_path / "projects" / "odd").mkdir()
    (tmp_path / "projects" / "odd" / "project.json").write_text("[]")
    key = Keys(tmp_path / "keys.json").add("ana", {"other": "learn"})
    with running(tmp_path / "projects", keys=tmp_path / "keys.json") as found, found.client(key) as client:
        there, nowhere = (client.get(f"/modernmt/memories/{n}") for n in (number_of("manual"), number_of("nowhere")))
        assert (there.status_code, there.text) == (nowhere.status_code, nowhere.text)
        assert there.status_code == 403
        assert client.get(f"/modernmt/memories/{number_of('other')}").status_code == 200
        assert client.get("/ready").json() == {"state": "ready", "problems": 1, "projects": []}
    with running(tmp_path / "projects", keys=tmp_path / "keys.json") as found, found.client() as client:
        settings = client.get("/libretranslate/frontend/settings").json()
        assert settings["keyRequired"] is True
        assert settings["language"]["target"]["code"] == "es"  # a fixed example, not a project's


def test_answers_and_logs_do_not_tell_where_the_database_is() -> None:
    for said in (
        'cannot read: connection failed: connection to server on socket "/var/run/x/.s.PGSQL.5432" failed',
        'cannot read: connection to server at "10.1.2.3", port 5432 failed: refused',
        "cannot write: [Errno 13] /srv/projects/manual/journal.db",
        "unable to open 'C:\\\\projects\\\\journal.db'",
    ):
        shown = without_places(said)
        assert not any(each in shown for each in ("/var", "10.1", "/srv", "C:"))
        assert api_error(StorageError(said)).what == shown
    assert without_places("cannot write: no space left on device and/or quota") == (
        "cannot write: no space left on device and/or quota"
    )


def test_half_a_surrogate_pair_is_refused_everywhere(tmp_path: Path) -> None:
    make_projects(tmp_path)
    bad = '{"q": "\\ud83d", "s": "x", "source": "en", "target": "es", "sentence": "\\ud83d", "translation": "x"}'
    headers = {"Content-Type": "application/json"}
    with running(tmp_path) as found, found.client() as client:
        for method, path in (
            ("POST", "/libretranslate/translate"),
            ("POST", "/libretranslate/suggest"),
            ("POST", "/libretranslate/detect"),
            ("POST", "/apertium/translate"),
            ("POST", "/modernmt/memories/manual/content"),
        ):
            assert client.request(method, path, content=bad, headers=headers).status_code == 400, path
