"""Work stops at its next checkpoint, in the threads that it is done in, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.concurrency import Cancellation, bound, checkpoint
from dragoman.engine import Engine
from dragoman.errors import BadInputError, CancelledError
from dragoman.parallel import map_in_order
from dragoman.project.translator import check_list


def test_only_the_work_inside_the_block_stops() -> None:
    checkpoint()
    work, other = Cancellation(), Cancellation(seconds=100)
    work.cancel()
    with work:
        with pytest.raises(CancelledError, match="cancelled"):
            checkpoint()
        with other, work, other:
            checkpoint()
        with pytest.raises(CancelledError):
            checkpoint()
    checkpoint()


def test_it_stops_after_a_while_by_itself() -> None:
    with Cancellation(seconds=0), pytest.raises(CancelledError, match="too long"):
        checkpoint()


def checked(number: int) -> int:
    checkpoint()
    return number


def test_threads_that_do_a_part_of_the_work_stop_too() -> None:
    with Cancellation() as work:
        function = bound(checked)
        assert list(map_in_order(function, range(3), 2)) == [0, 1, 2]
        work.cancel()
        with pytest.raises(CancelledError):
            list(map_in_order(function, range(3), 2))


def test_translating_changes_nothing_when_it_is_cancelled(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.learn("Close the lid.", "Cierre la tapa.")
        with Cancellation() as work:
            work.cancel()
            for attempt in (engine.translate, engine.translate_text):
                with pytest.raises(CancelledError):
                    attempt("Close the lid.\nClose it.")
            with pytest.raises(CancelledError):
                list(engine.translate_all(["Close the lid."]))
        assert engine.translate("Close the lid.").text == "Cierre la tapa."


def test_a_list_of_too_many_translations_of_a_long_text_is_refused() -> None:
    check_list(1, 20_000)
    check_list(100, 1_000)
    with pytest.raises(BadInputError, match="at most 5"):
        check_list(6, 20_000)
