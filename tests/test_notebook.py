"""The notebook of the documentation: every cell runs, what a cell ends with shows itself, and learning pays off."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[1] / "docs" / "use" / "notebook.ipynb"


@pytest.fixture(scope="module")
def cells() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return found


def run(code: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of the expression that it ends with, as a notebook shows it."""
    tree = ast.parse(code)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        return exec(code, names)  # noqa: S102 (our own notebook)
    exec(compile(ast.Module(tree.body[:-1], []), NOTEBOOK.name, "exec"), names)  # noqa: S102
    return eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)  # noqa: S307


def test_every_cell_runs_and_learning_online_pays_off(
    cells: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.mkdtemp", lambda: str(tmp_path))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = [run("".join(cell["source"]), names) for cell in cells if cell["cell_type"] == "code"]
    html = [each._repr_html_() for each in shown if hasattr(each, "_repr_html_")]
    for word in ("Engine", "<small>", "<iframe", "<th>WER</th>"):
        assert any(word in each for each in html), word
    assert len(names["axes"].lines) == 2
    assert names["difference"].difference.high < 0  # fewer edits, and not by chance


def test_it_is_kept_without_what_was_shown(cells: list[dict[str, Any]]) -> None:
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
    assert len({cell["id"] for cell in cells}) == len(cells)
