"""How fast files are read and written, in MB a second of processor time.

    python -m benchmarks.bench_formats [--megabytes 5] [--only html,srt]

Makes a file of each format with sentences of about 90 characters, a tenth of them with tags; reads it, and writes it
with every segment changed (which reads the result again, to be sure). For packed files the size is that of the parts.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import resource
import time
import zipfile
from collections.abc import Callable, Iterator

from dragoman.formats import read_document, write_document

WORDS = [
    "press",
    "the",
    "green",
    "button",
    "then",
    "wait",
    "until",
    "lamp",
    "goes",
    "out",
    "before",
    "you",
    "open",
    "lid",
    "of",
    "boiler",
    "and",
    "pour",
    "water",
    "into",
    "tank",
]
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
T = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"


def main() -> None:
    """Measure every format."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=5)
    parser.add_argument("--only", default=",".join(MAKERS))
    options = parser.parse_args()
    print("| format | MB | segments | read, MB/s | write, MB/s | peak memory, MB |\n|---|---|---|---|---|---|")
    for kind in options.only.split(","):
        data, size = MAKERS[kind](int(options.megabytes * 1e6))
        read_document(MAKERS[kind](1000)[0], f"file.{kind}", source="en", target="es")  # imports what it needs
        begun = time.process_time()
        document = read_document(data, f"file.{kind}", source="en", target="es")
        read = time.process_time() - begun
        targets = {one.id: one.source.replace("e", "é") for one in document.segments if not one.tags}
        begun = time.process_time()
        write_document(document, targets)
        written = time.process_time() - begun
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        rates = f"{size / 1e6 / read:.1f} | {size / 1e6 / written:.1f} | {peak}"
        print(f"| {kind} | {size / 1e6:.0f} | {len(document.segments)} | {rates} |", flush=True)


def sentences(size: int, bold: tuple[str, str] = ("", "")) -> Iterator[str]:
    """Sentences until there is enough text."""
    chance = random.Random(1)
    while size > 0:
        words = chance.choices(WORDS, k=chance.randint(8, 26))
        if bold[0] and chance.random() < 0.1:
            words[3] = f"{bold[0]}{words[3]}{bold[1]}"
        sentence = " ".join(words).capitalize() + "."
        size -= len(sentence) + 10
        yield sentence


def paragraphs(size: int, begin: str, end: str, bold: tuple[str, str] = ("", "")) -> str:
    """Paragraphs of three sentences."""
    found = list(sentences(size, bold))
    return "".join(f"{begin}{' '.join(found[at : at + 3])}{end}" for at in range(0, len(found), 3))


def _plain(make: Callable[[int], str]) -> Callable[[int], tuple[bytes, int]]:
    def made(size: int) -> tuple[bytes, int]:
        data = make(size).encode()
        return data, len(data)

    return made


def _packed(name: str, make: Callable[[int], str], first: tuple[str, str]) -> Callable[[int], tuple[bytes, int]]:
    def made(size: int) -> tuple[bytes, int]:
        out, text = io.BytesIO(), make(size)
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(*first, compress_type=zipfile.ZIP_STORED)
            archive.writestr(name, text)
        return out.getvalue(), len(text)

    return made


def _lines(form: str) -> Callable[[int], tuple[bytes, int]]:
    return _plain(lambda size: "\n".join(form.format(number=n, text=text) for n, text in enumerate(sentences(size))))


def _cues(size: int) -> str:
    clock = "{:02}:{:02}:{:02},000"
    times = (clock.format(n // 3600, n // 60 % 60, n % 60) for n in range(10**9))
    return "".join(f"{n}\n{next(times)} --> {next(times)}\n{text}\n\n" for n, text in enumerate(sentences(size)))


def _document(size: int) -> str:
    run = "<w:r><w:t xml:space='preserve'>"
    bold = ("</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t xml:space='preserve'>", f"</w:t></w:r>{run}")
    body = paragraphs(size, f"<w:p>{run}", "</w:t></w:r></w:p>", bold)
    return f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'


def _content(size: int) -> str:
    body = paragraphs(size, "<text:p>", "</text:p>", ("<text:span>", "</text:span>"))
    return f'<office:document-content xmlns:office="urn:o" xmlns:text="{T}">{body}</office:document-content>'


TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
MAKERS: dict[str, Callable[[int], tuple[bytes, int]]] = {
    "html": _plain(lambda size: "<html>" + paragraphs(size, "<p>", "</p>\n", ("<b>", "</b>")) + "</html>"),
    "md": _plain(lambda size: paragraphs(size, "", "\n\n", ("**", "**"))),
    "srt": _plain(_cues),
    "docx": _packed("word/document.xml", _document, ("[Content_Types].xml", TYPES)),
    "odt": _packed("content.xml", _content, ("mimetype", "application/vnd.oasis.opendocument.text")),
    "json": _plain(lambda size: json.dumps({f"key{n}": text for n, text in enumerate(sentences(size))}, indent=1)),
    "yml": _plain(lambda size: "en:\n" + "".join(f"  key{n}: {text}\n" for n, text in enumerate(sentences(size)))),
    "xml": _plain(
        lambda size: (
            "<resources>"
            + "".join(f'<string name="k{n}">{text}</string>\n' for n, text in enumerate(sentences(size)))
            + "</resources>"
        )
    ),
    "strings": _lines('"key{number}" = "{text}";'),
    "properties": _lines("key{number}={text}"),
    "ftl": _lines("key{number} = {text}"),
    "csv": _plain(lambda size: "key,en,es\n" + "".join(f"k{n},{text},\n" for n, text in enumerate(sentences(size)))),
    "tsv": _plain(lambda size: "".join(f"{text}\t\n" for text in sentences(size))),
    "po": _lines('msgid "{number} {text}"\nmsgstr ""\n'),
    "xlf": _plain(
        lambda size: (
            '<xliff version="1.2"><file source-language="en" target-language="es"><body>'
            + "".join(
                f'<trans-unit id="{n}"><source>{text}</source></trans-unit>\n' for n, text in enumerate(sentences(size))
            )
            + "</body></file></xliff>"
        )
    ),
}

if __name__ == "__main__":
    main()
