"""Commands for the engines on this machine: which there are and can be had, getting, trying and removing them."""

from __future__ import annotations

import json as json_format
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.commands.common import AsJson
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.upstream.offers import EngineOffer

commands = typer.Typer()
group = typer.Typer(
    help="Neural engines that run on this machine: list, get, test and remove them.",
    no_args_is_help=True,
)
commands.add_typer(group, name="engine")

Name = Annotated[str, typer.Argument(help="Such as en-de.")]
Source = Annotated[str, typer.Option("--source", help="Language that it translates from, such as en.")]
Target = Annotated[str, typer.Option("--target", help="Language that it translates to, such as de.")]
Place = Annotated[
    str,
    typer.Option("--from", help="An index, a package or a directory: its address or path, for another mirror or none."),
]


@group.command("list", epilog="Example: dragoman engine list --source en")
def list_engines(source: Source = "", target: Target = "", place: Place = "", json: AsJson = False) -> None:
    """Show the engines on this machine, and with --source or --target those that one can get."""
    from dragoman.upstream.engine_download import index_of
    from dragoman.upstream.installed import installed

    there = [each for each in installed() if _fits(each.source, source) and _fits(each.target, target)]
    names = {each.name for each in there}
    asked = index_of(place) if source or target or place else []
    offered = [each for each in asked if _fits(each.source, source) and _fits(each.target, target)]
    offered = [each for each in offered if each.name not in names]
    if json:
        rows = [{"name": f"engine:{each.name}", "path": str(each.path), "licence": each.licence} for each in there]
        rows += [{"name": f"engine:{each.name}", "path": "", "licence": each.licence} for each in offered]
        typer.echo(json_format.dumps(rows, ensure_ascii=False))
        return
    for each in there:
        size, licence = f"{each.size / 1e6:.0f} MB", each.licence or "licence unknown"
        typer.echo(f"engine:{each.name}: {each.source} to {each.target}, {size}, {licence}")
    for offer in offered:
        typer.echo(f"{offer.name}: {offer.about}, version {offer.version}; dragoman engine get {offer.name}")
    if not there and not offered:
        typer.echo("no engine is installed" if not asked else "no engine of this pair is offered")
    if not (source or target or place):
        typer.echo("those that one can get: dragoman engine list --source en")


@group.command(epilog="Example: dragoman engine get en-de")
def get(
    name: Name,
    place: Place = "",
    source: Source = "",
    target: Target = "",
    checksum: Annotated[str, typer.Option(help="SHA-256 that the package must have.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask about the licence.")] = False,
) -> None:
    """Fetch an engine from the index of Argos packages, or --from a package, a directory or another index.

    It is kept once for all projects of this user. Fetching again goes on where it stopped.
    """
    from dragoman.progress import bars
    from dragoman.upstream import engine_download

    wanted = {"source": source, "target": target}
    location, offer = place, None
    if not place or place.endswith(".json") or _has_index(place):
        offer = _offer(name, place)
        location, wanted = _link(offer, place), {"source": offer.source, "target": offer.target, "about": offer.about}
    typer.echo(f"{name}: {offer.about}, version {offer.version}" if offer else f"{name}: {location}")
    typer.echo(f"licence: {offer.licence if offer else 'what its publisher says'}")
    if not yes:
        typer.confirm("Fetch it?", abort=True, default=True)
    with bars() as progress:
        found = engine_download.get(name, location, wanted, checksum, progress)
    typer.echo(f"engine:{found.name} translates from {found.source} to {found.target}; it is in {found.path}")
    typer.echo(f"try it: dragoman engine test {found.name} 'Open the file.'")


@group.command(epilog="Example: dragoman engine test en-es 'Open the file.'")
def test(
    name: Name,
    text: Annotated[str, typer.Argument(help="A sentence to translate.")] = "Open the file.",
) -> None:
    """Translate a sentence, and say how long it took."""
    import time

    from dragoman.upstream.installed import find
    from dragoman.upstream.names import from_name

    found = find(name)
    begun = time.perf_counter()
    engine = from_name(f"engine:{name}", source=found.source, target=found.target)
    loaded = time.perf_counter()
    (answer,) = engine.translate([text], seconds=60)
    done = time.perf_counter()
    if answer is None:
        raise BadInputError(f"engine:{name} gives no answer", remedy="get it again")
    typer.echo(answer.text)
    typer.echo(f"loaded in {loaded - begun:.1f} s, translated in {1000 * (done - loaded):.0f} ms")


@group.command(epilog="Example: dragoman engine remove en-de")
def remove(name: Name) -> None:
    """Delete an engine that was fetched. Projects that are set to it translate without it."""
    from dragoman.upstream import engine_download

    engine_download.remove(name)
    typer.echo(f"removed engine:{name}")


def _fits(found: str, wanted: str) -> bool:
    return not wanted or found.lower().split("-")[0] == wanted.lower().split("-")[0]


def _has_index(place: str) -> bool:
    from pathlib import Path

    return "://" not in place and (Path(place) / "index.json").is_file()


def _offer(name: str, place: str) -> EngineOffer:
    from dragoman.upstream.engine_download import index_of

    for each in index_of(place):
        if each.name == name:
            return each
    remedy = "see what there is: dragoman engine list --source en"
    raise BadInputError(f"no engine {name!r} is offered", remedy=remedy)


def _link(offer: EngineOffer, place: str) -> str:
    """Where the package is: in the directory of a mirror if it lies there, or at the first address of the index."""
    from pathlib import Path

    if _has_index(place):
        for link in offer.links:
            if (beside := Path(place) / link.rpartition("/")[2]).is_file():
                return str(beside)
    return offer.links[0]
