"""Commands of the server: serve, keys."""

from __future__ import annotations

import json as json_format
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.commands.common import AsJson, check_output
from dragoman.commands.listening import free_port, once_listening
from dragoman.errors import BadInputError

commands = typer.Typer()
keys = typer.Typer(
    help="Make, list and take away the keys of a server.",
    epilog="Example: dragoman keys add keys.json ana --project manual --role learn",
    no_args_is_help=True,
)
commands.add_typer(keys, name="keys")
KeysFile = Annotated[Path, typer.Argument(help="The file of keys.")]


@commands.command(epilog="Example: dragoman serve manual")
def serve(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Projects, or directories of projects; without any, this directory.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen at.", min=0, max=65535)] = 8765,
    root: Annotated[
        str | None, typer.Option(help="Answer at / like libretranslate, modernmt or apertium, too.")
    ] = None,
    keys: Annotated[Path | None, typer.Option(help="File of keys, made with `dragoman keys add`.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="TLS certificate.")] = None,
    private_key: Annotated[Path | None, typer.Option(help="Its private key.")] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Listen to the network without TLS.")] = False,
    free_loopback: Annotated[
        bool, typer.Option("--free-loopback", help="With --keys, ask programs on this machine for none.")
    ] = False,
    replica: Annotated[
        bool, typer.Option("--replica", help="Only translate, and follow what another server learns.")
    ] = False,
    standby: Annotated[
        bool, typer.Option("--standby", help="The same, and learn in its place when it is gone.")
    ] = False,
) -> None:
    """Serve projects over HTTP: the own interface, and those of LibreTranslate, ModernMT, Moses and Apertium."""
    if root not in (None, "libretranslate", "modernmt", "apertium"):
        raise BadInputError(f"nothing here is like {root!r}", remedy="choose libretranslate, modernmt or apertium")
    try:
        from dragoman.server.running import serve as run
        from dragoman.server.settings import Settings
    except ModuleNotFoundError as error:
        remedy = "install dragoman[server]"
        raise BadInputError(f"the server needs {error.name}, which is not installed", remedy=remedy) from None
    chosen: Any = root
    settings = Settings(
        paths=tuple(paths or [Path()]),
        host=host,
        port=port,
        root=chosen,
        keys=keys,
        certificate=certificate,
        private_key=private_key,
        insecure=insecure,
        free_loopback=free_loopback,
        follow="standby" if standby else "replica" if replica else None,
    )
    settings.check()
    if keys:
        _records(keys)  # better an error now than for everybody who comes
    port = free_port(host, port)
    address = f"http{'s' if certificate else ''}://{host}:{port}"
    once_listening(host, port, lambda: typer.echo(f"listening at {address}, ^C to stop", err=True))
    run(replace(settings, port=port))


def _records(file: Path) -> list[dict[str, Any]]:
    """The keys in a file that has to be there."""
    from dragoman.server.keys import Keys

    if not file.exists():
        raise BadInputError("there is no such file", where=file, remedy="make a first key with `dragoman keys add`")
    return Keys(file).records()


@keys.command(epilog="Example: dragoman keys add keys.json ana --project manual --role learn")
def add(
    file: KeysFile,
    name: Annotated[str, typer.Argument(help="Whose key it is; the journal will name them.")],
    project: Annotated[list[str] | None, typer.Option(help="For these projects; without, for all.")] = None,
    role: Annotated[str, typer.Option(help="read, translate, learn or admin.")] = "learn",
    json: AsJson = False,
) -> None:
    """Make a key, and show it this once: the file has only its hash."""
    from dragoman.server.keys import EVERY, Keys

    check_output(file)
    key = Keys(file).add(name, dict.fromkeys(project or [EVERY], role))
    typer.echo(json_format.dumps({"name": name, "key": key}) if json else key)


@keys.command("list", epilog="Example: dragoman keys list keys.json")
def list_keys(file: KeysFile, json: AsJson = False) -> None:
    """List who has keys, and what for."""
    found = [{"name": record["name"], "roles": record["roles"]} for record in _records(file)]
    if json:
        typer.echo(json_format.dumps(found))
        return
    for record in found:
        roles = ", ".join(f"{role} in {project}" for project, role in record["roles"].items())
        typer.echo(f"{record['name']}: {roles}")


@keys.command(epilog="Example: dragoman keys remove keys.json ana")
def remove(file: KeysFile, name: Annotated[str, typer.Argument(help="Whose key.")]) -> None:
    """Take somebody's key away; a running server notices at once."""
    from dragoman.server.keys import Keys

    Keys(file).remove(name)
    typer.echo(f"{name} has no key any more")
