"""Checks on the page: while somebody types, when they confirm, in the list, and before the file is downloaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.workbench.support import Bench

Visit = Callable[..., Bench]
XLIFF = """<?xml version="1.0" encoding="utf-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
 <file original="a" source-language="en" target-language="es" datatype="plaintext"><body>
  <trans-unit id="1"><source>Press the <g id="1">green</g> button.</source></trans-unit>
  <trans-unit id="2"><source>Wait 5 minutes.</source><note>Shown in the menu.</note></trans-unit>
  <trans-unit id="3"><source>Wait 5 minutes.</source></trans-unit>
 </body></file>
</xliff>
"""


def upload(bench: Bench) -> None:
    """Upload a file with tags, and open its first segment."""
    bench.page.get_by_text("Add files").wait_for()
    bench.page.locator("input[type=file]").set_input_files(
        {"name": "page.xlf", "mimeType": "application/xml", "buffer": XLIFF.encode()}
    )
    bench.at(1)
    bench.settled()


def confirm_refused(bench: Bench, key: str = "Enter") -> None:
    """Press Enter, or another key; the server refuses, and the segment is open afterwards."""
    number = int(bench.page.locator(".head h1").inner_text().split()[1])
    with bench.page.expect_response(lambda response: response.status == 409):
        bench.press(key)
    bench.open(number)
    bench.allow("409")


def test_what_the_file_cannot_hold_is_held_back_and_never_said_to_be_done(visit: Visit, tmp_path: Path) -> None:
    bench = visit("")
    upload(bench)
    bench.replace("Pulse el botón verde.</g>")
    confirm_refused(bench)
    bench.page.get_by_role("alert").get_by_text("the file cannot hold this text").wait_for()
    assert not bench.page.get_by_role("button", name="Confirm anyway").count()
    bench.open(2)
    bench.row(1).get_by_text("held back").wait_for(state="attached")
    bench.page.locator(".done", has_text="1 held back").wait_for()
    bench.replace("Espere 5 minutos.")
    bench.press("Enter")
    bench.state(2, "confirmed")
    bench.open(3)
    bench.replace("Espere 5 minutos.")
    bench.press("Enter")
    bench.at(1)  # the one that is held back is what is left to do
    assert not bench.page.get_by_text("All segments are confirmed").count()
    bench.page.get_by_role("button", name="Download", exact=True).click()
    report = bench.page.get_by_role("dialog")
    report.get_by_text("Not written into the file (1)").wait_for()
    report.get_by_role("button", name="Segment 1").click()
    bench.at(1)
    bench.replace('Pulse el botón <g id="1">verde</g>.')
    bench.press("Enter")
    bench.page.get_by_text("All segments are confirmed").wait_for()
    with bench.page.expect_download() as coming:
        bench.page.get_by_role("button", name="Download", exact=True).click()
    coming.value.save_as(tmp_path / "got.xlf")
    assert 'Pulse el botón <g id="1">verde</g>.' in (tmp_path / "got.xlf").read_text(encoding="utf-8")


def test_checks_are_made_while_somebody_types_and_can_be_accepted(visit: Visit) -> None:
    bench = visit("")
    upload(bench)
    bench.open(2)
    bench.replace("Espere minutos.")
    findings = bench.page.get_by_label("Checks", exact=True)
    findings.get_by_text("5").first.wait_for()
    bench.press("Enter")
    bench.state(2, "confirmed")
    bench.at(3)
    bench.row(2).get_by_text("1 warning").wait_for(state="attached")
    bench.page.get_by_label("Filter by state").select_option("With warnings")
    bench.open(2)
    bench.wait_for("() => document.querySelectorAll('.segments li').length === 2")  # and its repetition
    findings.get_by_role("button", name="Accept").click()
    bench.page.get_by_label("Reason (optional)").fill("in words elsewhere")
    bench.page.get_by_role("dialog").get_by_role("button", name="Accept").click()
    findings.get_by_text("accepted: in words elsewhere").wait_for()
    findings.get_by_role("button", name="Take back").wait_for()
    bench.page.get_by_role("definition").get_by_text("Shown in the menu.").wait_for()  # the note in the file


def test_untranslated_words_are_asked_about_before_they_are_learned(visit: Visit) -> None:
    bench = visit("#/manual/1/10")
    bench.at(10)
    bench.wait_for("() => document.querySelector('.ghost')?.innerText.includes('drip')")
    bench.settled()
    confirm_refused(bench, "Alt+Enter")
    bench.page.get_by_role("alert").get_by_text("“drip” is not translated").wait_for()
    bench.page.get_by_label("Reason", exact=True).fill("a brand")
    bench.page.get_by_role("button", name="Confirm anyway").click()
    bench.state(10, "confirmed")
    assert "drip" in bench.segment(10)["target"]


def test_confirming_one_fills_its_repetitions_and_one_undo_takes_all_back(visit: Visit) -> None:
    bench = visit("")
    upload(bench)
    bench.open(2)
    bench.replace("Espere 5 minutos.")
    bench.press("Enter")
    bench.page.get_by_text("Filled 1 other segment with the same source").wait_for()
    bench.state(3, "translated")
    bench.row(3).get_by_text("Espere 5 minutos.").wait_for(state="attached")
    bench.press("Alt+z")
    bench.page.get_by_text("Took back your confirmation of segment 2").wait_for()
    bench.state(3, "new")


def test_a_check_is_switched_off_for_a_document(visit: Visit) -> None:
    bench = visit("")
    upload(bench)
    bench.open(2)
    bench.replace("Espere minutos.")
    bench.press("Enter")
    bench.row(2).get_by_text("1 warning").wait_for(state="attached")
    bench.page.locator("summary", has_text="Checks").click()
    bench.page.get_by_role("checkbox", name="numbers").uncheck()
    bench.row(2).get_by_text("1 warning").wait_for(state="detached")


def test_a_forbidden_translation_is_shown_with_its_term_and_asked_about(visit: Visit) -> None:
    bench = visit("#/manual/1/2")
    bench.at(2)
    bench.settled()
    page = bench.page
    page.get_by_text("Note, capitals, forbidden").click()
    page.get_by_label("Term", exact=True).fill("lid")
    page.get_by_label("Note", exact=True).fill("of the machine")
    page.get_by_label("Forbidden translations").fill("tapadera, cubierta")
    with page.expect_response("**/glossary"):
        page.get_by_role("button", name="Add term").click()
    page.locator(".forbidden", has_text="not tapadera, cubierta").wait_for()
    page.get_by_text("of the machine").wait_for()
    bench.editor.click()
    bench.replace("Abra la tapadera verde.")
    bench.press("Enter")
    page.get_by_role("alert").get_by_text("“tapadera” must not be used for “lid”").wait_for()
    assert bench.segment(2)["state"] != "confirmed"
    bench.allow("409")
    page.get_by_role("button", name="Remove lid").click()
    page.locator(".forbidden").wait_for(state="detached")
