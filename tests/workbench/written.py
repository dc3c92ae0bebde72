"""Whether a browser sees in the pages that we write what was put in, in the structure that they had.

Also for files of one's own: python -m tests.workbench.written DIRECTORY… [--most 100]
"""

from __future__ import annotations

import argparse
import re
import sys
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.errors import BadInputError
from dragoman.formats import read_document, write_document
from dragoman.formats.document import DocumentSegment

if TYPE_CHECKING:
    from playwright.sync_api import Page

ODD = "<&> \"é\" 'ß' &amp; 日本"  # what has to be escaped in one place or another
PAGE = re.compile(r"\.x?html?\Z")
PARSED = """({text, kind}) => {
    const page = new DOMParser().parseFromString(text, kind);
    const readable = new Set(["alt", "title", "placeholder", "aria-label", "aria-description", "content", "value",
                              "label", "lang", "xml:lang"]);
    const texts = [], tree = (element) => {
        const skipped = ["script", "style", "template"].includes(element.localName);
        const kept = [...element.attributes].filter(({name}) => !readable.has(name));
        for (const {value} of element.attributes) texts.push(value);
        const found = [element.localName, ...kept.map(({name, value}) => `${name}=${value}`)];
        for (const node of element.childNodes) {
            if (node.nodeType === 3 && !skipped) texts.push(node.data);
            if (node.nodeType === 1) found.push(tree(node));
        }
        return found;
    };
    return {tree: JSON.stringify(tree(page.documentElement)), texts: texts.join("\\n"),
            broken: Boolean(page.querySelector("parsererror"))};
}"""


def marked(segment: DocumentSegment, number: int) -> tuple[str, list[str]]:
    """A target in which each piece of text between the tags is another word, and these words."""
    words: list[str] = []

    def part(text: str) -> str:
        if not text.strip():
            return text
        words.append(f"⟦{number}.{len(words)} {ODD}⟧")
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        return f"{before}{words[-1]}{after}"

    parts = segment.inline.parts
    return "".join(part(each) if isinstance(each, str) else each.shown for each in parts), words


def pages(name: str, data: bytes) -> Iterator[tuple[str, str, str]]:
    """The pages of a book, or the one that a file is: name, text and type."""
    if not name.endswith(".epub"):
        kind = "application/xhtml+xml" if data.lstrip().startswith(b"<?xml") else "text/html"
        yield name, data.decode(read_document(data, name).contents.encoding), kind
        return
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for each in archive.namelist():
            if PAGE.search(each):
                yield each, archive.read(each).decode("utf-8-sig"), "application/xhtml+xml"


def differences(browser_page: Page, name: str, data: bytes) -> list[str]:
    """What is wrong with a file once its texts are replaced, as a browser sees it."""
    document = read_document(data, name, source="en", target="es")
    targets, wanted = {}, list[str]()
    for number, segment in enumerate(document.segments):
        if segment.state != "locked":
            targets[segment.id], words = marked(segment, number)
            wanted += words if not name.endswith(".epub") or PAGE.search(segment.id.partition(":")[0]) else []
    written = write_document(document, targets)
    wrong, seen = [], list[str]()
    for (page, old, kind), (_, new, _) in zip(pages(name, data), pages(name, written), strict=True):
        before = browser_page.evaluate(PARSED, {"text": old, "kind": kind})
        if before["broken"]:  # as browsers take pages that are not well-formed
            kind = "text/html"
            before = browser_page.evaluate(PARSED, {"text": old, "kind": kind})
        after: dict[str, Any] = browser_page.evaluate(PARSED, {"text": new, "kind": kind})
        if after["broken"] or before["tree"] != after["tree"]:
            wrong.append(f"{page}: another structure")
        seen += re.findall("⟦[^⟧]*⟧", " ".join(after["texts"].split()))
    if sorted(seen) != sorted(wanted):
        wrong.append(f"{len({*wanted} ^ {*seen}) or len(seen)} texts are not what was put in")
    return wrong


def main() -> None:
    """Compare the pages in some directories."""
    from playwright.sync_api import sync_playwright

    from tests.workbench.conftest import ARGUMENTS, CHROMIUM

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=100, help="files of each ending")
    given = parser.parse_args()
    with sync_playwright() as drivers:
        browser = drivers.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page()
        for ending in (".html", ".xhtml", ".epub"):
            files = sorted(file for place in given.places for file in place.rglob(f"*{ending}"))
            chosen = files[:: max(1, len(files) // given.most)][: given.most]
            refused = bad = 0
            for file in chosen:
                try:
                    wrong = differences(page, file.name, file.read_bytes())
                except (BadInputError, UnicodeDecodeError) as error:
                    refused += 1
                    print(f"{file}: refused: {error}", file=sys.stderr)
                    continue
                bad += bool(wrong)
                for each in wrong:
                    print(f"{file}: {each}", file=sys.stderr)
            print(f"{ending}: {len(chosen)} files, {refused} refused, {bad} that a browser reads otherwise")
        browser.close()


if __name__ == "__main__":
    main()
