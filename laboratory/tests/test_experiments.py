"""Every experiment runs from a folder of corpora to its report; what has been run is not run again."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dragoman.errors import BadInputError, DragomanError
from dragoman.measure import Wer
from dragoman.measure.significance import Interval
from dragoman.sample import pairs
from dragoman_laboratory import catalogue, over_engine
from dragoman_laboratory import cells as running
from dragoman_laboratory.catalogue import EXPERIMENTS, FAMILIES, find
from dragoman_laboratory.ceiling import OTHERS, others_learned
from dragoman_laboratory.commands.experiment import experiment
from dragoman_laboratory.corpora import Corpora
from dragoman_laboratory.domains import as_much
from dragoman_laboratory.experiment import Cell, Experiment, Finding, Measured, Results, Scale, Table, Text
from dragoman_laboratory.judging import all_decided, decided, steadier
from dragoman_laboratory.over_engine import Ablated
from dragoman_laboratory.publishing import FINDINGS, compared, publish, write_pages
from dragoman_laboratory.workspace import Workspace

QUICK = Scale(quick=True)
SIZES = {"train": slice(0, 24), "dev": slice(24, 32), "test": slice(32, 37)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped sample in the shape of the corpora, under every name that experiments ask for."""
    found = tmp_path_factory.mktemp("corpora")
    (found / "recorded").mkdir()
    for corpus in ("desktop", "pydocs", "tico19", "europarl", "newstest"):
        for target in ("es", "fr"):
            directory = found / f"{corpus}-en-{target}"
            directory.mkdir()
            for part, which in SIZES.items():
                for side, language in enumerate(("en", target)):
                    lines = "".join(f"{pair[side]}\n" for pair in pairs()[which])
                    (directory / f"{part}.{language}").write_text(lines, encoding="utf-8")
    for part, which in SIZES.items():
        for corpus, engine in itertools.product(("desktop", "pydocs", "tico19", "newstest"), ("nmt", "apertium")):
            answers = "".join(f"{target.replace('a', 'o')}\n" for _, target in pairs()[which])  # made up
            (found / "recorded" / f"{corpus}-en-es.{part}.{engine}.es").write_text(answers, encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def workspace(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    yield Workspace(Corpora(folder), tmp_path_factory.mktemp("out"))


def measured(workspace: Workspace, test: Text, rate: float) -> Measured:
    """A cell that counts how often it is run."""
    path = workspace.out / "runs"
    path.write_text(path.read_text() + "x" if path.exists() else "x")
    return Measured([{"words": len(workspace.pairs(test)[0][0].split()), "third": rate / 3}], {"all": 1.0})


def small(**changes: object) -> Experiment:
    def cells(scale: Scale) -> list[Cell]:
        return [Cell(measured, {"test": scale.text("pydocs-en-es", "test", 9, 4), "rate": 1.0} | changes)]

    def findings(results: Results) -> list[Finding]:
        return [Finding("few", "|A| is small", f"|A| = {results.value('words'):.0f}", results.value("words") < 0)]

    def draw(figure: Any, results: Results) -> None:
        figure.subplots().plot([results.value("words")])

    return Experiment("O-fig2", "Words", "Few.", cells, lambda _: Table(("a",), [("b",)]), findings, draw)


def runs(workspace: Workspace) -> int:
    return len((workspace.out / "runs").read_text())


def test_a_cell_is_run_once_for_the_same_parameters_texts_and_seed(folder: Path, tmp_path: Path) -> None:
    workspace = Workspace(Corpora(folder), tmp_path)
    first, _ = running.run(small(), QUICK, workspace)
    again, _ = running.run(small(), QUICK, workspace)
    assert (first.rows, runs(workspace)) == (again.rows, 1)
    running.run(small(rate=2.0), QUICK, workspace)
    assert runs(workspace) == 2
    running.run(small(), Scale(), workspace)
    assert runs(workspace) == 3
    running.run(small(), QUICK, Workspace(Corpora(folder), tmp_path, seed=2))
    assert runs(workspace) == 4


def test_results_of_another_program_are_run_again_unless_they_are_to_be_reused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.run(small(), QUICK, Workspace(Corpora(folder), tmp_path))
    monkeypatch.setattr(running, "program", lambda: "another")
    workspace = Workspace(Corpora(folder), tmp_path, reuse=True)
    running.run(small(), QUICK, workspace)
    assert runs(workspace) == 1
    running.run(small(), QUICK, Workspace(Corpora(folder), tmp_path))
    assert runs(workspace) == 2


def counted(workspace: Workspace, system: str, errors: str) -> Measured:
    """A cell whose segments have so many errors, of ten words each."""
    del workspace, system
    rows = np.array([(int(each), 10) for each in errors.split()])
    return Measured([{"segments": 0}, {"segments": len(rows)}], counts=[{"WER": rows}])


def test_two_systems_are_compared_segment_by_segment_also_when_read_from_disk(folder: Path, tmp_path: Path) -> None:
    errors = {"none": "4 5 6 3 5 4 " * 20, "good": "3 4 5 2 4 3 " * 20, "other": "5 4 7 2 6 3 " * 20}
    cells = [Cell(counted, {"system": name, "errors": each}) for name, each in errors.items()]
    counting = Experiment("O-fig3", "", "", lambda _: cells, *[None] * 3)  # type: ignore[arg-type]
    for _ in range(2):  # the second time from disk
        results, _ = running.run(counting, QUICK, Workspace(Corpora(folder), tmp_path))
        better = results.difference(Wer(), "WER", {"system": "good"}, {"system": "none"})
        assert better.score == pytest.approx(10, abs=2) and decided(better) is True
        assert decided(results.difference(Wer(), "WER", {"system": "none"}, {"system": "good"})) is False
        assert decided(results.difference(Wer(), "WER", {"system": "other"}, {"system": "none"})) is None


@pytest.mark.parametrize(
    ("lows", "highs", "verdict"),
    [([1, 1], [2, 2], True), ([1, -0.5], [2, 5], True), ([-9, 1], [1, 2], None), ([1, -3], [2, -1], False)],
)
def test_all_differences_must_be_above_zero(lows: list[float], highs: list[float], verdict: bool | None) -> None:
    found = [Interval((low + high) / 2, low, high) for low, high in zip(lows, highs, strict=True)]
    assert all_decided(found) is verdict


def test_spreads_differ_when_they_differ_by_more_than_chance() -> None:
    random = np.random.default_rng(1)
    verdicts = [steadier(float(a), float(b), draws=10) for a, b in random.normal(size=(1000, 2, 10)).std(axis=2)]
    assert verdicts.count(None) > 900  # of the same distribution
    assert steadier(1.0, 4.0, 10) is True and steadier(4.0, 1.0, 10) is False


def test_a_bound_on_segments_is_one_on_what_is_translated() -> None:
    scale = Scale(most=50)
    assert (scale.text("a-b-c", "train", 900, 90).size, scale.text("a-b-c", "test", 900, 90).size) == (900, 50)
    assert {cell.parameters["test"].size for cell in EXPERIMENTS["O-fig5"].cells(scale)} == {50}


def test_a_text_that_has_changed_is_another_text(folder: Path, tmp_path: Path) -> None:
    text = Text("pydocs-en-es", "test", 4)
    before = Corpora(folder).digest(text)
    copy = tmp_path / "pydocs-en-es"
    copy.mkdir()
    for language in ("en", "es"):
        lines = (folder / "pydocs-en-es" / f"test.{language}").read_text(encoding="utf-8")
        (copy / f"test.{language}").write_text(lines, encoding="utf-8")
    assert Corpora(tmp_path).digest(text) == before
    changed = (copy / "test.es").read_text(encoding="utf-8").replace("a", "o")
    (copy / "test.es").write_text(changed, encoding="utf-8")
    assert Corpora(tmp_path).digest(text) != before


def test_texts_are_capped_tokenised_and_in_lower_case(folder: Path) -> None:
    found = Corpora(folder).pairs(Text("pydocs-en-es", "train", 5))
    assert len(found) == 5
    assert all(side == side.lower() and "." in side.split() for pair in found for side in pair if "." in side)


def test_segments_without_words_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "pydocs-en-es").mkdir()
    (tmp_path / "pydocs-en-es" / "test.en").write_text("\u200b\n\none\ntwo\n!\n", encoding="utf-8")
    (tmp_path / "pydocs-en-es" / "test.es").write_text("cero\n\nuno\n\ufeff\n!\n", encoding="utf-8")
    assert Corpora(tmp_path).pairs(Text("pydocs-en-es", "test", 9)) == [("one", "uno"), ("!", "!")]


def test_segments_too_long_to_be_learned_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "pydocs-en-es").mkdir()
    for language, lines in (("en", f"{'a ' * 501}\none\n"), ("es", "a\nuno\n")):
        (tmp_path / "pydocs-en-es" / f"test.{language}").write_text(lines, encoding="utf-8")
    assert Corpora(tmp_path).pairs(Text("pydocs-en-es", "test", 9)) == [("one", "uno")]
    with pytest.raises(BadInputError, match="no segments of at most 500 words"):
        Corpora(tmp_path).pairs(Text("pydocs-en-es", "test", 1))


def test_cells_without_their_corpora_are_left_out_and_said_so(workspace: Workspace) -> None:
    results, missing = running.run(small(), QUICK, workspace)
    assert (len(results.cells), missing) == (1, [])
    absent = Text("klingon-en-es", "test", 4)
    with pytest.raises(BadInputError, match="klingon-en-es/test/4"):
        running.run(small(test=absent), QUICK, workspace)


def test_what_is_not_found_again_is_reported_with_a_reason(folder: Path, tmp_path: Path) -> None:
    workspace = Workspace(Corpora(folder), tmp_path)
    known = publish(small(), *running.run(small(), QUICK, workspace), QUICK, workspace)
    assert known["findings"][0]["reason"]
    pages = write_pages(tmp_path, tmp_path / "pages")
    assert {page.name for page in pages} == {"convergence.md", "index.md"}
    page = (tmp_path / "pages" / "figures" / "convergence.md").read_text(encoding="utf-8")
    assert "Quick run" in page and "**not** found here" in page and "Reason:" in page
    assert "- O-fig2: |A| is small" in (tmp_path / "pages" / "index.md").read_text(encoding="utf-8")
    words = len(workspace.pairs(Text("pydocs-en-es", "test", 4))[0][0].split())
    assert (tmp_path / "O-fig2.csv").read_text() == (f"test,rate,words,third\npydocs-en-es/test/4,1.0,{words},0.3333\n")


@pytest.mark.long
@pytest.mark.parametrize("identity", list(EXPERIMENTS))
def test_each_experiment_goes_through(identity: str, workspace: Workspace) -> None:
    results, missing = running.run(EXPERIMENTS[identity], QUICK, workspace)
    known = publish(EXPERIMENTS[identity], results, missing, QUICK, workspace)
    assert missing == []
    assert all(len(row) == len(known["table"]["columns"]) for row in known["table"]["rows"])
    assert len({finding["name"] for finding in known["findings"]}) == len(known["findings"])
    assert "<svg" in (workspace.out / f"{identity}.svg").read_text()
    json.loads((workspace.out / f"{identity}.json").read_text())


@pytest.mark.long
@pytest.mark.parametrize("identity", ["O-tab6", "X-ceiling"])
def test_gains_are_compared_with_the_papers_on_the_full_scale(identity: str, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "corpora", ignore=shutil.ignore_patterns("newstest-en-fr"))
    workspace = Workspace(Corpora(tmp_path / "corpora"), tmp_path / "out")
    experiment = EXPERIMENTS[identity]
    results, missing = running.run(experiment, Scale(), workspace)
    known = publish(experiment, results, missing, Scale(), workspace)
    told = [finding["claim"] for finding in known["findings"] if "as in the paper" in finding["claim"]]
    where = {"O-tab6": ("Spanish, news, with its settings", 6), "X-ceiling": ("manuals learned", 4)}[identity]
    assert len(told) == where[1] and any(where[0] in claim for claim in told)
    assert not any("French, news" in claim for claim in told)


@pytest.mark.parametrize(("ours", "verdict"), [(6.0, True), (3.0, None), (0.5, False)])
def test_gains_within_the_margins_of_both_are_undecided(ours: float, verdict: bool | None) -> None:
    gains = {name: Interval(ours, ours - 0.2, ours + 0.2) for name in ("BLEU", "WER", "KSMR")}
    assert as_much("manuals", "es", gains).holds is verdict  # in the paper 5.7 ± 3.4, 4.4 ± 2.5, 2.7 ± 1.6


@pytest.mark.parametrize(("copies", "errors"), [(1, 100.0), (2, 0.0)])
def test_with_all_other_segments_learned_a_segment_is_known_if_it_comes_again(
    copies: int, errors: float, folder: Path, tmp_path: Path
) -> None:
    sides = {"en": ["red lamp", "green door"], "es": ["lámpara roja", "puerta verde"]}
    corpus = tmp_path / "pydocs-en-es"
    shutil.copytree(folder / "pydocs-en-es", corpus)
    for language, lines in sides.items():
        (corpus / f"test.{language}").write_text("".join(f"{line}\n" for line in lines * copies), encoding="utf-8")
    train, test = Text("pydocs-en-es", "train", 24), Text("pydocs-en-es", "test", 2 * copies)
    found = others_learned(Workspace(Corpora(tmp_path), tmp_path / "out"), "manuals", "es", train, test, OTHERS)
    assert found.rows[0]["WER"] == errors


def test_an_experiment_over_an_engine_says_that_its_recorded_translations_are_missing(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder / "desktop-en-es", tmp_path / "corpora" / "desktop-en-es")
    with pytest.raises(BadInputError, match=r"desktop-en-es/test/100/nmt") as refused:
        running.run(EXPERIMENTS["U-curves"], QUICK, Workspace(Corpora(tmp_path / "corpora"), tmp_path / "out"))
    assert "recorded/" in (refused.value.remedy or "")


def test_recorded_translations_are_also_found_beside_the_corpora(folder: Path, tmp_path: Path) -> None:
    test = Text("desktop-en-es", "test", 3, "nmt")
    shutil.copytree(folder / "desktop-en-es", tmp_path / "corpora" / "desktop-en-es")
    shutil.copytree(folder / "recorded", tmp_path / "engines" / "recorded")
    segments = Corpora(tmp_path / "corpora").segments(test)
    assert [each[:2] for each in segments] == pairs()[SIZES["test"]][:3]
    assert segments[0].upstream == segments[0].reference.replace("a", "o")
    assert Corpora(tmp_path / "corpora").digest(test) == Corpora(folder).digest(test)


def test_what_an_ablated_engine_lacks_is_not_learned(folder: Path, tmp_path: Path) -> None:
    workspace, learned = Workspace(Corpora(folder), tmp_path), {}
    for system in ("fused", "replacements not counted", "trust fixed", "nothing learned of the engine"):
        kind = type("Lacking", (Ablated,), {"lacking": system})
        with workspace.engine(None, ("en", "es"), kind, tokens="text", memory=True) as engine:
            over_engine.prepare(engine, system)
            for source, target in pairs()[:3]:
                engine.learn(source, target, upstream=target.replace("a", "o"), force=True)
            with engine.opened.reading() as state:
                learned[system] = len(state.replacements.table) > 0, bool(np.any(state.confidence.costs[-1] % 10**9))
    assert learned == {
        "fused": (True, True),
        "replacements not counted": (False, True),
        "trust fixed": (True, False),
        "nothing learned of the engine": (False, False),
    }


def test_contrary_findings_are_named(tmp_path: Path) -> None:
    (tmp_path / FINDINGS).write_text('{"O-fig2": {"a": true, "b": true, "c": null}}')
    findings = [
        {"name": name, "claim": f"claim {name}", "holds": holds}
        for name, holds in zip("abc", (True, False, True), strict=True)
    ]
    said = compared([{"signature": {"experiment": "O-fig2"}, "findings": findings}], tmp_path)
    assert said.startswith("1 findings as in") and "1 undecided" in said and "1 contrary" in said
    assert "claim b: no, there yes" in said
    with pytest.raises(BadInputError, match="no report"):
        compared([], tmp_path / "nowhere")


@pytest.mark.parametrize("identity", ["O-fig2", "M-fig9"])
def test_two_runs_with_one_seed_give_the_same_csv(identity: str, folder: Path, tmp_path: Path) -> None:
    written = []
    for name in ("one", "two"):
        workspace = Workspace(Corpora(folder), tmp_path / name)
        publish(find(identity)[0], *running.run(find(identity)[0], QUICK, workspace), QUICK, workspace)
        written.append([(workspace.out / f"{identity}.{ending}").read_bytes() for ending in ("csv", "svg")])
    assert written[0] == written[1]


def test_ids_are_those_of_the_papers_and_every_family_has_a_page() -> None:
    assert {"O-fig2", "O-tabA1", "O-tab4", "O-tab7"} <= EXPERIMENTS.keys()
    assert len(EXPERIMENTS) == sum(len(family) for _, family in FAMILIES.values())
    assert find("domains") == FAMILIES["domains"][1]
    assert find("U") == FAMILIES["over-engine"][1]
    with pytest.raises(BadInputError, match="no experiment 'O-tab99'"):
        find("O-tab99")


@pytest.mark.long
def test_the_command_lists_runs_and_refuses(folder: Path, tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "dragoman", "lab", "experiment", *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    assert "O-tab7" in run("--list").stdout
    data = "--data", str(folder), "--out", str(tmp_path / "out"), "--report", str(tmp_path / "pages")
    done = run("O-tab1", "--quick", *data)
    assert done.returncode == 0, done.stderr
    assert "O-tab1" in (tmp_path / "pages" / "figures" / "domains.md").read_text()
    again = run("O-tab1", "--quick", *data, "--against", str(tmp_path / "pages"))
    assert "0 contrary" in again.stdout
    refused = run("O-tab1", "--data", str(tmp_path / "nowhere"))
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert run("O-fig7", "--quick", *data, "--seed", "-1").returncode == 2


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Experiments O-fig2, and O-fig3 without its corpora, under whatever name they are asked for."""
    absent = replace(small(test=Text("klingon-en-es", "test", 4)), id="O-fig3")
    monkeypatch.setattr(catalogue, "find", lambda _: [small(), absent])


@pytest.mark.usefixtures("two")
def test_experiments_without_their_corpora_are_left_out_of_a_family_and_named(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "package.json").write_text("{}")  # of something else in the same directory
    experiment("two", data=folder, quick=True, out=tmp_path)
    assert "left out because corpora are missing: O-fig3" in capsys.readouterr().err
    assert json.loads((tmp_path / FINDINGS).read_text()) == {"O-fig2": {"few": False}}


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("place", ["out", "report", "against"])
def test_places_that_will_not_do_are_refused_before_the_work(place: str, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    places: dict[str, Any] = {"out": tmp_path / "out"} | {place: tmp_path / "file"}
    with pytest.raises(DragomanError, match=r"cannot write|no report"):
        experiment("two", data=folder, quick=True, **places)
    assert not (tmp_path / "out" / "cells").exists()


@pytest.mark.usefixtures("two")
def test_without_what_draws_figures_nothing_is_begun(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(BadInputError, match="plots"):
        experiment("two", data=folder, quick=True, out=tmp_path)
    assert not (tmp_path / "cells").exists()


@pytest.mark.usefixtures("two")
def test_a_report_is_compared_with_what_it_was_before(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / FINDINGS).write_text('{"O-fig2": {"few": true}}')
    experiment("two", data=folder, quick=True, out=tmp_path, against=tmp_path)
    assert "1 contrary" in capsys.readouterr().out
