"""Fit the weights that changes of another engine's answer are judged by, and save them as the package's data.

    python benchmarks/fit_changes.py                           # each family of sets judged by weights of the others
    python benchmarks/fit_changes.py --save                    # and src/dragoman/models/change_weights.json written
    python benchmarks/fit_changes.py --save --without en-es-sap --to weights.json   # for `bench_postedits.py --weights`

Post-edits (`SHARED/corpora/postedits`) and development sets of manuals with recorded answers are learned from nothing,
in order. Every change proposed on the way is recorded with its features and with what the correction says of it; a
logistic regression over the bins, of those that helped against those that harmed, gives the weights, in thousandths of
log odds. Post-edits count more than references, which were not made from the answer, and no set counts for more than
`MOST` changes. So that no set judges itself, each is judged by weights fitted on the sets of other families: segments
better / worse, word edits saved, BLEU of words.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from rapidfuzz.distance import Levenshtein
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression

sys.path.append(str(Path(__file__).parents[1]))
from benchmarks import bench_postedits, bench_upstream

from dragoman.engine import Engine
from dragoman.errors import DragomanError
from dragoman.measure import Bleu
from dragoman.models import trust as trust_module
from dragoman.models.trust import HELPED, NEITHER, UNIT, ChangeOutcome, ChangeTrust, Kind, bin_of, features
from dragoman.project import corrector
from dragoman.upstream.changes import SURE, Proposal, Weighed, decide, outcomes

WEIGHTS = Path(trust_module.__file__).with_name("change_weights.json")
SETS = {  # segments, and how much each change counts
    "en-es-sap": (1000, 1.0),
    "en-fr-sap": (1000, 1.0),
    "en-zh-mlqe": (2000, 1.0),
    "en-de-mlqe": (2000, 1.0),
    "ro-en-mlqe": (2000, 1.0),
    "et-en-mlqe": (2000, 1.0),
    "desktop.nmt": (700, 0.4),
    "pydocs.nmt": (600, 0.4),
    "tico19.nmt": (500, 0.4),
    "desktop.apertium": (500, 0.4),
}
MOST = 3000
STRENGTH = 0.1  # of the regression: the inverse of its penalty


class Recorded(NamedTuple):
    """The changes proposed for one answer, what the correction says of them, and that correction."""

    weighed: Weighed
    outcomes: list[ChangeOutcome]
    correction: tuple[str, ...]


def read(name: str, count: int) -> list[bench_postedits.Segment]:
    """The segments of a set."""
    if "." not in name:
        return bench_postedits.read(bench_postedits.POSTEDITS, name, count)
    text, engine = name.split(".")
    found = bench_upstream.read(text, "dev", engine, count, bench_upstream.SHARED / "engines" / "recorded")
    return [bench_postedits.Segment(*each) for each in found if each.upstream.strip()]


def record(name: str, count: int) -> list[Recorded]:
    """Learn a set from nothing, and record all changes that are proposed."""
    found: list[Recorded] = []

    def recording(weighed: Weighed, right: Sequence[str]) -> list[ChangeOutcome]:
        found.append(Recorded(weighed, outcomes(weighed, right), tuple(right)))
        return found[-1].outcomes

    source, target = name.split("-")[:2] if "-" in name else ("en", "es")
    with (
        tempfile.TemporaryDirectory() as directory,
        Engine.create(Path(directory) / "project", source=source, target=target) as engine,
        patch.object(corrector, "outcomes", recording),
    ):
        for segment in read(name, count):
            with suppress(DragomanError):
                engine.learn(segment.source, segment.correction, upstream=segment.answer, force=True)
    print(f"{name}: {len(found):,} answers, {sum(len(each.outcomes) for each in found):,} changes", flush=True)
    return found


def bins(weighed: Weighed, proposal: Proposal) -> list[str]:
    """The features of a proposed change; one that is sure was proposed by corrections, at least."""
    kind, said = proposal.kind, weighed.answer[proposal.begin : proposal.stop]
    return features(proposal.counts, said, proposal.instead, Kind.LEARNED if kind == Kind.SURE else kind, proposal.age)


def rows(sets: dict[str, list[Recorded]]) -> Iterator[tuple[list[str], bool, float]]:
    """Features of each change that made a difference, whether it helped, and how much it counts."""
    for name, answers in sets.items():
        decisive = [
            (each.weighed, proposal, outcome.result)
            for each in answers
            for proposal, outcome in zip(each.weighed.proposals, each.outcomes, strict=True)
            if outcome.result != NEITHER
        ]
        weight = SETS[name][1] * MOST / max(MOST, len(decisive))
        yield from ((bins(weighed, proposal), result == HELPED, weight) for weighed, proposal, result in decisive)


def fit(sets: dict[str, list[Recorded]]) -> dict[str, int]:
    """The weights of all bins."""
    places: dict[str, int] = {}
    across, down, helped, weights = list[int](), list[int](), list[bool](), list[float]()
    for names, right, weight in rows(sets):
        down += [len(helped)] * len(names)
        across += [places.setdefault(name, len(places)) for name in names]
        helped.append(right)
        weights.append(weight)
    matrix = csr_matrix((np.ones(len(down)), (down, across)), shape=(len(helped), len(places)))
    model = LogisticRegression(C=STRENGTH, max_iter=300).fit(matrix, np.array(helped), sample_weight=weights)
    found = {name: round(UNIT * float(model.coef_[0, place])) for name, place in sorted(places.items())}
    return {"start": round(UNIT * float(model.intercept_[0]))} | {name: each for name, each in found.items() if each}


def judge(answers: list[Recorded], weights: dict[str, int]) -> str:
    """What a set would have gained with these weights."""
    trust, texts, references = ChangeTrust(), list[tuple[str, ...]](), [each.correction for each in answers]
    for each in answers:
        said, proposals = each.weighed.answer, list[Proposal]()
        for one in each.weighed.proposals:
            score = trust_module.score_of(bins(each.weighed, one), weights)
            score = max(score, SURE) if one.kind == Kind.SURE else score
            proposals.append(one._replace(score=score, bound=trust.bound(one.kind, one.operation, score)))
        texts.append(each.weighed._replace(proposals=decide(proposals, said)).words)
        trust.add(old._replace(bin=bin_of(one.score)) for old, one in zip(each.outcomes, proposals, strict=True))
    answered = [each.weighed.answer for each in answers]
    saved = np.array(
        [
            Levenshtein.distance(one, right) - Levenshtein.distance(other, right)
            for one, other, right in zip(answered, texts, references, strict=True)
        ]
    )
    joined = [[" ".join(words) for words in each] for each in (answered, texts, references)]
    before, after = (Bleu("none")(each, joined[2]) for each in joined[:2])
    changed = sum(one != other for one, other in zip(answered, texts, strict=True))
    counts = f"{changed} changed: {(saved > 0).sum()} / {(saved < 0).sum()}, {saved.sum()} edits saved"
    return f"{counts}, BLEU {before:.2f} → {after:.2f} ({after - before:+.2f})"


def family(name: str) -> str:
    """Sets of one family come from the same text."""
    return name.split(".")[0]


def main() -> None:
    """Fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true", help="fit on all sets, and save the weights")
    parser.add_argument("--without", nargs="+", default=[], choices=list(SETS), help="sets to leave out")
    parser.add_argument("--to", type=Path, default=WEIGHTS, help="the file that is written")
    parser.add_argument("--jobs", type=int, default=1, help="sets that are learned at once")
    given = parser.parse_args()
    names = [name for name in SETS if name not in given.without]
    with ProcessPoolExecutor(given.jobs) as pool:
        recorded = pool.map(record, names, [SETS[name][0] for name in names])
        sets = dict(zip(names, recorded, strict=True))
    if given.save:
        data = {
            "made_by": "python benchmarks/fit_changes.py --save",
            "sets": {name: len(answers) for name, answers in sets.items()},
            "unit": f"1/{UNIT} of log odds",
            "weights": fit(sets),
        }
        given.to.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for name, answers in sets.items():
        others = {other: each for other, each in sets.items() if family(other) != family(name)}
        print(f"{name}: {judge(answers, fit(others))}", flush=True)


if __name__ == "__main__":
    main()
