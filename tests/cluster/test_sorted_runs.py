"""Sorted runs are merged to what a dictionary would hold, in pieces of any size."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.cluster import sorted_runs
from dragoman.cluster.disk import ScratchDirectory
from dragoman.cluster.shard_counts import find_paths
from dragoman.cluster.sorted_runs import SortedRun, merge, merge_paths
from dragoman.cluster.sorted_tables import check_size
from dragoman.errors import BadInputError
from dragoman.tables.table import MOST_ENTRIES
from dragoman.tables.table_kernels import WORD_BITS

COUNTS = st.dictionaries(st.integers(0, 40), st.integers(1, 9), max_size=20)


def run_of(counts: dict[int, int]) -> SortedRun:
    keys = np.array(sorted(counts), np.int64)
    return SortedRun(keys, {"count": np.array([counts[key] for key in keys.tolist()], np.int64)})


@settings(max_examples=60, deadline=None)
@given(runs=st.lists(COUNTS, min_size=1, max_size=5), room=st.integers(1, 30))
def test_equal_keys_are_summed(runs: list[dict[int, int]], room: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_runs, "ROOM", room)
        pieces = list(merge([run_of(counts) for counts in runs]))
    wanted: Counter[int] = sum((Counter(counts) for counts in runs), Counter())
    keys = [key for piece in pieces for key in piece.keys.tolist()]
    counts = [count for piece in pieces for count in piece.columns["count"].tolist()]
    assert list(zip(keys, counts, strict=True)) == sorted(wanted.items())
    for n, counted in enumerate(runs):  # and every entry knows where it went
        went = [piece.keys[place] for piece in pieces for place in piece.places[n].tolist()]
        assert went == sorted(counted)


def test_keys_with_the_same_upper_part_can_be_kept_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorted_runs, "ROOM", 4)
    runs = [run_of({n % 7 << WORD_BITS | n: 1 for n in range(start, 60, 2)}) for start in (0, 1)]
    pieces = [set((piece.keys >> WORD_BITS).tolist()) for piece in merge(runs, together=True)]
    assert len(pieces) > 3
    assert sum(map(len, pieces)) == len(set().union(*pieces)) == 7


SENTENCES = st.lists(st.integers(4, 7), min_size=0, max_size=8)


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(SENTENCES, min_size=1, max_size=4), longest=st.integers(1, 4), room=st.integers(1, 10))
def test_paths_of_all_runs_get_one_number(
    tmp_path_factory: object, texts: list[list[int]], longest: int, room: int
) -> None:
    place = ScratchDirectory(tmp_path_factory.mktemp("paths"))  # type: ignore[attr-defined]
    found = []
    for text in texts:
        words = np.array(text, np.int64)
        found.append(find_paths(words, len(text) - np.arange(len(text)), longest))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_runs, "ROOM", room)
        merged, here = merge_paths([paths for paths, _ in found], place)
    wanted = {tuple(t[i : i + n]) for t in texts for n in range(1, longest + 1) for i in range(len(t) - n + 1)}
    ids = {path: number for number, path in enumerate(sorted(wanted, key=lambda path: (len(path), path)))}
    keys = [(ids[path[:-1]] + 1 if len(path) > 1 else 0) << WORD_BITS | path[-1] for path in ids]
    assert merged.keys.tolist() == keys
    for text, (_, at_place), own in zip(texts, found, here, strict=True):
        for n in range(longest):
            for i in range(len(text) - n):
                assert own[at_place[n, i]] == ids[tuple(text[i : i + n + 1])]


def test_files_go_when_their_arrays_do(tmp_path: Path) -> None:
    place = ScratchDirectory(tmp_path)
    kept = place.keep_all({"a": np.arange(5), "b": np.ones((2, 3), np.int32), "c": np.zeros(0)})
    assert kept["a"].tolist() == [0, 1, 2, 3, 4]
    assert kept["b"].shape == (2, 3)
    assert kept["b"].flags.aligned
    growing = place.growing(np.int64)
    growing.add(np.arange(3))
    growing.add(np.arange(3))
    assert growing.mapped().tolist() == [0, 1, 2, 0, 1, 2]
    assert place.most_bytes >= 40 + 24 + 48
    kept.clear()
    assert place.bytes == 0
    assert list(tmp_path.iterdir()) == []


def test_more_than_a_table_can_hold_is_refused() -> None:
    check_size(MOST_ENTRIES)
    with pytest.raises(BadInputError, match=r"at most 2,147,483,646 entries, not 2,147,483,647; .* \(--least 2\)"):
        check_size(MOST_ENTRIES + 1)
