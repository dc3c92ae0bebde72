"""The commands serve and keys."""

from __future__ import annotations

import json as json_format
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.commands.common import AsJson, check_output
from dragoman.commands.ports import free_port, once_listening
from dragoman.errors import BadInputError
from dragoman.extras import load

commands = typer.Typer()
keys = typer.Typer(
    help="Create, list and revoke the keys of a server.",
    epilog="Example: dragoman project keys add keys.json ana --project manual --role learn",
    no_args_is_help=True,
)
commands.add_typer(keys, name="keys")
KeysFile = Annotated[Path, typer.Argument(help="The key file.")]


@commands.command(epilog="Example: dragoman serve manual")
def serve(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Projects, or directories of projects; default: this directory."),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)] = 8765,
    root: Annotated[
        str | None, typer.Option(help="Also serve this API at /: libretranslate, modernmt or apertium.")
    ] = None,
    keys: Annotated[Path | None, typer.Option(help="Key file, created with `dragoman project keys add`.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="TLS certificate.")] = None,
    private_key: Annotated[Path | None, typer.Option(help="Its private key.")] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Listen on the network without TLS.")] = False,
    free_loopback: Annotated[
        bool, typer.Option("--free-loopback", help="With --keys, let programs on this machine in without a key.")
    ] = False,
    local_engines: Annotated[
        bool,
        typer.Option("--local-engines", help="Let administrators set engines that run programs or read files."),
    ] = False,
    trusted_proxies: Annotated[
        str, typer.Option(help="Networks of proxies whose X-Forwarded-For names the client, separated by commas.")
    ] = "",
    public_address: Annotated[
        str | None, typer.Option(help="Address under which clients reach this server, for links in answers.")
    ] = None,
    engines: Annotated[
        Path | None,
        typer.Option(help="JSON file of engines, by the names with which administrators of projects choose them."),
    ] = None,
    callbacks: Annotated[
        str,
        typer.Option(
            help="Addresses that clients may have results sent to, and what is below them, separated by commas."
        ),
    ] = "",
    replica: Annotated[
        bool, typer.Option("--replica", help="Only translate, following what another server learns.")
    ] = False,
    standby: Annotated[
        bool, typer.Option("--standby", help="Like --replica, but take over when that server is gone.")
    ] = False,
) -> None:
    """Serve projects over HTTP: our own API, and those of LibreTranslate, ModernMT, DeepL, OpenAI, Moses and Apertium.

    Each is below its name, /libretranslate and so on; DeepL's is also at /v2 and OpenAI's at /v1.
    """
    chosen: Any = _checked(root)
    from dragoman.server.config import Settings, read_engines
    from dragoman.server.process import serve as run

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
        local_engines=local_engines,
        trusted_proxies=_listed(trusted_proxies),
        public_address=public_address,
        engines=read_engines(engines) if engines else {},
        callbacks=_listed(callbacks),
        follow="standby" if standby else "replica" if replica else None,
    )
    settings.check()
    for library in ("httpx", "jwt", "cryptography") if settings.callbacks else ():
        load(library, "callbacks")
    if keys:
        _records(keys)  # better an error now than in every request
    port = free_port(host, port)
    address = f"http{'s' if certificate else ''}://{host}:{port}"
    once_listening(host, port, lambda: typer.echo(f"listening at {address} (Ctrl-C to stop)", err=True))
    run(replace(settings, port=port))


def _listed(given: str) -> tuple[str, ...]:
    """What is separated by commas."""
    return tuple(each.strip() for each in given.split(",") if each.strip())


def _checked(root: str | None) -> str | None:
    """The API to serve at the root, if the server is installed and has it."""
    if root not in (None, "libretranslate", "modernmt", "apertium"):
        raise BadInputError(f"unknown API {root!r}", remedy="choose libretranslate, modernmt or apertium")
    try:
        import dragoman.server.process  # noqa: F401
    except ModuleNotFoundError as error:
        remedy = "install dragoman[server]"
        raise BadInputError(f"the server needs {error.name}, which is not installed", remedy=remedy) from None
    return root


def _records(file: Path) -> list[dict[str, Any]]:
    """The keys in a file that must exist."""
    from dragoman.server.keys import Keys

    if not file.exists():
        raise BadInputError("no such file", where=file, remedy="create a first key with `dragoman project keys add`")
    return Keys(file).records()


@keys.command(epilog="Example: dragoman project keys add keys.json ana --project manual --role learn")
def add(
    file: KeysFile,
    name: Annotated[str, typer.Argument(help="Whose key it is; the journal records this name.")],
    project: Annotated[list[str] | None, typer.Option(help="Projects that the key is for; by default all.")] = None,
    role: Annotated[str, typer.Option(help="read, translate, learn or admin.")] = "learn",
    webhook: Annotated[
        bool, typer.Option("--webhook", help="Create a secret that webhooks are signed with, instead of a key.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Create a key and show it, this once: the file holds only its hash."""
    from dragoman.server.keys import ALL_PROJECTS, Keys

    check_output(file)
    key = Keys(file).add(name, dict.fromkeys(project or [ALL_PROJECTS], role), webhook=webhook)
    typer.echo(json_format.dumps({"name": name, "key": key}) if json else key)


@keys.command("list", epilog="Example: dragoman project keys list keys.json")
def list_keys(file: KeysFile, json: AsJson = False) -> None:
    """List who has keys, and their roles."""
    found = [{"name": record["name"], "roles": record["roles"]} for record in _records(file)]
    if json:
        typer.echo(json_format.dumps(found))
        return
    for record in found:
        roles = ", ".join(f"{role} in {project}" for project, role in record["roles"].items())
        typer.echo(f"{record['name']}: {roles}")


@keys.command(epilog="Example: dragoman project keys remove keys.json ana")
def remove(file: KeysFile, name: Annotated[str, typer.Argument(help="Whose key to revoke.")]) -> None:
    """Revoke somebody's key; a running server notices at once."""
    from dragoman.server.keys import Keys

    Keys(file).remove(name)
    typer.echo(f"revoked the key of {name}")
