"""The unit tests of the page's own modules, run by Node's test runner. The page itself is tested in a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parent / "js").glob("*.test.mjs"))
NODE = shutil.which("node")
ROOT = Path(__file__).parent.parent.parent


@pytest.mark.skipif(NODE is None, reason="node is not installed (apt-get install nodejs)")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.partition(".")[0])
def test_the_modules_of_the_page(file: Path) -> None:
    done = subprocess.run(
        [str(NODE), "--test", "--test-reporter=spec", str(file)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_documentation_names_every_module_of_the_page_and_no_other() -> None:
    text = (ROOT / "docs" / "understand" / "page.md").read_text(encoding="utf-8")
    table = text[text.index("| module |") : text.index("Opening a segment is a single request")]
    named = [name for line in table.split("\n| ") for name in re.findall("`([a-z_]+)`", line.split("|")[0])]
    there = [each.stem for each in (ROOT / "src" / "dragoman" / "editor" / "static").glob("*.js")]
    assert sorted(named) == sorted(there)
