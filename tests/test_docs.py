"""Documentation is run: the examples in docstrings, README and docs/. test_docs_commands.py runs the commands."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import sys
from pathlib import Path

import pytest

import dragoman
import dragoman_laboratory

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "dragoman"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([\w.]+)"')  # a block that is a file of this name, to be imported by those after it
EXAMPLES = {"docs/index.md", "docs/page.md"}  # names of files in examples
MADE_BY_THE_SITE = {"architecture.md", "contributing.md", "changelog.md"} | {
    f"../{name}.md" for name in ("architecture", "contributing", "changelog")
}
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
PACKAGES = (dragoman, dragoman_laboratory)
MODULES = sorted(
    found.name
    for package in PACKAGES
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if found.name != "dragoman.__main__"
)


def blocks(page: Path, language: str) -> list[tuple[str, str]]:
    """Title, if it has one, and body of each block in a language."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    titled = [(TITLE.search(options), body) for name, options, body in found if name == language]
    return [(title[1] if title else "", body) for title, body in titled]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def has_examples(name: str) -> bool:
    """Whether the module's source holds an example, without importing it."""
    top = {package.__name__: Path(package.__path__[0]) for package in PACKAGES}
    first, *rest = name.split(".")
    place = top[first].joinpath(*rest)
    source = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return ">>> " in source.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in MODULES if has_examples(name)])
def test_examples_in_docstrings(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
    assert result.attempted > 0


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=name_of)
def test_python_on_a_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = [(title, body) for title, body in blocks(page, "python") if title]
    for title, body in written:
        (tmp_path / title).write_text(body, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}  # one for the page: later blocks see what earlier ones made
    for title, body in blocks(page, "python"):
        if ">>>" in body:
            example = doctest.DocTestParser().get_doctest(body, names, page.name, str(page), 0)
            result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, clear_globs=False)
            assert result.failed == 0
            names.update(example.globs)
        elif not title:
            exec(compile(body, f"<{page.name}>", "exec"), names)  # noqa: S102 (our own pages)
    for title, _ in written:
        sys.modules.pop(Path(title).stem, None)


def test_what_pages_refer_to_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        links = [link for link in LINK.findall(BLOCK.sub("", text)) if link not in MADE_BY_THE_SITE]
        assert [link for link in links if not (page.parent / link).exists()] == [], name_of(page)
        assert set(re.findall(r"(?:`|^\$ )make ([a-z-]+)", text, re.MULTILINE)) <= targets, name_of(page)


def test_every_benchmark_is_listed_and_every_listed_one_is_there() -> None:
    listed = re.findall(
        r"benchmarks/(bench_\w+\.py)", (ROOT / "docs" / "evidence" / "benchmarks.md").read_text(encoding="utf-8")
    )
    assert set(listed) == {path.name for path in (ROOT / "benchmarks").glob("bench_*.py")}


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


def test_only_the_evidence_compares_with_earlier_versions() -> None:
    pages = [path for shelf in ("use", "understand") for path in (ROOT / "docs" / shelf).glob("*.md")]
    compares = re.compile(r"^\|.*\bbefore\b.*\|.*\b(?:now|after)\b.*\|\n\|[-:| ]+$", re.MULTILINE)
    assert [name_of(page) for page in pages if compares.search(page.read_text(encoding="utf-8"))] == []


def test_the_plan_names_modules_that_exist_and_each_once() -> None:
    rows = re.findall(
        r"^\| `(\w+)/`[^|]*\| (.*) \|$", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    named = [PACKAGE / package / name for package, row in rows for name in re.findall(r"`([a-z_/]+)(?:\.py)?`", row)]
    named.remove(PACKAGE / "commands" / "dragoman")  # the command itself
    assert [path for path in named if not path.with_suffix(".py").exists() and not path.is_dir()] == []
    assert len(named) == len(set(named)) > 80


def test_what_sources_refer_to_is_in_the_repository() -> None:
    folders = ("src", "tests", "benchmarks", "laboratory", "tools")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py") if path != Path(__file__)]
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    pages = [(name_of(path), page) for path, text in texts.items() for page in re.findall(r"docs/[\w/-]+\.md", text)]
    assert [found for found in pages if not (ROOT / found[1]).exists() and found[1] not in EXAMPLES] == []
    assert [name_of(path) for path, text in texts.items() if "SPEC §" in text] == []


def test_a_page_has_one_purpose_and_can_be_read_in_a_sitting() -> None:
    words = {name_of(page): len(page.read_text(encoding="utf-8").split()) for page in (ROOT / "docs").rglob("*.md")}
    assert {name: count for name, count in words.items() if count > 1200} == {}
    assert sum(words.values()) <= 60_000
