"""Strings of Weblate that were emptied or need editing are forgotten, and an outage is made up for from its API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.engine import Engine
from tests.server.support import Running, running
from tests.upstream.support import Reaction, Request, as_json, serving

URL = "https://weblate.example.com/translate/machine/ui/es/?checksum={}"


def report(client: httpx.Client, number: int, target: Any, action: str = "Translation changed") -> dict[str, Any]:
    sent = {"change_id": number, "action": action, "source": ["Close the lid."], "target": target}
    sent |= {"translation": "es", "project": "machine", "component": "ui", "url": URL.format("a1")}
    if target is None:
        del sent["target"]
    found: dict[str, Any] = client.post("/hooks/weblate", json=sent, headers={"webhook-id": f"m{number}"}).json()
    return found


def unit(number: int, source: str, target: str, state: int) -> dict[str, Any]:
    about = {"id": number, "source": [source], "target": [target], "state": state}
    return about | {"web_url": URL.format(f"a{number}")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Engine.create(tmp_path / "projects" / "manual", source="en", target="es").close()
    return tmp_path / "projects"


def corrections(server: Running) -> set[tuple[str, str]]:
    with server.client() as client:
        found = client.get("/api/v1/projects/manual/corrections").json()["corrections"]
    return {(each["source"], each["target"]) for each in found if not each.get("forgotten")}


@pytest.mark.parametrize(
    ("target", "action"),
    [([""], "Translation changed"), (None, "Translation changed"), (["Cierre."], "Marked for edit")],
)
def test_what_is_emptied_or_needs_editing_is_forgotten(folder: Path, target: Any, action: str) -> None:
    with running(folder) as server, server.client() as client:
        assert report(client, 1, ["Cierre la tapa."]) == {"learned": 1}
        assert report(client, 2, target, action) == {"forgotten": 1}
        assert report(client, 3, target, action) == {"known": 1}
        assert report(client, 4, ["Cierre la tapa."]) == {"learned": 1}


def test_an_outage_is_made_up_for_from_weblates_own_api(folder: Path) -> None:
    pages = [
        {"next": None, "results": [unit(1, "Close the lid.", "Cierre la tapadera.", 20), unit(2, "Wait.", "", 0)]},
        {"next": None, "results": [unit(1, "Close the lid.", "Cierre la tapadera.", 10)]},
    ]

    def weblate(request: Request) -> Reaction:
        assert request.headers["Authorization"] == "Token wlu_1"
        assert request.path.startswith("/api/translations/machine/ui/es/units/")
        return as_json(pages[0])

    with running(folder) as server, serving(weblate) as service, server.client() as client:
        report(client, 1, ["Cierre la tapa."])
        asked = [
            "project",
            "weblate-sync",
            "machine/ui/es",
            "--weblate",
            service.url,
            "--server",
            server.url,
            "--token",
            "wlu_1",
        ]
        for wanted in ("1 known, 1 revised", "2 known"):
            found = CliRunner().invoke(app, asked)
            assert (found.exit_code, found.output.strip()) == (0, wanted)
        pages.pop(0)
        assert CliRunner().invoke(app, asked).output.strip() == "1 forgotten"
        assert corrections(server) == set()
