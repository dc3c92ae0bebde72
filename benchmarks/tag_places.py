"""Whether tags come back around the right words, over another engine: 300 sentences whose right places are known.

    python -m benchmarks.tag_places ct2:../shared/engines/nmt-en-es [--judging] [--without-attention] [--show]

Sentences are made of frames and phrases (`tag_sentences`); it is known what each phrase may be in Spanish. They are
marked, as bold text, as links, and bold inside a link, and the sentences are filled as DOCX, HTML, Markdown and XLIFF.
A tag is right if what it encloses is a translation of what it enclosed. Tags that are lost, and sentences that are left
in English, count as wrong. With `--base`, the project is first trained on the pairs of a file of two columns.
"""

from __future__ import annotations

import argparse
import io
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from html import escape, unescape
from pathlib import Path

from benchmarks.tag_sentences import Case, cases

from dragoman import Engine
from dragoman.formats import Document, read_document
from dragoman.formats.filled_document import fill_document
from dragoman.formats.inline import Inline, Tag
from dragoman.upstream import ct2


def _html(case: Case) -> str:
    marks = {"bold": "<b>{}</b>", "link": '<a href="x.html">{}</a>', "both": '<a href="x.html"><b>{}</b></a>'}
    return "".join(each if isinstance(each, str) else marks[each[2]].format(each[0]) for each in case.parts)


def _as_html(wanted: list[Case]) -> bytes:
    body = "\n".join(f"<p>{_html(case)}</p>" for case in wanted)
    return f"<!DOCTYPE html>\n<html><body>\n{body}\n</body></html>\n".encode()


def _as_markdown(wanted: list[Case]) -> bytes:
    marks = {"bold": "**{}**", "link": "[{}](x.html)", "both": "[**{}**](x.html)"}
    lines = (
        "".join(each if isinstance(each, str) else marks[each[2]].format(each[0]) for each in case.parts)
        for case in wanted
    )
    return ("\n\n".join(lines) + "\n").encode()


def _as_xliff(wanted: list[Case]) -> bytes:
    units = []
    for number, case in enumerate(wanted, start=1):
        text, count = "", 0
        for each in case.parts:
            if isinstance(each, str):
                text += escape(each)
                continue
            levels = 2 if each[2] == "both" else 1
            opening = "".join(f'<g id="{count + level}">' for level in range(1, levels + 1))
            text, count = text + opening + escape(each[0]) + "</g>" * levels, count + levels
        units.append(f'<trans-unit id="{number}"><source>{text}</source></trans-unit>')
    head = '<?xml version="1.0"?>\n<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">'
    languages = 'source-language="en" target-language="es" datatype="html" original="a"'
    return f"{head}<file {languages}><body>{''.join(units)}</body></file></xliff>".encode()


def _as_docx(wanted: list[Case]) -> bytes:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    paragraphs = []
    for case in wanted:
        runs = []
        for each in case.parts:
            text, look = (each, "") if isinstance(each, str) else (each[0], each[2])
            properties = {"bold": "<w:rPr><w:b/></w:rPr>", "link": "<w:rPr><w:u/></w:rPr>"}.get(look, "")
            properties = "<w:rPr><w:b/><w:u/></w:rPr>" if look == "both" else properties
            runs.append(f'<w:r>{properties}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>')
        paragraphs.append(f"<w:p>{''.join(runs)}</w:p>")
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    types = f'<Override PartName="/word/document.xml" ContentType="{main}"/>'
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    files = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f"{types}</Types>",
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{kind}" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f"<w:document {space}><w:body>{''.join(paragraphs)}</w:body></w:document>",
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>\n' + text)
    return packed.getvalue()


FORMATS: dict[str, Callable[[list[Case]], bytes]] = {
    "a.docx": _as_docx,
    "a.html": _as_html,
    "a.md": _as_markdown,
    "a.xlf": _as_xliff,
}


def enclosed(inline: Inline) -> list[str]:
    """What each outermost pair encloses."""
    found, depth = list[str](), 0
    for part in inline.parts:
        if isinstance(part, Tag):
            depth += (part.kind == "start") - (part.kind == "end")
            if part.kind == "start" and depth == 1:
                found.append("")
        elif depth:
            found[-1] += part
    return found


def judged(engine: Engine, name: str, wanted: list[Case], *, show: bool) -> Counter[str]:
    """How many tags are right in one format."""
    document = read_document(FORMATS[name](wanted), name, source="en", target="es", sentences=False)
    engine.ask_ahead([segment.source for segment in document.segments])
    filled = fill_document(engine, document)
    again = read_document(filled.data, name, source="en", target="es", sentences=False)
    found = _paragraphs(filled.data) if name == "a.docx" else _translations(again)
    counts: Counter[str] = Counter(sentences=len(wanted))
    for case, (text, inside) in zip(wanted, found, strict=True):
        # Phrases may change places: each has to be in one of the pairs, and in no two.
        left = list(inside)
        for pattern in case.wanted:
            counts["tags"] += 1
            match = next((each for each in left if re.fullmatch(pattern, each.strip(), re.IGNORECASE)), None)
            if match is not None:
                left.remove(match)
                counts["right"] += 1
            elif show:
                print(f"{name}: {pattern}: {text}")
    return counts


def _translations(document: Document) -> Iterator[tuple[str, list[str]]]:
    for segment in document.segments:
        if not segment.target:
            # A tag around all of a text is outside of the segment.
            yield segment.source, enclosed(segment.inline) or [segment.source]
        else:
            parts = re.split(r"(<g id=\"\d+\">|</g>)", segment.target)
            inline = Inline([_tag(part) if part.startswith("<") else part for part in parts if part])
            yield segment.target, enclosed(inline)


def _paragraphs(data: bytes) -> Iterator[tuple[str, list[str]]]:
    """Each paragraph of a Word file, and its stretches of bold or underlined text."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        document = archive.read("word/document.xml").decode()
    for paragraph in re.findall(r"<w:p>.*?</w:p>", document, re.DOTALL):
        text, inside = "", list[str]()
        was_marked = False
        for run in re.findall(r"<w:r>.*?</w:r>", paragraph, re.DOTALL):
            words = unescape("".join(re.findall(r"<w:t\b[^>]*>(.*?)</w:t>", run, re.DOTALL)))
            is_marked = "<w:b/>" in run or "<w:u/>" in run
            text += f"[{words}]" if is_marked else words
            if is_marked:
                inside += [] if was_marked else [""]
                inside[-1] += words
            was_marked = is_marked
        yield text, inside


def _tag(shown: str) -> Tag:
    return Tag(shown, b"", "end" if shown.startswith("</") else "start", "g", None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("upstream")
    parser.add_argument("--base", type=Path, help="a file of two columns to train on")
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--formats", default=" ".join(FORMATS))
    parser.add_argument("--judging", action="store_true", help="other sentences, on which nothing was chosen")
    parser.add_argument("--without-attention", action="store_true", help="as an engine that does not tell it")
    parser.add_argument("--show", action="store_true", help="print what is wrong")
    options = parser.parse_args()
    wanted = list(cases(judging=options.judging))
    if options.without_attention:
        ct2.LEAST_ATTENTION = 2.0  # more than there can be
    with tempfile.TemporaryDirectory() as directory:
        engine = Engine.create(f"{directory}/p", source="en", target="es")
        if options.base:
            lines = options.base.read_text().splitlines()[: options.pairs]
            pairs = [line.split("\t")[:2] for line in lines]
            engine.train([(one, other) for one, other in pairs], progress=True)
        engine.upstream = options.upstream
        print("| format | sentences | tags | right | % |\n|---|---|---|---|---|")
        for name in options.formats.split():
            counts = judged(engine, name, wanted, show=options.show)
            share = 100 * counts["right"] / counts["tags"]
            cells = [name, counts["sentences"], counts["tags"], counts["right"], f"{share:.1f}"]
            print("|", " | ".join(map(str, cells)), "|", flush=True)
        engine.close()


if __name__ == "__main__":
    main()
