"""Tables equal dictionaries, whatever is done to them: adding, removing, growing, layering, merging, saving."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.tables import ABSENT, Table
from dragoman.tables import table_kernels as kernels
from tests.oracles.counting import CountingDict

pytestmark = pytest.mark.kernels

COLUMNS = {"first": np.int64, "second": np.int32}

keys = st.one_of(st.integers(0, 12), st.integers(0, 2**63 - 1))
additions = st.lists(st.tuples(keys, st.integers(-2, 2), st.integers(-2, 2)), max_size=60)


def fill(table: Table, oracle: CountingDict, rows: list[tuple[int, int, int]], chunk: int) -> None:
    """Add rows to both, a few at a time, as kernels do."""
    for i in range(0, len(rows), chunk):
        part = rows[i : i + chunk]
        table.add([r[0] for r in part], first=[r[1] for r in part], second=[r[2] for r in part])
    for key, first, second in rows:
        oracle.add(key, (first, second))


def rows_of(table: Table) -> dict[int, tuple[int, ...]]:
    contents = table.contents()
    columns = zip(contents["first"].tolist(), contents["second"].tolist(), strict=True)
    return dict(zip(contents["key"].tolist(), columns, strict=True))


@settings(deadline=None)
@given(additions, st.integers(1, 7))
def test_any_sequence_of_additions_and_removals_equals_a_dictionary(
    rows: list[tuple[int, int, int]], chunk: int
) -> None:
    table, oracle = Table(COLUMNS), CountingDict(2)
    fill(table, oracle, rows, chunk)
    assert rows_of(table) == oracle.rows
    assert len(table) == len(oracle.rows)
    probes = [row[0] for row in rows] + [5, 2**62]
    assert table.get(probes, "first").tolist() == [oracle.rows.get(key, (0, 0))[0] for key in probes]


@settings(deadline=None)
@given(additions)
def test_adding_then_removing_restores_the_empty_table(rows: list[tuple[int, int, int]]) -> None:
    table, oracle = Table(COLUMNS), CountingDict(2)
    fill(table, oracle, rows, 3)
    fill(table, oracle, [(key, -first, -second) for key, first, second in reversed(rows)], 5)
    assert len(table) == 0
    assert all(not array.any() for name, array in table.arrays().items() if name not in ("state", "slots"))
    assert not table.index.slots.any()
    assert table.index.state[:3].tolist() == [0, 0, 0]


@settings(deadline=None)
@given(additions, additions)
def test_taking_back_the_newest_entries_restores_every_array(
    before: list[tuple[int, int, int]], after: list[tuple[int, int, int]]
) -> None:
    table, oracle = Table(COLUMNS), CountingDict(2)
    fill(table, oracle, [(key, 1, 1) for key, *_ in before], 4)
    table.reserve(200)
    expected = {name: array.copy() for name, array in table.arrays().items()}
    new = list({key for key, *_ in after} - oracle.rows.keys())
    table.add(new, first=1)
    table.add(new, first=-1)
    for name, array in table.arrays().items():
        np.testing.assert_array_equal(array, expected[name], err_msg=name)


@settings(deadline=None)
@given(additions, additions)
def test_a_layer_over_a_base_reads_as_the_sum_and_leaves_the_base_alone(
    below: list[tuple[int, int, int]], above: list[tuple[int, int, int]]
) -> None:
    base, total = Table(COLUMNS), CountingDict(2)
    fill(base, total, below, 6)
    untouched = {name: array.copy() for name, array in base.arrays().items()}
    layer = Table(COLUMNS, base=base)
    fill(layer, total, above, 6)
    probes = [row[0] for row in below + above]
    assert layer.get(probes, "second").tolist() == [total.rows.get(key, (0, 0))[1] for key in probes]
    for name, array in base.arrays().items():
        np.testing.assert_array_equal(array, untouched[name])


@settings(deadline=None)
@given(st.lists(additions, max_size=4), st.randoms())
def test_merging_shards_in_any_order_equals_counting_together(
    shards: list[list[tuple[int, int, int]]], random: Random
) -> None:
    tables, oracle = [], CountingDict(2)
    for rows in shards:
        table, part = Table(COLUMNS), CountingDict(2)
        fill(table, part, rows, 4)
        oracle.merge(part)
        tables.append(table)
    random.shuffle(tables)
    merged = Table(COLUMNS)
    for table in tables:
        here = merged.merge(table)
        for there in table.ids:
            if here[there] != ABSENT:
                assert merged.index.keys[here[there]] == table.index.keys[there]
    assert rows_of(merged) == oracle.rows


@settings(deadline=None)
@given(additions, additions)
def test_compacting_gives_equal_arrays_for_equal_contents(
    one: list[tuple[int, int, int]], two: list[tuple[int, int, int]]
) -> None:
    forward, backward, oracle = Table(COLUMNS), Table(COLUMNS), CountingDict(2)
    fill(forward, oracle, one + two, 5)
    fill(backward, CountingDict(2), two[::-1] + one[::-1], 2)
    forward.compact()
    backward.compact()
    for name, array in forward.arrays().items():
        np.testing.assert_array_equal(array, backward.arrays()[name], err_msg=name)
    assert rows_of(forward) == oracle.rows
    fill(forward, oracle, one, 1)  # and it goes on working
    assert rows_of(forward) == oracle.rows


def test_compacting_tells_the_new_ids() -> None:
    table = Table(COLUMNS)
    table.add([50, 30, 40], first=1)
    table.add([30], first=-1)
    before = {key: int(table.find(key)[0]) for key in (50, 40)}
    renumbered = table.compact()
    assert [renumbered[before[key]] for key in (40, 50)] == [0, 1]
    assert table.find([40, 50]).tolist() == [0, 1]


@settings(deadline=None, max_examples=30)
@given(additions, additions)
def test_a_saved_table_opens_equal_and_goes_on(
    tmp_path_factory: pytest.TempPathFactory,
    before: list[tuple[int, int, int]],
    after: list[tuple[int, int, int]],
) -> None:
    directory = tmp_path_factory.mktemp("table")
    table, oracle = Table(COLUMNS), CountingDict(2)
    fill(table, oracle, before, 4)
    table.save(directory)
    opened = Table.open(directory)
    fill(table, oracle, after, 4)
    fill(opened, CountingDict(2), after, 4)
    assert rows_of(opened) == rows_of(table) == oracle.rows
    for name, array in table.arrays().items():
        if name != "slots":  # the number of slots depends on spare room, which is not saved
            np.testing.assert_array_equal(array, opened.arrays()[name], err_msg=name)


def test_an_empty_table_that_was_saved_can_be_read(tmp_path: Path) -> None:
    Table(COLUMNS).save(tmp_path)
    assert Table.open(tmp_path).get([5], "first").tolist() == [0]


def test_saving_twice_writes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        table = Table(COLUMNS)
        table.add(range(1000), first=1)
        table.add(range(0, 1000, 3), first=-1)
        table.save(tmp_path / name)
    files = sorted(path.name for path in (tmp_path / "a").iterdir() if path.name != "verified.json")
    assert files
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_hundred_thousand_entries_survive_growth_and_half_of_them_erasing() -> None:
    random = np.random.default_rng(7)
    many = np.unique(random.integers(0, 2**63 - 1, 100_000))
    table = Table(COLUMNS)
    for part in np.array_split(many, 50):
        table.add(part, first=part % 1000 + 1)
    table.add(many[::2], first=-(many[::2] % 1000 + 1))
    assert (table.find(many[::2]) == ABSENT).all()
    np.testing.assert_array_equal(table.get(many[1::2], "first"), many[1::2] % 1000 + 1)
    assert len(table) == many.size // 2


def test_keys_that_fight_for_the_same_slots_are_kept_apart() -> None:
    table = Table({"first": np.int64})
    slots = table.index.slots.size
    same_home = [k for k in range(3000) if kernels.home(np.uint64(kernels.hash_of(k)), slots) == slots - 1][:10]
    assert len(same_home) == 10
    table.add(same_home, first=1)
    for key in same_home[1::2]:
        table.add(key, first=-1)
    assert table.get(same_home, "first").tolist() == [1, 0] * 5


def test_bytes_per_entry_are_at_most_twice_the_raw_size() -> None:
    table = Table({"first": np.int32})
    for part in np.array_split(np.arange(200_000, dtype=np.int64) * 7919, 400):
        table.add(part, first=1)
        if len(table) > 1000:
            assert table.nbytes / len(table) <= 2 * (8 + 4)


def test_negative_keys_and_unfitting_layers_are_refused() -> None:
    with pytest.raises(BadInputError, match="-3"):
        Table(COLUMNS).add([4, -3], first=1)
    with pytest.raises(BadInputError, match="does not match"):
        Table({"third": np.int8}, base=Table(COLUMNS))


def test_float_columns_count_too() -> None:
    table = Table({"mass": np.float64})
    table.add([1, 1, 2], mass=[0.5, 0.25, 1.0])
    assert table.get([1, 2], "mass").tolist() == [0.75, 1.0]
