"""Deliveries: a message that arrives twice is learned once, whatever happens in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.errors import DragomanError, StorageError
from dragoman.project.guard import FlaggedError
from dragoman.store import Delivery, Journal
from dragoman.store.journal_tables import find_delivered, find_delivery, find_place
from dragoman.store.sqlite_files import Place


def test_a_message_is_learned_once_also_after_opening_the_project_again(tmp_path: Path) -> None:
    sent = Delivery("msg-1", "string 7", 1)
    with Engine.create(tmp_path / "manual", source="en", target="es") as engine:
        first = engine.learn("Close the lid.", "Cierre la tapa.", delivery=sent)
        assert engine.learn("Close the lid.", "Cierre la tapa.", delivery=sent) == first
    with Engine.open(tmp_path / "manual") as engine:
        assert engine.learn("Close the lid.", "Cierre la tapa.", delivery=sent) == first
        assert engine.correction_count == 1
        assert engine.delivered("msg-1") == first
        assert engine.delivered("msg-2") is None


def test_deliveries_are_stored_in_every_kind_of_database(place: Place) -> None:
    with Journal.create(place) as journal:
        first = journal.append_learn("lid", "tapa", delivery=Delivery("a", "string 7", 1))
        second = journal.append_revise(first, "tapadera", delivery=Delivery("b", "string 7", 2))
        with pytest.raises(StorageError):  # the row is not written either
            journal.append_learn("tray", "bandeja", delivery=Delivery("a"))
        with journal.reading() as connection:
            assert find_delivery(connection, "a") == first
            assert [each.in_force for each in find_delivered(connection, "string 7")] == [False, True]
            assert find_place(connection, second) == "string 7"
        assert journal.last_id == second


def test_a_revision_belongs_to_the_same_place(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "manual", source="en", target="es") as engine:
        first = engine.learn("Close the lid.", "Cierre la tapa.", delivery=Delivery("a", "string 7", 1))
        second = engine.revise(first, "Cierre la tapadera.", delivery=Delivery("b", "string 7", 2))
        found = engine.delivered_from("string 7")
        assert [(each.id, each.version, each.in_force) for each in found] == [(first, 1, False), (second, 2, True)]
        assert engine.place_of(second) == "string 7"
        assert engine.revise(second, "Cierre la tapadera.", delivery=Delivery("b", "string 7", 2)) == second


def test_a_flagged_correction_counts_as_delivered(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "manual", source="en", target="es") as engine:
        with pytest.raises(FlaggedError) as error:
            engine.learn("Close the lid of the machine.", "Cierreeeeeeeeee la tapa.", delivery=Delivery("a"))
        assert engine.delivered("a") == error.value.id


def test_what_is_not_committed_was_not_delivered(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "manual", source="en", target="es") as engine:
        with pytest.raises(DragomanError):
            engine.learn("Close the lid.", "Cierre la tapa.", delivery=Delivery("\ud800"))
        assert engine.correction_count == 0
        engine.learn("Close the lid.", "Cierre la tapa.", delivery=Delivery("a"))
        assert engine.correction_count == 1
