"""The report: tidy results, a figure, and pages in Markdown, all of it generated.

1. `publish` writes `<id>.csv`, which is the same for the same seed, `<id>.json` with everything known, and `<id>.svg`.
2. `write_pages` generates one page with every finding from the JSON files, and in a directory beside it a page for
   each family with its figures, which are kept with a release and not in the repository.
"""

from __future__ import annotations

import csv
import io
import json
import os
import platform
import re
import shutil
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from statistics import NormalDist
from typing import Any

from dragoman import __version__
from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.files import storage_errors, write_durably
from dragoman_laboratory.catalogue import EXPERIMENTS, FAMILIES
from dragoman_laboratory.experiment import Experiment, Finding, Results, Scale
from dragoman_laboratory.workspace import Workspace

UNKNOWN = "not looked into yet"
QUICK = (
    "**Quick run**: {}. It is small, made to show directions; intervals are wide, and a finding that does not hold "
    "here may hold on the papers' scale, or the other way round."
)


VERDICTS = {True: "yes", False: "no", None: "undecided"}
SIGNS = (
    "**Yes** or **no** means that the difference is outside its 95 % interval, by paired bootstrap over segments or "
    "draws; otherwise it is **undecided**. Where the best of several systems is compared, it was chosen on the same "
    "text. Times and likelihoods have no interval, so the sign decides."
)
FIGURES = "figures"  # the directory of pages with figures, in that of a report
FINDINGS = "findings.json"  # the verdicts of a report, for comparison
_INTERVAL = re.compile(r"([+-]?\d+(?:\.\d+)?) ± (\d+(?:\.\d+)?)")
WITHIN = "the difference is within its interval"


def signature(experiment: Experiment, results: Results, scale: Scale, workspace: Workspace) -> dict[str, Any]:
    """Everything that the figures depend on."""
    texts = {str(text): text for cell, _ in results.cells for text in cell.texts}
    return {
        "experiment": experiment.id,
        "version": __version__,
        "quick": scale.quick,
        "most": scale.most,
        "seed": workspace.seed,
        "corpora": {name: workspace.corpora.digest(text)[:16] for name, text in sorted(texts.items())},
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
    }


def publish(
    experiment: Experiment, results: Results, missing: list[str], scale: Scale, workspace: Workspace
) -> dict[str, Any]:
    """Write results, figure and findings; returns everything known."""
    table = experiment.table(results)
    known = {
        "signature": signature(experiment, results, scale, workspace),
        "title": experiment.title,
        "paper": experiment.paper,
        "missing": missing,
        "table": table._asdict(),
        "findings": [_judged(finding, experiment) for finding in experiment.findings(results)],
        "seconds": sum(row["cell"] or 0.0 for row in results.times),
        "cells": [{"parameters": cell.shown, "rows": m.rows, "seconds": m.seconds} for cell, m in results.cells],
    }
    out = workspace.out
    with storage_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        write_durably(out / f"{experiment.id}.csv", tidy(results).encode())
        _draw(experiment, results, out / f"{experiment.id}.svg")
        write_durably(out / f"{experiment.id}.json", json.dumps(known, indent=1, ensure_ascii=False).encode())
    return known


def _judged(finding: Finding, experiment: Experiment) -> dict[str, Any]:
    """A finding, with the reason if it is a paper's and is not confirmed."""
    if finding.holds or experiment.beyond:
        return finding._asdict()
    usual = WITHIN if finding.holds is None else UNKNOWN
    return finding._asdict() | {"reason": _reasons().get(experiment.id, {}).get(finding.name, usual)}


def tidy(results: Results) -> str:
    """All rows as CSV, a column for each parameter and each number."""
    columns = list(dict.fromkeys(name for row in results.rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(results.rows)
    return text.getvalue()


def _draw(experiment: Experiment, results: Results, path: Path) -> None:
    """The figure; with the same results it has the same bytes."""
    matplotlib = load("matplotlib", extra="plots")
    figures = load("matplotlib.figure", extra="plots")
    with matplotlib.rc_context({"svg.hashsalt": experiment.id, "font.size": 8}):
        figure = figures.Figure(figsize=(9, 3.4), layout="constrained")
        experiment.draw(figure, results)
        figure.savefig(path, metadata={"Date": None})


def _reasons() -> dict[str, dict[str, str]]:
    """Why findings of the papers are not confirmed here, by experiment and finding, where investigated."""
    return tomllib.loads(files("dragoman_laboratory").joinpath("reasons.toml").read_text(encoding="utf-8"))


# ── Pages ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def write_pages(out: Path, pages: Path) -> list[Path]:
    """Write every finding into one page of a directory, and into its FIGURES a page for each family with results."""
    results = (path for path in sorted(out.glob("*.json")) if path.stem in EXPERIMENTS)
    known = {path.stem: json.loads(path.read_bytes()) for path in results}
    if not known:
        raise BadInputError("no results to report", where=out, remedy="run an experiment first")
    written, figures = [], pages / FIGURES
    with storage_errors(pages):
        figures.mkdir(parents=True, exist_ok=True)
        for name, (title, family) in FAMILIES.items():
            found = [known[each.id] for each in family if each.id in known]
            if not found:
                continue
            beside = [f"{_id(each)}.{ending}" for each in found for ending in ("svg", "csv")]
            for file in beside if figures.resolve() != out.resolve() else []:
                shutil.copyfile(out / file, figures / file)
            written.append(_write(figures / f"{name}.md", [f"# {title}", *(_section(each) for each in found)]))
        written.append(_write(pages / "index.md", _index(known)))
        verdicts = {each: {f["name"]: f["holds"] for f in found["findings"]} for each, found in known.items()}
        write_durably(pages / FINDINGS, json.dumps(verdicts, indent=1, ensure_ascii=False).encode())
    return written


def compared(known: list[dict[str, Any]], pages: Path) -> str:
    """How the findings of a run agree with those of a report: the same, undecided in one of them, or contrary."""
    path = pages / FINDINGS
    if not path.exists():
        raise BadInputError(
            "no report to compare with", where=pages, remedy="pass the directory that --report wrote to"
        )
    theirs = json.loads(path.read_bytes())
    same, undecided, contrary = 0, 0, list[str]()
    for each in known:
        for finding in each["findings"]:
            ours, other = finding["holds"], theirs.get(_id(each), {}).get(finding["name"])
            same += ours is not None and ours == other
            undecided += ours is None or other is None
            if {ours, other} == {True, False}:
                contrary.append(f"{_id(each)}, {finding['claim']}: {VERDICTS[ours]}, there {VERDICTS[other]}")
    said = f"{same} findings as in {pages}, {undecided} undecided here or there, {len(contrary)} contrary"
    return "\n  ".join([said, *contrary])


def _write(path: Path, parts: list[str]) -> Path:
    write_durably(path, ("\n\n".join(parts) + "\n").encode())
    return path


def _id(known: dict[str, Any]) -> str:
    return str(known["signature"]["experiment"])


def _section(known: dict[str, Any]) -> str:
    """What the paper found, what we found, and with which data."""
    signed = known["signature"]
    texts = ", ".join(f"{name} ({digest})" for name, digest in signed["corpora"].items())
    parts = [f"## {_id(known)}: {known['title']}"]
    if signed["quick"]:
        parts.append(QUICK.format(", ".join(signed["corpora"])))
    elif signed.get("most"):
        parts.append(f"The papers' scale, but no more than {signed['most']:,} segments are translated.")
    verdicts = VERDICTS | ({True: "found here too", False: "**not** found here"} if known["paper"] else {})
    found = "\n".join(_finding(each, verdicts) for each in known["findings"])
    parts += [f"**The paper:** {known['paper']}" if known["paper"] else "A question beyond the papers.", found]
    parts += [_table(known["table"]), f"![{known['title']}]({_id(known)}.svg)"]
    if known["missing"]:
        parts.append(f"Left out for want of corpora: {', '.join(known['missing'])}.")
    parts.append(
        f"[Results]({_id(known)}.csv) · dragoman {signed['version']}, seed {signed['seed']}, "
        f"{signed['machine']}, Python {signed['python']}, {known['seconds']:.0f} s; texts {texts}"
    )
    return "\n\n".join(part for part in parts if part)


def _finding(each: dict[str, Any], verdicts: dict[bool | None, str]) -> str:
    reason = f" Reason: {each['reason']}." if "reason" in each else ""
    return f"- {each['claim']}: {verdicts[each['holds']]} ({each['ours']}).{reason}"


def _table(table: dict[str, Any]) -> str:
    rows = [table["columns"], ["---"] * len(table["columns"]), *table["rows"]]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows)


def _index(known: dict[str, Any]) -> list[str]:
    """How many findings of each experiment are found here, and those that are not."""
    found = [known[each.id] for _, family in FAMILIES.values() for each in family if each.id in known]
    counts, contrary, runs = list[list[str]](), list[str](), dict[str, list[str]]()
    for each in found:
        holds = [finding["holds"] for finding in each["findings"]]
        if holds:
            counts.append([_id(each), each["title"], *(str(holds.count(verdict)) for verdict in VERDICTS)])
            runs.setdefault(_run(each["signature"]), []).append(_id(each))
        contrary += [f"- {_id(each)}: {finding['claim']}" for finding in each["findings"] if finding["holds"] is False]
    findings = [(_id(each), VERDICTS[row["holds"]], row["ours"]) for each in found for row in each["findings"]]
    usual, *others = sorted(runs, key=lambda run: -len(runs[run])) or [""]
    return [
        "# The papers' tables and figures, rerun",
        "How many findings of each table and figure are found here, too. Generated by `dragoman lab experiment`, which "
        "also writes every finding with its numbers and figure: [Experiments](../experiments.md).",
        SIGNS,
        many_tests(findings),
        _table({"columns": ["", "experiment", *VERDICTS.values()], "rows": counts}),
        "; ".join([f"Run with {usual}", *(f"{', '.join(runs[run])} with {run}" for run in others)]) + ".",
        "## Found otherwise",
        "\n".join(contrary),
    ]


def _run(signed: dict[str, Any]) -> str:
    """The version and scale of an experiment."""
    scale = f"{signed['version']}, {'quick' if signed['quick'] else 'full scale'}"
    return scale + (f", {signed['most']:,} segments" if signed.get("most") else "")


def many_tests(findings: Sequence[tuple[str, str, str]]) -> str:
    """What is left of findings (experiment, verdict, numbers) if all intervals are to hold at once (Bonferroni).

    Comparisons with a paper's own numbers are left out, since their intervals are not about zero.

    >>> print(many_tests([("A", "yes", "+1.0 ± 0.9, +3.0 ± 0.1"), ("B", "yes", "+2.0 ± 0.5")]))
    Many tests: these findings rest on 3 intervals. To hold together at 95 % (Bonferroni), each has to be 1.22 times
    as wide; 1 of 2 decided findings then stay as they are. Not so: A.
    """
    findings = [row for row in findings if "paper " not in row[2]]
    values = [[(abs(float(d)), float(margin)) for d, margin in _INTERVAL.findall(row[2])] for row in findings]
    number = sum(map(len, values))
    if not number:
        return "No finding has an interval."
    wider = NormalDist().inv_cdf(1 - 0.025 / number) / NormalDist().inv_cdf(0.975)
    decided = [(row, each) for row, each in zip(findings, values, strict=True) if each and row[1] != VERDICTS[None]]
    lost = [row[0] for row, each in decided if any(margin < d <= wider * margin for d, margin in each)]
    named = f" Not so: {', '.join(dict.fromkeys(lost))}." if lost else ""
    rest = f"Many tests: these findings rest on {number} intervals. To hold together at 95 % (Bonferroni), each has"
    kept = f"{len(decided) - len(lost)} of {len(decided)} decided findings then stay as they are.{named}"
    return f"{rest} to be {wider:.2f} times\nas wide; {kept}"
