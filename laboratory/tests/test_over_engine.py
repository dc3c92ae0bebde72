"""What an assessment reports and what the experiments report is the same for the same text."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.assess.assessment import AssessmentOptions, make_plans, score_systems
from dragoman.assess.past_work import PastWork
from dragoman.assess.replay import replay
from dragoman.assess.system_names import ALONE, BOTH, ENGINE, OVER
from dragoman_laboratory.corpora import Corpora
from dragoman_laboratory.experiment import Text
from dragoman_laboratory.over_engine import followed
from dragoman_laboratory.workspace import Workspace
from tests.assess.support import said, shipped

pytestmark = pytest.mark.kernels
SIZE = 24
NAMES = {ENGINE: "engine", ALONE: "dragoman", BOTH: "memory and engine", OVER: "fused"}  # in the experiments


def experiment(work: PastWork, folder: Path) -> Workspace:
    """The same text as a corpus of the experiments."""
    for part in ("manual-en-es", "recorded"):
        (folder / part).mkdir(parents=True)
    files = {"manual-en-es/test.en": 0, "manual-en-es/test.es": 1}
    for name, side in files.items():
        (folder / name).write_text("".join(f"{pair[side]}\n" for pair in work.pairs), encoding="utf-8")
    answers = "".join(f"{said(pair.source)}\n" for pair in work.pairs)
    (folder / "recorded" / "manual-en-es.test.words.es").write_text(answers, encoding="utf-8")
    return Workspace(Corpora(folder), folder / "out")


def test_an_assessment_has_the_scores_of_the_experiments(tmp_path: Path) -> None:
    work = shipped(SIZE)
    heard = {"words": tuple(said(pair.source) for pair in work.pairs)}
    plans = make_plans(work, AssessmentOptions(("words",), typed=0), tuple(range(SIZE)), heard)
    alone, over = (replay(plan, tmp_path / plan.system) for plan in plans)
    systems = score_systems(work, alone, over, heard["words"])
    workspace, test = experiment(work, tmp_path / "corpora"), Text("manual-en-es", "test", SIZE, "words")
    for ours, theirs in NAMES.items():
        row = followed(workspace, "manual", "words", theirs, test).rows[-1]
        assert systems[ours].score("BLEU").score == row["BLEU"], ours
        assert systems[ours].score("TER").score == row["TER"], ours
