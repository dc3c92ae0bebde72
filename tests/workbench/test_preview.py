"""The preview: the text around the open segment, with the translation in it as one types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.formats import samples
from tests.server.editor import upload
from tests.workbench.support import Bench
from tests.workbench.test_access import serious

if TYPE_CHECKING:
    from playwright.sync_api import Locator

Visit = Callable[..., Bench]
PAGE = """<html lang="en"><body><h1>The lid</h1>
<p>Press <b>the green button</b>. Close the red lid.</p>
<ul><li>Open the lid.</li><li>Clean &lt;img src=x onerror=alert(1)&gt; the lid.</li></ul>
<table><tr><th>Part</th><th>Colour</th></tr><tr><td>The lid</td><td>The red light</td></tr></table>
<pre>lid --open</pre><p>The light is on.</p></body></html>"""
FILM = """1
00:00:01,000 --> 00:00:03,000
Press the green button.

2
00:00:04,500 --> 00:00:05,000
Open the lid.

3
00:00:08,000 --> 00:00:12,000
Close the lid.
"""


@pytest.fixture
def look(visit: Visit, address: str) -> Callable[..., Bench]:
    """Open a file at a segment."""

    def look(name: str, data: str | bytes, number: int = 1) -> Bench:
        with httpx.Client(base_url=address, trust_env=False) as client:
            place = upload(client, name, data)
        bench = visit(f"#/manual/{place.rpartition('/')[2]}/{number}")
        bench.at(number)
        bench.page.locator(f".page .spot[data-n='{number}'][aria-current]").wait_for()
        return bench

    return look


def spot(bench: Bench, number: int) -> Locator:
    return bench.page.locator(f".page .spot[data-n='{number}']")


def shown(bench: Bench, number: int, text: str) -> None:
    """Wait until a segment is shown with a text."""
    bench.wait_for(
        "({number, text}) => document.querySelector(`.page .spot[data-n='${number}']`)?.textContent === text",
        {"number": number, "text": text},
    )


Look = Callable[..., Bench]


def test_the_open_segment_is_shown_on_its_page_and_follows_what_is_typed(look: Look) -> None:
    bench = look("page.html", PAGE, 2)
    assert bench.page.locator(".page .heading.level-1").inner_text() == "The lid"
    assert bench.page.locator(".page td").all_inner_texts() == ["Part", "Colour", "The lid", "The red light"]
    assert bench.page.locator(".page .block.code").inner_text() == "lid --open"
    bench.settled()
    bench.replace("Pulse <b>el botón</b>")
    shown(bench, 2, "Pulse el botón")
    assert spot(bench, 2).locator("b").inner_text() == "el botón"
    bench.page.keyboard.insert_text(" ya.")
    shown(bench, 2, "Pulse el botón ya.")


def test_markup_in_a_file_is_shown_as_text_only(look: Look) -> None:
    bench = look("page.html", PAGE, 1)
    shown(bench, 5, "Clean <img src=x onerror=alert(1)> the lid.")
    assert bench.page.locator(".page img").count() == 0


def test_confirmed_segments_are_shown_in_their_translation_and_the_source_is_a_click_away(look: Look) -> None:
    bench = look("page.html", PAGE, 4)
    bench.settled()
    bench.replace("Abra la tapa ahora.")
    bench.press("Enter")
    bench.at(5)
    shown(bench, 4, "Abra la tapa ahora.")
    assert spot(bench, 4).get_attribute("data-state") == "confirmed"
    assert spot(bench, 4).get_attribute("lang") == "es"
    assert spot(bench, 6).get_attribute("lang") == "en"
    bench.page.get_by_role("button", name="Source", exact=True).click()
    shown(bench, 4, "Open the lid.")


def test_a_click_on_the_page_moves_to_the_segment(look: Look) -> None:
    bench = look("page.html", PAGE, 1)
    spot(bench, 8).click()
    bench.at(8)
    assert spot(bench, 8).get_attribute("aria-current") == "true"
    assert spot(bench, 1).get_attribute("aria-current") is None
    spot(bench, 2).focus()
    bench.press("Enter")
    bench.at(2)


def test_the_preview_is_switched_off_and_on_by_a_key_and_stays_so(look: Look) -> None:
    bench = look("page.html", PAGE, 1)
    bench.press("Alt+p")
    bench.page.locator(".page").wait_for(state="hidden")
    bench.wait_for("() => Object.values(localStorage).some((value) => value.includes('folded'))")  # kept a moment later
    bench.page.reload()
    bench.at(1)
    bench.settled()
    assert not bench.page.locator(".page").is_visible()
    bench.press("Alt+p")
    spot(bench, 1).wait_for()


def test_a_translation_by_somebody_else_appears_on_the_page(look: Look, address: str) -> None:
    bench = look("page.html", PAGE, 2)
    place = f"{address}/api/v1/projects/manual/documents/2/segments/3"
    changed = httpx.put(place, json={"target": "Cierre la tapa roja.", "state": "confirmed"}, trust_env=False)
    assert changed.status_code == 200
    shown(bench, 3, "Cierre la tapa roja.")


def test_subtitles_have_times_a_line_and_a_reading_speed(look: Look) -> None:
    bench = look("film.srt", FILM, 2)
    assert bench.page.locator(".timeline .cue-bar").count() == 3
    bench.page.get_by_text("12 characters/s", exact=True).wait_for()  # of the first, before anybody has typed
    assert bench.page.locator(".page .cue .label").nth(1).inner_text().startswith("0:04.5 – 0:05.0")
    bench.settled()
    bench.replace("Abra.")
    bench.page.get_by_text("10 characters/s", exact=True).wait_for()
    bench.replace("Abra la tapa roja.")
    bench.page.get_by_text("36 characters/s – too fast to read").wait_for()
    bench.page.locator(".timeline .cue-bar").nth(2).click()
    bench.at(3)
    assert "open" in str(bench.page.locator(".timeline .cue-bar").nth(2).get_attribute("class"))


def test_a_word_document_and_the_strings_of_a_program_have_previews(look: Look) -> None:
    bench = look("a.docx", samples.pack(samples.DOCX), 2)
    assert bench.page.locator(".page .heading").inner_text() == "The boiler"
    bench = look("en.json", '{"menu": {"open": "Open the lid", "close": "Close the lid"}}', 1)
    assert bench.page.locator(".page .label").all_inner_texts() == ["menu.open", "menu.close"]


def test_the_page_is_loaded_again_where_it_ends(look: Look) -> None:
    bench = look("page.html", "".join(f"<p>Open lid {n}.</p>" for n in range(1, 401)), 1)
    bench.open(390)
    shown(bench, 391, "Open lid 391.")
    assert spot(bench, 1).count() == 0
    assert bench.page.locator(".page .block").count() < 60


def test_a_page_in_a_script_from_right_to_left_begins_on_the_right(visit: Visit, address: str) -> None:
    with httpx.Client(base_url=address, trust_env=False) as client:
        made = client.post("/api/v1/projects", json={"name": "arabic", "source": "en", "target": "ar"})
        assert made.status_code == 201, made.text
        segments = [{"source": "Open.", "target": "افتح."}, {"source": "Close."}, {"source": "Now."}]
        sent = {"name": "page", "segments": segments}
        client.post("/api/v1/projects/arabic/documents", json=sent)
    bench = visit("#/arabic/1/2")
    bench.at(2)
    spot(bench, 1).wait_for()
    assert bench.page.locator(".page").get_attribute("dir") == "rtl"
    assert [spot(bench, n).get_attribute("dir") for n in (1, 3)] == ["rtl", "ltr"]
    right = bench.page.evaluate(
        "() => document.querySelector('.page').getBoundingClientRect().right"
        " - document.querySelector('.spot').getBoundingClientRect().right"
    )
    assert right < 40


@pytest.mark.parametrize("width", [390, 1440])
def test_the_preview_fits_narrow_and_wide_windows_in_both_themes(look: Look, width: int, tmp_path: Path) -> None:
    bench = look("page.html", PAGE, 2)
    bench.page.set_viewport_size({"width": width, "height": 900})
    bench.settled()
    for theme in ("light", "dark"):
        bench.page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        bench.still()
        box: Any = bench.page.locator(".page").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert bench.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert serious(bench) == []
        bench.page.locator(".page").scroll_into_view_if_needed()
        bench.page.screenshot(path=tmp_path / f"{width}-{theme}.png")
