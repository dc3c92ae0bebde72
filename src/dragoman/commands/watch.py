"""The command watch: learn from files while people work on them in other programs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.commands.common import User, opened
from dragoman.errors import BadInputError, DragomanError

if TYPE_CHECKING:
    from collections import Counter

    from dragoman.engine import Engine

commands = typer.Typer()
SETTLED = 0.3  # seconds since a file was last written before it is read
Learn = Callable[[Path], "Counter[str]"]
Include = Annotated[list[str] | None, typer.Option("--include", help="In a directory, only files like this: *.po")]
Exclude = Annotated[list[str] | None, typer.Option("--exclude", help="In a directory, no files like this: drafts/*")]


@commands.command(epilog="Example: dragoman watch manual ~/omegat/guide/omegat/project_save.tmx")
def watch(
    project: Annotated[str, typer.Argument(help="The project's directory; with --server, its name there.")],
    files: Annotated[list[Path], typer.Argument(help="Files with translations, or directories of such files.")],
    server: Annotated[
        str | None, typer.Option("--server", help="Teach a running server at this URL, which has the project open.")
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", help="The key for that server.", envvar="DRAGOMAN_KEY", show_envvar=True)
    ] = None,
    translated: Annotated[
        bool, typer.Option("--translated", help="Also learn translations that nobody has confirmed.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Do not forget translations that are removed from a file.")
    ] = False,
    once: Annotated[bool, typer.Option("--once", help="Learn from the files as they are now, and end.")] = False,
    every: Annotated[float, typer.Option("--every", min=0.1, help="Seconds between two looks at the files.")] = 1.0,
    include: Include = None,
    exclude: Exclude = None,
    user: User = None,
) -> None:
    """Follow files of other programs: OmegaT's project_save.tmx, PO and XLIFF files, or a git checkout with such files.

    Whenever a file is saved, what is new in it is learned, what has changed is revised, and what has disappeared is
    forgotten. A file that is missing is left alone until it is back.
    """
    for file in files:
        if not file.exists():
            raise BadInputError("no such file or directory", where=file, remedy="create it, or name another")
    look = Watcher(files, include or [], exclude or [])
    if server is not None:
        follow(look, _teacher(server, key, project, translated=translated, forget=not keep), every, once=once)
        return
    with opened(Path(project)) as engine:
        follow(look, _learner(engine, translated=translated, forget=not keep, user=user), every, once=once)


class LaterError(BadInputError):
    """A file that could not be sent now, and has to be sent again."""


class RefusedError(BadInputError):
    """The server does not let us in: that will not change from one file to the next."""


class Watcher:
    """Finds out which files have been written since the last look."""

    def __init__(self, files: list[Path], include: list[str], exclude: list[str]) -> None:
        self._files, self._include, self._exclude = files, include, exclude
        self._seen: dict[Path, tuple[int, int, int]] = {}

    def changed(self, now: float) -> Iterator[Path]:
        """The files that have changed, and are no longer being written; an empty one is only about to be."""
        try:
            found = list(self._found())
        except OSError:  # directories go while another branch is checked out
            return
        for path in found:
            try:
                about = path.stat()
            except OSError:  # being replaced at this moment, or gone
                continue
            stamp = about.st_mtime_ns, about.st_size, about.st_ino
            if about.st_size and self._seen.get(path) != stamp and not 0 <= now - about.st_mtime < SETTLED:
                self._seen[path] = stamp
                yield path

    def look_again(self, *, at: Path | None = None, but: Path | None = None) -> set[Path]:
        """Take a file for changed, or all files but one; which ones."""
        again = {path for path in self._seen if path != but and (at is None or path == at)}
        for path in again:
            del self._seen[path]
        return again

    def _found(self) -> Iterator[Path]:
        from dragoman.formats.directories import find_documents

        for file in self._files:
            if file.is_dir():
                yield from find_documents(file, self._include, self._exclude)
            else:
                yield file


def follow(look: Watcher, learn: Learn, every: float, *, once: bool) -> None:
    """Learn from files whenever they have changed, or once."""
    if once:
        time.sleep(SETTLED)
    known: set[Path] = set()  # files that are read again only because another one has changed
    said: dict[Path, str] = {}  # what could not be sent, and why: said once, however often it is tried
    failed = False
    while True:
        again: set[Path] = set()
        for path in look.changed(time.time()):
            try:
                found = learn(path)
            except LaterError as error:
                if once:
                    raise
                look.look_again(at=path)
                if said.get(path) != str(error):
                    typer.echo(f"not sent yet: {error}", err=True)
                said[path] = str(error)
                continue
            except RefusedError as error:
                if once:
                    typer.echo(f"dragoman: {error}", err=True)
                    raise typer.Exit(1) from None
                raise
            except (DragomanError, OSError) as error:
                typer.echo(f"left out: {error}", err=True)
                failed |= "conflict markers" in str(error)
                continue
            said.pop(path, None)
            if found and not (path in known and set(found) == {"known"}):
                typer.echo(f"{path}: {', '.join(f'{count:,} {name}' for name, count in sorted(found.items()))}")
            if found["changed"] or found["forgotten"]:  # another file may still have what this one no longer says
                again |= look.look_again(but=path)
        if once and not again:
            if failed:
                raise typer.Exit(1)
            return
        known = again
        time.sleep(0 if once else every)


def _learner(engine: Engine, *, translated: bool, forget: bool, user: str | None) -> Learn:
    """Teaches a project in this process."""
    from dragoman.formats.file_language import check_conflicts, check_language
    from dragoman.formats.fill_files import read_in_languages
    from dragoman.formats.import_plan import import_pairs, learnable

    def learn(path: Path) -> Counter[str]:
        data = path.read_bytes()
        check_conflicts(data)
        document = read_in_languages(engine, path, data)
        check_language(document, data, str(path.resolve()), engine.source, engine.target)
        pairs = learnable(document, translated=translated)
        asked = engine.ask_ahead([source for source, _ in pairs])  # so that what became of its answers is learned too
        if asked.silent:
            typer.echo(f"{path}: {asked}", err=True)
        return import_pairs(engine, pairs, str(path.resolve()), forget=forget, user=user)

    return learn


def _teacher(server: str, key: str | None, project: str, *, translated: bool, forget: bool) -> Learn:
    """Teaches a project that a server has open."""
    from collections import Counter

    from dragoman.extras import load

    httpx = load("httpx", extra="upstream")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    client = httpx.Client(base_url=server.rstrip("/"), headers=headers, timeout=600)

    def learn(path: Path) -> Counter[str]:
        about: dict[str, Any] = {"name": str(path.resolve()), "translated": translated, "forget": forget}
        try:
            answer = client.post(f"/hooks/file/{project}", params=about, content=path.read_bytes())
        except httpx.HTTPError as error:
            raise LaterError(f"cannot be sent ({error})", where=path, remedy="see whether the server runs") from None
        if answer.status_code == 429 or answer.is_server_error:
            raise LaterError(_reason(answer), where=path, remedy="look at the server's log")
        if answer.status_code in (401, 403, 404):
            client.close()
            raise RefusedError(_reason(answer), where=server, remedy="check the key and the name of the project")
        if answer.is_error:
            raise BadInputError(_reason(answer), where=path)
        return Counter(answer.json())

    return learn


def _reason(answer: Any) -> str:
    try:
        return str(answer.json()["error"]["what"])
    except (ValueError, KeyError, TypeError):
        return f"the server answered {answer.status_code}"
