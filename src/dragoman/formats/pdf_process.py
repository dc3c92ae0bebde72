"""The process in which a PDF is opened: `python -m dragoman.formats.pdf_process MEMORY SECONDS < FILE`.

Its answer is a JSON object on standard output: the lines of each page, or what is wrong with the file.
"""

from __future__ import annotations

import json
import logging
import sys
from io import BytesIO
from typing import Any

from dragoman.extras import load
from dragoman.formats.process_limits import limit_process

MOST_PAGES = 5_000
MOST_CHARACTERS = 20_000_000


def read_pages(data: bytes) -> dict[str, Any]:
    """The text of each page."""
    pypdf = load("pypdf", "pdf")
    try:
        reader = pypdf.PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            return {"what": "is protected by a password", "remedy": "remove the password"}
        if len(reader.pages) > MOST_PAGES:
            return {"what": f"has more than {MOST_PAGES:,} pages", "remedy": "split it"}
        pages, left = [], MOST_CHARACTERS
        for page in reader.pages:
            pages.append(page.extract_text())
            left -= len(pages[-1])
            if left < 0:
                return {"what": f"has more than {MOST_CHARACTERS:,} characters", "remedy": "split it"}
    except MemoryError:
        return {"what": "takes too much memory", "remedy": "split it"}
    except (pypdf.errors.PyPdfError, ValueError, TypeError, LookupError, AttributeError, RecursionError, OSError):
        return {"what": "is damaged, or not a PDF", "remedy": "open it in a reader, and save it again"}
    except NotImplementedError as error:
        return {"what": f"uses what cannot be read ({error})"[:200], "remedy": "save it again in another program"}
    return {"pages": pages}


def main() -> None:
    """Answer for one file."""
    data, (memory, seconds) = sys.stdin.buffer.read(), map(int, sys.argv[1:])
    limit_process(memory, seconds)
    logging.disable(logging.CRITICAL)  # what pypdf thinks of a file is no news for whoever wants its text
    sys.stdout.buffer.write(json.dumps(read_pages(data)).encode())


if __name__ == "__main__":
    main()
