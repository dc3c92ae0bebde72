"""One thread learns for all projects of a process: in turn, and with the memory of a few."""

import threading
import time

from dragoman.upstream.learning_worker import MOST_RESIDENT, LearningWorker


class Project:
    """What has some steps to make, and writes down whose turn it was."""

    def __init__(self, name: str, steps: int, turns: list[str], *, fails: bool = False) -> None:
        self.name, self.steps, self.turns, self.fails = name, steps, turns, fails
        self.is_resident = False
        self.done = threading.Event()

    def advance(self) -> bool:
        self.is_resident = True
        self.turns.append(self.name)
        if self.fails:
            self.done.set()
            raise MemoryError
        time.sleep(0.005)
        self.steps -= 1
        if not self.steps:
            self.done.set()
        return self.steps > 0

    def let_go(self) -> None:
        self.is_resident = False


def test_two_projects_take_turns() -> None:
    turns: list[str] = []
    worker, projects = LearningWorker(), [Project(name, 10, turns) for name in "ab"]
    for project in projects:
        worker.add(project)
    assert all(project.done.wait(30) for project in projects)
    assert sorted(turns[1:-1]) != turns[1:-1]  # not all of one before the other


def test_only_a_few_keep_their_memory() -> None:
    turns: list[str] = []
    worker, projects = LearningWorker(), [Project(name, 3, turns) for name in "abcd"]
    for project in projects:
        worker.add(project)
    assert all(project.done.wait(30) for project in projects)
    assert [each.is_resident for each in projects].count(True) == MOST_RESIDENT


def test_what_fails_stops_nobody_and_may_try_again() -> None:
    turns: list[str] = []
    worker, broken, sound = LearningWorker(), Project("x", 1, turns, fails=True), Project("a", 3, turns)
    worker.add(broken)
    worker.add(sound)
    assert sound.done.wait(30)
    assert broken.done.wait(30)
    assert turns.count("x") == 1
    broken.fails, broken.done = False, threading.Event()
    worker.add(broken)
    assert broken.done.wait(30)


def test_a_change_during_the_last_step_is_not_missed() -> None:
    turns: list[str] = []
    worker, project = LearningWorker(), Project("a", 1, turns)
    for _ in range(50):
        project.steps, project.done = 1, threading.Event()
        worker.add(project)
        assert project.done.wait(30)


def test_who_is_removed_makes_no_more_steps() -> None:
    turns: list[str] = []
    worker, project = LearningWorker(), Project("a", 1000, turns)
    worker.add(project)
    while not turns:
        time.sleep(0.001)
    project.steps = 1  # as if there were nothing to learn any more
    worker.remove(project)
    made = len(turns)
    time.sleep(0.05)
    assert len(turns) == made
