"""Documentation is run: the examples in docstrings, README and docs/, and every command shown there."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import dragoman

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MODULES = sorted(
    found.name for found in pkgutil.walk_packages(dragoman.__path__, "dragoman.") if found.name != "dragoman.__main__"
)


def blocks(page: Path, language: str) -> list[str]:
    return [body for found, body in BLOCK.findall(page.read_text(encoding="utf-8")) if found == language]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_python_on_a_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}  # one page is read from top to bottom: later blocks see what earlier ones made
    for body in blocks(page, "python"):
        if ">>>" in body:
            example = doctest.DocTestParser().get_doctest(body, names, page.name, str(page), 0)
            result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, clear_globs=False)
            assert result.failed == 0
            names.update(example.globs)
        else:
            exec(compile(body, str(page), "exec"), names)  # noqa: S102 (our own pages)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_on_a_page(page: Path, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for body in blocks(page, "console"):
        for line in body.splitlines():
            if line.startswith("$ dragoman "):
                command = shlex.split(line.removeprefix("$ "))
                done = subprocess.run(
                    command, capture_output=True, text=True, cwd=tmp_path, env=os.environ | {"PATH": path}
                )
                assert done.returncode == 0, f"{line}\n{done.stderr}"


def test_everything_public_has_a_docstring() -> None:
    missing = []
    for name in MODULES:
        module = importlib.import_module(name)
        if not module.__doc__:
            missing.append(name)
        for attribute, value in vars(module).items():
            ours = getattr(value, "__module__", None) == name and not attribute.startswith("_")
            if ours and callable(value) and not value.__doc__:
                missing.append(f"{name}.{attribute}")
    assert missing == []
