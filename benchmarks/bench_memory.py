"""How much memory files take while they are read and filled, as a multiple of their size.

    python -m benchmarks.bench_memory [--segments 500000] [--words 2,14] [--only json,po]

Makes a file of each format with so many segments of so many words; reads and fills it in a process of its own, every
segment changed. The peak is what that process took beyond what it had after a small file of the same format, the
caller's targets included. For packed files the size is that of the parts.
"""

from __future__ import annotations

import argparse
import io
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.bench_formats import TYPES, WORDS, T, W

from dragoman.formats.document import NewTargets

if TYPE_CHECKING:
    from dragoman.formats import Document

RELATED = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET_TYPES = TYPES.replace("/word/document.xml", "/xl/sharedStrings.xml").replace(
    "wordprocessingml.document.main", "spreadsheetml.sharedStrings"
)


class Form(NamedTuple):
    """What a file of a format begins with, what it has for each segment, and how it ends."""

    line: str
    begin: str = ""
    end: str = ""
    part: str = ""  # the name inside a packed file
    first: tuple[str, str] = ("", "")  # and another part of it


FORMS = {
    "tsv": Form("{text}\t\n"),
    "txt": Form("{text}\n"),
    "csv": Form("k{n},{text},\n", "key,en,es\n"),
    "properties": Form("k{n}={text}\n"),
    "strings": Form('"k{n}" = "{text}";\n'),
    "ftl": Form("k{n} = {text}\n"),
    "ini": Form("k{n}={text}\n", "[texts]\n"),
    "toml": Form('k{n} = "{text}"\n'),
    "json": Form('"k{n}":"{text}",\n', "{", '"last":"The end"}'),
    "arb": Form('"k{n}":"{text}",\n', "{", '"last":"The end"}'),
    "yml": Form("  k{n}: {text}\n", "en:\n"),
    "php": Form("'k{n}' => '{text}',\n", "<?php\nreturn [\n", "];\n"),
    "js": Form('"k{n}": "{text}",\n', "export default {\n", "};\n"),
    "po": Form('msgid "{text} {n}"\nmsgstr ""\n\n'),
    "srt": Form("{n}\n{clock},000 --> {clock},900\n{text}.\n\n"),
    "vtt": Form("{clock}.000 --> {clock}.900\n{text}.\n\n", "WEBVTT\n\n"),
    "xml": Form('<string name="k{n}">{text}</string>\n', "<resources>\n", "</resources>\n"),
    "resx": Form('<data name="k{n}"><value>{text}</value></data>\n', "<root>\n", "</root>\n"),
    "xlf": Form(
        '<trans-unit id="{n}"><source>{text}</source></trans-unit>\n',
        '<xliff version="1.2"><file source-language="en" target-language="es"><body>\n',
        "</body></file></xliff>",
    ),
    "tmx": Form(
        '<tu><tuv xml:lang="en"><seg>{text}</seg></tuv><tuv xml:lang="es"><seg>x</seg></tuv></tu>\n',
        '<tmx version="1.4"><header srclang="en"/><body>\n',
        "</body></tmx>",
    ),
    "ts": Form(
        "<message><source>{text}</source><translation/></message>\n",
        '<TS version="2.1" language="es" sourcelanguage="en"><context><name>A</name>\n',
        "</context></TS>",
    ),
    "html": Form("<p>{text}</p>\n", "<html><body>\n", "</body></html>\n"),
    "md": Form("{text}\n\n"),
    "rst": Form("{text}\n\n"),
    "adoc": Form("{text}\n\n"),
    "tex": Form("{text}\n\n", "\\begin{document}\n", "\\end{document}\n"),
    "docx": Form(
        "<w:p><w:r><w:t>{text}</w:t></w:r></w:p>",
        f'<w:document xmlns:w="{W}"><w:body>',
        "</w:body></w:document>",
        "word/document.xml",
        ("[Content_Types].xml", TYPES),
    ),
    "xlsx": Form(
        "<si><t>{text} {n}</t></si>",
        f'<sst xmlns="{RELATED}">',
        "</sst>",
        "xl/sharedStrings.xml",
        ("[Content_Types].xml", SHEET_TYPES),
    ),
    "odt": Form(
        "<text:p>{text}</text:p>",
        f'<office:document-content xmlns:office="urn:o" xmlns:text="{T}">',
        "</office:document-content>",
        "content.xml",
        ("mimetype", "application/vnd.oasis.opendocument.text"),
    ),
}


def made(form: Form, segments: int, words: int) -> tuple[bytes, int]:
    """A file, and the size of its text."""
    out = io.StringIO()
    out.write(form.begin)
    for n in range(segments):
        text = " ".join(WORDS[(n * 7 + at * (1 + n % 5)) % len(WORDS)] for at in range(words)).capitalize()
        clock = f"{n // 3600 % 100:02}:{n // 60 % 60:02}:{n % 60:02}"
        out.write(form.line.format(n=n, text=text, clock=clock))
    out.write(form.end)
    text = out.getvalue()
    if not form.part:
        return text.encode(), len(text.encode())
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(*form.first, compress_type=zipfile.ZIP_STORED)
        archive.writestr(form.part, text)
    return packed.getvalue(), len(text.encode())


def measure(kind: str, file: Path) -> None:
    """Read and fill a file, and print what that took."""
    from dragoman.formats import read_document

    small, _ = made(FORMS[kind], 100, 2)
    first = read_document(small, f"file.{kind}", source="en", target="es")
    first.fill(_capitals(first))
    before = _peak()
    begun = time.process_time()
    document = read_document(file.read_bytes(), f"file.{kind}", source="en", target="es")
    read, reading = _peak() - before, time.process_time() - begun
    begun = time.process_time()
    document.fill(_capitals(document))
    print(len(document.segments), read, _peak() - before, reading, time.process_time() - begun)


def _capitals(document: Document) -> NewTargets:
    targets = NewTargets()
    for segment in document.segments:
        targets.add(segment.id, segment.source.upper(), "translated")
    return targets


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Measure every format, or one file in this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segments", type=int, default=500_000)
    parser.add_argument("--words", default="2,14")
    parser.add_argument("--only", default=",".join(FORMS))
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.only, options.measure)
        return
    print("| format | words | MB | segments | read, times | filled, times | read, MB/s | filled, MB/s |")
    print("|---|---|---|---|---|---|---|---|")
    for kind in options.only.split(","):
        for words in map(int, options.words.split(",")):
            print(_row(kind, options.segments, words), flush=True)


def _row(kind: str, segments: int, words: int) -> str:
    data, size = made(FORMS[kind], segments, words)
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        command = [sys.executable, "-m", "benchmarks.bench_memory", "--only", kind, "--measure", file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"| {kind} | {words} | {size / 1e6:.0f} | {done.stderr.strip().splitlines()[-1]} |"
    count, read, filled, reading, filling = map(float, done.stdout.split())
    rates = f"{size / 1e6 / reading:.1f} | {size / 1e6 / filling:.1f}"
    return f"| {kind} | {words} | {size / 1e6:.1f} | {count:,.0f} | {read / size:.1f} | {filled / size:.1f} | {rates} |"


if __name__ == "__main__":
    main()
