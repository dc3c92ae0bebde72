"""Access to the page: by keyboard alone, enlarged, in both themes, with a screen reader; and who must not get in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.workbench.support import TASKS, Bench, patient_page

Visit = Callable[..., Bench]


def serious(bench: Bench) -> list[Any]:
    """The serious problems that axe-core finds on the page."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(bench.page).response["violations"]
    return [
        (each["id"], [node["target"] for node in each["nodes"]])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def test_axe_finds_no_serious_problem_in_any_view(visit: Visit) -> None:
    bench = visit("")
    bench.page.locator(".project").first.wait_for()
    assert serious(bench) == []
    bench.page.goto(f"{bench.address}/#/manual/1/4")
    bench.at(4)
    bench.shows(TASKS[3][1])
    bench.press("Alt+s")
    bench.page.locator(".ghost [class*=sure-]").first.wait_for()
    for theme in ("light", "dark"):
        bench.page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        bench.still()
        assert serious(bench) == []
    bench.press("F1")
    bench.page.get_by_role("dialog", name="Keyboard shortcuts").wait_for()
    assert serious(bench) == []


def test_a_document_is_translated_by_keyboard_alone(visit: Visit) -> None:
    bench = visit("")
    bench.page.locator(".project").first.wait_for()
    for _ in range(12):
        bench.press("Tab")
        if bench.page.evaluate("document.activeElement.textContent") == "tasks.tsv":
            break
    bench.press("Enter")
    bench.translate(1, TASKS[0][1])
    bench.at(2)
    bench.press("Escape", "Escape")  # out of the editor, into the list
    bench.press("ArrowDown", "ArrowDown", "Enter")
    bench.at(4)
    bench.settled()
    bench.press("Escape", "Escape", "?")
    bench.page.get_by_role("dialog", name="Keyboard shortcuts").wait_for()
    bench.press("Escape", "Enter")
    bench.at(4)
    bench.press("Alt+z")
    bench.page.get_by_text("Took back your confirmation of segment 1").wait_for()
    assert bench.segment(1)["state"] == "new"
    for _ in range(150):  # from the editor to the file: nothing holds the focus
        bench.press("Escape" if bench.ghost.count() else "Tab")
        if bench.page.evaluate("document.activeElement.textContent") == "Download":
            break
    bench.press("Enter")
    bench.page.get_by_role("dialog").get_by_text("of 12 segments are confirmed").wait_for()
    with bench.page.expect_download():
        bench.press("Enter")


def test_at_twice_the_size_nothing_is_cut_off(visit: Visit) -> None:
    bench = visit("#/manual/1/1")
    bench.at(1)
    bench.ghost.wait_for()
    bench.page.set_viewport_size({"width": 640, "height": 400})  # what a window of 1280 × 800 has at 200 %
    assert bench.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    bench.editor.scroll_into_view_if_needed()
    box = bench.editor.bounding_box()
    assert box is not None
    assert box["width"] > 400


def test_the_page_may_load_nothing_from_elsewhere_and_has_no_other_files(address: str) -> None:
    with httpx.Client(base_url=address, trust_env=False) as client:
        page = client.get("/")
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        nonces = {client.get("/").headers["content-security-policy"] for _ in range(3)}
        assert len(nonces) == 3
        script = client.get("/workbench/main.js")
        assert script.headers["content-type"].startswith("text/javascript")
        assert script.headers["x-content-type-options"] == "nosniff"
        again = client.get("/workbench/main.js", headers={"If-None-Match": script.headers["etag"]})
        assert again.status_code == 304
        for name in ("", "index.html", "nothing.js", "../workbench.py", "%2e%2e/workbench.py", "vendor", "/etc/passwd"):
            assert client.get(f"/workbench/{name}").status_code == 404, name


def test_links_from_other_sites_lead_to_the_page_and_nowhere_else(address: str) -> None:
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    with httpx.Client(base_url=address, trust_env=False, headers=link) as client:
        assert client.get("/").status_code == 200
        assert client.get("/api/v1/projects").status_code == 403
        assert client.get("/", headers={"Sec-Fetch-Mode": "no-cors"}).status_code == 403
        assert client.post("/", headers={"Origin": "https://example.org"}).status_code == 403


def test_a_server_with_keys_asks_for_one(browser: Any, tmp_path: Any) -> None:
    from dragoman.server.keys import Keys
    from tests.server.support import running
    from tests.workbench.support import make_project

    make_project(tmp_path / "projects")
    key = Keys(tmp_path / "keys.json").add("ana", {"manual": "learn"})
    with running(tmp_path / "projects", keys=tmp_path / "keys.json", free_loopback=False) as server:
        page = patient_page(browser)
        page.goto(f"{server.url}/#/manual/1/4")
        page.get_by_label("Key", exact=True).fill(key)
        page.keyboard.press("Enter")
        page.locator(".ghost").wait_for()
        page.keyboard.press("Alt+Enter")
        page.get_by_text("· ana").first.wait_for()
        page.close()
