"""A PDF is read as sentences, and what cannot be read is refused with a reason."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.formats import pdf, pdf_process, read_document
from dragoman.formats.pdf import WARNING, paragraphs, read_pdf


def made_pdf(*pages: list[str], compressed: bool = False) -> bytes:
    """A PDF with these lines on its pages."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        shown = b"".join(b"(%s) Tj T*\n" % line.encode("latin-1") for line in lines)
        content = b"BT /F1 12 Tf 14 TL 72 700 Td\n%sET" % shown
        content = zlib.compress(content) if compressed else content
        how = b" /Filter /FlateDecode" if compressed else b""
        objects.append(b"<< /Length %d%s >>\nstream\n%s\nendstream" % (len(content), how, content))
        page = b"<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>"
        objects.append(page % len(objects))
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /MediaBox [0 0 612 792] /Kids [%s] >>" % (len(kids), b" ".join(kids))
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, each in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return bytes(out) + end % (len(objects) + 1, table, len(objects) + 1, len(out))


PAGE = ["Before you open the lid, press the but-", "ton and wait. The lamp goes out.", "Cleaning", "Use water."]


def test_lines_become_sentences() -> None:
    read = read_pdf(made_pdf(PAGE, ["The end."]), "manual.pdf", source="en", target="es")
    assert [one.source for one in read.segments] == [
        "Before you open the lid, press the button and wait.",
        "The lamp goes out.",
        "Cleaning",
        "Use water.",
        "The end.",
    ]
    assert read.warnings == [WARNING]
    assert read.fill({"3": "Limpieza"}).decode().splitlines()[2] == "Cleaning\tLimpieza"


def test_paragraphs_end_at_items_and_blank_lines() -> None:
    page = "1. Press the green button.\n2. Wait until the lamp\ngoes out.\n\nA note"
    assert list(paragraphs([page])) == ["1. Press the green button.", "2. Wait until the lamp goes out.", "A note"]


def test_the_command_writes_pairs_and_warns(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "project", source="en", target="es") as engine:
        engine.learn("Cleaning", "Limpieza")
    file = tmp_path / "manual.pdf"
    file.write_bytes(made_pdf(PAGE, compressed=True))
    done = CliRunner().invoke(app, ["fill", str(tmp_path / "project"), str(file)])
    assert done.exit_code == 0, done.output
    assert "a PDF has no paragraphs" in done.stderr
    assert "Cleaning\tLimpieza" in (tmp_path / "manual.es.tsv").read_text(encoding="utf-8").splitlines()
    wrong = CliRunner().invoke(app, ["fill", str(tmp_path / "project"), str(file), str(tmp_path / "out.pdf")])
    assert wrong.exit_code != 0
    assert not (tmp_path / "out.pdf").exists()


@pytest.mark.parametrize("data", [b"%PDF-1.4 nonsense", b"", made_pdf(PAGE)[:300]])
def test_a_damaged_file_is_refused(data: bytes) -> None:
    assert "damaged" in pdf_process.read_pages(data)["what"]


def test_a_file_without_text_is_refused() -> None:
    with pytest.raises(BadInputError, match="no text"):
        read_pdf(made_pdf(["12"]), "a.pdf")


def test_a_file_that_takes_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_process, "MOST_PAGES", 1)
    assert "pages" in pdf_process.read_pages(made_pdf(["One."], ["Two."]))["what"]
    monkeypatch.setattr(pdf_process, "MOST_CHARACTERS", 3)
    assert "characters" in pdf_process.read_pages(made_pdf(["One two."]))["what"]
    monkeypatch.setattr(pdf, "MEMORY", 1 << 20)
    with pytest.raises(BadInputError, match="memory"):
        read_pdf(made_pdf(["One two."]), "a.pdf")


def test_a_pdf_is_no_document_of_the_server() -> None:
    with pytest.raises(BadInputError, match=r"OUT\.tsv"):
        read_document(made_pdf(PAGE), "manual.pdf")
