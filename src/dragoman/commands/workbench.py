"""The command that opens the workbench."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.commands.ports import free_port, once_listening
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.server.registry import ProjectRegistry

commands = typer.Typer()


@commands.command(epilog="Example: dragoman workbench")
def workbench(
    folder: Annotated[
        Path, typer.Argument(help="Directory of the projects; created with a sample if it does not exist.")
    ] = Path("projects"),
    port: Annotated[int, typer.Option(help="Port to listen on; any free one if taken.", min=0, max=65535)] = 8765,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Translate in the browser: like `serve`, for one person on this machine, with a sample project to start with."""
    try:
        from dragoman.editor.sample_project import SAMPLE, make_sample
        from dragoman.server.config import Settings
        from dragoman.server.process import serve
    except ModuleNotFoundError as error:
        remedy = "install dragoman[server]"
        raise BadInputError(f"the workbench needs {error.name}, which is not installed", remedy=remedy) from None

    def add_sample(projects: ProjectRegistry, tell: Callable[[int, int], None]) -> None:
        projects.add(make_sample(folder, tell))

    folder.mkdir(parents=True, exist_ok=True)
    new = not any(folder.glob("*/project.json"))
    port = _free(port)
    place = f"#/{SAMPLE}/1" if new or (folder / SAMPLE / "project.json").exists() else ""
    address = f"http://127.0.0.1:{port}/{place}"
    typer.echo(f"the workbench is at {address} (Ctrl-C to stop)")
    if browser and _has_browser():
        once_listening("127.0.0.1", port, lambda: webbrowser.open(address))
    serve(
        Settings(paths=(folder,), port=port, local_engines=True),
        quiet=True,
        prepare=add_sample if new else None,
    )


def _free(port: int) -> int:
    """The port if it is free, or else any free port."""
    for wanted in (port, 0):
        try:
            return free_port("127.0.0.1", wanted)
        except BadInputError:
            continue
    raise BadInputError("no free port on this machine", remedy="stop a program that uses one")


def _has_browser() -> bool:
    """Whether there is a graphical browser; one in the terminal would be in the way."""
    graphical = sys.platform in ("darwin", "win32") or any(os.environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY"))
    try:
        return graphical and webbrowser.get() is not None
    except webbrowser.Error:
        return False
