"""A project whose documents people edit: its engine, its documents, their files and the checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from dragoman.editor.document_store import DocumentStore
from dragoman.editor.open_files import OpenFile, OpenFiles
from dragoman.editor.refusal import Refusal
from dragoman.editor.segment_checks import ProjectChecks
from dragoman.editor.segment_edits import finish_intents
from dragoman.engine import Engine
from dragoman.errors import DamagedFileError, DragomanError, StorageError
from dragoman.formats import Document, read_document
from dragoman.languages import same_language


class UnavailableDocuments:
    """In the place of documents that cannot be read: whoever asks for one is told why."""

    def __init__(self, error: DragomanError) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise self._error

    def close(self) -> None:
        """Nothing: there is nothing open."""


class EditedProject:
    """An engine, and the documents beside it; `engine` is closed with it."""

    def __init__(self, name: str, path: Path, engine: Engine, files: OpenFiles | None = None) -> None:
        self.name, self.engine = name, engine
        self.documents_problem: DragomanError | None = None  # why there are none; translating goes on without them
        try:
            self.documents = DocumentStore(path / "documents.db")
            if engine.role == "writer":
                self.documents.detach_after(engine.revision)
                finish_intents(self)
        except (DamagedFileError, StorageError) as error:
            self.documents_problem = error
            self.documents = cast(DocumentStore, UnavailableDocuments(error))
        self.closed = False
        self.files = files or OpenFiles()
        self.checks = ProjectChecks(self)
        self.source, self.target = engine.source, engine.target

    @property
    def revision(self) -> int:
        """The last row of the journal that is known: whatever is computed after reading this is at least as new."""
        return self.engine.revision

    def read_file(self, data: bytes, name: str) -> Document:
        """The document in a file, which must be in the languages of the project."""
        document = read_document(data, name, source=self.source, target=self.target)
        self.check_languages(document.source_language, document.target_language)
        return document

    def check_languages(self, source: str | None, target: str | None) -> None:
        """Refuse a file that states other languages than those of the project."""
        found = source or self.source, target or self.target
        if not (same_language(found[0], self.source) and same_language(found[1], self.target)):
            what = f"the file is {found[0]} to {found[1]}"
            raise Refusal(400, what, f"send one that is {self.source} to {self.target}")

    def open_file(self, number: int) -> OpenFile | None:
        """The file that a document came from, if it came from one, with its segments as they are divided now."""

        def read() -> Document:
            return self.read_file(self.documents.data(number) or b"", self.documents.document(number).name)

        if not self.documents.has_file(number):
            return None
        return self.files.get((self.name, number), read).regrouped(self.documents.regroupings(number))

    def close(self) -> None:
        """Close the engine and the documents; what was acknowledged is already safe."""
        self.closed = True
        self.files.drop(self.name)
        self.engine.close()
        self.documents.close()
