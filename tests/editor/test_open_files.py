"""Files that people work on are read once, however many ask for them at the same time."""

from __future__ import annotations

import threading
import time

from dragoman.editor.open_files import OpenFile, OpenFiles
from dragoman.errors import BadInputError
from dragoman.formats import Document, read_document


def test_a_file_is_read_once_for_all_who_want_it() -> None:
    files, reads, found = OpenFiles(), list[int](), list[OpenFile]()

    def read() -> Document:
        reads.append(1)
        time.sleep(0.05)
        return read_document(b"Close the lid.\n", "a.txt")

    threads = [threading.Thread(target=lambda: found.append(files.get(("p", 1), read))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(reads) == 1
    assert len(found) == 5


def test_a_file_that_could_not_be_read_is_tried_again() -> None:
    files = OpenFiles()

    def fail() -> Document:
        raise BadInputError("cannot be read")

    for _ in range(2):
        try:
            files.get(("p", 1), fail)
        except BadInputError:
            continue
    assert files.get(("p", 1), lambda: read_document(b"Close the lid.\n", "a.txt")).segments
