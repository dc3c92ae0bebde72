"""One name, one meaning, one place: of modules, of classes, and of the statements on the table of segments."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import dragoman

PACKAGE = Path(dragoman.__file__).parent
NOUNS = {  # that end in -ing: words of the field, not what one does with a module
    *(
        "casing",
        "engine_tuning",
        "fencing",
        "finding",
        "guessed_encoding",
        "masking",
        "post_editing",
        "reordering",
        "reordering_kernels",
    ),
    *("rounding", "rounding_kernels", "sampling", "spacing", "spacing_kernels", "spelling", "unboxing"),
}


def test_modules_are_nouns_of_the_field() -> None:
    names = {path.stem for path in PACKAGE.rglob("*.py")}
    odd = {name for name in names if name.removesuffix("_kernels").endswith("ing")} - NOUNS
    assert not odd, "name them after what they hold"


def test_a_class_name_has_one_meaning() -> None:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(path.relative_to(PACKAGE).as_posix())
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_statements_on_segments_stand_in_one_module() -> None:
    """Beside it, only what declares the table and its checksums."""
    statement = re.compile(r"(?:FROM|INTO|UPDATE|JOIN) segments\b")
    found = {path.stem for path in PACKAGE.rglob("*.py") if statement.search(path.read_text(encoding="utf-8"))}
    assert found == {"segment_table", "document_schema", "segment_sums"}


def test_what_only_unix_has_is_imported_where_the_system_is_known() -> None:
    absent = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}  # on Windows
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Import) and absent & {each.name for each in node.names}
    }
    assert found == set()
