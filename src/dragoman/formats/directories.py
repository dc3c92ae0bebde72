"""Directories of files: which of them are documents, and what their translations are called.

>>> translated_path(PurePath("app/locales/en.json"), "en", "es").as_posix()
'app/locales/es.json'
>>> translated_path(PurePath("res/values/strings.xml"), "en", "pt-BR").as_posix()
'res/values-pt-rBR/strings.xml'
>>> translated_path(PurePath("docs/index.md"), "en", "es").as_posix()
'docs/index.md'
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from dragoman.errors import BadInputError
from dragoman.formats.file_types import by_ending
from dragoman.formats.fill_files import FillJob

if TYPE_CHECKING:
    from dragoman.engine import Engine

# Files with the right endings that hold no text to translate.
NEVER = (
    "package.json",
    "package-lock.json",
    "composer.json",
    "tsconfig*.json",
    "*.min.*",
    "robots.txt",
    *("*.config.ts", "*.d.ts", "*.test.*", "*.spec.*"),
    *("pyproject.toml", "Cargo.toml", "netlify.toml", "uv.toml", "poetry.toml", "rust-toolchain.toml"),
    *("tox.ini", "pytest.ini", "php.ini", "mypy.ini", "alembic.ini", "desktop.ini"),
    "requirements*.txt",
)
SKIPPED = frozenset({"node_modules", "vendor", "__pycache__"})


def find_documents(root: Path, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> Iterator[Path]:
    """The files below a directory that have a known ending, in order of their names; hidden ones are left out.

    Patterns are matched against the path below the directory and against the name: `*.md`, `drafts/*`.
    """
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        hidden = any(part.startswith(".") or part in SKIPPED for part in inside.parts)
        if hidden or path.is_symlink() or not path.is_file() or path.suffix.lower() not in by_ending():
            continue
        if _matches(inside, (*exclude, *NEVER)) or (include and not _matches(inside, include)):
            continue
        yield path


def plan_directory(
    engine: Engine, root: Path, out: Path, include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> list[FillJob]:
    """The documents in a directory with the places of their translations; those among these are not sources."""
    if root.exists() and out.exists() and root.samefile(out):
        what = "is both the source and the output"
        raise BadInputError(what, where=root, remedy="name another directory, or fill its files one by one")
    inside = None if out.resolve() in root.resolve().parents else out.resolve()
    jobs = []
    for path in find_documents(root, include, exclude):
        if inside in path.resolve().parents:
            continue
        place = out / translated_path(path.relative_to(root), engine.source, engine.target)
        if path.suffix.lower() == ".pot":
            place = place.with_name(catalogue_name(path, engine.target))
        jobs.append(FillJob(path, place, out))
    return jobs


def left_alone(root: Path, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> Counter[str]:
    """Why files below a directory are no documents to translate, and how many."""
    found: Counter[str] = Counter()
    for path in root.rglob("*"):
        inside = path.relative_to(root)
        if path.is_symlink() or not path.is_file() or any(part in SKIPPED or part == ".git" for part in inside.parts):
            continue
        if any(part.startswith(".") for part in inside.parts):
            found["hidden"] += 1
        elif path.suffix.lower() not in by_ending():
            found[f"no format for {path.suffix.lower() or 'names without an ending'}"] += 1
        elif _matches(inside, exclude) or (include and not _matches(inside, include)):
            found["excluded"] += 1
        elif _matches(inside, NEVER):
            found["settings of tools"] += 1
    return found


def _matches(path: PurePath, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(path.as_posix(), pattern) or fnmatchcase(path.name, pattern) for pattern in patterns)


def translated_path(path: PurePath, source: str, target: str) -> PurePath:
    """The path with the source language in it, as a name of its own, replaced by the target language."""
    parts = [_translated_name(part, source, target) for part in path.parts]
    android = target.replace("-", "-r", 1) if re.search(r"-[A-Z]{2}\Z", target) else target
    parts = [f"values-{android}" if part == "values" and path.name.endswith(".xml") else part for part in parts]
    return PurePath(*parts)


def catalogue_name(template: Path, target: str) -> str:
    """What the translation of a `.pot` is called: `es.po`, or `app.es.po` where there is one, or another template."""
    plain = f"{target.replace('-', '_')}.po"
    is_alone = len(list(template.parent.glob("*.[pP][oO][tT]"))) < 2 and not template.with_name(plain).exists()
    return plain if is_alone else f"{template.stem}.{plain}"


def _translated_name(name: str, source: str, target: str) -> str:
    """`en`, `en.json`, `page.en.md`, `messages_en.properties`, `en.lproj`; not `when.md`."""
    code = re.escape(source).replace("\\-", "[-_]")
    found = re.search(rf"(?<![A-Za-z0-9])({code})(?=\.|\Z)", name)
    if found is None or (found.start() > 0 and name[found.start() - 1] not in "._-"):
        return name
    joined = target.replace("-", "_") if "_" in found[1] else target
    return name[: found.start()] + joined + name[found.end() :]
