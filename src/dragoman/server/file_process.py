"""The process in which an uploaded file is read or written: `python -m dragoman.server.file_process`.

What a file becomes in memory cannot be told from its size: a DOCX of 238 kB became 658 MB. So a stranger's file is
opened in a process of its own that may take only so much memory and time, and whose end, however it comes, ends nothing
else. A request is one JSON object on standard input, its answer one on standard output; texts are in files beside it,
a JSON list a line.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from dragoman.errors import BadInputError
from dragoman.formats import Document, read_document
from dragoman.formats.process_limits import limit_process
from dragoman.formats.segment_groups import Merge, Split, regroup

LIBRARIES = {  # what some work needs besides
    "write": "dragoman.quality",
    "glossary": "dragoman.formats.glossaries",
    "bilingual": "dragoman.editor.bilingual",
}


def read(request: dict[str, Any]) -> dict[str, Any]:
    """Write the segments of a file, and say what else there is to know of it."""
    document = _read(request)
    if len(document.segments) > request["segments"]:
        what = f"has more than {request['segments']:,} segments"
        raise BadInputError(what, where=request["name"], remedy="split it")
    if out := request.get("out"):
        with Path(out).open("w", encoding="utf-8") as writing:
            for one in document.segments:
                row = one.id, one.source, one.target, one.state, one.context, one.note, one.limit
                writing.write(f"{json.dumps(row)}\n")
    return {
        "format": document.format,
        "languages": [document.source_language, document.target_language],
        "warnings": document.warnings,
        "segments": len(document.segments),
    }


def write(request: dict[str, Any]) -> dict[str, Any]:
    """Write a file with the targets that it can hold, and say which it cannot."""
    from dragoman.quality import deliver

    steps = [Merge(*each) if len(each) == len(Merge._fields) else Split(*each) for each in request.get("steps", ())]
    document = regroup(_read(request), steps)
    known = {one.id: one for one in document.segments}
    targets = {}
    for name, target, state in read_rows(Path(request["targets"])):
        old = known[name]
        if old.state != "locked" and (target, state) != (old.target, old.state):
            targets[name] = target, state
    delivery = deliver(document, targets)
    Path(request["out"]).write_bytes(delivery.data)
    return {"left_out": delivery.left_out}


def glossary(request: dict[str, Any]) -> dict[str, Any]:
    """Read a glossary, to see what that takes."""
    from dragoman.formats.glossaries import read_glossary

    read_glossary(Path(request["file"]).read_bytes(), request["name"], request["source"], request["target"])
    return {}


def bilingual(request: dict[str, Any]) -> dict[str, Any]:
    """Read a file with source and translation side by side, to see what that takes."""
    from dragoman.editor import bilingual as files
    from dragoman.editor.refusal import Refusal

    try:
        files.read(Path(request["file"]).read_bytes(), request["name"])
    except Refusal as error:
        raise BadInputError(error.what, remedy=error.remedy) from None
    return {}


def _read(request: dict[str, Any]) -> Document:
    data = Path(request["file"]).read_bytes()
    return read_document(data, request["name"], source=request["source"], target=request["target"])


def read_rows(file: Path) -> Iterator[Any]:
    """The lists in a file of them."""
    with file.open(encoding="utf-8") as reading:
        for line in reading:
            yield json.loads(line)


WORK: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "read": read,
    "write": write,
    "glossary": glossary,
    "bilingual": bilingual,
}


def grown() -> int:
    """The most memory that this process has had, in bytes."""
    with suppress(ImportError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return 0


def main() -> None:
    """Answer one request."""
    request = json.loads(sys.stdin.buffer.read())
    if needed := LIBRARIES.get(request["do"]):  # before the limits: libraries reserve more than a file may
        importlib.import_module(needed)
    limit_process(request["memory"], request["seconds"])
    before = grown()
    try:
        answer = WORK[request["do"]](request) | {"memory": grown() - before}
    except BadInputError as error:
        answer = {"what": error.what, "where": str(error.where or ""), "remedy": error.remedy}
    except MemoryError:
        answer = {"too_large": True}
    sys.stdout.buffer.write(json.dumps(answer).encode())


if __name__ == "__main__":
    main()
