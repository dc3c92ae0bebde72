"""Commands to check the machine and to show a demo: doctor, demo."""

from __future__ import annotations

from typing import Annotated

import typer

from dragoman.commands.common import AsJson

commands = typer.Typer()


@commands.command(epilog="Example: dragoman doctor --json")
def doctor(json: AsJson = False) -> None:
    """Check this machine: versions, kernel cache, memory, disk, and a short self-test."""
    from dragoman.doctor import examine, show

    findings = examine()
    show(findings, as_json=json)
    if any(finding.remedy for finding in findings):
        raise typer.Exit(1)


@commands.command(epilog="Example: dragoman lab demo")
def demo(
    segments: Annotated[int, typer.Option(help="Number of segments of the manual; 0 for all.")] = 0,
) -> None:
    """Watch dragoman learn the manual of an espresso machine, segment by segment, starting from nothing."""
    from dragoman.demo import show

    show(segments)
