"""The page of a project, and the grid: figures, files in and out, the engine, find and replace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx

from tests.formats.samples import PACKED
from tests.workbench.support import TASKS, Bench
from tests.workbench.test_access import serious

Visit = Callable[..., Bench]
TBX = """<?xml version="1.0" encoding="UTF-8"?>
<martif type="TBX" xml:lang="en"><text><body><termEntry id="1">
<langSet xml:lang="en"><tig><term>drip tray</term></tig></langSet>
<langSet xml:lang="es"><tig><term>bandeja recogegotas</term></tig></langSet>
</termEntry></body></text></martif>
"""


def confirm(bench: Bench, *numbers: int) -> None:
    """Confirm segments, as somebody who has read and typed them."""
    for number in numbers:
        effort = {"key_strokes": 9, "milliseconds": 9000, "suggestion": "Pulse"}
        change = {"target": TASKS[number - 1][1], "state": "confirmed", **effort}
        place = f"{bench.address}/api/v1/projects/manual/documents/1/segments/{number}"
        httpx.put(place, json=change, trust_env=False).raise_for_status()


def test_a_project_shows_its_figures_and_what_the_memory_knows_of_a_document(visit: Visit, tmp_path: Path) -> None:
    bench = visit("")
    bench.page.locator(".project").first.wait_for()
    confirm(bench, 1, 2, 3, 4)
    bench.page.get_by_role("link", name="manual", exact=True).click()
    bench.page.get_by_role("region", name="Effort by person").wait_for()
    bench.page.get_by_role("img", name="How the suggestions get better").wait_for()
    bench.page.get_by_role("button", name="Analyse: tasks.tsv").click()
    analysis = bench.page.get_by_role("region", name="Analysis of tasks.tsv")
    analysis.get_by_role("cell", name="100 %", exact=True).wait_for()
    with bench.page.expect_download() as coming:
        bench.page.get_by_role("button", name="Effort as CSV").click()
    coming.value.save_as(tmp_path / "effort.csv")
    assert "segments" in (tmp_path / "effort.csv").read_text(encoding="utf-8")
    with bench.page.expect_popup() as opened:
        bench.page.get_by_role("button", name="How is it doing?").click()
    opened.value.get_by_role("heading", level=1).wait_for()
    opened.value.close()
    for theme in ("light", "dark"):
        bench.page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        bench.still()
        assert serious(bench) == []


def test_a_document_is_pretranslated_renamed_assigned_and_deleted(visit: Visit) -> None:
    bench = visit("#/manual")
    page = bench.page
    page.get_by_role("button", name="Pre-translate: tasks.tsv").click()
    page.get_by_text("Pre-translated 12 segments, as drafts.").wait_for()
    page.get_by_role("button", name="Rename: tasks.tsv").click()
    page.get_by_label("Name", exact=True).fill("chapter.tsv")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Assign: chapter.tsv").click()
    page.get_by_label("Person").fill("ana")
    page.get_by_role("dialog").get_by_role("button", name="Assign").click()
    page.get_by_text("assigned to ana").wait_for()
    page.get_by_role("button", name="Delete: chapter.tsv").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("No documents yet.").wait_for()


def test_memory_and_glossary_go_in_and_out(visit: Visit, tmp_path: Path) -> None:
    bench = visit("#/manual")
    page = bench.page
    data = "Turn it off.\tApáguelo.\n".encode()
    page.get_by_label("Import memory").set_input_files({"name": "memory.tsv", "mimeType": "text/plain", "buffer": data})
    page.get_by_text("Learned 1 pair from the file.").wait_for()
    page.get_by_label("Import glossary").set_input_files(
        {"name": "terms.tbx", "mimeType": "application/xml", "buffer": TBX.encode()}
    )
    page.get_by_text("Added 1 term.").wait_for()
    with page.expect_download() as coming:
        page.get_by_role("button", name="Export TMX").click()
    coming.value.save_as(tmp_path / "memory.tmx")
    assert "Apáguelo." in (tmp_path / "memory.tmx").read_text(encoding="utf-8")


def test_the_engine_of_a_project_is_chosen(visit: Visit) -> None:
    bench = visit("#/manual")
    page = bench.page
    page.get_by_label("Engine", exact=True).select_option("Apertium")
    page.get_by_label("Address").fill("http://127.0.0.1:9")
    page.get_by_role("button", name="Save engine").click()
    page.get_by_text("The engine is set.").wait_for()
    page.reload()
    bench.wait_for("() => document.querySelector('select[name=kind]')?.value === 'apertium'")
    page.get_by_label("Engine", exact=True).select_option("")
    page.get_by_role("button", name="Save engine").click()
    page.get_by_text("no longer builds on another engine").wait_for()


def test_a_file_is_dropped_anywhere_on_the_page(visit: Visit) -> None:
    bench = visit("#/manual/1/4")
    bench.at(4)
    bench.settled()
    bench.page.evaluate("""() => {
        const data = new DataTransfer();
        data.items.add(new File(["Close the lid.\\nOpen it.\\n"], "dropped.txt"));
        for (const kind of ["dragover", "drop"])
            document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
    }""")
    bench.page.get_by_text("0 of 2 confirmed").wait_for()
    bench.at(1)


def test_what_is_special_about_a_file_is_said_when_it_is_uploaded(visit: Visit) -> None:
    bench = visit("")
    file = {"name": "a.docx", "mimeType": "application/zip", "buffer": PACKED["a.docx"]}
    bench.page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    bench.page.get_by_text("a.docx: the file has macros; they are kept").wait_for()
    bench.at(1)


def test_the_files_that_can_be_chosen_are_those_that_can_be_read(visit: Visit) -> None:
    bench = visit("")
    bench.page.get_by_text("Add files").wait_for()
    accepted = bench.page.locator("input[type=file]").get_attribute("accept") or ""
    assert {".docx", ".xlf", ".json", ".srt"} <= set(accepted.split(","))


def test_the_grid_is_walked_and_edited_by_keyboard(visit: Visit) -> None:
    bench = visit("#/manual/1/4")
    bench.at(4)
    bench.shows(TASKS[3][1])
    bench.press("Alt+g")
    bench.page.locator(".workspace[data-view=grid]").wait_for()
    bench.press("Alt+Enter")
    bench.at(5)
    bench.state(4, "confirmed")
    row = bench.row(4)
    boxes = [row.locator(each).bounding_box() for each in (".of", ".to")]
    assert len({box["y"] for box in boxes if box}) == 1  # side by side
    bench.settled()
    bench.press("Escape", "Escape", "ArrowDown", "ArrowDown", "Enter")
    bench.at(7)
    for theme in ("light", "dark"):
        bench.page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        bench.still()
        assert serious(bench) == []
    for width, height in ((390, 844), (640, 400)):
        bench.page.set_viewport_size({"width": width, "height": height})
        assert bench.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert serious(bench) == []
    bench.page.evaluate("localStorage.removeItem('dragoman:view')")


def replacing(visit: Visit) -> Bench:
    """The dialog for finding and replacing, after three segments were confirmed."""
    bench = visit("")
    bench.page.locator(".project").first.wait_for()
    confirm(bench, 1, 2, 3)
    bench.page.goto(f"{bench.address}/#/manual/1/4")
    bench.at(4)
    bench.settled()
    bench.press("Control+h")
    return bench


def test_words_are_found_and_replaced_with_a_preview_and_one_undo(visit: Visit) -> None:
    bench = replacing(visit)
    bench.page.keyboard.type("tapa")
    bench.press("Tab")
    bench.page.keyboard.type("cubierta")
    bench.press("Enter")
    dialog = bench.page.get_by_role("dialog")
    dialog.get_by_text("Found in 3 segments.").wait_for()
    assert serious(bench) == []
    dialog.get_by_label("Segment 2").uncheck()
    dialog.get_by_role("button", name="Replace", exact=True).click()
    bench.page.get_by_text("Replaced in 2 segments.").wait_for()
    targets = [bench.segment(n)["target"] for n in (1, 2, 3)]
    assert targets == ["Pulse la cubierta roja.", "Abra la tapa verde.", "Cierre la cubierta roja."]
    bench.page.get_by_label("Notices").get_by_role("button", name="Undo").click()
    bench.until(lambda: [bench.segment(n)["target"] for n in (1, 3)] == [TASKS[0][1], TASKS[2][1]])


def test_an_expression_is_replaced_after_a_preview(visit: Visit) -> None:
    bench = replacing(visit)
    dialog = bench.page.get_by_role("dialog")
    dialog.get_by_label("Regular expression").check()
    dialog.get_by_label("Find").fill("(la tapa (roja")
    bench.press("Enter")
    dialog.get_by_text("This is not a regular expression").wait_for()
    bench.allow("400")
    assert dialog.get_by_role("button", name="Replace", exact=True).is_disabled()
    dialog.get_by_label("Find").fill("tapa (roja|verde)")
    dialog.get_by_label("Replace with").fill(r"cubierta \1")
    bench.press("Enter")
    dialog.get_by_text("Found in 3 segments.").wait_for()
    assert serious(bench) == []
    dialog.get_by_role("button", name="Replace", exact=True).click()
    bench.page.get_by_text("Replaced in 3 segments.").wait_for()
    assert bench.segment(2)["target"] == "Abra la cubierta verde."
    bench.page.get_by_label("Notices").get_by_role("button", name="Undo").click()
    bench.until(lambda: bench.segment(2)["target"] == TASKS[1][1])


def test_a_long_segment_keeps_its_heading_in_sight(visit: Visit) -> None:
    bench = visit("")
    place = f"{bench.address}/api/v1/projects/manual/documents"
    segments = [{"source": "Open the lid. " * 90, "target": "Abra la tapa. " * 90}]
    httpx.post(place, json={"name": "long", "segments": segments}, trust_env=False).raise_for_status()
    bench.page.goto(f"{bench.address}/#/manual/2/1")
    bench.at(1)
    bench.editor.click()
    bench.press("Control+End")
    bench.page.locator(".work").evaluate("each => each.scrollTop = each.scrollHeight")
    box = bench.page.get_by_role("heading", name="Segment 1").bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 200


def test_the_concordance_ignores_accents_has_wildcards_and_inserts(visit: Visit) -> None:
    bench = visit("#/manual/1/4")
    bench.at(4)
    bench.settled()
    bench.press("Control+k")
    bench.page.keyboard.type("bot*n")
    bench.press("Enter")
    beside = bench.page.get_by_label("Translation aids")
    beside.locator("mark", has_text="botón").first.wait_for()
    beside.get_by_role("button", name="Insert Limpie el botón rojo.").click()
    bench.wait_for("() => document.querySelector('.cm-line').innerText.startsWith('Limpie el botón rojo.')")


def test_an_engine_of_this_machine_is_chosen_by_name_and_learns(visit: Visit) -> None:
    bench = visit("#/manual")
    page = bench.page
    page.get_by_label("Engine", exact=True).select_option("engine:en-es")
    page.get_by_label("This engine learns from your corrections").check()
    page.get_by_role("button", name="Save engine").click()
    page.get_by_text("It translates “Open the file.” as").wait_for()
    page.reload()
    bench.wait_for("() => document.querySelector('select[name=kind]')?.value === 'engine:en-es'")
    assert page.get_by_label("This engine learns from your corrections").is_checked()


def test_a_new_project_stands_on_the_engine_of_its_languages(visit: Visit) -> None:
    page = visit("#/").page
    form = page.get_by_role("form", name="New project")
    form.get_by_label("To").fill("French")
    assert form.locator("select[name=upstream] option").all_inner_texts() == [
        "None: only what this project has learned"
    ]
    form.get_by_label("To").fill("Spanish")
    assert "en-es: neural" in form.locator("select[name=upstream] option").first.inner_text()
    form.get_by_label("Name").fill("guide")
    form.get_by_role("button", name="Create").click()
    page.get_by_role("heading", name="guide").get_by_role("link").click()
    page.wait_for_function("() => document.querySelector('select[name=kind]')?.value === 'engine:en-es'")
