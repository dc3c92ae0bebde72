"""Pages made while the documentation is built: a reference page a module, and the project's own pages at its root."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path
from typing import Any

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
PROJECT = {"ARCHITECTURE.md": "architecture.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
MODULES = [
    found.name
    for found in sorted(
        pkgutil.walk_packages([str(ROOT / "src" / "dragoman")], "dragoman."), key=lambda found: found.name
    )
    if found.name != "dragoman.__main__"
]
EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


class FencedExamples(griffe.Extension):
    """Shows the doctests of a docstring as code; Markdown would take `>>>` for quotations and `[…]` for links."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called by Griffe with each module, class, function and attribute it has read."""
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub("```pycon\n\\g<0>\n```", obj.docstring.value)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the reference to the navigation."""
    pages: list[Any] = [{name.removeprefix("dragoman."): f"reference/{name}.md"} for name in MODULES]
    config.nav = [*(config.nav or []), {"Reference": pages}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages themselves; of a module only its name is needed, mkdocstrings fills in the rest."""
    for name in MODULES:
        files.append(File.generated(config, f"reference/{name}.md", content=f"# {name}\n\n::: {name}\n"))
    for name, page in PROJECT.items():
        files.append(File.generated(config, page, content=_moved((ROOT / name).read_text(encoding="utf-8"))))
    return files


def _moved(text: str) -> str:
    """A page of the root with its links as they are when it stands in docs/."""
    for name, page in PROJECT.items():
        text = text.replace(f"]({name}", f"]({page}")
    return text.replace("](docs/", "](")
