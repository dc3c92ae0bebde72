"""N-best lists of Moses: read by name, adapted, reranked; the command on top of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dragoman.adapt import PassiveAggressive, Ridge
from dragoman.cli import app
from dragoman.errors import BadInputError
from dragoman_laboratory.moses_nbest import Reranker, aligned, fitted_weights, read

pytestmark = pytest.mark.kernels

LISTS = """\
0 ||| a b c ||| LM0= -2 TM0= -1 -3 WordPenalty0= -3 ||| -1.75
0 ||| a b d ||| TM0= -2 -1 LM0= -3 WordPenalty0= -3 ||| -2.25 ||| 0-0 1-1
1 ||| x y ||| LM0= -1 TM0= -1 -1 WordPenalty0= -2 ||| -0.75
1 ||| x z ||| LM0= -1.2 TM0= -1.2 -0.5 WordPenalty0= -2 Other0= 1 ||| -1.125
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "nbest.txt"
    path.write_text(LISTS, encoding="utf-8")
    return path


def test_features_are_read_by_name(file: Path) -> None:
    first, second = aligned(read(file))
    assert first.names == second.names == ("LM0", "TM0.1", "TM0.2", "WordPenalty0", "Other0")
    assert first.features.tolist() == [[-2, -1, -3, -3, 0], [-3, -2, -1, -3, 0]]
    assert second.features[1].tolist() == [-1.2, -1.2, -0.5, -2, 1]
    assert first.texts == ["a b c", "a b d"]
    assert first.scores is not None
    assert first.scores.tolist() == [-1.75, -2.25]


def test_the_decoders_weights_are_found_from_its_scores(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    weights = random.normal(size=4)
    rows = []
    for number in range(20):
        for values in random.normal(size=(10, 4)):
            line = f"{number} ||| w ||| A= {values[0]} B= {values[1]} {values[2]} C= {values[3]} ||| {values @ weights}"
            rows.append(line)
    path = tmp_path / "nbest"
    path.write_text("\n".join(rows), encoding="utf-8")
    assert np.allclose(fitted_weights(aligned(read(path))), weights)


def test_reranking_learns_after_choosing(file: Path) -> None:
    lists = aligned(read(file))
    reranker = Reranker(PassiveAggressive(alpha=1.0), lists, np.array([1.0, 1.0, 0.1, 0.0, 0.0]))
    outcomes = [reranker.next(each, reference) for each, reference in zip(lists, ["a b d", "x z"], strict=True)]
    assert [each.text for each in outcomes] == ["a b c", "x z"]  # the second thanks to the first
    assert reranker.report(outcomes, {0: "a b d", 1: "x z"})["changed"] == 1


@pytest.mark.parametrize("line", ["a b c", "x ||| a ||| LM0= 1", "0 ||| a ||| LM0= one", "0 ||| a"])
def test_what_is_no_entry_is_refused_with_its_line(line: str, tmp_path: Path) -> None:
    path = tmp_path / "nbest.txt"
    path.write_text(LISTS + line + "\n", encoding="utf-8")
    with pytest.raises(BadInputError, match="line 5 is not an n-best list entry"):
        list(read(path))


def test_features_that_are_no_numbers_are_named(tmp_path: Path) -> None:
    path = tmp_path / "nbest.txt"
    path.write_text(LISTS.replace("-1.2 -0.5", "-1.2 nan"), encoding="utf-8")
    with pytest.raises(BadInputError, match=r"feature 'TM0.2' of entry 2 of the n-best list is nan"):
        Reranker(Ridge(), aligned(read(path)))


@pytest.mark.parametrize("method", ["pa", "perceptron", "ridge", "bayes"])
def test_the_command(method: str, file: Path, tmp_path: Path) -> None:
    references, out = tmp_path / "refs", tmp_path / "out"
    references.write_text("a b d\nx z\n", encoding="utf-8")
    options = [
        "lab",
        "adapt",
        str(file),
        str(references),
        "--method",
        method,
        "--alpha",
        "0.5",
        "--out",
        str(out),
        "--json",
    ]
    done = CliRunner().invoke(app, options)
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert found["sentences"] == 2
    assert set(found["weights"]) == {"LM0", "TM0.1", "TM0.2", "WordPenalty0", "Other0"}
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2
    assert CliRunner().invoke(app, options[:-1]).exit_code == 0


def test_the_command_refuses_bad_input(file: Path, tmp_path: Path) -> None:
    references = tmp_path / "refs"
    references.write_text("", encoding="utf-8")
    for options in (["--method", "magic"], ["--measure", "magic"], ["--alpha", "7"], []):
        done = CliRunner().invoke(app, ["lab", "adapt", str(file), str(references), *options])
        assert isinstance(done.exception, BadInputError), options
