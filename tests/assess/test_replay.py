"""Replaying: the numbers of `simulate` and of the experiments, sampling, and going on after an interruption."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from dragoman.assess.replay import LINES, PROJECT, ReplayedSegment, ReplayPlan, read_outcomes, replay
from dragoman.assess.replay_workers import _check_done, replay_all
from dragoman.engine import Engine
from dragoman.errors import DragomanError
from dragoman.interactive.user import interact
from tests.assess.support import said, shipped

SIZE = 30


def plan(*, over: bool = True, size: int = SIZE, **options: object) -> ReplayPlan:
    work = shipped(size)
    pairs = tuple((pair.source, pair.target) for pair in work.pairs)
    answers = tuple(said(source) for source, _ in pairs) if over else ()
    return ReplayPlan("system", ("en", "es"), pairs, answers, **options)  # type: ignore[arg-type]


def timeless(outcomes: list[ReplayedSegment]) -> list[ReplayedSegment]:
    return [each._replace(translating=0.0, learning=[]) for each in outcomes]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[ReplayedSegment]:
    return timeless(replay(plan(typed=(4, 20)), tmp_path_factory.mktemp("whole")))


def test_translations_and_key_strokes_are_those_of_the_simulated_user(
    tmp_path: Path, whole: list[ReplayedSegment]
) -> None:
    pairs = [(pair.source, pair.target) for pair in shipped(SIZE).pairs]
    with Engine.create(tmp_path / "project", source="en", target="es") as engine:
        done = list(interact(engine, pairs, memory=True, upstream=said))
    for number in (4, 20):
        effort = done[number].effort
        assert whole[number].typing == [effort.key_strokes, effort.mouse_actions, effort.word_strokes]
    assert [each.number for each in whole if each.typing] == [4, 20]


def test_only_what_is_sampled_is_translated_and_all_is_learned(tmp_path: Path, whole: list[ReplayedSegment]) -> None:
    found = timeless(replay(plan(sampled=(4, 20, 29), typed=(4, 20)), tmp_path))
    assert found == [whole[4], whole[20], whole[29]]


def test_a_finished_replay_is_read_again_and_its_project_is_gone(tmp_path: Path) -> None:
    small = plan(size=3)
    first = replay(small, tmp_path)
    assert not (tmp_path / PROJECT).exists()
    assert replay(small, tmp_path) == first


@pytest.mark.parametrize("lost", [0, 1])
def test_an_interrupted_replay_goes_on_to_the_same_outcomes(
    tmp_path: Path, whole: list[ReplayedSegment], lost: int
) -> None:
    ours = plan(typed=(4, 20))
    _interrupt(ours, tmp_path, after=12 - lost)
    assert timeless(replay(ours, tmp_path)) == whole


def _interrupt(ours: ReplayPlan, directory: Path, after: int) -> None:
    """Replay in another process that is killed when it has written some lines."""
    program = (
        "import sys\nfrom pathlib import Path\nfrom tests.assess.test_replay import plan\n"
        "from dragoman.assess.replay import replay\nreplay(plan(typed=(4, 20)), Path(sys.argv[1]))"
    )
    root = Path(__file__).parents[2]
    path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen([sys.executable, "-c", program, str(directory)], env=os.environ | {"PYTHONPATH": path})
    while process.poll() is None and len(read_outcomes(directory / LINES)) < after:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 0 < len(read_outcomes(directory / LINES)) < len(ours.pairs)


def test_a_line_that_was_not_finished_is_written_again(tmp_path: Path, whole: list[ReplayedSegment]) -> None:
    ours = plan(typed=(4, 20))
    _interrupt(ours, tmp_path, after=5)
    with (tmp_path / LINES).open("a", encoding="utf-8") as lines:
        lines.write('[9, "half a li')
    assert timeless(replay(ours, tmp_path)) == whole


def test_lines_that_are_lost_make_it_start_over(tmp_path: Path, whole: list[ReplayedSegment]) -> None:
    ours = plan(typed=(4, 20))
    _interrupt(ours, tmp_path, after=8)
    (tmp_path / LINES).write_bytes(b"")
    assert timeless(replay(ours, tmp_path)) == whole


def test_another_plan_does_not_go_on_from_an_old_one(tmp_path: Path) -> None:
    replay(plan(size=3), tmp_path)
    assert len(replay(plan(size=4), tmp_path)) == 4


def test_several_plans_at_once_give_the_same_outcomes(tmp_path: Path) -> None:
    plans = [plan(size=5), plan(size=5, over=False)]
    at_once = [timeless(each) for each in replay_all(plans, tmp_path / "at once", jobs=2)]
    assert at_once == [timeless(replay(each, tmp_path / str(n))) for n, each in enumerate(plans)]


def test_a_worker_that_is_killed_is_an_error_that_says_how_to_go_on() -> None:
    broken: Future[None] = Future()
    broken.set_exception(BrokenProcessPool())
    with pytest.raises(DragomanError, match="killed") as raised:
        _check_done(broken)
    assert "resume" in str(raised.value.remedy)


def test_progress_is_reported_segment_by_segment_in_one_process(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    replay_all([plan(size=3), plan(size=2, over=False)], tmp_path, jobs=1, progress=lambda *each: told.append(each))
    assert told == [("replaying", n, 5) for n in range(1, 6)]
