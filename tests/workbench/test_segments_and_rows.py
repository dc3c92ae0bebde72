"""Merging and splitting segments on the page, as a translator does, in two tabs."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from tests.workbench.support import Bench

PAGE = b"<h1>Lids</h1><p>Press the red lid. Wait for <b>a minute</b>. Then open it.</p><p>Ready.</p>"
PLACE = "/api/v1/projects/manual"


def upload(bench: Bench) -> int:
    with httpx.Client(base_url=bench.address, trust_env=False) as client:
        job = client.post(f"{PLACE}/imports", params={"name": "page.html"}, content=PAGE).json()
        bench.until(lambda: client.get(f"{PLACE}/jobs/{job['id']}").json()["state"] == "done")
        return int(client.get(f"{PLACE}/jobs/{job['id']}").json()["document"])


def numbers(bench: Bench) -> list[str]:
    return bench.page.locator(".segments .number").all_inner_texts()


def wait_for_numbers(bench: Bench, *wanted: str) -> None:
    bench.until(lambda: numbers(bench) == list(wanted))


def delivered(bench: Bench, document: int) -> str:
    with httpx.Client(base_url=bench.address, trust_env=False) as client:
        job = client.post(f"{PLACE}/documents/{document}/export").json()
        bench.until(lambda: client.get(f"{PLACE}/jobs/{job['id']}").json()["state"] == "done")
        return client.get(f"{PLACE}/jobs/{job['id']}/result").text


def test_segments_are_merged_split_and_put_back_in_two_tabs(visit: Callable[..., Bench]) -> None:
    bench = visit()
    document = upload(bench)
    bench.page.goto(f"{bench.address}/#/manual/{document}/2")
    bench.at(2)
    bench.settled()
    other = visit(f"#/manual/{document}/5")
    other.at(5)
    other.editor.focus()
    other.page.keyboard.type("Listo")
    bench.page.bring_to_front()
    bench.editor.focus()
    bench.page.keyboard.type("Pulse la tapa roja.")
    bench.press("Alt+m")
    wait_for_numbers(bench, "1", "2", "4", "5")
    wait_for_numbers(other, "1", "2", "4", "5")
    other.until(lambda: other.typed() == "Listo")
    bench.page.locator(".card .source", has_text="red lid. Wait").wait_for()
    bench.until(lambda: bench.typed() == "Pulse la tapa roja.")

    bench.page.locator(".card .source").get_by_text("Wait", exact=True).dblclick()
    bench.press("Alt+x")
    wait_for_numbers(bench, "1", "2", "2.2", "4", "5")
    bench.settled()
    bench.editor.focus()
    bench.press("Enter")
    bench.page.get_by_role("heading", name="Segment 2.2", exact=True).wait_for()
    bench.page.keyboard.type("Espere ")
    bench.press("Alt+t")
    bench.page.keyboard.type("un minuto")
    bench.press("Alt+t")
    bench.page.keyboard.type(".")
    bench.press("Enter")
    bench.at(4)
    assert "<p>Pulse la tapa roja. Espere <b>un minuto</b>. Then open it.</p>" in delivered(bench, document)

    for left in (
        ["1", "2", "2.2", "4", "5"],
        ["1", "2", "2.2", "4", "5"],
        ["1", "2", "4", "5"],
        ["1", "2", "3", "4", "5"],
    ):
        bench.press("Alt+z")
        wait_for_numbers(bench, *left)
        bench.settled()
    bench.page.get_by_role("button", name="Merge with next").wait_for()


def test_units_of_a_file_offer_neither(visit: Callable[..., Bench]) -> None:
    bench = visit()
    bench.at(1)
    assert not bench.page.get_by_role("button", name="Merge with next").is_visible()
    bench.press("Alt+m")
    bench.page.locator(".hint", has_text="units of the file").wait_for()


def test_a_translation_is_written_and_searched_in_its_row(visit: Callable[..., Bench]) -> None:
    bench = visit()
    bench.at(1)
    bench.settled()
    bench.press("Alt+g")
    bench.page.locator(".in-row .cm-content").wait_for()
    bench.page.keyboard.type("Pulse la tapa, la tapa.")
    row, cell = (bench.page.locator(each).bounding_box() for each in (".segments li[data-n='1']", ".in-row"))
    assert row is not None
    assert cell is not None
    assert abs(row["y"] - cell["y"]) < 3
    bench.press("Control+f")
    bench.page.keyboard.type("TAPA")
    bench.page.get_by_text("1 of 2; 0 times in the source").wait_for()
    bench.press("Escape", "Enter")
    bench.at(2)
    bench.until(lambda: bench.segment(1)["target"] == "Pulse la tapa, la tapa.")
    next_cell = bench.page.locator(".in-row").bounding_box()
    assert next_cell is not None
    assert next_cell["y"] > cell["y"] + 20
    bench.press("Alt+g")
    bench.page.locator(".card .cm-content").wait_for()
