"""Snapshots: whole or not at all, the newest few kept, and a broken one gives way to the one before."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from dragoman.errors import BadInputError, StorageError
from dragoman.store import Snapshot, SnapshotStore


def write(store: SnapshotStore, *ids: int) -> None:
    for row_id in ids:
        store.write(row_id, {"counts": np.full(1000, row_id), "keys": np.arange(row_id)}, {"kind": "test"})


def newest_id(store: SnapshotStore) -> int | None:
    snapshot, _ = store.newest(verify=True)
    return snapshot.id if snapshot else None


def test_what_is_written_is_opened(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path / "snapshots")
    assert (store.ids(), store.newest()) == ([], (None, []))
    write(store, 0, 7)
    snapshot, warnings = store.newest()
    assert snapshot
    assert (snapshot.id, snapshot.about, warnings) == (7, {"kind": "test", "journal": 7}, [])
    np.testing.assert_array_equal(snapshot.arrays["counts"], np.full(1000, 7))
    assert store.open(0).arrays["keys"].size == 0
    with pytest.raises(BadInputError, match="nothing was saved here"):
        store.open(3)


def test_the_newest_three_are_kept(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    write(store, 1, 9, 10, 100)
    assert store.ids() == [100, 10, 9]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["10", "100", "9"]


def test_one_in_use_can_be_deleted(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path, keep=1)
    write(store, 1)
    arrays = store.open(1).arrays
    write(store, 2)
    assert store.ids() == [2]
    assert (arrays["counts"] == 1).all()


@pytest.mark.parametrize("damage", ["byte", "truncated", "missing file", "no manifest", "torn manifest", "empty"])
def test_a_broken_one_gives_way_to_the_one_before_and_is_kept(tmp_path: Path, damage: str) -> None:
    store = SnapshotStore(tmp_path)
    write(store, 1, 2, 3)
    file = next((tmp_path / "3").glob("counts-*.npy"))
    if damage == "byte":
        data = bytearray(file.read_bytes())
        data[-1] ^= 1
        file.write_bytes(data)
    elif damage == "truncated":
        os.truncate(file, 200)
    elif damage == "missing file":
        file.unlink()
    elif damage == "no manifest":
        (tmp_path / "3" / "manifest.json").unlink()
    elif damage == "torn manifest":
        os.truncate(tmp_path / "3" / "manifest.json", 50)
    else:
        for each in (tmp_path / "3").iterdir():
            each.unlink()
    snapshot, warnings = store.newest()
    assert snapshot
    assert snapshot.id == 2
    assert len(warnings) == 1
    assert warnings[0].startswith("snapshot 3 skipped: ")
    assert str(tmp_path / "3") in warnings[0]
    assert store.ids() == [3, 2, 1]
    write(store, 3)  # a new one in its place mends it
    assert newest_id(store) == 3


def test_all_broken_is_none_with_a_line_on_each(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    write(store, 1, 2)
    for number in (1, 2):
        (tmp_path / str(number) / "manifest.json").unlink()
    snapshot, warnings = store.newest()
    assert snapshot is None
    assert [line.split(":")[0] for line in warnings] == ["snapshot 2 skipped", "snapshot 1 skipped"]


def test_what_a_crash_left_half_written_is_ignored_and_swept_away(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    write(store, 1)
    (tmp_path / "2.part").mkdir()
    (tmp_path / "2.part" / "counts-0123.npy.part").write_bytes(b"half")
    assert store.newest()[1] == []
    assert newest_id(store) == 1
    write(store, 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2"]
    assert newest_id(store) == 2


def test_refused_ones_are_passed_over_with_the_reason(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    write(store, 1, 2, 3)

    def refuse(snapshot: Snapshot) -> str | None:
        return "it is odd" if snapshot.id % 2 else None

    snapshot, warnings = store.newest(refuse)
    assert snapshot
    assert (snapshot.id, warnings) == (2, ["snapshot 3 skipped: it is odd"])


def test_those_beyond_a_new_one_are_not_in_its_way(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    write(store, 50, 60, 70, 5, 6, 7, 8)
    assert store.ids() == [70, 60, 50, 8, 7, 6]


def test_a_place_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match="cannot write"):
        write(SnapshotStore(tmp_path / "file" / "snapshots"), 1)
