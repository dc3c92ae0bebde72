"""Commands about the machine and the product: doctor, demo."""

from __future__ import annotations

from typing import Annotated

import typer

from dragoman.commands.common import AsJson

commands = typer.Typer()


@commands.command(epilog="Example: dragoman doctor --json")
def doctor(json: AsJson = False) -> None:
    """Check this machine: versions, kernel cache, memory, disk, and a tiny self-test."""
    from dragoman.doctor import examine, show

    findings = examine()
    show(findings, as_json=json)
    if any(finding.remedy for finding in findings):
        raise typer.Exit(1)


@commands.command(epilog="Example: dragoman demo")
def demo(
    segments: Annotated[int, typer.Option(help="So many segments of the manual; 0 for all.")] = 0,
) -> None:
    """Watch dragoman learn the manual of an espresso machine from nothing, segment by segment."""
    from dragoman.demo import show

    show(segments)
