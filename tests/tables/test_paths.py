"""Paths: sequences of words as chains of entries, alive while something holds them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.tables import ABSENT, PathTable
from tests.oracles.counting import PathBag

pytestmark = pytest.mark.kernels

path = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)
paths = st.lists(path, max_size=25)


def all_paths(table: PathTable) -> set[tuple[int, ...]]:
    below = int(table.layered.base.state[0])
    return {tuple(table.path(below + int(entry))) for entry in table.ids}


@settings(deadline=None)
@given(paths, st.data())
def test_paths_are_there_exactly_while_held(inserted: list[tuple[int, ...]], data: st.DataObject) -> None:
    table, oracle = PathTable(), PathBag()
    for words in inserted:
        node = table.insert(words)
        assert table.path(node) == list(words)
        oracle.held[words] += 1
    for words in data.draw(st.permutations(inserted)):
        assert all_paths(table) == oracle.paths()
        node = table.find_path(words)
        table.release(node)
        oracle.held[words] -= 1
    assert len(table) == 0


@settings(deadline=None)
@given(paths, paths)
def test_a_layer_extends_the_paths_of_its_base(below: list[tuple[int, ...]], above: list[tuple[int, ...]]) -> None:
    base = PathTable()
    in_base = {words: base.insert(words) for words in below}
    layer = PathTable(base)
    nodes = {words: layer.insert(words) for words in above}
    for words, node in in_base.items():
        assert layer.find_path(words) == node  # one id wherever it is asked for
    for words, node in nodes.items():
        assert layer.find_path(words) == node
        assert layer.path(node) == list(words)
    known = PathBag()
    known.held.update(below)
    assert all_paths(layer) == {words[:n] for words in above for n in range(1, len(words) + 1)} - known.paths()
    for words in above:
        layer.release(layer.find_path(words))
    assert len(layer) == 0


@settings(deadline=None)
@given(paths, paths)
def test_merging_and_compacting_number_equal_paths_alike(
    one: list[tuple[int, ...]], two: list[tuple[int, ...]]
) -> None:
    def table_of(inserted: list[tuple[int, ...]]) -> PathTable:
        table = PathTable()
        for words in inserted:
            table.insert(words)
        return table

    first, second = table_of(one), table_of(two)
    merged = table_of(one)
    here = merged.merge(second)
    for words in two:
        assert merged.path(int(here[second.find_path(words)])) == list(words)
    other_way = table_of(two)
    other_way.merge(first)
    together = table_of(two[::-1] + one[::-1])
    old = {words: together.find_path(words) for words in one}
    new = together.compact()
    assert all(together.path(int(new[node])) == list(words) for words, node in old.items())
    merged.compact()
    other_way.compact()
    for name, array in together.arrays().items():
        np.testing.assert_array_equal(array, merged.arrays()[name], err_msg=name)
        np.testing.assert_array_equal(array, other_way.arrays()[name], err_msg=name)


def test_saved_paths_open_equal(tmp_path: Path) -> None:
    table = PathTable()
    node = table.insert([1, 2, 3])
    table.save(tmp_path)
    opened = PathTable.open(tmp_path)
    assert isinstance(opened, PathTable)
    assert opened.path(node) == [1, 2, 3]
    assert opened.find_path([2]) == ABSENT
    opened.release(node)
    assert len(opened) == 0
