r"""PDF as the input of a bilingual text: its sentences with their translations, as tab-separated pairs.

A PDF says where letters are, not what a paragraph is. Lines are joined by guess, and nothing can be written back into
it. It is opened by pypdf in a process of its own, which may take only so much memory and time.

>>> list(paragraphs(["The lid is ope-\nned by hand.\nClose it.\n\n12", "It is\nhot."]))
['The lid is opened by hand. Close it.', '12', 'It is hot.']
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.formats.contents import check_size
from dragoman.formats.division import FindBoundaries, into_sentences, whole
from dragoman.formats.lines import TsvDocument
from dragoman.text.sentences import find_boundaries

WARNING = (
    "a PDF has no paragraphs: lines were joined by guess, and the layout is lost; the result is a table of sentences "
    "and their translations, not a PDF (if you can get the file that the PDF was made from, translate that)"
)
MEMORY = 1 << 30  # bytes that the other process may take
SECONDS = 120
_ITEM = re.compile(r"(?:[•◦▪‣·*–—-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s")
_ENDS = re.compile(r"[.!?:…。！？]['\"”’»)]*\Z")
SHORT = 0.7  # of the usual width: a line that ends a paragraph, or a heading


@dataclass(frozen=True)
class PdfText(TsvDocument):
    """The sentences of a PDF and their translations."""

    @property
    def warnings(self) -> list[str]:
        """That this is not the page that was read."""
        return [WARNING]


def read_pdf(
    data: bytes,
    name: str,
    *,
    source: str | None = None,
    target: str | None = None,
    sentences: bool | FindBoundaries = True,
) -> PdfText:
    """The sentences of a PDF, to be written as tab-separated pairs."""
    check_size(data, name)
    rules = find_boundaries if sentences is True else sentences
    divide = into_sentences(source, rules) if rules else whole
    texts = [
        "".join(part for part in chunk.parts if isinstance(part, str))
        for paragraph in paragraphs(_pages(data, name))
        for chunk in divide([paragraph])
        if chunk.is_segment
    ]
    if not texts:
        what = "has no text; its pages are probably pictures"
        raise BadInputError(what, where=name, remedy="have its text recognised (OCR) first")
    read = PdfText.read("".join(f"{text}\t\n" for text in texts).encode(), name, source, target)
    return PdfText("pdf", source, target, read.segments, read.data, read.contents)


def _pages(data: bytes, name: str) -> list[str]:
    load("pypdf", "pdf")  # what is missing is said here, not by the other process
    command = [sys.executable, "-P", "-m", "dragoman.formats.pdf_process", str(MEMORY), str(SECONDS)]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=2 * SECONDS, check=False)  # noqa: S603
        answer = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        what = "takes too much memory or time to read"
        raise BadInputError(what, where=name, remedy="split it, or save it again in another program") from None
    if "what" in answer:
        raise BadInputError(answer["what"], where=name, remedy=answer["remedy"])
    return [str(page) for page in answer["pages"]]


def paragraphs(pages: Iterable[str]) -> Iterator[str]:
    """The paragraphs of some pages, whose lines are joined; a paragraph ends with its page."""
    for page in pages:
        lines = [" ".join(line.split()) for line in page.splitlines()]
        usual = _usual_width(lines)
        text = last = ""
        for line in lines:
            if text and (not line or _begins(line, last, usual)):
                yield text
                text = ""
            text, last = _joined(text, line), line
        if text:
            yield text


def _usual_width(lines: list[str]) -> int:
    """The width of long lines: that which nine of ten do not exceed."""
    widths = sorted(len(line) for line in lines if line)
    return widths[len(widths) * 9 // 10] if widths else 0


def _begins(line: str, last: str, usual: int) -> bool:
    """Whether a line begins a paragraph: an item, or one after a short line that ends a sentence or is a heading."""
    if _ITEM.match(line):
        return True
    is_short = len(last) < SHORT * usual
    return is_short and (bool(_ENDS.search(last)) or line[:1].isupper())


def _joined(text: str, line: str) -> str:
    if text.endswith("-") and text[-2:-1].isalpha() and line[:1].islower():
        return text[:-1] + line
    return f"{text} {line}" if text and line else text + line
