"""Operations on a whole language model: listing its n-grams, merging another model, dropping n-grams."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dragoman.models import language_upkeep_kernels as kernels
from dragoman.tables import ABSENT, Ids, PathTable, Table
from dragoman.tables.table_kernels import HIGH, WORD_BITS, insert_many
from dragoman.text.vocabulary import SPECIAL

if TYPE_CHECKING:
    from dragoman.models.language import LanguageModel

SLACK = 16  # `prune` stops 1/16 below the limit, so that it does not run again after every sentence


@dataclass(frozen=True)
class Grams:
    """All n-grams of one order, base and layer summed."""

    ids: Ids  # [m] joint ids, by which those of the next order know them as histories
    keys: Ids  # [m]
    counts: Ids  # [m] c_X
    totals: Ids  # [m] Σ_w c_X(u w) as a history u
    types: Ids  # [m] N1+(u •)
    once: Ids  # [m] N1(u •), where there are three discounts
    twice: Ids  # [m] N2(u •)

    @property
    def histories(self) -> Ids:
        """[m] joint id of each n-gram without its last word; ABSENT if that leaves none."""
        return (self.keys >> WORD_BITS) - 1

    @property
    def words(self) -> Ids:
        """[m] the last word of each n-gram."""
        return self.keys & ((1 << WORD_BITS) - 1)


def list_grams(model: LanguageModel) -> Iterator[Grams]:
    """The n-grams of order 1, then those of order 2, and so on."""
    ids, keys = _joint(model.inner)
    lengths = np.full(ids.max(initial=ABSENT) + 2, ABSENT)  # [joint id + 1], the empty history first
    lengths[0] = 0
    for order in range(1, model.order):
        here = lengths[keys >> WORD_BITS] == order - 1
        lengths[ids[here] + 1] = order
        summed = _summed(model.inner, keys[here])
        yield Grams(ids[here], keys[here], *summed)
    ids, keys = _joint(model.outer)
    counts = model.outer.get(keys, "longest").astype(np.int64)
    yield Grams(ids, keys, counts, *np.zeros((4, counts.size), np.int64))


def _summed(inner: Table, keys: Ids) -> Ids:
    """[5, keys] the statistics of inner n-grams, base and layer summed: count, total, types, once, twice."""
    rows = np.zeros((5, keys.size), np.int64)
    for table in (inner, inner.base):
        if table is not None:
            at = table.find(keys)
            there = at != ABSENT
            grams = table.columns["grams"][at[there]]
            rows[:3, there] += [grams["count"], grams["total"], grams["types"]]
            if "few" in table.columns:
                few = table.columns["few"][at[there]]
                rows[3:, there] += [few["once"], few["twice"]]
    return rows


def _joint(table: Table) -> tuple[Ids, Ids]:
    """Joint id and key of every entry in a table or its base."""
    ids, keys = table.ids, table.index.keys[table.ids]
    if table.base is None:
        return ids, keys
    only_here = table.base.find(keys) == ABSENT
    below, base_ids = int(table.base.index.state[HIGH]), table.base.ids
    joint = np.concatenate([base_ids, below + ids[only_here]])
    return joint, np.concatenate([table.base.index.keys[base_ids], keys[only_here]])


def merge(model: LanguageModel, other: LanguageModel) -> None:
    """Add all counts of another model of the same order, which has no base."""
    renamed = np.arange(len(other.vocabulary))  # [words there] their ids here
    if other.vocabulary is not model.vocabulary:
        words = other.vocabulary.words(renamed[len(SPECIAL) :])
        renamed[len(SPECIAL) :] = model.vocabulary.ids(words, add=True)
    merge_renamed(model, other, renamed)


def merge_renamed(model: LanguageModel, other: LanguageModel, renamed: Ids) -> None:
    """Add all counts of another model, given the id here [words there] of each word; different words may share one."""
    here = np.full(int(other.inner.index.state[HIGH]), ABSENT, np.int64)
    model.inner.reserve(2 * len(other.inner))
    model.outer.reserve(len(other.outer))
    if model.base is not None:
        model.own.reserve(2 * (len(other.inner) + len(other.outer)))
    kernels.enter_paths(model.view, other.view, renamed, here)
    kernels.merge(model.view, other.view, renamed, here)


def compact(model: LanguageModel) -> None:
    """Renumber the n-grams in canonical order, shorter ones first, and free spare room."""
    old = model.inner
    paths = PathTable()
    paths.index, paths.columns = old.index, {"uses": np.zeros(old.index.keys.size, np.int32)}
    renumbered = np.append(paths.compact(), ABSENT)  # [ids so far + 1] the new id of each; at place ABSENT, ABSENT
    ids = old.ids
    columns = {name: np.zeros(ids.size, column.dtype) for name, column in old.columns.items()}
    for name, column in columns.items():
        column[renumbered[ids]] = old.columns[name][ids]
    columns["grams"]["suffix"] = renumbered[columns["grams"]["suffix"]]
    old.index, old.columns = paths.index, columns
    ids = model.outer.ids
    keys = model.outer.index.keys[ids]
    fresh = Table(model.outer.dtypes)
    keys = (renumbered[(keys >> WORD_BITS) - 1] + 1) << WORD_BITS | keys & ((1 << WORD_BITS) - 1)
    fresh.add(keys, longest=model.outer.columns["longest"][ids])
    fresh.compact()
    model.outer = fresh


def prune(model: LanguageModel, limit: int) -> dict[int, int]:
    """Drop entries of the layer, least useful first, if there are more than `limit`; returns how many of each order."""
    dropped = dict.fromkeys(range(2, model.order + 1), 0)
    goal = limit - limit // SLACK if len(model) > limit else len(model)
    while (excess := len(model) - goal) > 0:
        entries, orders, counts = (column[:excess] for column in _droppable(model))
        if not entries.size:
            break
        model.inner.reserve(entries.size)
        model.own.reserve(entries.size)
        kernels.drop(model.view, entries, orders)
        for order in dropped:
            dropped[order] += int(np.count_nonzero(counts[orders == order]))
    if any(dropped.values()):
        _renumber_outer(model)
    return dropped


def _droppable(model: LanguageModel) -> tuple[Ids, Ids, Ids]:
    """Entries of the layer that nothing else depends on, with their orders and counts, least useful first."""
    high = int(model.inner.index.state[HIGH])
    orders, needed = np.zeros(high, np.int64), np.zeros(high, np.int64)
    kernels.survey(model.view, orders, needed)
    grams = model.inner.columns["grams"][:high]
    counts = grams["count"]
    idle = (grams["total"] == 0) & (grams["types"] == 0)
    if "few" in model.inner.columns:
        few = model.inner.columns["few"][:high]
        idle &= (few["once"] == 0) & (few["twice"] == 0)
    inner = np.flatnonzero((orders > 1) & (needed == 0) & (counts >= 0) & idle)
    longest = model.outer.columns["longest"]
    outer = model.outer.ids[:0] if model.order == 1 else model.outer.ids
    outer = outer[longest[outer] > 0]
    entries = np.concatenate([inner, outer])
    orders = np.concatenate([orders[inner], np.full(outer.size, model.order)])
    every_count = np.concatenate([counts[inner], longest[outer]])
    ranked = np.lexsort((entries, every_count, -orders))  # of higher order, then seen least, then older
    return entries[ranked], orders[ranked], every_count[ranked]


def _renumber_outer(model: LanguageModel) -> None:
    """Renumber the n-grams of order n by age, so that new ones do not get the ids of dropped ones."""
    ids = model.outer.ids
    fresh = Table(model.outer.dtypes, model.outer.base)
    fresh.reserve(ids.size)
    insert_many(fresh.index, model.outer.index.keys[ids], np.empty_like(ids))
    fresh.columns["longest"][: ids.size] = model.outer.columns["longest"][ids]
    model.outer = fresh
