"""A page of reference for each module of the package, generated while the documentation is built."""

from __future__ import annotations

import pkgutil
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

PACKAGE = Path(__file__).parents[1] / "src" / "dragoman"
MODULES = [
    found.name
    for found in sorted(pkgutil.walk_packages([str(PACKAGE)], "dragoman."), key=lambda found: found.name)
    if found.name != "dragoman.__main__"
]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the pages to the navigation."""
    pages: list[Any] = [{name.removeprefix("dragoman."): f"reference/{name}.md"} for name in MODULES]
    config.nav = [*(config.nav or []), {"Reference": pages}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages themselves: each names its module, mkdocstrings fills in the rest."""
    for name in MODULES:
        files.append(File.generated(config, f"reference/{name}.md", content=f"# {name}\n\n::: {name}\n"))
    return files
