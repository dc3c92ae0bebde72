"""The commands that `dragoman` has when the laboratory is installed: experiment, adapt, sweep."""

from __future__ import annotations

import typer

from dragoman_laboratory.commands import adaptation, experiment

commands = typer.Typer()
for each in (experiment, adaptation):
    commands.add_typer(each.commands)
